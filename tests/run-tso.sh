#!/bin/bash
# Stores that wait in buffers (--memory-model tso): litmus tests, and programs made at random, come to the outcomes that running every order
# of their accesses and flushes on an operational model comes to, and to no other; what is complete has missed none, and each replays.
# Arguments: programs of tests/tso.py, all litmus tests and the first TSO ones at random if none.
. tests/lib.sh
TSO=${TSO:-4}
long && TSO=$((60 * TSO))
if [ $# -eq 0 ]; then
	# shellcheck disable=SC2046 # a list of words
	set -- $(tests/tso.py litmus) $(seq 1 "$TSO")
fi

# all_of MODEL NAME: its outcomes are those that it has under this model, and the search says that there are no others.
all_of() {
	rm -f "$SCRATCH"/o.*
	timeout -k 10 300 "$FMC" check --strategy optimal --memory-model "$1" --granularity race --outcomes --no-minimize --json "$SCRATCH/o.json" \
	    -o "$SCRATCH/o.sched" -- "$SCRATCH/$2" </dev/null >"$SCRATCH/out" 2>&1 &&
	    tests/tso.py compare "$SCRATCH/o.json" "$SCRATCH/$2.expected" "$1"
}

# replays: one by buffers, if there is one.
replays() {
	local schedule
	schedule=$(grep -lx 'memory tso' "$SCRATCH"/o.*sched | tail -n 1)
	[ -z "$schedule" ] || timeout -k 10 60 "$FMC" replay "$schedule" </dev/null >"$SCRATCH/out" 2>&1
}

for name; do
	tests/tso.py "$name" "$SCRATCH" || exit 1
	level=-O0
	[[ ! $name =~ ^[0-9]+$ ]] || level=-O$((name % 2 * 2))
	"${CC:-cc}" -std=gnu11 $level -pthread "$SCRATCH/$name.c" -o "$SCRATCH/$name" || exit 1
	right=true
	all_of tso "$name" && replays || right=false
	$right || show "$SCRATCH/out"
	judge "$name, $level: $(grep -c ^sc "$SCRATCH/$name.expected") outcomes, and $(grep -c ^tso "$SCRATCH/$name.expected") by buffers" $right
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
