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

# The update of either is lost, since both have read before either writes.
for how in lost local; do
	handled "$how"
	judge "$how: found" [ $status -eq 1 ]
	says "$how: goes on with what the handler shares with its thread" 'going on with accesses that no operation orders: (count at|own in local at) ' \
	    '^abort: .*Assertion .(count|own) == 2. failed'
	timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "$how: played" [ $? -eq 0 ]
done
# Its thread doesn't race with it: no data race is told of these.
handled --races report lost
says_not "lost: no data race" 'data race'

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
