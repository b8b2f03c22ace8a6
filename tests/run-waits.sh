#!/bin/bash
# Threads that wait for memory in loops of their own: programs, some made at random, reach the outcomes that running every order of their
# accesses does, and no other; those whose threads may wait for ever are told. And they come to their ends in few executions. Arguments:
# programs of tests/waits.py, all that have a name and RACES at random if none.
. tests/lib.sh
RACES=${RACES:-2}
! long || RACES=12
[ $# -gt 0 ] || set -- flag peterson two first mixed tries pair locks never sometimes $(seq 1 "$RACES")

# reaches STATUS PROGRAM OUTCOME...
reaches() {
	local wanted=$1 status
	shift
	timeout -k 10 150 "$FMC" check --strategy optimal --granularity race --expect-exit 0 --depth 400 --no-minimize \
	    --json "$SCRATCH/result.json" -o "$SCRATCH/r.sched" -- "$@" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	[ $status -eq "$wanted" ] || { why="$*: status $status, not $wanted" && echo "     $why" && show "$SCRATCH/out"; }
	[ $status -eq "$wanted" ]
}

# is_found KIND...
is_found() {
	local kind
	kind=$("$BUILD/tests/json" "$SCRATCH/result.json" findings.0.kind)
	[[ " $* " = *" $kind "* ]] || why="${kind:-nothing} is found, none of: $*"
	[[ " $* " = *" $kind "* ]]
}

replays() {
	local status
	timeout -k 10 60 "$FMC" replay "$SCRATCH/r.sched" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	[ $status -eq 0 ] || { why="replay ends with $status" && show "$SCRATCH/out"; }
	[ $status -eq 0 ]
}

# All orders of these accesses; executions that fairness leaves out aren't watched.
complete() {
	[ "$("$BUILD/tests/json" "$SCRATCH/result.json" complete)" = true ] || why='not complete'
	[ "$("$BUILD/tests/json" "$SCRATCH/result.json" complete)" = true ]
}

for name; do
	tests/waits.py "$name" "$SCRATCH" >"$SCRATCH/outcomes"
	# What a round leaves in a register in the one is in memory in the other.
	levels=-O2
	[[ $name != *[02468] ]] || levels=-O0
	[[ $name != @(first|mixed) ]] || levels='-O0 -O2'
	for level in $levels; do
		"${CC:-cc}" -std=gnu11 $level -pthread "$SCRATCH/$name.c" -o "$SCRATCH/$name" || exit 1
		right=true why=
		while read -r whether outcome <&3; do
			rm -f "$SCRATCH/r.sched"
			# shellcheck disable=SC2086 # a list of words
			case $whether in
			can) reaches 1 "$SCRATCH/$name" $outcome && is_found exit && replays ;;
			never) reaches 0 "$SCRATCH/$name" $outcome && complete ;;
			hang) reaches 1 "$SCRATCH/$name" $outcome && is_found livelock good-samaritan && replays ;;
			esac || right=false
		done 3<"$SCRATCH/outcomes"
		judge "$name, $level: $(grep -c can "$SCRATCH/outcomes") outcomes${why:+ ($why)}" $right
	done
done

# Dekker's lock: a loop within a loop, which executions come to only once others are operations, and then wait in for a variable that is none.
cat >"$SCRATCH/dekker.c" <<'EOF2'
#include <pthread.h>
static volatile int wants[2], turn, entered;
static void *enter(void *argument)
{
	const int i = argument != NULL, other = 1 - i;
	wants[i] = 1;
	__sync_synchronize();
	while (wants[other]) {
		if (turn == i)
			continue;
		wants[i] = 0;
		while (turn != i)
			;
		wants[i] = 1;
		__sync_synchronize();
	}
	entered = entered + 1;
	turn = other;
	wants[i] = 0;
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, enter, NULL);
	pthread_create(&b, NULL, enter, &a);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return entered != 2;
}
EOF2
"${CC:-cc}" -std=gnu11 -O2 -pthread "$SCRATCH/dekker.c" -o "$SCRATCH/dekker" || exit 1
judge "Dekker's lock" reaches 0 "$SCRATCH/dekker"
judge "is complete" complete
judge "without going round and round" [ "$("$BUILD/tests/json" "$SCRATCH/result.json" executions)" -lt 200 ]

# A lock that is looked at before it is tried. What its first round leaves in a register nothing reads, or in memory the second one finds.
cat >"$SCRATCH/twice.c" <<'EOF2'
#include <pthread.h>
static volatile int locked, counter;
static void *count(void *unused)
{
	do
		while (locked)
			;
	while (__sync_lock_test_and_set(&locked, 1));
	counter = counter + 1;
	__sync_lock_release(&locked);
	return unused;
}
int main(void)
{
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return counter != THREADS;
}
EOF2
for threads in 2 3; do
	for level in -O0 -O2; do
		"${CC:-cc}" -std=gnu11 $level -DTHREADS=$threads -pthread "$SCRATCH/twice.c" -o "$SCRATCH/twice" || exit 1
		judge "a lock of $threads threads that is looked at first, $level" reaches 0 "$SCRATCH/twice"
		judge "is complete" complete
		judge "and each order is run once" [ "$("$BUILD/tests/json" "$SCRATCH/result.json" executions)" = "$(tests/waits.py traces $threads)" ]
	done
done
finish
