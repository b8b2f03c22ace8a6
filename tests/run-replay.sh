#!/bin/bash
# Every schedule that the samples gave is played again, and has to end as recorded. `fmc show`
# prints each. REPEAT: how often they are played, more often in `make check-long`: `fmc check` itself has replayed them twice.
. tests/lib.sh
SCHEDULES=${SCHEDULES:-build/check/schedules}
REPEAT=${REPEAT:-1}

for schedule in "$SCHEDULES"/*.sched; do
	[ -e "$schedule" ] || break
	name=$(basename "$schedule")
	bad=0
	for ((i = 0; i < REPEAT; i++)); do
		timeout -k 10 60 "$FMC" replay "$schedule" </dev/null >"$SCRATCH/out" 2>&1 || { bad=$?; break; }
	done
	judge "replay $name $REPEAT times (status $bad)" [ $bad -eq 0 ]
	[ $bad -eq 0 ] || show "$SCRATCH/out"
	"$FMC" show "$schedule" >"$SCRATCH/out" 2>"$SCRATCH/err" && [ -s "$SCRATCH/out" ] && [ ! -s "$SCRATCH/err" ]
	judge "show $name" [ $? -eq 0 ]
done
finish
