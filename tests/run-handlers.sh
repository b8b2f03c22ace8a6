#!/bin/bash
# Handlers of signals that threads send each other: what they do to memory that the thread is just working on.
. tests/lib.sh
TARGET=$BUILD/targets/handled

# handled OPTION... CASE: $status, the output in out.
handled() {
	timeout -k 10 100 "$FMC" check --no-minimize --time 60 -o "$SCRATCH/found.sched" --json "$SCRATCH/result.json" "${@:1:$#-1}" -- "$TARGET" "${@: -1}" \
	    </dev/null >"$SCRATCH/out" 2>&1
	status=$?
}

# Nobody comes between the two halves of one instruction but threads, and no handler where it is blocked.
for how in within masked; do
	handled "$how"
	judge "$how: nothing is wrong" [ $status -eq 0 ]
	[ $status -eq 0 ] || show "$SCRATCH/out"
done
handled --granularity race --strategy optimal within
judge "within: in all orders" [ $status -eq 0 ]
[ $status -eq 0 ] || show "$SCRATCH/out"
finish
