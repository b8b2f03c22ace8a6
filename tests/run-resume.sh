#!/bin/bash
# fmc check --resume FILE: several runs come to what one would have come to, and a file of something else is left alone.
. tests/lib.sh
S=$BUILD/samples
STATE=$SCRATCH/state

# check NAME ARGUMENT...: the result goes to $SCRATCH/NAME.json; prints the exit status.
check() {
	local name=$1
	shift
	timeout -k 10 600 "$FMC" check --no-minimize --json "$SCRATCH/$name.json" -o "$SCRATCH/$name.sched" "$@" </dev/null \
	    >"$SCRATCH/$name.out" 2>"$SCRATCH/$name.err"
	echo $?
}

# result NAME: what has to be the same however often the search was broken off.
result() {
	told_by "$SCRATCH/$1.json" verdict complete executions transitions classes
}

# in_parts NAME JOBS EXECUTIONS ARGUMENT...: the same from parts of so many executions as from one run.
in_parts() {
	local name=$1 jobs=$2 most=$3 parts=1
	shift 3
	check whole "$@" >/dev/null
	result whole >"$SCRATCH/expected"
	rm -f "$STATE"
	check part --jobs "$jobs" --resume "$STATE" --executions "$most" "$@" >/dev/null
	while [ -e "$STATE" ] && [ $parts -lt 40 ]; do
		check part --jobs "$jobs" --resume "$STATE" --executions "$most" "$@" >/dev/null
		parts=$((parts + 1))
	done
	result part >"$SCRATCH/found"
	judge "$name: the same in $parts parts" cmp -s "$SCRATCH/expected" "$SCRATCH/found"
	cmp -s "$SCRATCH/expected" "$SCRATCH/found" || show "$SCRATCH/expected" "$SCRATCH/found" "$SCRATCH/part.out" "$SCRATCH/part.err"
	judge "$name: it was in parts" [ $parts -gt 1 -a ! -e "$STATE" ]
}

! long || in_parts "dfs" 1 300 --strategy dfs -- "$S/barrier"
! long || in_parts "dfs of a barrier, two jobs" 2 500 --strategy dfs -- "$S/barrier"
in_parts "dfs, two jobs" 2 25 --strategy dfs --all -- "$S/lost_update"
! long || in_parts "cb" 1 150 --strategy cb:2 --cache off -- "$S/barrier"
in_parts "cb with a cache" 1 10 --strategy cb:2 -- "$S/barrier"
in_parts "delay" 2 20 --strategy delay:2 --cache off -- "$S/barrier"
in_parts "optimal" 1 50 --strategy optimal -- "$S/philosophers_mut" 5
! long || in_parts "optimal, two jobs" 2 200 --strategy optimal -- "$S/philosophers_mut" 6
in_parts "optimal with failures" 2 7 --strategy optimal --all -- "$S/philosophers" 4
! long || in_parts "source" 2 50 --strategy source -- "$S/philosophers_mut" 5
in_parts "dfs with failures" 1 50 --strategy dfs --all -- "$S/philosophers" 2

# accesses NAME: what has to be the same of them.
accesses() {
	local field
	for field in granularity watched switched_at races; do
		echo "$field $("$BUILD/tests/json" "$SCRATCH/$1.json" $field)"
	done
}

# With accesses to memory: the searches that follow each other, and watching, which its users see to the end.
in_parts "accesses to memory" 1 6 --strategy optimal --granularity race -- "$S/stop_flag"
accesses whole >"$SCRATCH/expected"
accesses part >"$SCRATCH/found"
judge "watched, and with the same races" cmp -s "$SCRATCH/expected" "$SCRATCH/found"
cmp -s "$SCRATCH/expected" "$SCRATCH/found" || show "$SCRATCH/expected" "$SCRATCH/found"
judge "which is all" grep -q '^watched true' "$SCRATCH/found"
in_parts "stores that wait" 1 2 --strategy optimal --memory-model tso -- "$S/store_buffer" mfence
judge "which the verdict names" [ "$("$BUILD/tests/json" "$SCRATCH/part.json" memory_model) $("$BUILD/tests/json" "$SCRATCH/part.json" watched)" = 'tso true' ]
in_parts "a failure by stores that wait" 1 4 --strategy optimal --memory-model tso -- "$S/store_buffer"
in_parts "a failure by accesses" 1 1 --strategy optimal --granularity race -- "$S/counter"
# A limit is one of all searches.
check part --executions 2 -- "$S/counter" >/dev/null
judge "limited, and not found" [ "$("$BUILD/tests/json" "$SCRATCH/part.json" verdict) $("$BUILD/tests/json" "$SCRATCH/part.json" executions)" = 'none 2' ]
check part --executions 1000 -- "$S/counter" >/dev/null
judge "a search follows below the limit" [ "$("$BUILD/tests/json" "$SCRATCH/part.json" verdict)" = failure ]

# Random strategies never end: so many executions in all.
rm -f "$STATE"
for strategy in random pct surw recur; do
	check whole --strategy $strategy --seed 7 --executions 200 --all -- "$S/philosophers" 3 >/dev/null
	result whole >"$SCRATCH/expected"
	for most in 30 50 1 119; do
		check part --resume "$STATE" --strategy $strategy --seed 7 --executions $most --all -- "$S/philosophers" 3 >/dev/null
	done
	result part >"$SCRATCH/found"
	judge "$strategy: the same in parts" cmp -s "$SCRATCH/expected" "$SCRATCH/found"
	cmp -s "$SCRATCH/expected" "$SCRATCH/found" || show "$SCRATCH/expected" "$SCRATCH/found"
	judge "$strategy: earlier executions are told" \
	    [ "$("$BUILD/tests/json" "$SCRATCH/part.json" earlier_executions)" = 81 -a -e "$STATE" ]
	grep -q '^Going on after 81 executions\.$' "$SCRATCH/part.out"
	judge "$strategy: the text tells it, too" [ $? -eq 0 ]
	rm -f "$STATE"
done

# auto goes on in the phase in which it was.
check part --resume "$STATE" --executions 480 -- "$S/philosophers_ordered" 4 >/dev/null
check part --resume "$STATE" --executions 130 -v -- "$S/philosophers_ordered" 4 >/dev/null
judge "auto doesn't begin again" [ -z "$(grep 'cb:1' "$SCRATCH/part.err")" ]
show "$SCRATCH/part.err"
rm -f "$STATE"

# Killed three times, each time once the state has been written anew.
cp "$S/philosophers_mut" "$SCRATCH/target"
T=$SCRATCH/target
SEARCH=(--strategy optimal -- "$T" "$(long && echo 7 || echo 6)")
check whole "${SEARCH[@]}" >/dev/null
result whole >"$SCRATCH/expected"
kills=0
for jobs in 1 2 1; do
	rm -f "$SCRATCH/old"
	[ ! -e "$STATE" ] || cp "$STATE" "$SCRATCH/old"
	"$FMC" check --jobs $jobs --resume "$STATE" "${SEARCH[@]}" </dev/null >/dev/null 2>&1 &
	fmc=$!
	while kill -0 $fmc 2>/dev/null && { [ ! -e "$STATE" ] || cmp -s "$STATE" "$SCRATCH/old"; }; do sleep 0.02; done
	kill -KILL $fmc 2>/dev/null && kills=$((kills + 1))
	wait $fmc 2>/dev/null
	gone "$T" || fail "targets outlive fmc"
done
check part --resume "$STATE" "${SEARCH[@]}" >/dev/null
result part >"$SCRATCH/found"
judge "killed $kills times: the same" cmp -s "$SCRATCH/expected" "$SCRATCH/found"
cmp -s "$SCRATCH/expected" "$SCRATCH/found" || show "$SCRATCH/expected" "$SCRATCH/found" "$SCRATCH/part.err"
judge "killed $kills times" [ $kills -gt 0 ]

# refuse REGEX FILE ARGUMENT...: status 65, one line that matches, and the file stays as it is.
refuse() {
	local pattern=$1 file=$2 status
	shift 2
	cp "$file" "$SCRATCH/before"
	status=$(check refused --resume "$file" "$@")
	[ "$status" -eq 65 ] && [ "$(wc -l <"$SCRATCH/refused.err")" -eq 1 ] && grep -Eq "$pattern" "$SCRATCH/refused.err" &&
	    [ ! -s "$SCRATCH/refused.out" ] && cmp -s "$file" "$SCRATCH/before"
	judge "refused: $pattern" [ $? -eq 0 ]
	show "$SCRATCH/refused.err"
}
cp "$S/philosophers_ordered" "$T"
check part --resume "$STATE" --strategy dfs --executions 50 -- "$T" 3 >/dev/null
judge "a state to be refused" [ -s "$STATE" ]
refuse "'3' there, '4' here" "$STATE" --strategy dfs -- "$T" 4
refuse 'strategy dfs.*strategy random' "$STATE" --strategy random -- "$T" 3
refuse 'seed 0.*seed 1' "$STATE" --strategy dfs --seed 1 -- "$T" 3
refuse 'philosophers_ordered' "$STATE" --strategy dfs -- "$S/philosophers_ordered" 3
cp "$S/philosophers" "$SCRATCH/other"
mv "$T" "$SCRATCH/kept"
mv "$SCRATCH/other" "$T"
refuse 'of something else' "$STATE" --strategy dfs -- "$T" 3
mv "$SCRATCH/kept" "$T"
head -c 200 "$STATE" >"$SCRATCH/cut"
refuse 'cut short' "$SCRATCH/cut" --strategy dfs -- "$T" 3
{ cat "$STATE" && echo; } >"$SCRATCH/long"
refuse 'something after it' "$SCRATCH/long" --strategy dfs -- "$T" 3
{ head -c 300 "$STATE" && printf X && tail -c +302 "$STATE"; } >"$SCRATCH/damaged"
refuse 'damaged' "$SCRATCH/damaged" --strategy dfs -- "$T" 3
: >"$SCRATCH/empty"
refuse 'no saved search' "$SCRATCH/empty" --strategy dfs -- "$T" 3
refuse 'no saved search' "$S/philosophers" --strategy dfs -- "$T" 3
check part --resume "$STATE" --strategy dfs --executions 50 -- "$T" 3 >/dev/null
judge "and it can be gone on with" [ "$("$BUILD/tests/json" "$SCRATCH/part.json" earlier_executions)" = 50 ]
status=$(check part --resume "$SCRATCH/missing/state" --strategy dfs --executions 5 -- "$T" 3)
judge "a file that can't be written doesn't hide the result" [ "$status" -eq 0 -a -s "$SCRATCH/part.err" -a -s "$SCRATCH/part.out" ]
judge "no process left" gone "$T"
finish
