#!/bin/bash
# The command line: what is wrong gets one line and its exit status, and leaves no process behind.
. tests/lib.sh
cp "$BUILD/samples/philosophers" "$SCRATCH/target"
T=$SCRATCH/target

# refuse STATUS REGEX ARGUMENT...: exit status, exactly one line on standard error that matches, nothing on standard
# output, no target left.
refuse() {
	local status=$1 pattern=$2 found lines
	shift 2
	timeout -k 10 60 "$FMC" "$@" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	found=$?
	lines=$(wc -l <"$SCRATCH/err")
	if [ $found -eq "$status" ] && [ "$lines" -eq 1 ] && grep -Eq "$pattern" "$SCRATCH/err" && [ ! -s "$SCRATCH/out" ] &&
	    gone "$T"; then
		pass "fmc $*"
	else
		fail "fmc $*: status $found (expected $status), $lines lines, expected to match '$pattern'"
		show "$SCRATCH/out" "$SCRATCH/err"
	fi
}

# accept REGEX ARGUMENT...: exit status 0 and standard output that matches.
accept() {
	local pattern=$1
	shift
	timeout -k 10 60 "$FMC" "$@" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err" && grep -Eq "$pattern" "$SCRATCH/out" &&
	    [ ! -s "$SCRATCH/err" ]
	judge "fmc $*" [ $? -eq 0 ]
}

# Usage.
refuse 64 'command' 
refuse 64 'check' chek -- "$T"
refuse 64 'strategy' check --strategie dfs -- "$T"
refuse 64 'strategy' check --strategy dsf -- "$T"
refuse 64 'option -z' check -z -- "$T"
refuse 64 'value' check --seed
refuse 64 'number' check --seed x -- "$T"
refuse 64 'number' check --executions -1 -- "$T"
refuse 64 'number' check --time soon -- "$T"
refuse 64 'program' check
refuse 64 'program' run --
refuse 64 'schedule' replay
refuse 64 'too much' replay a.sched b.sched
refuse 64 'needs --gdb' export a.sched
refuse 65 'a.sched' export --gdb a.sched
refuse 64 'command' help chek
refuse 64 "needs a shell, bash or zsh; see 'fmc help completion'" completion
refuse 64 "bash and zsh, not for 'fish'" completion fish
refuse 64 "'x' is too much" completion bash x
refuse 64 "needs a process; see 'fmc help attach'" attach
refuse 64 "takes one process; '2' is too much" attach 1 2
refuse 64 'did you mean --watch' attach --wach 1 1
refuse 64 'number of seconds' attach --watch soon 1
refuse 64 'at least' attach --watch 0 1
refuse 64 'count.*watch' attach --count 2 1
refuse 64 'verify-engine and --engine stops can' check --verify-engine 3 --engine stops -- /bin/true
refuse 64 'verify-engine and --follow can' check --verify-engine 3 --follow -- /bin/true
refuse 64 'verify-engine and --signal can' check --verify-engine 3 --signal INT -- /bin/true
refuse 64 'verify-engine and --drive can' check --verify-engine 3 --drive true -- /bin/true
refuse 69 "no process is called 'fmc-no-such-process'" attach fmc-no-such-process
refuse 69 "no process is called '12x'" attach 12x
refuse 69 '99999999999 ' attach 99999999999
refuse 69 '^fmc: .*2147483647' attach 2147483647
refuse 64 "needs a core file; see 'fmc help core'" core
refuse 64 "takes one core file and its program; 'c' is too much" core a b c
refuse 69 'missing' core "$SCRATCH/missing"
printf 'neither fish nor fowl' >"$SCRATCH/fish"
refuse 65 'fish' core "$SCRATCH/fish"
refuse 65 'core' core "$BUILD/fmc"
accept '^fmc [0-9]+\.[0-9]+' --version
accept '^fmc [0-9]+\.[0-9]+' version
accept 'fmc check' --help
accept 'fmc check' help
for command in check run replay show minimize certificate gdb gdbserver export attach core merge completion; do
	accept "fmc $command" help $command
	accept "fmc $command" $command --help
done

# Programs that can't be supervised.
refuse 69 'missing' check -- "$SCRATCH/missing"
refuse 69 'fmc-no-such-program' check -- fmc-no-such-program
refuse 69 'missing' run -- "$SCRATCH/missing"
mkdir "$SCRATCH/folder"
refuse 69 'folder' check -- "$SCRATCH/folder"
printf '#!/bin/sh\ntrue\n' >"$SCRATCH/script"
chmod +x "$SCRATCH/script"
refuse 69 'ELF|script' check -- "$SCRATCH/script"
printf 'neither fish nor fowl' >"$SCRATCH/text"
chmod +x "$SCRATCH/text"
refuse 69 'ELF' check -- "$SCRATCH/text"
: >"$SCRATCH/empty"
chmod +x "$SCRATCH/empty"
refuse 69 'ELF' check -- "$SCRATCH/empty"
# An ELF header of class 1 (32 bits), machine 3 (i386).
{ printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0' && head -c 200 /dev/zero; } >"$SCRATCH/i386"
chmod +x "$SCRATCH/i386"
refuse 69 '32' check -- "$SCRATCH/i386"
# Of class 2 (64 bits), machine 183 (AArch64).
{ printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\267\0\1\0\0\0' && head -c 200 /dev/zero; } >"$SCRATCH/arm"
chmod +x "$SCRATCH/arm"
refuse 69 'x86-64' check -- "$SCRATCH/arm"
head -c 100 "$BUILD/samples/philosophers" >"$SCRATCH/cut"
chmod +x "$SCRATCH/cut"
refuse 69 'cut' check -- "$SCRATCH/cut"
cp "$BUILD/samples/philosophers" "$SCRATCH/locked"
chmod -x "$SCRATCH/locked"
refuse 69 'locked.*([Pp]ermission|execut)' check -- "$SCRATCH/locked"

# Schedules that are damaged, cut short, of another program, of another build, or not there.
"$FMC" check --strategy dfs -o "$SCRATCH/good.sched" -- "$T" 2 </dev/null >/dev/null 2>&1
judge "a schedule to damage" [ -s "$SCRATCH/good.sched" ]
accept 'T2' show "$SCRATCH/good.sched"
for command in replay show; do
	refuse 65 'nothing\.sched' $command "$SCRATCH/nothing.sched"
	head -c 300 /dev/zero >"$SCRATCH/zero.sched"
	refuse 65 'zero\.sched:1: ' $command "$SCRATCH/zero.sched"
	: >"$SCRATCH/empty.sched"
	refuse 65 'empty\.sched' $command "$SCRATCH/empty.sched"
	head -n -2 "$SCRATCH/good.sched" >"$SCRATCH/cut.sched"
	refuse 65 'cut\.sched:[0-9]+: ' $command "$SCRATCH/cut.sched"
	sed 's/mutex_lock/mutex_luck/' "$SCRATCH/good.sched" >"$SCRATCH/luck.sched"
	refuse 65 'luck\.sched:[0-9]+: .*mutex_luck' $command "$SCRATCH/luck.sched"
	sed '1s/[0-9]/999/' "$SCRATCH/good.sched" >"$SCRATCH/future.sched"
	refuse 65 'future\.sched:1: ' $command "$SCRATCH/future.sched"
done
# The same path, another program after it.
cp "$BUILD/samples/philosophers_ordered" "$SCRATCH/other"
mv "$SCRATCH/other" "$T"
refuse 65 'build' replay "$SCRATCH/good.sched"
mv "$T" "$SCRATCH/moved"
refuse 69 'target' replay "$SCRATCH/good.sched"
cp "$BUILD/samples/philosophers" "$T"
"$FMC" replay "$SCRATCH/good.sched" >"$SCRATCH/out" 2>"$SCRATCH/err"
judge 'a replay says what it runs, and no more' grep -qx "fmc: $SCRATCH/good.sched: running $(realpath "$T") 2" "$SCRATCH/err"
says 'and that it went as recorded' 'as recorded'

# Schedules are numbered rather than overwritten.
cd "$SCRATCH" || exit 1
tool=$OLDPWD/$FMC
case $FMC in /*) tool=$FMC ;; esac
"$tool" check -- ./target 2 </dev/null >/dev/null 2>&1
"$tool" check -- ./target 2 </dev/null >/dev/null 2>&1
judge "target.sched and target.2.sched" [ -s target.sched -a -s target.2.sched ]
# No file can be made in /proc, by nobody.
"$tool" check -o /proc/x.sched -- ./target 2 </dev/null >out 2>err
judge "a schedule that can't be written doesn't hide the finding" [ $? -eq 1 -a -s out -a -s err ]

# Few descriptors, small files, full disks: fmc says what it lacks, and never dies of it.
limited() {
	local limit=$1 status=$2 pattern=$3 found
	shift 3
	(ulimit $limit && exec timeout -k 10 60 "$tool" "$@" </dev/null) 2>&1 | cat >limited.out
	found=${PIPESTATUS[0]}
	if [ "$found" -eq "$status" ] && grep -Eq "$pattern" limited.out; then
		pass "ulimit $limit, fmc $*: status $status"
	else
		fail "ulimit $limit, fmc $*: status $found (expected $status), to match '$pattern'"
		show limited.out
	fi
}
limited '-n 20' 1 '^deadlock' check -o limited.sched -- ./target 2
limited '-n 5' 69 'Too many open files' check -- ./target 2
limited '-f 0' 1 "limited2.sched: can't write the schedule: File too large" check -o limited2.sched -- ./target 2
limited '-f 0' 69 "output is larger than files may be \(ulimit -f\)" check -- "$OLDPWD/$BUILD/samples/no_threads" 0
limited '-f unlimited' 1 "can't write the schedule: No space left" check -o /dev/full -- ./target 2
"$tool" check -o limited3.sched -- ./target 2 </dev/null >/dev/full 2>err
judge "a full standard output is told" [ $? -eq 1 -a -n "$(grep "can't write to standard output" err)" ]

# Results.
"$tool" check --json - -- ./target 2 </dev/null >result.json 2>err
judge "JSON on standard output, text elsewhere" [ "$("$OLDPWD/$BUILD/tests/json" result.json findings.0.kind)" = deadlock -a -s err ]
"$tool" check --strategy random --executions 3 --require-complete -- "$OLDPWD/$BUILD/samples/buffer" </dev/null >out 2>&1
judge "--require-complete: status 2" [ $? -eq 2 ]
"$tool" run -- "$OLDPWD/$BUILD/samples/no_threads" 3 </dev/null >out 2>err
judge "fmc run gives the program's exit status and output" [ $? -eq 3 -a "$(cat out)" = 'nothing to see here' ]
"$tool" run --seed 3 -- "$OLDPWD/$BUILD/samples/checksum" "$OLDPWD/samples/texts" >out1 2>/dev/null </dev/null
"$tool" run --seed 3 -- "$OLDPWD/$BUILD/samples/checksum" "$OLDPWD/samples/texts" >out2 2>/dev/null </dev/null
judge "fmc run --seed is repeatable" cmp -s out1 out2
"$tool" check --color always -- ./target 2 </dev/null >out 2>&1
judge "--color always colours" grep -q $'\033\[' out
"$tool" check -- ./target 2 </dev/null >out 2>&1
judge "no colours and no progress in a pipe" [ -z "$(tr -cd '\033\r' <out)" ]
gone "$T"
judge "no process left" [ $? -eq 0 ]

# What a summary says of a policy that restricts, and of which executions its estimate is.
buffer=$OLDPWD/$BUILD/samples/buffer
"$tool" check --strategy dfs --wakeup cond=fifo --json result.json -- "$buffer" </dev/null >out 2>&1
judge "complete under a policy: text" grep -q '^under .*only those choices of whom to wake that cond=fifo allows' out
judge "complete under a policy: JSON" [ "$("$OLDPWD/$BUILD/tests/json" result.json conditions | grep -c cond=fifo)" -eq 1 ]
"$tool" check --strategy dfs --wakeup lokc=fifo --executions 3 -- "$buffer" </dev/null >/dev/null 2>err
judge "a rule for an object that isn't there is told" grep -q "^fmc: --wakeup: nothing was called 'lokc'" err
"$tool" check --strategy dfs --wakeup lock=fifo --executions 3 -- "$buffer" </dev/null >/dev/null 2>err
judge "one for an object that is there isn't" [ ! -s err ]
# The functions that programs define for fmc, as C++ names them; one of them is right.
cat >marked.cc <<'EOT'
#include <cstddef>
#include <thread>
static int shared;
#define KEPT __attribute__((noinline))
extern "C" KEPT void fmc_point(const volatile void *address, std::size_t length, int write) { asm volatile("" ::"r"(address), "r"(length), "r"(write)); }
KEPT void fmc_point(int *address, int write) { fmc_point(address, sizeof *address, write); }
namespace mine { KEPT int fmc_choose(int n) { asm volatile("" : "+r"(n)); return n; } }
KEPT int fmc_choose_more(int n) { asm volatile("" : "+r"(n)); return n; }
int main()
{
	std::thread other([] { fmc_point(&shared, 1); shared++; });
	other.join();
	return mine::fmc_choose(shared) - fmc_choose_more(1);
}
EOT
"${CXX:-c++}" -O1 -g -pthread marked.cc -o marked
"$tool" check -- ./marked </dev/null >out 2>err
judge "a function for fmc that C++ has renamed is told" \
    [ "$(cat err)" = "fmc: fmc_choose does nothing: the program has it as C++ names it; extern \"C\" makes it fmc's" ]
sed -i 's/KEPT int fmc_choose(/extern "C" &/' marked.cc
"${CXX:-c++}" -O1 -g -pthread marked.cc -o marked
"$tool" check -- ./marked </dev/null >out 2>err
judge "one that it hasn't isn't" [ ! -s err ]
transfer=$OLDPWD/$BUILD/samples/transfer
"$tool" check --json result.json -- "$transfer" </dev/null >/dev/null 2>&1
name=$("$OLDPWD/$BUILD/tests/json" result.json findings.0.threads.1.holds.0)
judge "a lock in an object is told by type and member" grep -Eqx 'account\.lock at heap \+0x[0-9a-f]+' <<<"$name"
"$tool" check --wakeup "$name=fifo" --executions 3 -- "$transfer" </dev/null >/dev/null 2>err
judge "a rule for it by that name" [ ! -s err ]
"$tool" check --strategy dfs --wakeup cond=fifo --executions 3 -- "$buffer" </dev/null >out 2>&1
judge "incomplete under a policy" grep -q '^  - only choices of whom to wake that cond=fifo allows' out
"$tool" check --strategy cb:1 --executions 20 -- "$OLDPWD/$BUILD/samples/philosophers_ordered" 4 </dev/null >out 2>&1
judge "an estimate of some executions says of which" grep -Eq '^In all there may be about .* with at most 0 preemptions' out

# auto runs one execution of each order: where every access was watched, equivalent ones can't differ.
"$tool" check --json result.json -- "$buffer" </dev/null >out 2>&1
judge "auto: complete without reservation" [ "$("$OLDPWD/$BUILD/tests/json" result.json complete) $("$OLDPWD/$BUILD/tests/json" result.json \
    watched)" = "true true" ]

# Warnings: both stacks, also in JSON; of a single run, places.
lock_order=$OLDPWD/$BUILD/samples/lock_order
json_of() {
	"$OLDPWD/$BUILD/tests/json" result.json "$1"
}
"$tool" check --strategy cb:0 --json result.json -- "$lock_order" </dev/null >out 2>err
judge "warnings leave the exit status alone" [ $? -eq 0 ]
judge "two stacks under a lock-order warning" [ "$(grep -A 8 '^Warning: ' out | grep -c '    #1  move  .*lock_order\.c:')" -eq 2 ]
for i in 0 1; do
	judge "warnings.0.threads.$i has its stack" \
	    [ "$(json_of warnings.0.threads.$i.stack.0.function) $(json_of warnings.0.threads.$i.stack.1.function)" = \
	    "pthread_mutex_lock move" ]
done
judge "the stacks end in main and back" [ "$(json_of warnings.0.threads.0.stack.2.function) $(json_of \
    warnings.0.threads.1.stack.2.function) $(json_of warnings.0.kind)" = "main back lock-order" ]
"$tool" check --strategy random --seed 3 --executions 20 --json result.json -- "$lock_order" leak </dev/null >out 2>err
judge "a leaked thread: who creates it" [ "$(json_of warnings.0.kind) $(json_of warnings.0.transition) $(json_of \
    warnings.0.threads.0.stack.1.function) $(json_of warnings.0.threads.1.name)" = "leak 1 main back" ]
"$tool" run -- "$lock_order" </dev/null >out 2>err
judge "fmc run warns on standard error" [ $? -eq 0 -a ! -s out -a "$(grep -c 'lock_order\.c:' err)" -eq 3 ]
"$tool" run -- "$lock_order" joined </dev/null >out 2>err
judge "fmc run is silent where there is nothing to warn of" [ $? -eq 0 -a ! -s out -a ! -s err ]
"$tool" run -- "$lock_order" leak </dev/null >out 2>err && "$tool" run -v -- "$lock_order" leak </dev/null >out 2>err2
judge "fmc run tells of a leaked thread with -v only" [ $? -eq 0 -a ! -s err -a "$(grep -c '^Warning: nobody joins' err2)" -eq 1 ]

# Ctrl-C: a summary, status 130, nothing left.
cp "$OLDPWD/$BUILD/samples/philosophers_ordered" searched
"$tool" check --strategy dfs --time 100 -- ./searched 6 </dev/null >out 2>err &
supervisor=$!
while [ -z "$(users_of searched)" ] && kill -0 $supervisor 2>/dev/null; do :; done
# A shell starts background commands with SIGINT ignored, so SIGTERM stands for it where that is inherited.
kill -INT $supervisor
(sleep 20 && kill -TERM $supervisor) 2>/dev/null &
watchdog=$!
wait $supervisor
status=$?
# Before the first execution there is nothing to sum up.
[ -s out ] || cp err out
judge "Ctrl-C: status 130 and a summary" [ $status -eq 130 -a "$(grep -c 'executions\|fmc: interrupted \(before\|while\)' out)" -gt 0 ]
kill $watchdog 2>/dev/null
judge "Ctrl-C: no process left" gone searched
cd "$OLDPWD" || exit 1
finish
