#!/bin/bash
# fmc is killed (SIGKILL) at random moments (TIMES: how many of each kind): no target may outlive it.
. tests/lib.sh
TIMES=${TIMES:-10}
! long || TIMES=30
RANDOM=${SEED:-1}
cp "$BUILD/samples/philosophers_ordered" "$SCRATCH/target"

for kind in "--origin copy" "--origin exec" "--jobs 2" "--engine agent"; do
	left=0 seen=0
	for ((i = 0; i < TIMES; i++)); do
		"$FMC" check --strategy random --time 60 $kind -- "$SCRATCH/target" 5 </dev/null >/dev/null 2>&1 &
		supervisor=$!
		while [ -z "$(users_of "$SCRATCH/target")" ] && kill -0 $supervisor 2>/dev/null; do :; done
		[ -z "$(users_of "$SCRATCH/target")" ] || seen=$((seen + 1))
		sleep 0.0$((RANDOM % 100))
		kill -KILL $supervisor
		wait $supervisor 2>/dev/null
		gone "$SCRATCH/target" || {
			left=$((left + 1))
			for process in $(users_of "$SCRATCH/target"); do kill -KILL "$process"; done
		}
	done
	judge "$kind: no process left after $TIMES kills ($left left)" [ $left -eq 0 ]
	judge "$kind: the target did run ($seen of $TIMES)" [ $seen -gt 0 ]
done
finish
