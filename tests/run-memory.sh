#!/bin/bash
# Memory: fmc under valgrind on small samples, and flat over many executions.
. tests/lib.sh

if command -v valgrind >/dev/null; then
	# memcheck WHAT COMMAND...: no error of fmc's own, whatever it finds.
	memcheck() {
		timeout -k 10 280 valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --suppressions=tests/memcheck.supp \
		    "$FMC" "${@:2}" </dev/null >"$SCRATCH/out" 2>&1
		status=$?
		judge "valgrind, $1 (status $status)" [ $status -eq 0 -o $status -eq 1 ]
		[ $status -eq 0 ] || [ $status -eq 1 ] || show "$SCRATCH/out"
	}
	# The last one has more threads than fmc has room for at first.
	for program in samples/{philosophers,futex_mutex,buffer_if} 'targets/crowd 20 1'; do
		# shellcheck disable=SC2086 # a program and its arguments
		memcheck "$program" check --strategy dfs --executions 40 --time 200 -o "$SCRATCH/v.sched" -- $BUILD/$program
	done
	# Operations that become known on the way, and bounds with a cache.
	memcheck 'counter, by default' check --time 200 --no-minimize -o "$SCRATCH/v.sched" -- "$BUILD/samples/counter"
	memcheck 'two_processes, both' check --follow --time 200 --no-minimize -o "$SCRATCH/v.sched" -- "$BUILD/samples/two_processes"
	memcheck 'producer_consumer, without stops' run -- "$BUILD/samples/producer_consumer"
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
