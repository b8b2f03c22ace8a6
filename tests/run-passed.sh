#!/bin/bash
# What threads of `fmc run` pass without a stop is told as if they had stopped: the same transitions, outcomes and schedules as with -o, with which
# they stop at each operation. run-passed.sh [CASE...]
. tests/lib.sh

PASSED_PROGRAM=$BUILD/targets/passed

# operations CASE FILE: the lines of a schedule's transitions. When a child process ends isn't fmc's to say, nor whether its parent has to wait: there,
# what each thread does to mutexes.
operations() {
	grep -E '^ *[0-9]+ ' "$2" | if [ "$1" = forks ]; then sed -nE '/mutex/{ s/^ *[0-9]+ +//; s/ended=[0-9]+//; s/ +/ /g; p; }' | sort -s -k 1,1; else cat; fi
}

# run_both WORD...: without stops and with, up to what fmc finds; what either says, JSON and schedules are in $SCRATCH/passed and $SCRATCH/stopped.
run_both() {
	local way
	for way in passed stopped; do
		rm -rf "${SCRATCH:?}/$way"
		mkdir "$SCRATCH/$way"
		local options=(-v --depth 10000 --json "$SCRATCH/$way/json")
		[ $way = passed ] || options+=(-o "$SCRATCH/$way/schedule")
		(cd "$SCRATCH/$way" && timeout -k 10 120 "$PREFIX/$FMC" run "${options[@]}" -- "$PREFIX/$PASSED_PROGRAM" "$@" </dev/null >out 2>err
			echo "status $?" >>out)
		[ $way = stopped ] || mv "$SCRATCH/$way"/*.sched "$SCRATCH/$way/schedule"
	done
}
# kinds WAY: of what is found, and how many transitions there were.
kinds() {
	"$BUILD/tests/json" "$SCRATCH/$1/json" findings.0.kind transitions
}
replays() {
	"$FMC" replay "$1" </dev/null >"$SCRATCH/out" 2>&1
}
PREFIX=
[[ $FMC == /* ]] || PREFIX=$PWD

for case in plain turns anew once signals births forks c11 yields many held polls owes disarms connects replaces sets looks; do
	[ $# -eq 0 ] || [[ " $* " == *" $case "* ]] || continue
	run_both $case
	judge "$case: what it prints, and its status" cmp -s "$SCRATCH/passed/out" "$SCRATCH/stopped/out"
	[ $case = forks ] || judge "$case: the same finding" cmp -s <(kinds passed) <(kinds stopped)
	judge "$case: the same operations" cmp -s <(operations $case "$SCRATCH/passed/schedule") <(operations $case "$SCRATCH/stopped/schedule")
	some=$(sed -nE 's/^fmc: ([0-9]+) of [0-9]+ transitions without a stop$/\1/p' "$SCRATCH/passed/err")
	judge "$case: some of them without a stop" [ "${some:-0}" -gt 0 ]
	judge "$case: none with -o" [ "$(grep -c 'without a stop' "$SCRATCH/stopped/err")" -eq 0 ]
	[[ $case != connects && $case != replaces ]] ||
		judge "$case: and calls on connections" grep -qE '^fmc: [1-9][0-9]* calls on connections without a stop$' "$SCRATCH/passed/err"
	[ $case != sets ] || judge "$case: what signals tell is heard at once" [ "$(head -n 1 "$SCRATCH/passed/out")" -lt 1000 ]
	[ $case = forks ] || judge "$case: replays" replays "$SCRATCH/passed/schedule"
done

# transitions CASE WORD...: of a run that ends somewhere.
transitions() {
	timeout -k 10 60 "$FMC" run --json "$SCRATCH/json" "${@:2}" -- "$PASSED_PROGRAM" "$1" </dev/null >"$SCRATCH/out" 2>&1
	"$BUILD/tests/json" "$SCRATCH/json" transitions
}

# A bound counts those as well, and a loop is looked for where one may be. Whose turn it is can be asked for.
for options in "--seed 3" "--depth 500" "--depth 1000 --no-fair" "--max-thread-depth 700" "--depth 0" "--wakeup mutex=fifo" "--timeouts any"; do
	for case in births turns replaces; do
		# shellcheck disable=SC2086 # a list of words
		judge "$options, $case: ends where it does with stops" \
		    [ "$(transitions $case $options)" -eq "$(transitions $case $options -o "$SCRATCH/it.sched")" ]
	done
done

finish
