#!/bin/bash
# Stores that wait in buffers (--memory-model tso): litmus tests, and programs made at random, reach the outcomes that running every order
# of their accesses and flushes on an operational model does, and no other; without buffers those that need none. What is complete has
# missed none. Arguments: programs of tests/tso.py, all litmus tests and RACES at random if none.
. tests/lib.sh
RACES=${RACES:-4}
[ $# -gt 0 ] || set -- SB SB+mfence SB+xchg SB+weak SB+lock SB+call SB+mine SB+one MP LB IRIW own two full count $(seq 1 "$RACES")

# reaches STATUS MODEL PROGRAM OUTCOME...
reaches() {
	local wanted=$1 model=$2 status
	shift 2
	timeout -k 10 150 "$FMC" check --strategy optimal --memory-model "$model" --granularity race --require-complete --expect-exit 0 --no-minimize \
	    --json "$SCRATCH/result.json" -o "$SCRATCH/r.sched" -- "$@" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	[ $status -eq "$wanted" ] || { echo "     $* ended under $model with $status, not $wanted" && show "$SCRATCH/out"; }
	[ $status -eq "$wanted" ]
}

for name; do
	tests/tso.py "$name" "$SCRATCH" >"$SCRATCH/outcomes"
	level=-O0
	[[ $name != [0-9]* ]] || level=-O$((name % 2 * 2))
	# Binding a function at its first call would cut stores short.
	"${CC:-cc}" -std=gnu11 $level -pthread -Wl,-z,now "$SCRATCH/$name.c" -o "$SCRATCH/$name" || exit 1
	right=true
	while read -r whether outcome <&3; do
		rm -f "$SCRATCH/r.sched"
		# shellcheck disable=SC2086 # a list of words
		case $whether in
		can)
			reaches 0 sc "$SCRATCH/$name" $outcome && reaches 1 tso "$SCRATCH/$name" $outcome &&
			    grep -qx 'memory tso' "$SCRATCH/r.sched" &&
			    timeout -k 10 60 "$FMC" replay "$SCRATCH/r.sched" </dev/null >"$SCRATCH/out" 2>&1
			;;
		sc) reaches 1 tso "$SCRATCH/$name" $outcome ;;
		never) reaches 0 tso "$SCRATCH/$name" $outcome && [ "$("$BUILD/tests/json" "$SCRATCH/result.json" memory_model)" = tso ] ;;
		esac || right=false
	done 3<"$SCRATCH/outcomes"
	judge "$name, $level: $(grep -c sc "$SCRATCH/outcomes") outcomes, and $(grep -c can "$SCRATCH/outcomes") by buffers" $right
done

# ends STATUS COMMAND...: its output in $SCRATCH/out.
ends() {
	local wanted=$1
	shift
	timeout -k 10 150 "$@" </dev/null >"$SCRATCH/out" 2>&1
	[ $? -eq "$wanted" ]
}

# A function that is called for the first time while a store waits, which the loader would have to look for.
cat >"$SCRATCH/first.c" <<'EOF'
#include <pthread.h>
#include <string.h>
static volatile int x, y;
static volatile size_t seen[2];
static const char *volatile text = "";
static void *other(void *unused)
{
	y = 1;
	seen[1] = strlen(text) + (size_t)x;
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	x = 1;
	seen[0] = strlen(text) + (size_t)y;
	pthread_join(thread, NULL);
	return seen[0] == 0 && seen[1] == 0;
}
EOF
"${CC:-cc}" -std=gnu11 -O1 -fno-builtin -pthread -Wl,-z,lazy "$SCRATCH/first.c" -o "$SCRATCH/first" || exit 1
judge "functions are bound at the start" ends 1 env -u LD_BIND_NOW "$FMC" check --memory-model tso --no-minimize -o "$SCRATCH/f.sched" -- "$SCRATCH/first"
says "so that a store can wait in a first call" '^exit: ' 'memory_flush'
judge "which replays" ends 0 "$FMC" replay "$SCRATCH/f.sched"
judge "the schedule says so" grep -q 'LD_BIND_NOW=1' "$SCRATCH/f.sched"

rm -f "$SCRATCH/s.sched"
judge "Peterson's lock fails by buffers" ends 1 "$FMC" check --memory-model tso -o "$SCRATCH/s.sched" -- "$BUILD/samples/peterson"
says "and says how" 'going on with x86-TSO with store buffers of 2' 'memory_flush wants\[[01]\] = 1' 'fewest possible'
judge "it is minimised" ends 0 "$FMC" minimize -o "$SCRATCH/small.sched" "$SCRATCH/s.sched"
says "which keeps the model" 'preemption'
judge "and stays what it is" ends 0 "$FMC" replay "$SCRATCH/s.sched"
judge "GDB can't walk through it" ends 69 "$FMC" gdbserver "$SCRATCH/s.sched"
says "and is told so" 'stores wait in buffers'
judge "other accesses can't wait" ends 64 "$FMC" check --memory-model tso --granularity sync -- "$BUILD/samples/peterson"
judge "a string instruction waits for stores" ends 0 "$FMC" check --memory-model tso --strategy optimal --json "$SCRATCH/result.json" -- \
    "$BUILD/samples/store_buffer" string
says "which leaves executions out" "The search isn't complete" 'could have waited longer'
finish
