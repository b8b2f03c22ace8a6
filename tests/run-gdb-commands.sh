#!/bin/bash
# fmc's commands in GDB, the real one: failures of the samples of each kind walked forwards and backwards, left by a branch; who wrote
# last; what is wrong to type; completion; the machine interface; fmc gdb.
. tests/lib.sh
SCHEDULES=${SCHEDULES:-build/check/schedules}
if ! command -v gdb >/dev/null; then
	skip 'no gdb'
	finish
	exit
fi
FMC=$(realpath "$FMC")
export FMC

# These can be left by letting another thread go on somewhere.
AVOIDABLE='atomicity.1 buffer_if.1 checksum.1 lock_order.2 lost_update.1 lost_wakeup.1 philosophers.2 philosophers_sem.3 rwlock.2
    shutdown_crash.1 sleeping_barber.2 trylock_livelock.1 stripped bare static'

# gdb_do COMMAND...: what GDB says is in $SCRATCH/out.
gdb_do() {
	local command words=()
	for command; do words+=(-ex "$command"); done
	timeout -k 10 120 gdb -nx -q -batch -ex 'set pagination off' -ex 'set width 0' -ex 'set debuginfod enabled off' \
	    -x replay/gdb/fmc.py "${words[@]}" </dev/null >"$SCRATCH/out" 2>&1
}

# refused COMMAND REGEX ...: each is answered by one line that matches, all in one session.
refused() {
	local words=("fmc-replay $S") commands=() patterns=() i said
	while [ $# -gt 0 ]; do
		words+=("echo ---- ${#commands[@]}\\n" "$1")
		commands+=("$1")
		patterns+=("$2")
		shift 2
	done
	gdb_do "${words[@]}" 'echo ---- end\n'
	for i in "${!commands[@]}"; do
		said=$(sed "1,/^---- $i\$/d;/^----/,\$d" "$SCRATCH/out")
		if [ "$(wc -l <<<"$said")" -eq 1 ] && grep -Eq -- "${patterns[$i]}" <<<"$said"; then
			pass "'${commands[$i]}' is refused in one line"
		else
			fail "'${commands[$i]}': '$said' doesn't match '${patterns[$i]}'"
		fi
	done
}

# walk NAME SCHEDULE: tests/gdb/schedule.py with it, and a replay of the branch that it has found.
walk() {
	local line status
	rm -f "$SCRATCH"/branch*.sched "$SCRATCH/results"
	SCHEDULE=$(realpath "$2") RESULTS=$SCRATCH/results BRANCH=$SCRATCH/branch.sched timeout -k 10 120 gdb -nx -q -batch \
	    -x replay/gdb/fmc.py -x tests/gdb/schedule.py </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	while read -r line; do
		case $line in
		ok*) pass "$1: ${line#ok }" ;;
		*) fail "$1: ${line#FAIL }" ;;
		esac
	done <"$SCRATCH/results"
	if [ $status -eq 0 ] && grep -q '^ok GDB came through' "$SCRATCH/results"; then
		pass "$1: GDB ended by itself"
	else
		fail "$1: GDB ended by itself (status $status)"
		show "$SCRATCH/out"
	fi
	if [ -s "$SCRATCH/branch.sched" ]; then
		timeout -k 10 60 "$FMC" replay "$SCRATCH/branch.sched" </dev/null >"$SCRATCH/out" 2>&1
		judge "$1: the branch replays" [ $? -eq 0 ]
	elif grep -qw "$1" <<<"$AVOIDABLE"; then
		fail "$1: no branch avoids the failure"
	fi
}

found=0
mapfile -t chosen < <(some_schedules)
for schedule in "${chosen[@]}"; do
	# Those that run-outcomes.sh walks.
	! grep -qE '^outcome .*$' "$schedule" || continue
	found=$((found + 1))
	walk "$(basename "$schedule" .sched)" "$schedule"
done
[ $found -gt 0 ] || skip "no schedules in $SCHEDULES: run-samples.sh makes them"

# Without symbols: those of libc only, then none.
strip -s -o "$SCRATCH/stripped" "$BUILD/samples/philosophers"
"$FMC" check -o "$SCRATCH/stripped.sched" -- "$SCRATCH/stripped" 3 </dev/null >/dev/null 2>&1
walk stripped "$SCRATCH/stripped.sched"
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -Og -pthread -static -s samples/futex_mutex_broken.c -o "$SCRATCH/bare"
"$FMC" check -o "$SCRATCH/bare.sched" -- "$SCRATCH/bare" </dev/null >/dev/null 2>&1
walk bare "$SCRATCH/bare.sched"
strip -s -o "$SCRATCH/static" "$BUILD/samples/philosophers.static"
"$FMC" check --atomics -o "$SCRATCH/static.sched" -- "$SCRATCH/static" 3 </dev/null >/dev/null 2>&1
walk static "$SCRATCH/static.sched"

"$FMC" check -o "$SCRATCH/philosophers.sched" -- "$BUILD/samples/philosophers" 3 </dev/null >/dev/null 2>&1
"$FMC" check -o "$SCRATCH/update.sched" -- "$BUILD/samples/lost_update" </dev/null >/dev/null 2>&1
"$FMC" check -o "$SCRATCH/wakeup.sched" -- "$BUILD/samples/lost_wakeup" </dev/null >/dev/null 2>&1
"$FMC" check -o "$SCRATCH/atomicity.sched" -- "$BUILD/samples/atomicity" </dev/null >/dev/null 2>&1

# Who wrote last. The lost update's second write leaves the counter at 1.
S=$SCRATCH/update.sched
gdb_do "fmc-replay $S" 'fmc-last-write counter' bt 'fmc-last-write counter' 'fmc-last-write counter' 'fmc-threads' 'stepi' 'print counter'
says_watched 'the write that lost the update' 'exits with status 1' \
    '^counter was last written by T[23] add, in transition [0-9]+, after its mutex_lock lock: 1 before, 1 after$' \
    '^#0 .* in add .*lost_update.c:24' \
    '^counter was last written by T[23] add, in transition [0-9]+, after its mutex_lock lock: 0 before, 1 after$' \
    '^nobody has written counter before this$' '^=> T[23] add +in the middle of transition' '^\$1 = 1$'
! "$BUILD/tests/debug_registers" || while IFS= read -r line; do
	judge "README.md: '${line:4:70}'" grep -Fxq -- "${line:4}" "$SCRATCH/out"
done < <(sed -n '/fmc gdb lost_update.sched/,/^T2 /p' README.md | grep -E '^    (at the end|counter was|24\b)')
gdb_do "fmc-replay $S" 'watch counter' reverse-continue 'info watchpoints' reverse-continue
says_watched 'a watchpoint, backwards' 'Hardware watchpoint 1: counter' 'Old value = 1' 'New value = 0' 'lost_update.c:24' 'No more reverse'
gdb_do "fmc-replay $S" fmc-mark 'fmc-last-write counter' fmc-mark 'print $pc' 'fmc-goto 1' fmc-where 'fmc-restart 2' 'print $pc' fmc-where fmc-restart \
    'fmc-restart 1' fmc-where 'fmc-restart 3'
says_watched 'marks' '^mark 1: at the end' '^mark 2: .*transition 11 of 15' '^\$1 = .*<add' '^before transition 1 of 15' '^\$2 = .*<add' \
    'transition 11 of 15' 'at the end' 'a mark is needed: a number from 1 to 2'
says_not 'the same as before' "isn't as it was"
says 'what is run is told' "fmc: $S: running .*/lost_update$"

# What isn't controlled may look different the next time.
for kind in glance keep; do
	"$FMC" check --no-minimize -o "$SCRATCH/$kind.sched" -- "$BUILD/targets/differs" $kind </dev/null >/dev/null 2>&1
	gdb_do "fmc-replay $SCRATCH/$kind.sched" 'fmc-goto 4' 'fmc-goto 3' 'echo ----\n' 'break pthread_mutex_unlock' continue
	says "another execution looks different: $kind" '^----' "^fmc: this place isn't as it was before: the program doesn't do the same each time$"
done

gdb_do "fmc-replay $S" fmc-restart
says 'no mark' '^there is no mark yet$'
# A system that refuses debug registers, as some virtual machines do.
cat >"$SCRATCH/refuse.c" <<'EOT'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>
#define ARGUMENT(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 5),
	    ARGUMENT(0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PTRACE_POKEUSER, 0, 3),
	    ARGUMENT(2),
	    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, offsetof(struct user, u_debugreg), 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 1;
	execv(argv[argc > 1], argv + 1);
	return 1;
}
EOT
"${CC:-cc}" "$SCRATCH/refuse.c" -o "$SCRATCH/refuse"
printf '#!/bin/sh\nexec %q %q "$@"\n' "$SCRATCH/refuse" "$FMC" >"$SCRATCH/refused"
chmod +x "$SCRATCH/refused"
real=$FMC
FMC=$SCRATCH/refused
gdb_do "fmc-replay $S" 'fmc-last-write counter' 'fmc-goto 9' 'watch counter' continue 'set can-use-hw-watchpoints 0' 'delete' 'watch counter' continue \
    'print counter'
says 'no debug registers' '^fmc: this system gives no hardware watchpoints, which watch and fmc-last-write need' \
    '^this system gives no hardware watchpoints, by which a write is found' 'Could not insert hardware watchpoint 1' '^Watchpoint 2: counter' \
    'New value = 1' '^\$1 = 1$'
FMC=$real
# The server stands still for longer than GDB waits for an answer by itself.
cat >"$SCRATCH/stall" <<END
for server in \$(pgrep -f "gdbserver $S\$"); do
	kill -STOP \$server
	(sleep 4; kill -CONT \$server) >/dev/null 2>&1 &
done
END
gdb_do "fmc-replay $S" 'fmc-goto start' "shell bash $SCRATCH/stall" 'maint flush register-cache' 'print $pc' 'print counter' 'info threads' fmc-threads
says 'a server that stalls' '= .*<_start>$' '= 0$' '^\* 1 .*T1' '=> T1 .*beginning'
says_not 'nothing is mixed up' 'rror|imeout|imed out|reply'

# An instruction that is an operation writes, too; the lost one by what it had read before.
"$FMC" check -o "$SCRATCH/counter.sched" -- "$BUILD/samples/counter" </dev/null >/dev/null 2>&1
S=$SCRATCH/counter.sched
gdb_do "fmc-replay $S" 'fmc-last-write counter' 'fmc-goto 8' 'fmc-last-write counter' 'fmc-goto start' 'watch counter' continue 'print counter' reverse-continue 'print counter'
says_watched 'a write by an operation' '^counter was last written by T[23] add, in transition 8, after its memory_write counter( = 1)?: 1 before, 1 after$' \
    '^counter was last written by T[23] add, in transition 7, after its memory_write counter( = 1)?: 0 before, 1 after$' \
    'Hardware watchpoint .: counter' '^New value = 1' '^\$1 = 1' '^Old value = 1' '^New value = 0' '^\$2 = 0'

S=$SCRATCH/atomicity.sched
gdb_do "fmc-replay $S" 'fmc-last-write balance' 'print balance' stepi 'print balance'
says_watched 'the write that broke the assertion' 'Assertion .*balance >= 0' 'balance was last written by T[0-9]+ .*: [0-9]+ before, -[0-9]+ after' \
    '^\$1 = [0-9]+' '^\$2 = -[0-9]+'

# Why.
S=$SCRATCH/wakeup.sched
gdb_do "fmc-replay $S" 'fmc-why T1' 'fmc-why T2'
says 'why, a lost wakeup' 'waits for a signal of ' 'it was last signalled in transition [0-9]+ by T[0-9]+ \(lost_wakeup.c:[0-9]+\), before T' \
    'nobody is left who could signal it: no thread can go on' 'Last transitions on '
S=$SCRATCH/philosophers.sched
gdb_do "fmc-replay $S" 'fmc-why T2' 'fmc-goto 1' 'fmc-why 1' 'fmc-objects' 'fmc-objects all'
says 'why, a cycle' '^T2 waits for forks\[[0-2]\] held by T[34], in mutex_lock \(philosophers.c:35\)$' \
    '^    forks\[[0-2]\]: held by T[34] since transition [0-9]+ \(philosophers.c:34\)$' '^That is a cycle: T2 -> T[34] -> T[34] -> T2$' \
    "^T1 isn't blocked: it can go on with thread_create, in transition 1" 'no object has been used yet'

gdb_do "fmc-replay $S" 'monitor last-write 10' 'monitor last-write zz 4' 'monitor last-write 404041 4' 'monitor last-write 404040 4 x' \
    'monitor objects x' 'monitor schedule 0' 'monitor why 0' 'monitor branch' 'monitor save'
says_watched 'commands of the server by themselves' 'an address and a number of bytes' 'an address and a number of bytes' "can't watch 4 bytes there" \
    'an address and a number of bytes' "only 'all' may follow" 'a number is needed' 'a thread is needed' 'a thread is needed' \
    'a file name is needed'
"$FMC" check --depth 1000 -o "$SCRATCH/stale.sched" -- "$BUILD/samples/stale_copy" </dev/null >/dev/null 2>&1
gdb_do "fmc-replay $SCRATCH/stale.sched" 'fmc-why T3' 'fmc-goto 5' fmc-threads 'fmc-goto 6' fmc-threads 'fmc-goto 7' fmc-threads
says 'fairness' 'livelock' 'before sleep, but others have waited longer'

# After a movement GDB's own commands find what is there, also threads that there weren't before or aren't any more.
gdb_do "fmc-replay $S" 'fmc-thread T4' 'fmc-goto 1' 'info threads' 'thread' 'fmc-goto end' 'info threads' 'fmc-thread T4' 'bt 2' \
    'fmc-goto start' 'break eat' 'continue' 'info threads' 'fmc-next' 'continue' 'fmc-prev 99' 'x/i $pc' 'step'
says 'threads that come and go' '^\* 1 .*T1 main.*before thread_create' 'Current thread is 1' \
    'T4 eat.*waits for' '^#0 .*pthread_mutex_lock' '^#1 .* eat .*philosophers.c:35' "at the program's beginning" \
    'Breakpoint 1, eat' '^\* .* eat' 'Breakpoint 1, eat' "at the program's beginning" '=> 0x[0-9a-f]+ <_start>'
gdb_do "fmc-replay $S" 'break eat thread 3' 'fmc-goto start' 'info threads' 'thread 3' stepi reverse-stepi 'thread 1' 'fmc-thread T3' continue \
    'fmc-prev 99' continue 'fmc-goto end' reverse-continue 'info breakpoints' delete 'fmc-goto start' 'info threads'
says "a thread's own breakpoint" '^\* 1 .*T1 main' "^  3 .*\"T3 eat\" \(hasn't been created\) +<unavailable>" '^#0 +<unavailable>' \
    'PC not available' 'PC not available' "^T3 doesn't exist here" 'Thread 3 "T3 eat" hit Breakpoint 1' 'beginning' \
    'Thread 3 "T3 eat" hit Breakpoint 1' 'at the end' 'Thread 3 "T3 eat" hit Breakpoint 1' 'already hit 3 times' 'beginning' '^\* 1 .*T1 main'
says_not 'it is never deleted' 'Thread-specific breakpoint'
judge 'its thread is listed no longer than it is there' [ "$(grep -c "hasn't been created" "$SCRATCH/out")" -eq 1 ]
gdb_do "fmc-replay $S" 'break eat' 'reverse-continue' 'fmc-goto end' 'reverse-continue' 'fmc-goto 2' 'reverse-stepi' 'reverse-finish'
says 'backwards from there' 'Breakpoint 1, eat' 'at the end' 'Breakpoint 1, eat' 'before transition 2 of'
gdb_do "fmc-replay $S" 'set var forks[0].__data.__lock = 7' 'fmc-goto 5' 'print forks[0].__data.__lock' 'print $_siginfo'
says 'changes are dropped' 'fmc: your changes .* are dropped' '^\$1 = [01]$'

# What is wrong to type.
refused 'fmc-goto' "a transition from 0 to [0-9]+, start or end is needed, not ''" \
    'fmc-goto 9999' "from 0 to [0-9]+, start or end is needed, not '9999'" \
    'fmc-goto -1' "not '-1'" \
    'fmc-goto 1x' "not '1x'" \
    'fmc-next x' "a number of transitions is needed, not 'x'" \
    'fmc-prev -3' "not '-3'" \
    'fmc-why' 'a thread is needed: T1 to T4' \
    'fmc-why T9' "T9 doesn't exist here; there are T1 to T4" \
    'fmc-thread T0' 'a thread is needed' \
    'fmc-branch' 'a thread is needed' \
    'fmc-branch T1' 'a schedule can only be left between two transitions' \
    'fmc-objects some' "only 'all' may follow" \
    'fmc-schedule x' "a number of transitions is needed" \
    'fmc-last-write' 'an expression is needed' \
    'fmc-last-write nosuch' 'No symbol "nosuch"' \
    'fmc-last-write $pc' "isn't in memory" \
    'fmc-last-write 1+1' "isn't in memory" \
    'fmc-last-write forks' 'forks has [0-9]+ bytes at 0x[0-9a-f]+: the processor watches 1, 2, 4 or 8' \
    'fmc-save' 'a file name is needed' \
    'fmc-save /proc/x.sched' "/proc/x.sched: can't write the schedule" \
    'fmc-replay' 'a file name is needed' \
    'fmc-replay nothing.sched' 'nothing.sched: there is no such file' \
    'fmc-replay a b' 'a file name is needed'
gdb_do 'fmc-goto 1' fmc-next fmc-prev fmc-threads 'fmc-thread T1' fmc-objects fmc-schedule 'fmc-why T1' 'fmc-last-write counter' \
    'fmc-branch T1' 'fmc-save x'
judge 'nothing without a schedule' [ "$(grep -cx "no schedule is being replayed; see 'help fmc-replay'" "$SCRATCH/out")" -eq 11 ]
gdb_do "fmc-replay $S" kill fmc-threads run 'fmc-goto 2' fmc-threads
says 'killed and run again' "the program has been killed or let go; 'run' begins again" 'before transition 2 of' '=> T1 main'
gdb_do "file $BUILD/samples/no_threads" starti "fmc-replay $S"
says 'another program is being debugged' "a program is being debugged; 'kill' or 'detach' it first"
gdb_do 'set non-stop on' "fmc-replay $S"
says 'non-stop' "'set non-stop off' first"

# Files that can't be replayed: fmc's own line is the error. Then GDB is as it was.
sed "s|^module [0-9a-f]* .*philosophers|module 0123456789 $(realpath "$BUILD/samples/philosophers")|" "$S" >"$SCRATCH/other.sched"
gdb_do "fmc-replay $SCRATCH/other.sched" 'show remotetimeout' 'fmc-replay /etc/passwd' "fmc-replay --loose $SCRATCH/other.sched" fmc-threads \
    "fmc-replay $SCRATCH/update.sched" fmc-threads
says 'other builds, no schedules, one after the other' 'philosophers has build-id [0-9a-f]+, the schedule was made with 0123456789;' \
    'Timeout limit to wait for target to respond is 3600' '/etc/passwd:1: not a schedule' 'at the end' 'T4 eat' 'exits with status 1' \
    'T1 main +ended the process'
gdb_do "fmc-replay --loose $SCRATCH/other.sched" "fmc-save $SCRATCH/now.sched"
timeout -k 10 60 "$FMC" replay "$SCRATCH/now.sched" </dev/null >"$SCRATCH/out" 2>&1
judge 'what was followed loosely is saved for this build' [ $? -eq 0 ]
cp "$S" "$SCRATCH/a 'b\" \$c.sched"
gdb_do "fmc-replay $SCRATCH/a\\ \\'b\\\"\\ \$c.sched" "fmc-save \"$SCRATCH/d e.sched\"" 'fmc-schedule 1'
says 'blanks and quotes in names' 'at the end' 'transitions in .*/d e.sched' '=> deadlock'
judge 'the copy is there' [ -s "$SCRATCH/d e.sched" ]

# Help and completion.
gdb_do 'help fmc' 'help fmc-last-write' "fmc-replay $S" 'complete fmc-goto ' 'complete fmc-goto e' 'complete fmc-why ' 'complete fmc-branch T3' \
    "complete fmc-replay $SCRATCH/wake" 'complete fmc-last-write fork' 'complete fmc-objects '
says 'help and completion' 'fmc-replay FILE' 'fmc-save FILE' 'Usage: fmc-last-write EXPRESSION' '^fmc-goto 0$' '^fmc-goto end$' '^fmc-goto start$' \
    '^fmc-goto end$' '^fmc-why T1$' '^fmc-why T4$' '^fmc-branch T3$' '^fmc-replay .*/wakeup.sched$' '^fmc-last-write forks$' '^fmc-objects all$'
gdb_do 'complete fmc-goto ' 'complete fmc-why '
judge 'completion without a schedule' [ ! -s "$SCRATCH/out" ]

# The machine interface: each movement is a stop, as any other.
coproc MI { exec timeout -k 10 120 gdb -nx -q -i=mi -x replay/gdb/fmc.py 2>&1; }
MI_GDB=$!
# mi COMMAND REGEX: all until a line matches goes to $SCRATCH/mi; false at its end or an error.
mi() {
	local line
	echo "$1" >&"${MI[1]}"
	while IFS= read -r -t 60 line <&"${MI[0]}"; do
		echo "$line" >>"$SCRATCH/mi"
		grep -Eq -- "$2" <<<"$line" && return 0
		[[ $line == ^error* ]] && break
	done
	show "$SCRATCH/mi"
	return 1
}
judge 'MI: fmc-replay' mi "-interpreter-exec console \"fmc-replay $S\"" '^\*stopped,.*thread-id="[234]"'
judge 'MI: threads' mi '-thread-info' '^\^done,threads=.*name="T1 main".*name="T4 eat"'
judge 'MI: fmc-goto' mi '-interpreter-exec console "fmc-goto 1"' '^\*stopped,.*func="(__)?pthread_create.*thread-id="1"'
judge 'MI: threads again' mi '-thread-info' '^\^done,threads='
judge 'MI: only one is there' [ "$(tail -n 1 "$SCRATCH/mi" | grep -o 'name="T[0-9]' | wc -l)" -eq 1 ]
judge 'MI: stack' mi '-stack-list-frames' '^\^done,stack=.*func="main"'
judge 'MI: breakpoint' mi '-break-insert eat' '^\^done,bkpt='
judge 'MI: continue' mi '-exec-continue' '^\*stopped,reason="breakpoint-hit".*func="eat"'
judge 'MI: reverse' mi '-exec-continue --reverse' '^\*stopped'
mi '-gdb-exit' '^\^exit'
wait $MI_GDB 2>/dev/null

# fmc gdb.
timeout -k 10 60 "$FMC" gdb "$S" -nx -q -batch -ex 'fmc-why T2' </dev/null >"$SCRATCH/out" 2>&1
says 'fmc gdb' 'at the end, after transition [0-9]+: deadlock' 'That is a cycle'
timeout -k 10 60 "$FMC" gdb --loose "$SCRATCH/a 'b\" \$c.sched" -nx -q -batch -ex 'fmc-schedule 1' </dev/null >"$SCRATCH/out" 2>&1
says 'fmc gdb, blanks and quotes' '=> deadlock'
# stops STATUS REGEX ARGUMENT...: one line on standard error, and GDB isn't begun.
stops() {
	local status=$1 pattern=$2
	shift 2
	timeout -k 10 60 "$FMC" gdb "$@" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	[ $? -eq "$status" ] && [ "$(wc -l <"$SCRATCH/err")" -eq 1 ] && grep -Eq "$pattern" "$SCRATCH/err" && [ ! -s "$SCRATCH/out" ]
	status=$?
	judge "fmc gdb $*" [ $status -eq 0 ]
	[ $status -eq 0 ] || show "$SCRATCH/err"
}
# GDB's options stand before the file or after it.
timeout -k 10 120 "$FMC" gdb -q -nx -batch -ex fmc-where --eval-command='print 6 * 7' --debugger gdb "$S" -ex 'print 6 * 9' </dev/null >"$SCRATCH/out" 2>&1
says 'options before the file' '^at the end' '= 42$' '= 54$'
printf '#!/bin/sh\necho 9.2\n' >"$SCRATCH/old"
printf '#!/bin/sh\necho Python scripting is not supported in this copy of GDB. >&2\n' >"$SCRATCH/without"
chmod +x "$SCRATCH/old" "$SCRATCH/without"
stops 64 'schedule file'
stops 65 'missing.sched: No such file' "$SCRATCH/missing.sched"
stops 65 'passwd:1: not a schedule' /etc/passwd
stops 65 'has build-id [0-9a-f]+, the schedule was made with 0123456789' "$SCRATCH/other.sched"
stops 69 'old is of version 9.2, .* need 10' --debugger "$SCRATCH/old" "$S"
stops 69 'without has no Python' --debugger "$SCRATCH/without" "$S"
stops 69 "can't run .*/nogdb: No such file" --debugger "$SCRATCH/nogdb" "$S"
GDB=$SCRATCH/without stops 69 'without has no Python' "$S"
judge 'no program left' gone "$SCRATCH/stripped"

# Where it is installed.
if "${MAKE:-make}" -s install BUILD="$BUILD" PREFIX="$SCRATCH/prefix" >"$SCRATCH/out" 2>&1; then
	env -u FMC timeout -k 10 60 "$SCRATCH/prefix/bin/fmc" gdb "$S" -nx -q -batch -ex 'fmc-schedule 1' -ex 'python print(find_fmc())' \
	    </dev/null >"$SCRATCH/out" 2>&1
	says 'installed' '=> deadlock' 'prefix/bin/fmc$'
	"${MAKE:-make}" -s uninstall BUILD="$BUILD" PREFIX="$SCRATCH/prefix" >"$SCRATCH/out" 2>&1
	judge 'nothing of it is left' [ -z "$(find "$SCRATCH/prefix" -type f)" ]
else
	fail 'make install'
	show "$SCRATCH/out"
fi
finish
