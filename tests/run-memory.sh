#!/bin/bash
# Memory: fmc under valgrind on small samples, and flat over many executions.
. tests/lib.sh

if command -v valgrind >/dev/null; then
	for sample in philosophers futex_mutex buffer_if; do
		timeout -k 10 280 valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
		    "$FMC" check --strategy dfs --executions 40 --time 200 -o "$SCRATCH/v.sched" -- "$BUILD/samples/$sample" \
		    </dev/null >"$SCRATCH/out" 2>&1
		status=$?
		judge "valgrind, $sample (status $status)" [ $status -eq 0 -o $status -eq 1 ]
		[ $status -eq 0 ] || [ $status -eq 1 ] || show "$SCRATCH/out"
	done
else
	skip "valgrind isn't installed"
fi

# after N: the highest resident size over N executions.
after() {
	"$BUILD/tests/peak" "$FMC" check --strategy random --executions "$1" --time 200 -- "$BUILD/samples/semaphores"
}
few=$(after 500) many=$(after 5000)
judge "flat: $few KiB over 500 executions, $many KiB over 5000" [ "$many" -le $((few + few / 10 + 512)) -a "$few" -gt 0 ]
finish
