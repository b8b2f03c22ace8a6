#!/bin/bash
# Memory: fmc under valgrind on small samples, and flat over many executions.
. tests/lib.sh

if command -v valgrind >/dev/null; then
	# The last one has more threads than fmc has room for at first.
	for program in samples/{philosophers,futex_mutex,buffer_if} 'targets/crowd 20 1'; do
		# shellcheck disable=SC2086 # a program and its arguments
		timeout -k 10 280 valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
		    "$FMC" check --strategy dfs --executions 40 --time 200 -o "$SCRATCH/v.sched" -- $BUILD/$program \
		    </dev/null >"$SCRATCH/out" 2>&1
		status=$?
		judge "valgrind, $program (status $status)" [ $status -eq 0 -o $status -eq 1 ]
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
