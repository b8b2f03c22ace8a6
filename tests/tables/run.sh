#!/bin/bash
# `make tables`: the figures that papers print beside what fmc does on programs written after their descriptions
# (samples/). Arguments: which tables (those of the four files beside this one), all if none.
# TABLES_SECONDS=N gives each row N times its seconds. TABLES_KEEP=FOLDER keeps what each search came to there, and what is there
# isn't searched again: a run that was broken off goes on where it was.
#
# [MCMINI] Pirtle, Jovanovic, Cooperman: McMini, 2023, on a Xeon E5-2690 v3 at 2.6 GHz
# [FAIR]   Musuvathi, Qadeer: Fair Stateless Model Checking, PLDI 2008, on a Xeon at 2.8 GHz
# [ONEPAGE] Holt: The One Page Model Checker, on an Athlon64 3000+
. tests/lib.sh
SAMPLES=$BUILD/samples
RESULT=$SCRATCH/result.json
FACTOR=${TABLES_SECONDS:-1}
KEEP=${TABLES_KEEP:-}
[ -z "$KEEP" ] || mkdir -p "$KEEP" || exit 1
S="--strategy optimal"

field() {
	"$BUILD/tests/json" "$RESULT" "$1"
}

# After a number of executions: "+" for a search that its time cut, and how many there may be if fmc has a guess.
left() {
	local guess
	grep -q 'seconds were used up' "$RESULT" || return 0
	guess=$(field estimate.executions) || guess=
	if [[ $guess =~ ^[0-9] ]]; then guess=$(printf ' of %.1g' "$guess"); else guess=; fi
	echo "+$guess"
}

# run_search LIMIT OPTIONS PROGRAM ARGUMENT...: its result in $RESULT, the schedule of its first failure in $SCRATCH/x.sched; nothing of
# either where it didn't come to an end.
run_search() {
	local limit=$1 options=$2 program=$3 kept=
	shift 3
	rm -f "$SCRATCH"/*.sched "$RESULT"
	[ -z "$KEEP" ] || kept=$KEEP/$(md5sum <<<"$limit $options $program $*" | cut -c1-32)
	if [ -n "$kept" ] && [ -s "$kept.json" ]; then
		cp "$kept.json" "$RESULT"
		[ ! -s "$kept.sched" ] || cp "$kept.sched" "$SCRATCH/x.sched"
		return
	fi
	# shellcheck disable=SC2086 # options are a list of words
	timeout $((limit + 30)) "$FMC" check --time "$limit" --json "$RESULT" -o "$SCRATCH/x.sched" $options -- \
	    "$SAMPLES/$program" "$@" </dev/null >/dev/null 2>"$SCRATCH/err"
	[ -n "$kept" ] && [ -s "$RESULT" ] || return 0
	[ ! -s "$SCRATCH/x.sched" ] || cp "$SCRATCH/x.sched" "$kept.sched"
	cp "$RESULT" "$kept.part" && mv "$kept.part" "$kept.json"
}

# search SECONDS OPTIONS PROGRAM ARGUMENT...: sets transitions, traces, failures, seconds, what is left of the
# search, and the kind of the first failure. "-": there is no such program, or fmc didn't come to an end.
search() {
	local limit=$(($1 * FACTOR)) options=$2 program=$3 i=0 count
	shift 3
	rm -f "$RESULT"
	transitions=- traces=- failures=0 seconds=- left='' kind=''
	[ -x "$SAMPLES/$program" ] || return 0
	run_search $limit "$options" "$program" "$@"
	[ -s "$RESULT" ] || return 0
	transitions=$(field transitions) traces=$(field executions) left=$(left)
	seconds=$(printf %.2f "$(field seconds)")
	kind=$(field findings.0.kind) || kind=
	while count=$(field findings.$i.count); do
		failures=$((failures + count)) i=$((i + 1))
	done
}

. tests/tables/mcmini.sh
. tests/tables/fair.sh
. tests/tables/counts.sh
. tests/tables/rest.sh

for table in "${@:-1 2 3 4 5 7 8 9 10 11 fair states pruning figures counts sthread others}"; do
	for name in $table; do
		"table_$name"
	done
done
echo
echo "$SECONDS seconds in all; +: cut by its seconds, there are more"
