#!/bin/bash
# Plain accesses to memory as operations (--granularity race): programs made at random reach the outcomes that running every order
# of their accesses does, and no other; what is complete has missed none. RACES: how many programs.
. tests/lib.sh
RACES=${RACES:-6}

# reaches STATUS PROGRAM OUTCOME...
reaches() {
	local wanted=$1 status
	shift
	timeout -k 10 150 "$FMC" check --strategy optimal --granularity race --require-complete --expect-exit 0 --no-minimize -o "$SCRATCH/r.sched" -- \
	    "$@" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	[ $status -eq "$wanted" ] || { echo "     $* ended with $status, not $wanted" && show "$SCRATCH/out"; }
	[ $status -eq "$wanted" ]
}

for seed in $(seq 1 "$RACES"); do
	tests/races.py "$seed" "$SCRATCH" >"$SCRATCH/outcomes"
	level=-O$((seed % 2 * 2))
	"${CC:-cc}" -std=gnu11 $level -pthread "$SCRATCH/$seed.c" -o "$SCRATCH/$seed" || exit 1
	right=true
	while read -r whether x y <&3; do
		rm -f "$SCRATCH/r.sched"
		case $whether in
		can) reaches 1 "$SCRATCH/$seed" "$x" "$y" && timeout -k 10 60 "$FMC" replay "$SCRATCH/r.sched" </dev/null >"$SCRATCH/out" 2>&1 ;;
		never) reaches 0 "$SCRATCH/$seed" "$x" "$y" ;;
		esac || right=false
	done 3<"$SCRATCH/outcomes"
	judge "program $seed, $level: $(grep -c can "$SCRATCH/outcomes") outcomes" $right
done
# Values tell how an update is lost: both read 0, both write 1.
timeout -k 10 60 "$FMC" check -o "$SCRATCH/counter.sched" -- "$BUILD/samples/counter" </dev/null >"$SCRATCH/out" 2>&1
judge "each counts from 0 to 1" [ "$(grep -c 'memory_read *counter#0 *= 0 ' "$SCRATCH/counter.sched") $(grep -c 'memory_write *counter#0 *= 1 ' "$SCRATCH/counter.sched")" = '2 2' ]
finish
