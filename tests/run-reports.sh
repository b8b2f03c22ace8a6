#!/bin/bash
# What the stacks of a report show: functions that the compiler put in line, and those of Python.
. tests/lib.sh
OUT=$SCRATCH/out

# check NAME OPTION... -- PROGRAM ARGUMENT...: its report.
check() {
	"$FMC" check --no-minimize -o "$SCRATCH/$1.sched" "${@:2}" >"$OUT" 2>&1 </dev/null
}

for program in inlines inlines.static; do
	check $program -- "$BUILD/targets/$program"
	says "$program: each function in line, with its caller's line" '^crash: .* at inlines.c:9 in innermost' '^T2 run' \
		'^    #0  innermost  inlines.c:9$' '^    #1  middle     inlines.c:15$' '^    #2  outer      inlines.c:20$' \
		'^    #3  run        inlines.c:26$'
	"$FMC" replay "$SCRATCH/$program.sched" >"$OUT" 2>&1 </dev/null
	says "$program: in a replay, too" '#1  middle     inlines.c:15$'
done

finish
