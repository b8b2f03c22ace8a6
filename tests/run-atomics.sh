#!/bin/bash
# Atomic instructions: where they are switch points (--atomics), and how the verdict tells of them where they aren't.
. tests/lib.sh

# build NAME SOURCE COMPILER-OPTION...: a program from tests/targets/atomics.
SOURCES=tests/targets/atomics
build() {
	local name=$1 source=$2
	shift 2
	"${CC:-cc}" -O1 -g -pthread "$SOURCES/$source.c" -o "$SCRATCH/$name" "$@"
}

# Options of each check. Endless loops are shorter than the default depth, at which most of the time would go into running them.
DEPTH='--depth 2000'

# check STATUS NAME OPTION...: `fmc check` of a program ends with this status; its output is in $SCRATCH/out.
check() {
	local expected=$1 name=$2 status
	shift 2
	# shellcheck disable=SC2086 # options
	timeout -k 10 150 "$FMC" check --time 100 $DEPTH -o "$SCRATCH/$name.sched" "$@" -- "$SCRATCH/$name" \
	    >"$SCRATCH/out" 2>&1
	status=$?
	judge "$name $*: ends with $expected" [ $status -eq "$expected" ]
	[ $status -eq "$expected" ] || show "$SCRATCH/out"
}

# Signals that come while their thread stands before an atomic instruction arrive after it.
build signals signals
check 2 signals --atomics --strategy dfs --require-complete
says "signals: they are told" "isn't controlled: .*signals between two operations of the thread that takes them"
for seed in 1 2 3 4 5; do
	"$FMC" run --atomics --seed $seed -- "$SCRATCH/signals" >"$SCRATCH/out" 2>&1
	judge "signals: run with seed $seed" [ $? -eq 0 ]
done

# What the instruction itself causes is the program's to handle.
build faults faults
check 0 faults --atomics --strategy optimal --require-complete
cp "$SCRATCH/faults" "$SCRATCH/fatal"
timeout -k 10 100 "$FMC" check --atomics -o "$SCRATCH/fatal.sched" -- "$SCRATCH/fatal" unhandled >"$SCRATCH/out" 2>&1
judge "a fault that nobody handles is a finding" [ $? -eq 1 ]
says "a fault that nobody handles" "SIGSEGV"

# The process ends while a thread stands before an atomic instruction.
build ends ends
check 0 ends --atomics --strategy dfs --require-complete

# An ADD without a LOCK prefix to what others change with one is two accesses, so that another one's ADD may be lost.
cat >"$SCRATCH/mixed.c" <<'EOF'
#include <assert.h>
#include <pthread.h>
static volatile int count;
static void *add(void *plain)
{
	if (plain)
		__asm__ volatile("addl $1, %0" : "+m"(count) : : "cc");
	else
		__asm__ volatile("lock; addl $1, %0" : "+m"(count) : : "cc");
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, (void *)&count);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(count == 2);
	return 0;
}
EOF
"${CC:-cc}" -O1 -g -pthread "$SCRATCH/mixed.c" -o "$SCRATCH/mixed" || exit 1
check 1 mixed --atomics --strategy optimal
says "mixed: an addition is lost" '^abort: .*count == 2'

# Where atomic instructions are operations, futexes hide nothing: one execution of each order that differs is run, and none is lost.
build futexes futexes
# counted STRATEGY CASE: is that all, how many orders differ, and how many executions were run.
counted() {
	timeout -k 10 150 "$FMC" check --granularity atomic --time 100 --strategy "$1" --json "$SCRATCH/json" -- "$SCRATCH/futexes" "$2" \
	    >"$SCRATCH/out" 2>&1
	"$BUILD/tests/json" "$SCRATCH/json" complete classes executions
}
cases='mutex bits wake_op'
! long || cases+=' events requeue'
for case in $cases; do
	read -r complete all executions < <(counted dfs "$case" | tr '\n' ' ')
	judge "futexes $case: depth first there are many" [ "$complete $((executions > all))" = 'true 1' ]
	judge "futexes $case: every order that differs, once" [ "$(counted optimal "$case" | tr '\n' ' ')" = "true $all $all " ]
done

# Locks of libraries, taken in both orders by two threads: told of without --atomics, found with it.
crossed() {
	local name=$1
	shift
	check 2 "$name" --require-complete --strategy dfs "$@"
	says "$name: the verdict tells of them" "atomic instructions of lib(spin|gomp|glib)[^ ]*\.so.*--atomics"
	check 1 "$name" --atomics --strategy cb:2 "$@"
	goes_on "$name"
}

# goes_on NAME: by itself, and what it finds replays.
goes_on() {
	check 1 "$1" --json "$SCRATCH/json"
	says "$1: goes on with atomic instructions" '^No failure found in [0-9]+ executions? by operations alone.* going on with atomic instructions' \
	    '^(deadlock|livelock)'
	judge "$1: as JSON" grep -q '"atomics": true' "$SCRATCH/json"
	judge "$1: both searches are counted" [ "$("$BUILD/tests/json" "$SCRATCH/json" executions_without_atomics)" -gt 0 ]
	judge "$1: the schedule says so" grep -q '^atomics' "$SCRATCH/$1.sched"
	judge "$1: replays" timeout -k 10 100 "$FMC" replay "$SCRATCH/$1.sched" >"$SCRATCH/out" 2>&1
}
"${CC:-cc}" -O1 -g -fPIC -shared $SOURCES/spin.c -o "$SCRATCH/libspin.so"
build linked linked -L"$SCRATCH" -lspin -Wl,-rpath,"$SCRATCH"
crossed linked
# The same library, loaded before there are threads, or by one of them.
for when in 0 1; do
	build "loaded$when" loaded -DLIBRARY="\"$SCRATCH/libspin.so\"" -DLATE=$when -ldl
	crossed "loaded$when"
done
# A lock whose loop doesn't yield: each round in vain is taken for that, so that the right order is no failure. It is released by
# an atomic instruction: a store to an element of an array by its index is seen as an access to memory alone.
"${CC:-cc}" -O1 -g -fPIC -shared -DPAUSES $SOURCES/spin.c -o "$SCRATCH/libspin-pause.so"
for order in crossed ordered; do
	build "pause-$order" ordered -D"$order" -L"$SCRATCH" -lspin-pause -Wl,-rpath,"$SCRATCH"
done
check 1 pause-crossed --atomics --strategy cb:2
says "pause-crossed: both wait for ever" "^livelock"
goes_on pause-crossed
check 0 pause-ordered --atomics --strategy optimal --require-complete
says "pause-ordered: that was all" "^Search complete"
check 0 pause-ordered --require-complete --json "$SCRATCH/json"
says "pause-ordered: goes on, and that was all" "going on with atomic instructions" "^Search complete" "atomic instructions of the program"
judge "pause-ordered: one verdict" [ "$("$BUILD/tests/json" "$SCRATCH/json" complete)" = true ]
# Where the search that goes on comes to no end of an execution, what the first one has shown stands, and the time of both.
build pause-long long
# On a slow machine a few seconds are too few for two searches.
for seconds in 3 12 48; do
	check 0 pause-long --time $seconds --depth 0 --json "$SCRATCH/json"
	! grep -q 'going on' "$SCRATCH/out" || break
done
says "pause-long: goes on, and comes to nothing" "going on with atomic instructions" \
    "the search with atomic instructions that followed came to the end of no execution"
judge "pause-long: all of its time" awk "BEGIN { exit !($("$BUILD/tests/json" "$SCRATCH/json" seconds) >= $seconds) }"

# What the user has chosen stays.
for chosen in '--strategy cb:2' '--executions 3'; do
	# shellcheck disable=SC2086 # options
	check 0 pause-crossed $chosen
	says_not "pause-crossed $chosen: doesn't go on" "going on"
done

if "${CC:-cc}" -fopenmp -x c /dev/null -shared -fPIC -o "$SCRATCH/probe.so" 2>/dev/null; then
	build openmp openmp -fopenmp
	crossed openmp
else
	skip "openmp: the compiler has none"
fi
# GLib without its headers: a GMutex is a word of zeros.
glib=$(ldconfig -p 2>/dev/null | sed -n 's/.*libglib-2\.0\.so\.0 .*x86-64.* => //p' | head -n 1)
if [ -n "$glib" ]; then
	build glib glib "$glib"
	crossed glib
else
	skip "glib: not installed"
fi

# Others, where their headers are.
if echo 'int main(void) {}' | clang -fopenmp -x c - -o "$SCRATCH/probe" 2>/dev/null; then
	CC=clang build libomp openmp -fopenmp
	check 1 libomp --atomics --strategy random
	says "libomp: found" '^(deadlock|livelock)'
else
	skip "libomp: not installed (tests/setup.sh locks)"
fi
# other NAME PACKAGE: that of pkg-config.
other() {
	# shellcheck disable=SC2046 # a list of words
	if pkg-config --exists "$2" 2>/dev/null && "${CXX:-c++}" -O1 -g -fPIC -pthread $(pkg-config --cflags "$2") "$SOURCES/$1.cc" -o "$SCRATCH/$1" $(pkg-config --libs "$2"); then
		check 1 "$1" --atomics --strategy cb:2
		says "$1: found" '^(deadlock|livelock)'
	else
		skip "$1: not installed (tests/setup.sh locks)"
	fi
}
other tbb tbb
other qt Qt5Core

# Atomics that compile to plain loads and stores, as debug information tells: Peterson's lock is right, and without a turn it isn't.
build peterson peterson -DTURNS=1
check 0 peterson --atomics --strategy cb:2
build rude peterson -DTURNS=0
check 1 rude --atomics --strategy cb:2
says "rude: both wait for ever" "^livelock"

# The same of C++, as members of a structure.
"${CXX:-c++}" -O1 -g -pthread $SOURCES/members.cc -o "$SCRATCH/members"
check 1 members --atomics --strategy cb:2
says "members: both wait for ever" "^livelock"

# Traps in the middle of an instruction: libc's string functions for AVX-512, in a program without symbols.
build strings strings -static -s
check 0 strings --atomics --strategy random --executions 50

finish
