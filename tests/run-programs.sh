#!/bin/bash
# Programs as distributions ship them: under many random schedules their output has to be what it always is, their exit
# status 0; a short check of one finds nothing.
. tests/lib.sh
SEEDS=${SEEDS:-3}

# Text that compresses like text, the same on every machine.
awk 'BEGIN {
	x = 12345
	for (i = 0; i < 40000; i++) {
		x = (x * 16807) % 2147483647
		printf "%s%c", substr("synchronisation happens before preemption of a thread", x % 40 + 1, x % 11 + 2), i % 9 ? 32 : 10
	}
}' >"$SCRATCH/text"
# sort uses threads from 128 k lines on.
awk 'BEGIN { x = 1; for (i = 0; i < 150000; i++) { x = (x * 16807) % 2147483647; print x % 97 } }' >"$SCRATCH/lines"

# program NAME INPUT COMMAND...
program() {
	local name=$1 input=$2 seed wrong=0 status
	shift 2
	if ! command -v "$1" >/dev/null; then
		skip "$name: not installed"
		return
	fi
	"$@" <"$SCRATCH/$input" >"$SCRATCH/expected"
	for ((seed = 1; seed <= SEEDS; seed++)); do
		timeout -k 10 120 "$FMC" run --seed $seed --time 100 -o "$SCRATCH/bad.sched" -- "$@" <"$SCRATCH/$input" \
		    >"$SCRATCH/found" 2>"$SCRATCH/err"
		status=$?
		if [ $status -ne 0 ] || ! cmp "$SCRATCH/expected" "$SCRATCH/found" || [ -s "$SCRATCH/err" ]; then
			wrong=$((wrong + 1))
			echo "     $name, seed $seed: status $status"
			show "$SCRATCH/err"
			[ $wrong -lt 3 ] || break
		fi
	done
	judge "$name, $SEEDS seeds" [ $wrong -eq 0 ]
}

program pigz text pigz -p 3 -b 128 -c
program pbzip2 text pbzip2 -p3 -b1 -c
program lbzip2 text lbzip2 -n 3 -c
program xz text xz -T3 --block-size=65536 -c
program zstd text zstd -T3 -q -c
program sort lines sort --parallel=3 -S 20M
program plzip text plzip -n3 -B 65536 -c
mkdir "$SCRATCH/folder"
for i in 1 2 3 4; do cp "$SCRATCH/text" "$SCRATCH/folder/$i"; done
program ripgrep text rg -j3 -c -s --no-filename preemption "$SCRATCH/folder"
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
program OpenMP text "$SCRATCH/openmp"

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
	timeout -k 10 300 "$FMC" check --time 200 -o "$SCRATCH/python.sched" -- /usr/bin/python3 "$SCRATCH/locks.py" \
	    </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	judge "a deadlock in a Python script" [ $status -eq 1 -a "$(grep -c '^deadlock:' "$SCRATCH/out")" = 1 ]
	[ $status -eq 1 ] || show "$SCRATCH/out"
else
	skip "a deadlock in a Python script: not installed"
fi

# A bug of a library that was shipped: samples/cpp_semaphore.cc.
if [ "$(${CXX:-c++} -dumpversion)" = 12 ]; then
	timeout -k 10 120 "$FMC" check --atomics --time 60 -o "$SCRATCH/cpp_semaphore.sched" -- \
	    "$BUILD/samples/cpp_semaphore" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	judge "std::counting_semaphore of GCC 12 sleeps for ever" \
	    [ $status -eq 1 -a "$(grep -c '^deadlock: .* waits for a wake of semaphore$' "$SCRATCH/out")" = 1 ]
	[ $status -eq 1 ] || show "$SCRATCH/out"
else
	skip "std::counting_semaphore of GCC 12: another compiler"
fi

if command -v pigz >/dev/null; then
	timeout -k 10 120 "$FMC" check --time 20 -o "$SCRATCH/pigz.sched" -- pigz -p 3 -b 128 -c "$SCRATCH/text" \
	    </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	judge "fmc check --time 20 -- pigz: nothing found (status $status)" [ $status -eq 0 ]
	[ $status -eq 0 ] || show "$SCRATCH/out"
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
