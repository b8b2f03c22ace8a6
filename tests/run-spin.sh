#!/bin/bash
# Threads that wait in loops of their own, and threads that compute for long: each strategy, the run, the replay and GDB come to
# their ends with them, and find what is to be found.
. tests/lib.sh
SPINS=$PWD/$BUILD/targets/spins
LOOPS="plain counter tight flags gettid getppid clock cycles nested handler inside"

# check ARGUMENT...: the result goes to $SCRATCH/json, the words to $SCRATCH/out; prints the exit status.
check() {
	timeout -k 10 240 "$FMC" check --no-minimize --json "$SCRATCH/json" -o "$SCRATCH/check.sched" "$@" </dev/null \
	    >"$SCRATCH/out" 2>"$SCRATCH/err"
	echo $?
}

field() {
	"$BUILD/tests/json" "$SCRATCH/json" "$1"
}

# complete ARGUMENT...: nothing found, all seen but for what the loop itself reads, which is told, or is an operation, too; and how often.
complete() {
	echo 0 >"$SCRATCH/count"
	[ "$(check "$@")" -eq 0 ] && grep -q 'that was every fair execution' "$SCRATCH/out" &&
	    grep -Eq "(matter|accesses to memory): .*done at spins\.c" "$SCRATCH/out" && field executions >"$SCRATCH/count"
}

# quietly COMMAND...: what it says goes to $SCRATCH/out.
quietly() {
	timeout -k 10 120 "$@" </dev/null >"$SCRATCH/out" 2>&1
}

# runs LOOP: some seeds end with the program's own status.
runs() {
	local seed
	for seed in 1 $(long && echo 2 3); do
		timeout -k 10 120 "$FMC" run --seed $seed -- "$SPINS" "$1" "" 3 </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
		[ $? -eq 3 ] && [ "$(cat "$SCRATCH/out")" = end ] || return 1
	done
}

# What waits, and how, is nothing to the search: every loop has as many executions.
all=
for loop in $LOOPS; do
	judge "run $loop" runs "$loop"
	case $loop in tight | flags | getppid | cycles | handler | inside) long || continue ;; esac
	judge "dfs $loop" complete --strategy dfs --spin yield -- "$SPINS" "$loop"
	count=$(cat "$SCRATCH/count")
	[ -n "$all" ] || all=$count
	judge "dfs $loop: $all executions" [ "$count" = "$all" ]
done
for loop in counter $(long && echo clock); do
	judge "optimal $loop" complete --strategy optimal -- "$SPINS" "$loop"
	! long || judge "auto $loop" complete --time 100 -- "$SPINS" "$loop"
done
judge "2 jobs" complete --strategy dfs --jobs 2 -- "$SPINS" counter
judge "2 jobs: $all executions" [ "$(cat "$SCRATCH/count")" = "$all" ]

# A failure after the loop is found, and replays.
for loop in gettid $(long && echo plain) counter; do
	rm -f "$SCRATCH/check.sched"
	judge "$loop fails" [ "$(check --strategy cb:1 -- "$SPINS" $loop fails)" -eq 1 ]
	judge "$loop: kind" [ "$(field findings.0.kind)" = abort ]
	judge "$loop: its head is in the schedule" grep -q '^head spins+0x' "$SCRATCH/check.sched"
	judge "$loop replays" quietly "$FMC" replay "$SCRATCH/check.sched"
	judge "$loop minimizes" quietly "$FMC" minimize --time 20 -o "$SCRATCH/least.sched" "$SCRATCH/check.sched"
	judge "$loop replays minimized" quietly "$FMC" replay "$SCRATCH/least.sched"
	rm -f "$SCRATCH/least.sched"
done
timeout -k 10 120 "$FMC" gdb "$SCRATCH/check.sched" -batch -nx -ex 'fmc-goto 5' -ex 'fmc-goto 4' -ex 'fmc-goto 6' \
    -ex 'fmc-goto end' -ex 'info threads' </dev/null >"$SCRATCH/out" 2>&1
says "gdb goes there and back" 'abort|raise|pthread_kill'

# Instruction by instruction there is nothing but the program's own, forwards and backwards.
cat >"$SCRATCH/steps.py" <<'EOT'
import gdb

PLACES = 8
gdb.execute('set pagination off')
gdb.execute('fmc-goto 5', to_string=True)
gdb.execute('thread 2', to_string=True)


def places(command):
    found = []
    for _ in range(PLACES):
        found.append(int(gdb.parse_and_eval('$pc')))
        gdb.execute(command, to_string=True)
    return found


def follows(pc, after):
    code = gdb.selected_inferior().architecture().disassemble(pc)[0]
    return after == pc + code['length'] or code['asm'].startswith(('j', 'ret', 'call'))


there = places('stepi')
end = int(gdb.parse_and_eval('$pc'))
back = places('reverse-stepi')
good = all(follows(pc, after) for pc, after in zip(there, there[1:] + [end]))
print('forwards', 'good' if good else [hex(pc) for pc in there])
good = back == [end] + there[:0:-1] and int(gdb.parse_and_eval('$pc')) == there[0]
print('backwards', 'good' if good else [hex(pc) for pc in back])
EOT
for loop in counter inside $(long && echo tight flags); do
	rm -f "$SCRATCH/check.sched"
	check --strategy cb:1 --spin yield -- "$SPINS" $loop fails >/dev/null
	timeout -k 10 120 "$FMC" gdb "$SCRATCH/check.sched" -batch -nx -x "$SCRATCH/steps.py" </dev/null >"$SCRATCH/out" 2>&1
	says "steps in $loop" 'forwards good' 'backwards good'
done

# The program's file may be called anything.
cp "$SPINS" "$SCRATCH/my spins +0x1"
rm -f "$SCRATCH/check.sched"
judge "a name with blanks: fails" [ "$(check --strategy cb:1 -- "$SCRATCH/my spins +0x1" counter fails)" -eq 1 ]
judge "a name with blanks: replays" quietly "$FMC" replay "$SCRATCH/check.sched"

# A schedule of a run that learned the loop on its way.
timeout -k 10 120 "$FMC" run --seed 2 -o "$SCRATCH/run.sched" -- "$SPINS" counter </dev/null >"$SCRATCH/out" 2>&1
judge "the run's schedule replays" quietly "$FMC" replay "$SCRATCH/run.sched"

# As many loops as a program has: each of them is one of its own, and waits.
cat >"$SCRATCH/many.c" <<'EOT'
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static sem_t come;
static volatile int done;
static volatile unsigned rounds;
#define WAIT(n) sem_post(&come); while (done < (n)) rounds++
#define FOUR(n) WAIT(4 * (n) + 1); WAIT(4 * (n) + 2); WAIT(4 * (n) + 3); WAIT(4 * (n) + 4)
static void *waits(void *unused)
{
	FOUR(0); FOUR(1); FOUR(2);
#if MANY > 12
	FOUR(3); FOUR(4); FOUR(5); FOUR(6); FOUR(7); FOUR(8); FOUR(9);
#endif
	return unused;
}
int main(void)
{
	pthread_t thread;
	sem_init(&come, 0, 0);
	pthread_create(&thread, NULL, waits, NULL);
	for (int i = 0; i < MANY; i++) {
		sem_wait(&come);
		done++;
	}
	pthread_join(thread, NULL);
	abort();
}
EOT
many=$(long && echo 40 || echo 12)
"${CC:-cc}" -O1 -g -pthread -DMANY="$many" "$SCRATCH/many.c" -o "$SCRATCH/many"
rm -f "$SCRATCH/check.sched"
judge "$many loops: fails" [ "$(check --strategy cb:1 --spin-ms 20 -- "$SCRATCH/many")" -eq 1 ]
judge "$many loops: their heads are in the schedule" [ "$(grep -c '^head many+0x' "$SCRATCH/check.sched")" -eq "$many" ]
judge "$many loops: replays" quietly "$FMC" replay "$SCRATCH/check.sched"

# Long computations are no loops that wait, though they are preempted, too.
timeout -k 10 200 "$FMC" run --seed 1 -- "$SPINS" computes "" 3 </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
judge "a run of computations" [ $? -eq 3 ]
judge "computations are no failure" [ "$(check --executions 3 --time 200 -- "$SPINS" computes)" -eq 0 ]
judge "computations: none" [ "$(field verdict)" = none ]

# A loop that waits for another process is none that nobody ends.
cat >"$SCRATCH/child.c" <<'EOT'
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int *flag;
static void *waits(void *unused)
{
	while (!*flag)
		;
	return unused;
}
int main(void)
{
	pthread_t thread;
	flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fork() == 0) {
		for (volatile unsigned long i = 0; i < 1500000000; i++)
			;
		*flag = 1;
		_exit(0);
	}
	pthread_create(&thread, NULL, waits, NULL);
	pthread_join(thread, NULL);
	return 3;
}
EOT
"${CC:-cc}" -O1 -pthread "$SCRATCH/child.c" -o "$SCRATCH/child"
timeout -k 10 100 "$FMC" run -- "$SCRATCH/child" </dev/null >"$SCRATCH/out" 2>&1
judge "what waits for a child goes on" [ $? -eq 3 ]

# fmc has a timer of its own, whose signal whoever starts it may have blocked; for the program it stays so.
if env --block-signal=ALRM true 2>/dev/null; then
	judge "SIGALRM blocked: a loop ends" quietly env --block-signal=ALRM "$FMC" run --seed 1 -- "$SPINS" counter
	timeout -k 10 60 env --block-signal=ALRM "$FMC" run -- grep SigBlk /proc/self/status </dev/null >"$SCRATCH/out" 2>&1
	says "SIGALRM blocked: for the program, too" '^SigBlk:.*2...$'
else
	skip "SIGALRM blocked: this env has no --block-signal"
fi

# Nobody ends the loop.
timeout -k 10 120 "$FMC" run -o "$SCRATCH/alone.sched" -- "$SPINS" plain alone </dev/null >"$SCRATCH/out" 2>&1
judge "a run for ever" [ $? -eq 1 ]
says "which is told" 'good-samaritan: T2 runs for ever .* at spins\.c:[0-9]+ in plain'
judge "reported by check" [ "$(check --strategy dfs -- "$SPINS" plain)" -eq 1 ]
judge "as good-samaritan" [ "$(field findings.0.kind)" = good-samaritan ]
check --time 5 -- "$SPINS" counter alone >/dev/null
says "a loop that counts for ever has a place" 'T2 (computes|was stopped) in .*spins\.c'
finish
