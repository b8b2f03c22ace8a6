#!/bin/bash
# Stores that wait in buffers (--memory-model tso): litmus tests, and programs made at random, come to the outcomes that running every order
# of their accesses and flushes on an operational model comes to, and to no other; what is complete has missed none, and each replays.
# Arguments: programs of tests/tso.py, if none these litmus tests, in `make check-long` all, and the first TSO ones at random.
. tests/lib.sh
TSO=${TSO:-2}
LITMUS='SB SB+mfence SB+xchg SB+other SB+lock MP LB S R+mfence 2+2W IRIW n5 n6 iwp2.4 two later whole'
! long || { TSO=$((120 * TSO)) && LITMUS=$(tests/tso.py litmus); }
# Without buffers, too, as these programs are also other suites': where they are asked for.
if [ $# -gt 0 ] || long; then SC=sc; else SC=; fi
# shellcheck disable=SC2046,SC2086 # lists of words
[ $# -gt 0 ] || set -- $LITMUS $(seq 1 "$TSO")

# all_of MODEL NAME: its outcomes are those that it has under this model, and the search says that there are no others.
all_of() {
	rm -f "$SCRATCH"/o.*
	timeout -k 10 300 "$FMC" check --strategy optimal --memory-model "$1" --granularity race --outcomes --no-minimize --json "$SCRATCH/o.json" \
	    -o "$SCRATCH/o.sched" -- "$SCRATCH/$2" </dev/null >"$SCRATCH/out" 2>&1 &&
	    tests/tso.py compare "$SCRATCH/o.json" "$SCRATCH/$2.expected" "$1"
}

# counted MODEL NAME: the last search has run as many executions as there are traces (D. Shasha and M. Snir, Efficient and Correct
# Execution of Parallel Programs that Share Memory, TOPLAS 1988), the fewest possible. Litmus tests have those that Nidhugg counts.
counted() {
	local before sc traces all
	read -r sc traces <"$SCRATCH/$2.traces" || return 0
	[ "$1" = tso ] || traces=$sc
	before=$(sed -n 's/^No failure found in \([0-9]*\) execution.* going on with .*/\1/p' "$SCRATCH/out" | tail -n 1)
	all=$("$BUILD/tests/json" "$SCRATCH/o.json" executions)
	echo "     $((all - before)) executions, $traces traces"
	[ "$((all - before))" -eq "$traces" ]
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
	[ -z "$SC" ] || [[ $name =~ ^[0-9]+$ ]] || { all_of sc "$name" && counted sc "$name"; } || right=false
	all_of tso "$name" && counted tso "$name" && replays || right=false
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

# Eight bytes in two cache lines, which a processor may store, and load, in parts; with buffers fmc has them at once.
cat >"$SCRATCH/parts.c" <<'EOF'
#include <pthread.h>
static _Alignas(64) volatile char lines[128];
static void *other(void *unused)
{
	*(volatile long *)(lines + 60) = -1;
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	const long seen = *(volatile long *)(lines + 60);
	pthread_join(thread, NULL);
	return seen == 1;
}
EOF
"${CC:-cc}" -std=gnu11 -O1 -pthread "$SCRATCH/parts.c" -o "$SCRATCH/parts" || exit 1
judge "accesses in parts" ends 0 "$FMC" check --strategy optimal --memory-model tso -- "$SCRATCH/parts"
says "aren't called complete" "^The search isn't complete" 'accesses that others may see in parts, made at once'

# A thread that handles a signal has its stores in memory before.
cat >"$SCRATCH/signal.c" <<'EOF'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
static volatile int x, y, seen[3];
static void handle(int signal)
{
	(void)signal;
	seen[2] = y + 1;
}
static void *other(void *unused)
{
	x = 1;
	seen[0] = y;
	return unused;
}
int main(void)
{
	pthread_t thread;
	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, other, NULL);
	y = 1;
	pthread_kill(thread, SIGUSR1);
	seen[1] = x;
	pthread_join(thread, NULL);
	printf("%d %d %d\n", seen[0], seen[1], seen[2]);
	return 0;
}
EOF
"${CC:-cc}" -std=gnu11 -O0 -D_GNU_SOURCE -pthread "$SCRATCH/signal.c" -o "$SCRATCH/signal" || exit 1
judge "handlers run" ends 0 "$FMC" check --strategy dfs --memory-model tso --outcomes --no-minimize -o "$SCRATCH/h.sched" -- "$SCRATCH/signal"
says_not "whatever waits" "can't supervise"
replayed=true
for schedule in "$SCRATCH"/h.*.sched; do
	timeout -k 10 60 "$FMC" replay "$schedule" </dev/null >"$SCRATCH/out" 2>&1 || replayed=false
done
judge "and replay" $replayed

rm -f "$SCRATCH/s.sched" "$SCRATCH/large.sched"
judge "Peterson's lock fails by buffers" ends 1 "$FMC" check --memory-model tso --no-minimize -o "$SCRATCH/large.sched" -- "$BUILD/samples/peterson"
says "and says how" 'going on with x86-TSO with store buffers of 2' 'memory_flush wants\[[01]\] = 1'
judge "it is minimised" ends 0 "$FMC" minimize --time 0 --executions 3000 -o "$SCRATCH/s.sched" "$SCRATCH/large.sched"
says "which keeps the model" 'memory_flush wants\[[01]\] = 1' 'preemptions?: fewest possible'
judge "and stays what it is" ends 0 "$FMC" replay "$SCRATCH/s.sched"
if command -v gdb >/dev/null; then
	watch=(-ex 'watch wants[0]' -ex continue -ex reverse-continue)
	"$BUILD/tests/debug_registers" || watch=()
	judge "GDB walks through it" ends 0 "$FMC" gdb -q --batch -ex 'fmc-last-write wants[0]' -ex fmc-threads -ex 'print wants[0]' \
	    ${watch[@]+"${watch[@]}"} "$SCRATCH/s.sched"
	says_watched "which shows what is in memory, and what waits" '^wants\[0\] was last written by T[23] visit, in transition [0-9]+, by its memory_flush wants\[0\] = 1 of what it has stored in transition [0-9]+: 0 before, 1 after$' \
	    '^=> T[23] visit +before memory_flush wants\[0\]; it has stored wants\[0\] = 1, (turn = [01], )?which waits? ' '^\$1 = 0$' \
	    'hit Hardware watchpoint 1: wants\[0\]' '^New value = 1$' 'hit Hardware watchpoint 1: wants\[0\]' '^New value = 0$'
	# What the thread has in its buffer is no other thread's to see, while it runs as between two transitions.
	waits=$(sed -n 's/^ *\([0-9]*\)  T[23]  *memory_write  *wants\[0\].*/\1/p' "$SCRATCH/s.sched")
	judge "and through the store" ends 0 "$FMC" gdb -q --batch -ex "fmc-goto $waits" -ex 'stepi 2' -ex fmc-threads -ex 'print wants[0]' -ex 'reverse-stepi 2' \
	    -ex fmc-where "$SCRATCH/s.sched"
	says "forwards and backwards" "^=> T[23] visit +in the middle of transition $waits, memory_write wants\[0\] = 1; it has stored .*wants\[0\] = 1, which waits? " \
	    '^\$1 = 0$' "^before transition $waits of "
else
	skip "walking through it: there is no GDB"
fi
judge "a script for GDB alone is made of it" ends 0 "$FMC" export --gdb -o "$SCRATCH/s.gdb" "$SCRATCH/s.sched"
judge "all searches have so many executions" ends 0 "$FMC" check --strategy optimal --memory-model tso --executions 9 --json "$SCRATCH/result.json" -- "$BUILD/samples/peterson" fenced
says "and are cut where they end" 'it was limited to 9 executions'
judge "of which some are by buffers" [ "$("$BUILD/tests/json" "$SCRATCH/result.json" executions) $("$BUILD/tests/json" "$SCRATCH/result.json" memory_model)" = '9 tso' ]
judge "other accesses can't wait" ends 64 "$FMC" check --memory-model tso --granularity sync -- "$BUILD/samples/peterson"
judge "a string instruction waits for stores" ends 0 "$FMC" check --memory-model tso --strategy optimal --json "$SCRATCH/result.json" -- \
    "$BUILD/samples/store_buffer" string
says "which leaves executions out" "The search isn't complete" 'could have waited longer'
finish
