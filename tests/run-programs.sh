#!/bin/bash
# Programs as distributions ship them: under many random schedules their output has to be what it always is, their exit
# status 0; a short check of one finds nothing.
. tests/lib.sh
SEEDS=${SEEDS:-2}

# A part of the table that `make programs` makes.
SEEDS=$SEEDS CHECK=3 python3 tests/programs/run.py "$FMC" pigz pbzip2 lbzip2 xz zstd plzip ripgrep sort >"$SCRATCH/table"
while read -r name row; do
	case $row in
	[0-9]*/[0-9]*FAIL) judge "$name, $SEEDS seeds, and a check: ${row%FAIL}" false ;;
	[0-9]*/[0-9]*) pass "$name, $SEEDS seeds, and a check: $row" ;;
	skip:*) skip "$name: ${row#skip: }" ;;
	esac
done <"$SCRATCH/table"
! grep -q FAIL "$SCRATCH/table" || show "$SCRATCH/table"
# OpenMP's own spinning and futexes.
cat >"$SCRATCH/openmp.c" <<'EOT'
#include <stdio.h>
int main(void)
{
	long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
	for (int i = 0; i < 1000; i++)
		sum += i;
#pragma omp parallel num_threads(3)
	{
#pragma omp barrier
#pragma omp critical
		sum++;
	}
	printf("%ld\n", sum);
}
EOT
${CC:-cc} -fopenmp "$SCRATCH/openmp.c" -o "$SCRATCH/openmp"
"$SCRATCH/openmp" >"$SCRATCH/expected"
wrong=0
for ((seed = 1; seed <= SEEDS; seed++)); do
	timeout -k 10 120 "$FMC" run --seed $seed --time 100 -o "$SCRATCH/bad.sched" -- "$SCRATCH/openmp" >"$SCRATCH/found" 2>"$SCRATCH/err" </dev/null &&
	    cmp "$SCRATCH/expected" "$SCRATCH/found" && [ ! -s "$SCRATCH/err" ] || wrong=$((wrong + 1))
done
judge "OpenMP, $SEEDS seeds" [ $wrong -eq 0 ] || show "$SCRATCH/err"
timeout -k 10 120 "$FMC" run -v --time 100 -o "$SCRATCH/bad.sched" -- "$SCRATCH/openmp" >"$SCRATCH/found" 2>"$SCRATCH/err" </dev/null
judge "nobody has to join OpenMP's threads" [ $? -eq 0 -a "$(grep -c 'joins' "$SCRATCH/err")" = 0 ] || show "$SCRATCH/err"

# Two locks in different order, in a script: the interpreter lets threads take turns at function calls.
cat >"$SCRATCH/locks.py" <<'EOT'
import threading
a, b = threading.Lock(), threading.Lock()
def between(): pass
def take(first, second):
    with first:
        between()
        with second: pass
threads = [threading.Thread(target=take, args=locks) for locks in ((a, b), (b, a))]
for t in threads: t.start()
for t in threads: t.join()
EOT
if [ -x /usr/bin/python3 ]; then
	# By executions, not by time: they take a second each on a slow machine.
	timeout -k 10 900 "$FMC" check --strategy pos --executions 300 --time 0 -o "$SCRATCH/python.sched" -- /usr/bin/python3 "$SCRATCH/locks.py" \
	    </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	judge "a deadlock in a Python script" [ $status -eq 1 -a "$(grep -c '^deadlock:' "$SCRATCH/out")" = 1 ]
	[ $status -eq 1 ] || show "$SCRATCH/out"
	# But for the first 32, and one in twenty.
	timeout -k 10 900 "$FMC" check -v --strategy pos --executions 52 --time 0 --all --no-minimize -o "$SCRATCH/python.sched" -- /usr/bin/python3 \
	    "$SCRATCH/locks.py" </dev/null >"$SCRATCH/out" 2>&1
	inside=$(sed -nE 's/^fmc: ([0-9]+) executions by the agent.*/\1/p' "$SCRATCH/out")
	judge "executions of a Python script run without stops (${inside:-0} of 20)" [ "${inside:-0}" -ge 19 ] || show "$SCRATCH/out"
else
	skip "a deadlock in a Python script: not installed"
fi

# A bug of a library that was shipped: samples/cpp_semaphore.cc.
if [ "$(${CXX:-c++} -dumpversion)" = 12 ]; then
	timeout -k 10 120 "$FMC" check --atomics --time 60 -o "$SCRATCH/cpp_semaphore.sched" -- \
	    "$BUILD/samples/cpp_semaphore" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	judge "std::counting_semaphore of GCC 12 sleeps for ever" \
	    [ $status -eq 1 -a "$(grep -c '^deadlock: .* waits for a wake of semaphore (std::counting_semaphore)$' "$SCRATCH/out")" = 1 ]
	[ $status -eq 1 ] || show "$SCRATCH/out"
else
	skip "std::counting_semaphore of GCC 12: another compiler"
fi

# Of a static program without symbols its atomic instructions and futex calls are left to go by.
cp "$BUILD/samples/philosophers.static" "$SCRATCH/stripped"
strip -s "$SCRATCH/stripped"
"$FMC" check --atomics -o "$SCRATCH/stripped.sched" -- "$SCRATCH/stripped" 3 </dev/null >"$SCRATCH/out" 2>&1
judge 'a deadlock of a static program without symbols' \
    grep -q '^deadlock: .*T2 waits .*T3 waits .*T4 waits' "$SCRATCH/out"
"$FMC" replay "$SCRATCH/stripped.sched" </dev/null >"$SCRATCH/out" 2>&1
judge '  and its replay' grep -q '^Replayed [0-9]* transitions: deadlock as recorded' "$SCRATCH/out"

finish
