#!/bin/bash
# fmc attach of what can't be looked at: one line that says why, status 69, and the process is left as it was. RACES: how often a
# process ends in the middle.
. tests/lib.sh
. tests/native.sh
RACES=${RACES:-15}
PYTHON=/usr/bin/python3
started=() unprivileged=()
chmod 755 "$SCRATCH"

# Whatever is left is killed, one by one.
cleanup() {
	local process
	for process in "${started[@]}"; do kill -KILL "$process" 2>/dev/null; done
	rm -rf "$SCRATCH"
}
trap cleanup EXIT

# start COMMAND...: in the background, its input open and empty; sets pid.
start() {
	rm -f "$SCRATCH/said"
	"$@" <"$SCRATCH/input" >"$SCRATCH/said" 2>"$SCRATCH/noise" &
	pid=$!
	started+=($pid)
}

# stop PROCESS...
stop() {
	kill -KILL "$@" 2>/dev/null
	wait "$@" 2>/dev/null
}

# started_as PID PROGRAM [THREADS]: until it runs that, and so many threads of it sleep.
started_as() {
	until [[ "$(tr '\0' ' ' <"/proc/$1/cmdline")" == "$2"* ]]; do [ -d "/proc/$1" ] || return 1; done 2>/dev/null
	asleep "$1" "${3:-1}"
}

# What must stay the same: the states and tracers of all threads.
threads_of() {
	grep -sE '^(State|TracerPid):' /proc/"$1"/task/*/status
}

# look COMMAND...: its output to out and err; sets status.
look() {
	timeout -k 5 30 "$@" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	status=$?
}

# one_line REGEX: that is all that was said, and the status is the right one.
one_line() {
	[ $status -eq 69 ] && [ ! -s "$SCRATCH/out" ] && [ "$(wc -l <"$SCRATCH/err")" -eq 1 ] && grep -qE "^fmc: $1\$" "$SCRATCH/err"
}

# says_only NAME REGEX COMMAND...: it says this and nothing else.
says_only() {
	local name=$1 pattern=$2
	shift 2
	look "$@"
	if one_line "$pattern"; then
		pass "$name"
	else
		fail "$name: status $status, not '$pattern' alone"
		show "$SCRATCH/out" "$SCRATCH/err"
	fi
}

# refused NAME REGEX COMMAND...: the same, and process $pid stays as it is: it must be one that sleeps, not this shell, which runs.
refused() {
	local name=$1 before
	before=$(threads_of "$pid")
	says_only "$@"
	judge "$name: it is left as it was" [ "$(threads_of "$pid")" = "$before" ]
}

# trace TID: by another program, until its process $tracer is stopped.
trace() {
	start "$PYTHON" -c '
import ctypes, sys
seize = 0x4206
if ctypes.CDLL(None).ptrace(seize, int(sys.argv[1]), None, None) != 0:
    sys.exit(1)
print("traced", flush=True)
sys.stdin.read()' "$1"
	tracer=$pid
	until grep -qs traced "$SCRATCH/said"; do kill -0 $tracer 2>/dev/null || return 1; done
}

mkfifo -m 666 "$SCRATCH/input"
exec {input}<>"$SCRATCH/input"

# Numbers of nobody, of those who have ended, and of what isn't a program.
start true
wait "$pid"
refused "a process that has ended" "there is no process $pid" "$FMC" attach "$pid"
# It ends after its parent has become one that never asks.
start sh -c 'read -r line <"$1" & echo $! >"$2"; exec sleep 1000' sh "$SCRATCH/input" "$SCRATCH/zombie"
parent=$pid
started_as "$parent" 'sleep 1000'
pid=$(cat "$SCRATCH/zombie")
echo >&"$input"
until grep -qs '^State:.Z' "/proc/$pid/status"; do [ -d "/proc/$pid" ] || break; done
refused "a zombie" "process $pid \(sh\) has ended and is a zombie until its parent, process $parent \(sleep\), asks for its exit status" \
    "$FMC" attach "$pid"
stop "$parent"
if [ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ]; then
	pid=2
	refused "a kernel's thread" 'process 2 \(kthreadd\) is a thread of the kernel, not a program' "$FMC" attach 2
else
	skip "a kernel's thread: none can be seen from here"
fi
says_only "itself" 'process [0-9]+ is fmc itself' sh -c 'exec "$1" attach $$' sh "$FMC"

# Another program's debuggee, even one of its threads only; afterwards all is well.
cp "$BUILD/targets/hangs" "$FMC" "$SCRATCH"
hangs=$SCRATCH/hangs
start "$hangs" idle
target=$pid
started_as "$target" "$hangs" 5
thread=$(ls /proc/"$target"/task | sort -n | tail -n 1)
if [ -x $PYTHON ] && trace "$target"; then
	pid=$target
	refused "traced" "process $target \(hangs\) is traced already, by process $tracer \(python3[^)]*\): end that first" \
	    "$FMC" attach "$target"
	stop "$tracer"
	trace "$thread"
	pid=$target
	refused "a thread of it is traced" \
	    "process $target \(hangs\) is traced already, by process $tracer \(python3[^)]*\): end that first" "$FMC" attach "$target"
	stop "$tracer"
else
	skip "traced: needs python3 and the right to trace"
fi
look "$FMC" attach --json "$SCRATCH/result.json" "$thread"
judge "the number of a thread: its process" [ $status -eq 0 -a "$("$BUILD/tests/json" "$SCRATCH/result.json" pid)" = "$target" ]

# A 32-bit program; without a C library it is made anywhere.
cat >"$SCRATCH/small.c" <<'END'
void _start(void)
{
	for (;;)
		__asm__ volatile("int $0x80" : : "a"(29)); /* pause */
}
END
if gcc -m32 -nostdlib -static -fno-pie -no-pie -o "$SCRATCH/small" "$SCRATCH/small.c" 2>"$SCRATCH/err" && start "$SCRATCH/small" &&
    started_as "$pid" "$SCRATCH/small"; then
	refused "a 32-bit program" "process $pid \(small\) is a 32-bit program: fmc knows x86-64 only" "$FMC" attach "$pid"
	stop "$pid"
else
	skip "a 32-bit program: can't be made or run here"
fi

# Without the rights.
scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
others=1
if [ "$(id -u)" -eq 0 ]; then
	unprivileged=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	others=$target
fi
if ! "${unprivileged[@]}" "$SCRATCH/fmc" --version >/dev/null 2>&1; then
	skip "without the rights: another user's programs can't be run here"
else
	pid=$others
	refused "another user's" "process $others \([^)]*\) belongs to user root: use sudo" "${unprivileged[@]}" "$SCRATCH/fmc" attach "$others"
	start "${unprivileged[@]}" "$hangs" idle
	started_as "$pid" "$hangs" 5
	case $scope in
	0)
		look "${unprivileged[@]}" "$SCRATCH/fmc" attach "$pid"
		judge "one's own" [ $status -eq 0 ]
		;;
	1 | 2 | 3)
		refused "one's own, which the system doesn't allow" "this system lets .* $pid \(hangs\).*kernel.yama.ptrace_scope.*" \
		    "${unprivileged[@]}" "$SCRATCH/fmc" attach "$pid"
		;;
	esac
	stop "$pid"
	if [ "$scope" = 0 ] && [ -x $PYTHON ]; then
		start "${unprivileged[@]}" $PYTHON -c '
import ctypes, sys
set_dumpable = 4
ctypes.CDLL(None).prctl(set_dumpable, 0, 0, 0, 0)
print("protected", flush=True)
sys.stdin.read()'
		until grep -qs protected "$SCRATCH/said"; do kill -0 "$pid" 2>/dev/null || break; done
		asleep "$pid"
		refused "one's own, but protected" \
		    "process $pid \(python3[^)]*\) has protected itself, or has got more rights than its user: use sudo" \
		    "${unprivileged[@]}" "$SCRATCH/fmc" attach "$pid"
		stop "$pid"
	else
		skip "one's own, but protected: needs python3 and a system without Yama"
	fi
fi
pid=$target
if [ "$(id -u)" -eq 0 ] && grep -q '^CapPrm:.*[89a-f]....$' /proc/self/status && [ "$scope" = 0 ]; then
	refused "root without the right" \
	    "not permitted to look at process $target \(hangs\), though by root: CAP_SYS_PTRACE is missing, in a container start that with --cap-add=SYS_PTRACE" \
	    setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace "$SCRATCH/fmc" attach "$target"
else
	skip "root without the right: isn't root with it"
fi

# Names are told so that they stay within the line.
start sh -c 'printf "a\\nb\\033" >/proc/$$/comm && echo named && read -r line'
until grep -qs named "$SCRATCH/said"; do :; done
asleep "$pid"
if [ -x $PYTHON ] && named=$pid && trace "$named"; then
	pid=$named
	refused "a name with a line feed" "process $named \([[:print:]]+\) is traced already, by process $tracer \(python3[^)]*\): end that first" \
	    "$FMC" attach "$named"
	stop "$tracer" "$named"
else
	skip "a name with a line feed: needs python3 and the right to trace"
fi
stop "$target"

# A process that ends in the middle: a report, or one line.
wrong=0
for ((race = 0; race < RACES; race++)); do
	start "$hangs" idle
	started_as "$pid" "$hangs" 5
	"$FMC" attach "$pid" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err" &
	fmc=$!
	for ((i = 0; i < race * 500; i++)); do :; done
	stop "$pid"
	wait $fmc
	status=$?
	if [ $status -ne 0 ] && ! one_line "(there is no process $pid|process $pid (has ended meanwhile|.*is a zombie.*))"; then
		wrong=$((wrong + 1))
		echo "     | status $status"
		show "$SCRATCH/out" "$SCRATCH/err"
	fi
	[ $status -eq 0 ] || ended=$((${ended:-0} + 1))
done
judge "ends in the middle: a report, or one line (${ended:-0} of $RACES)" [ $wrong -eq 0 ]
finish
