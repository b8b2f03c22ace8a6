#!/bin/bash
# What a verdict says of what it didn't see: to people, as JSON and by its exit status.
. tests/lib.sh
ENDLESS=$BUILD/targets/endless

# check STATUS ARGUMENT...: fmc check with its summary in $SCRATCH/out, its JSON in $SCRATCH/json.
check() {
	local expected=$1 found
	shift
	timeout -k 10 200 "$FMC" check --json "$SCRATCH/json" -o "$SCRATCH/verdict.sched" "$@" </dev/null \
	    >"$SCRATCH/out" 2>"$SCRATCH/err"
	found=$?
	judge "status $expected: check $*" [ $found -eq "$expected" ]
	[ $found -eq "$expected" ] || show "$SCRATCH/out" "$SCRATCH/err"
}

# field NAME VALUE: of the JSON.
field() {
	judge "$1 is $2" [ "$("$BUILD/tests/json" "$SCRATCH/json" "$1")" = "$2" ]
}

# Of what has been run to its end nothing is left to chance: of the random turns only those that count fewer yields see more.
check 1 -v --no-minimize -- "$BUILD/samples/sleeps_twice"
judge 'random turns: those that count fewer yields' grep -q 'fmc: pos, after' "$SCRATCH/err"
judge 'and no others' [ "$(grep -cE 'fmc: (random|recur|surw), after' "$SCRATCH/err")" -eq 0 ]

# Executions that come to no end: who is where, and no claim to completeness. What loops aren't looked for: --spin-ms 0.
for strategy in auto dfs optimal; do
	check 2 --strategy $strategy --time 1 --spin-ms 0 --require-complete -- "$ENDLESS" compute
	says "$strategy: no execution, and why" '^No failure found in 0 executions' \
	    '^No execution came to its end: when time was up T2 computes in compute at endless\.c:[0-9]+\.$' '--time S' \
	    '1 execution was broken off before its end: T2 computes in compute'
	field complete false
	field broken_off 1
done
judge "where, as JSON" grep -Eq '"broken_off_at": "T2 computes in compute at endless\.c:[0-9]+"' "$SCRATCH/json"
check 2 --time 1 --require-complete -- "$ENDLESS" wait
says "it waits" 'No execution came to its end: .* T1 waits in .*receive at endless\.c:' 'peer'
check 2 --time 4 --spin-ms 0 --require-complete -- "$ENDLESS" some
says "some of them" '^No failure found in [1-9]' '^  - [0-9]+ executions? w.* broken off .*T2 computes in compute at endless\.c'
field complete false
# A long first execution is seen to its end at once, not cut and begun again.
"$FMC" check --keep-files --strategy dfs --executions 1 -o "$SCRATCH/bad.sched" -- "$BUILD/targets/lengthy" "$SCRATCH/letters" </dev/null >"$SCRATCH/out" 2>&1
says "a long program" '^No failure found in 1 execution'
judge "no execution of it is cut" grep -Eqx '(be)+' "$SCRATCH/letters"

# A loop that is proven as soon as there is one, in the first execution: no longer ones are asked for.
check 1 --depth 1000 --no-minimize -- "$ENDLESS" yield
says "the first execution loops" '^livelock: 1 transition of T2' 'Found in execution 1,'

# Who goes round until something comes from outside doesn't for ever, however long that takes.
mkfifo "$SCRATCH/fifo"
for case in thread child; do
	check 0 --strategy recur --executions 1 -- "$BUILD/targets/goes_round" $case "$SCRATCH/fifo"
	says "goes round, $case: it waits" '^No failure found' '^  - in 1 execution threads went round and round, which something outside could have ended$'
	field complete false
done
check 1 --strategy recur --executions 2 --depth 1000 --no-minimize -- "$BUILD/targets/goes_round" never
says "goes round for ever" '^livelock: 1 transition of T1 repeated for ever'

# A child process that takes a lock which was another thread's as it was made sleeps for ever, unless something of its own ends that.
CHILD=$BUILD/targets/child_sleeps
check 1 --no-minimize -o "$SCRATCH/child.sched" -- "$CHILD" lock
says "a child sleeps for ever" '^deadlock: T1 waits for a child process that sleeps for ever \(where: --follow\)$'
timeout -k 5 60 "$FMC" replay "$SCRATCH/child.sched" </dev/null >"$SCRATCH/out" 2>&1
judge "it is played again" [ $? -eq 0 ]
for case in prepared alarmed handled; do
	check 0 --strategy dfs --executions 4 -- "$CHILD" $case
	says "a child, $case" '^No failure found'
done

# Whoever looks for work every millisecond keeps nobody from a lock for ever.
check 0 --strategy recur --atomics --executions 100 -- "$BUILD/targets/idle_workers"
says "idle workers" '^No failure found in 100 executions'

# One that never stops has no end to wait for: executions are short first, unless the user says how long they are.
check 0 --executions 10 -- "$ENDLESS" beat
says "cut early" '^No failure found in 10 executions' \
    '^  - 10 executions were cut early, from 400 transitions on: the first one came to no end in 20000 \(--depth\)$'
field transitions 4000
field complete false
check 0 --executions 10 --depth 300 -- "$ENDLESS" beat
says_not "as the user says" 'cut early'
# On a busy machine its random phases have fewer executions.
says "at that depth" '^  - [0-9]+ executions were cut at 300 transitions \(--depth\)$'

# What a complete search holds under is the same in both.
check 0 --strategy optimal --require-complete -- "$BUILD/samples/philosophers_ordered" 3
says "no condition of optimal's where all was watched" '^No failure found in .*, complete for all interleavings of memory accesses\.$' '^Search complete' \
    'only before synchronisation operations,$'
judge "as JSON" grep -q '"conditions": "up to the order of independent operations, threads switching only before synchronisation operations, fairness with k = 1, sequential' "$SCRATCH/json"
check 0 --strategy optimal -- "$BUILD/targets/unordered.static" locked
says "optimal's own condition" '^No failure found in .*; memory was sampled, not watched: complete only at granularity sync\.$' '^Search complete' \
    'only before synchronisation operations and sharing no memory without them'
judge "as JSON" grep -q '"conditions": "up to the order of independent operations, threads switching only before synchronisation operations and sharing no memory without them, fairness with k = 1, sequential' "$SCRATCH/json"

# Fairness leaves executions out: they are run where that has an end, else it is said.
check 0 --strategy dfs -- "$BUILD/samples/spin_yield"
says "without an end" 'every fair execution' 'fairness with k = 1 \(without it the search has no end'
check 0 --strategy dfs --fair-k 1 -- "$BUILD/samples/sleeps_twice"
says "refused" 'every fair execution' 'fairness with k = 1 \(which left executions out'
check 1 -- "$BUILD/samples/sleeps_twice"

# Time-outs that fire in order: what that leaves out, and which failures need more.
for strategy in dfs optimal cb; do
	check 2 --strategy $strategy --timeouts ordered --require-complete -- "$BUILD/samples/timedwait" assume
	says "$strategy: in order" '^No failure found in .* seconds, complete as long as time-outs fire in order\.$' \
	    '^That was every fair execution' 'time-outs firing in order, sequential' "weren't run \(--timeouts any\)"
	field complete false
	judge "$strategy: the condition as JSON" grep -q '"conditions": ".* time-outs firing in order, ' "$SCRATCH/json"
	judge "$strategy: the reason" grep -q '"time-outs fired in order: .*--timeouts any' "$SCRATCH/json"
done
check 0 --strategy dfs --timeouts ordered --require-complete -- "$BUILD/samples/philosophers_ordered" 2
says_not "nothing was held back" 'time-outs'
check 1 -v -- "$BUILD/samples/timedwait" assume
says "needs any" '^It needs --timeouts any: in transition [0-9]+, T1 cond_asleep, a time-out fires while others could go on\.$'
field findings.0.kind abort
judge "auto begins in order" grep -q '^fmc: cb:1, ordered, after 0 executions$' "$SCRATCH/err"
judge "where, as JSON" grep -Eq '"early_timeout": [0-9]+,' "$SCRATCH/json"
check 1 -- "$BUILD/samples/sleeps_twice"
says "a sleep" '^It needs --timeouts any: in transition [0-9]+, T2 sleep, a sleep ends while others could go on\.$'
check 1 -v -- "$BUILD/samples/lost_wakeup"
says_not "needs no time-out" 'timeouts'
field findings.0.early_timeout null
judge "no time-outs, no beginning in order" eval '! grep -q ordered "$SCRATCH/err"'

# Schedules say in which way, and replay in it.
for how in ordered any; do
	for seed in 1 2 3; do
		"$FMC" run --timeouts $how --seed $seed -o "$SCRATCH/$how.$seed.sched" -- "$BUILD/samples/timed_lock" \
		    >/dev/null 2>&1 </dev/null
		judge "$how, seed $seed: replays" timeout 60 "$FMC" replay "$SCRATCH/$how.$seed.sched" >"$SCRATCH/out" 2>&1
	done
done
judge "ordered is written" grep -q '^timeouts ordered$' "$SCRATCH/ordered.1.sched"
judge "any isn't" eval '! grep -q "^timeouts" "$SCRATCH/any.1.sched"'

# How a program exits under the first schedule is how it exits, unless it exits with 0 under another, or the user says so.
ENDS=$BUILD/targets/ends
for strategy in auto dfs optimal; do
	check 0 --strategy $strategy -- "$ENDS" always
	says "$strategy: taken as expected" '^Search complete' '^Exits with 3 under the first schedule: taken as expected \(--expect-exit\)\.$'
	field assumed_exit 3
	check 1 --strategy $strategy -- "$ENDS" crash
	field findings.0.kind abort
	check 1 --strategy $strategy -- "$ENDS" differs
	field findings.0.kind exit
	field assumed_exit null
done
check 1 --strategy dfs --jobs 2 -- "$ENDS" differs
field findings.0.kind exit
check 1 --strategy dfs --expect-exit 0 -- "$ENDS" always
check 1 --strategy dfs --expect-exit 1,2,4 -- "$ENDS" always
check 0 --strategy dfs --expect-exit 3,1 -- "$ENDS" differs
says_not "given, not assumed" 'under the first schedule'
check 1 --strategy dfs -- "$ENDS" killed
field findings.0.kind crash
check 0 --strategy dfs --expect-exit SIGTERM -- "$ENDS" killed
check 1 --strategy dfs --expect-exit 3 --all -- "$ENDS" crash
field findings.1.kind ""
judge "a schedule says what was expected" grep -q '^expect 3$' "$SCRATCH"/verdict*.sched

# Locks that are objects of the kernel, taken in opposite orders where a single schedule doesn't show it: what isn't found is named.
mkdir "$SCRATCH/locks"
top=$PWD
locks=kernel_locks
lock() {
	local expected=$1 case=$2
	(cd "$SCRATCH/locks" &&
		timeout -k 5 100 "$top/$FMC" check --strategy "${BY:-optimal}" --granularity sync --depth 500 --require-complete --json "$SCRATCH/json" \
		    -o "$SCRATCH/verdict.sched" -- "$top/$BUILD/targets/$locks" "$case" </dev/null) \
		    >"$SCRATCH/out" 2>&1
	judge "$locks $case: status $expected" [ $? -eq "$expected" ]
	rm -f "$SCRATCH/locks"/*
}
named() {
	lock 2 "$1"
	says "$locks $1: named" "isn't controlled: (.*; )?$2"
	field complete false
	judge "$locks $1: named as JSON" grep -Eq "isn't controlled: .*$2" "$SCRATCH/json"
}
waits='by which threads may wait for each other'
for case in pipe fifo socketpair eventfd semop msgrcv mq flock; do
	lock 1 $case
	says "$locks $case: found" '^deadlock: T1 waits for T2 to exit, T2 waits for '
done
for case in setlk content memfd position; do
	lock 1 $case
	says "$locks $case: each tries for ever" '^livelock: .* of T2, T3 repeated for ever'
done
named signalfd "descriptors of events $waits"
# Its timers are threads as well, too many for all orders.
BY=cb:1 lock 1 timerfd
says "$locks timerfd: found" '^deadlock: T1 waits for T4 to exit, T4 waits in syscall, T5 waits in syscall'
named inotify 'events of files'
for case in exclusive link mkdir shm; do
	lock 1 $case
	says "$locks $case: each tries for ever" '^livelock: .* of T2, T3 repeated for ever'
done
named process_vm 'process_vm_readv, process_vm_writev'
lock 1 sigwait
says "$locks sigwait: found" '^deadlock: '
lock 1 sigtimedwait
lock 0 create
named size 'files that one thread writes and another one reads'
named sigpending 'signals that threads send each other'
# What is the process's, or an attribute of a file: one changes it, the other one asks.
named umask 'the mask of new files \(umask\)'
named cwd 'the working folder'
lock 0 stays # where it is
named relative 'the working folder'
named listing 'folders that one thread lists while another one makes or removes names there'
for case in chmod xattr; do
	named $case 'attributes of files that one thread changes'
done
named rlimit 'limits of resources that one thread changes'
named priority 'priorities that one thread changes'
named setuid 'user and group numbers that one thread changes'
named sigaction 'signal handlers that one thread changes'
named prctl 'settings of the process \(prctl, personality\)'
# What is set or asked of descriptors, or whether they are open.
locks=descriptors
for case in flags cloexec room seals option; do
	named $case 'settings of descriptors and of what they lead to'
done
for case in closed 'closed twice'; do
	named "$case" 'descriptors that one thread closes and another one uses'
done
# Standard ones, which are looked at from when somebody closes them; by each engine.
echo input >"$SCRATCH/input"
for engine in stops agent; do
	for case in ordered loose; do
		check 0 --strategy dfs --engine $engine --stdin "$SCRATCH/input" -- "$BUILD/targets/closes" $case
		if [ $case = ordered ]; then
			says "$engine: closed in order: complete" '^Search complete'
		else
			says "$engine: closed at any time" 'descriptors that one thread closes and another one uses'
		fi
	done
done
# Processors that threads choose, for themselves and for others.
for engine in stops agent; do
	check 0 --strategy dfs --granularity sync --engine $engine -- "$BUILD/targets/bound"
	says "$engine: each is where it wants to be" '^Search complete'
	check 0 --strategy dfs --granularity sync --engine $engine -- "$BUILD/targets/bound" others
	says "$engine: chosen for another one" 'processors that one thread sets for another, and somebody asks for'
done
named standard 'standard input, output or errors that a thread replaces'
named waitv 'futex operations other than wait, wake and requeue'
for case in own size 'standard file' replaced 'standard pipe' waiting end set semaphore; do
	lock 0 "$case"
	says "descriptors $case: complete" '^Search complete'
done
lock 2 stream
says 'descriptors stream: what is in it comes in some order' "complete only if these accesses don't matter: heap "
# Memory that has several addresses, and code that is in no file: how threads share what they touch so can't be seen.
locks=mappings
for case in file writable memory doubled pages attached; do
	named $case 'shared memory'
done
for case in code protected; do
	named $case 'code that is made at run time \(at mappings.c:[0-9]+\)'
done
named early 'code that is made at run time'
# Made by a library, before the program begins.
cat >"$SCRATCH/maker.c" <<'EOT'
#include <stdlib.h>
#include <sys/mman.h>
__attribute__((constructor)) static void make(void)
{
	if (mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		abort();
}
EOT
"${CC:-cc}" -shared -fPIC -o "$SCRATCH/libmaker.so" "$SCRATCH/maker.c"
"${CC:-cc}" -o "$SCRATCH/made" samples/own_spin_lock.c -pthread -Wl,--no-as-needed "$SCRATCH/libmaker.so" -Wl,-rpath,"$SCRATCH"
check 2 --executions 1 --require-complete -- "$SCRATCH/made"
says "a library's code" "isn't controlled: (.*; )?code that is made at run time"
for case in own read semaphore; do
	lock 0 $case
	says "mappings $case: complete" '^Search complete'
done
locks=kernel_locks
# Standard input, of which what one thread reads is gone for the other.
echo 0123456789 >"$SCRATCH/input"
timeout -k 5 100 "$FMC" check --strategy optimal --require-complete --stdin "$SCRATCH/input" \
    -- "$BUILD/targets/kernel_locks" stdin >"$SCRATCH/out" 2>&1
judge "standard input: status 0" [ $? -eq 0 ]
says "standard input: six orders of two and two" '^No failure found in 6 executions' '^Search complete'
# What concerns one thread alone isn't, nor what is ordered by joins.
for case in output file alone events pairs names joined own asks logs fcntl; do
	lock 0 $case
	says "kernel_locks $case: complete" '^Search complete'
done
# No other orders are run of what follows --depth, though the executions come to their ends.
for depth in 6 100; do
	timeout -k 10 100 "$FMC" check --strategy dfs --depth $depth --require-complete -- "$BUILD/samples/philosophers_ordered" 2 >"$SCRATCH/out" 2>&1
	echo "status $?" >>"$SCRATCH/out"
	if [ $depth = 6 ]; then
		says "--depth 6" 'executions were longer than 6 transitions: what follows was run in one order alone' '^status 2$'
	else
		says "--depth 100" '^Search complete' '^status 0$'
	fi
done
# A library that never comes out of its constructor: the program isn't there when the time is over, and that is what used it.
echo '__attribute__((constructor)) static void spin(void) { for (;;) __asm__ volatile("pause"); }' >"$SCRATCH/spins.c"
echo 'int main(void) { return 0; }' >"$SCRATCH/loads.c"
"${CC:-cc}" -shared -fPIC -o "$SCRATCH/libspins.so" "$SCRATCH/spins.c"
"${CC:-cc}" -o "$SCRATCH/loads" "$SCRATCH/loads.c" -Wl,--no-as-needed "$SCRATCH/libspins.so" -Wl,-rpath,"$SCRATCH"
check 2 --time 1 --require-complete -- "$SCRATCH/loads"
says "a library that spins" '^No failure found in 0 executions' \
    'its 1 seconds were used up while its libraries were loaded and set up, before the first execution'
field executions 0
# What searches before the last one took isn't the program's loading.
cat >"$SCRATCH/counts.c" <<'EOT'
#include <pthread.h>
static unsigned counted, plain;
static void *count(void *word)
{
	for (int i = 0; i < 40; i++)
		__atomic_add_fetch((unsigned *)word, 1, __ATOMIC_SEQ_CST);
	plain++;
	return word;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, count, &counted);
	count(&counted);
	return pthread_join(thread, NULL);
}
EOT
"${CC:-cc}" -O1 -g -pthread -o "$SCRATCH/counts" "$SCRATCH/counts.c"
check 2 --time 4 --require-complete -- "$SCRATCH/counts"
says "time for several searches" 'going on with accesses that no operation orders' 'its 4 seconds were used up$'
finish
