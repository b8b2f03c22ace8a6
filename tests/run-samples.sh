#!/bin/bash
# Check every sample as its first comment says. The keys there, one a line:
#   fmc-options: OPTION...   begins a case: options of `fmc check`; BUILD/ is the folder where things are built
#   fmc-args: ARGUMENT...    of the program
#   fmc-verdict: none | deadlock | livelock | good-samaritan | crash | abort | exit | invariant | ltl | rejected
#   fmc-complete: yes | no   whether the search ends complete
#   fmc-executions: N        exactly
#   fmc-message: REGEX       what the finding's message has to match
#   fmc-only-if: REGEX       what the summary says that completeness depends on: "x at a.c:1 by T2 and b.c:2 by T3"
#   fmc-warning: REGEX | none  what the summary has to warn of
#   fmc-static: yes          check the statically linked program too
#   fmc-compiled: yes | only check the program that is compiled to tell of its accesses too, or nothing else
#   fmc-driven: SUITE        no case: it needs a client, with which that suite runs it
#   fmc-long: yes            a case for `make check-long`: another one does the same on a smaller scale
# Schedules of findings are kept in $SCHEDULES for the replay test. Arguments: samples to run, all if none.
. tests/lib.sh
SCHEDULES=${SCHEDULES:-$SCRATCH/schedules}
FIELD=$'\x1f'
mkdir -p "$SCHEDULES"

# The cases of a sample, one a line: options, arguments, verdict, complete, executions, message, static, warning, only if, long, compiled.
cases() {
	awk -v OFS="$FIELD" '
		function flush() {
			if (seen)
				print value["options"], value["args"], value["verdict"], value["complete"],
				    value["executions"], value["message"], value["static"], value["warning"],
				    value["only-if"], value["long"], value["compiled"]
			split("", value)
		}
		/^ \*\// { exit }
		/^ \* fmc-[a-z-]+:/ {
			key = substr($2, 5, length($2) - 5)
			if (key == "options") { flush(); seen = 1 }
			text = $0
			sub(/^ \* fmc-[a-z-]+: ?/, "", text)
			value[key] = text
		}
		END { flush() }' "$1"
}

# expect WHAT WANTED FOUND: adds to $wrong.
expect() {
	[ "$2" = "$3" ] || wrong="$wrong; $1: expected $2, got $3"
}

run_case() {
	local name=$1 program=$2 schedule=$3 wrong= status found kind message whole count transitions seconds condition options=${options//BUILD\//$BUILD/}
	rm -f "$SCRATCH/result.json" "$schedule"
	# shellcheck disable=SC2086 # options and arguments are lists of words
	timeout -k 10 150 "$FMC" check --time 120 -o "$schedule" --json "$SCRATCH/result.json" $options -- \
	    "$program" $args </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	status=$?
	{
		read -r found
		read -r kind
		read -r whole
		read -r count
		read -r transitions
		read -r seconds
		# Of several lines, perhaps.
		IFS= read -r -d '' message
		message=${message%$'\n'}
	} < <("$BUILD/tests/json" "$SCRATCH/result.json" verdict findings.0.kind complete executions transitions seconds findings.0.message)
	if [ "$verdict" = none ]; then
		expect "exit status" 0 $status
		expect verdict none "$found"
	else
		expect "exit status" 1 $status
		expect verdict "$verdict" "$kind"
		[[ $message =~ $pattern ]] || wrong="$wrong; message '$message' doesn't match '$pattern'"
		[ -s "$schedule" ] || wrong="$wrong; no schedule written"
	fi
	case $complete in
	yes) expect complete true "$whole" ;;
	no) expect complete false "$whole" ;;
	esac
	condition=$(sed -n "1s/.* complete only if these accesses don't matter: \(.*\)\.\$/\1/p" "$SCRATCH/out")
	if [ -n "$only_if" ]; then
		[[ $condition =~ $only_if ]] || wrong="$wrong; '$condition' doesn't match '$only_if'"
	else
		expect condition "" "$condition"
	fi
	if [ "$warning" = none ]; then
		! grep "^Warning: " "$SCRATCH/out" || wrong="$wrong; a warning"
	elif [ -n "$warning" ]; then
		grep -E -q "^Warning: .*$warning" "$SCRATCH/out" || wrong="$wrong; no warning of '$warning'"
	fi
	[ -z "$executions" ] || expect executions "$executions" "$count"
	echo "     $name: $count executions, $transitions transitions, $seconds s"
	if [ -z "$wrong" ]; then
		pass "$name"
	else
		fail "$name${wrong/;/:}"
		show "$SCRATCH/out" "$SCRATCH/err"
	fi
}

# again: this sample.
again() {
	echo "     again: make -s all samples tools && ${SETTINGS}tests/run-samples.sh $source"
}

run_sample() {
	local source=$1 base number=0 options args verdict complete executions pattern static warning only_if in_long
	local compiled variant
	base=$(basename "${source%.*}")
	while IFS=$FIELD read -r options args verdict complete executions pattern static warning only_if in_long compiled; do
		number=$((number + 1))
		[ "$in_long" != yes ] || long || continue
		[ "$compiled" = only ] || run_case "$base $number [$options] $args" "$BUILD/samples/$base" "$SCHEDULES/$base.$number.sched"
		for variant in ${compiled:+compiled compiled-clang}; do
			[ ! -x "$BUILD/samples/$base.$variant" ] || run_case "$base $number [$options] $args, $variant" \
			    "$BUILD/samples/$base.$variant" "$SCHEDULES/$base.$number.$variant.sched"
		done
		[ "$static" != yes ] || run_case "$base $number [$options] $args, static" \
		    "$BUILD/samples/$base.static" "$SCHEDULES/$base.$number.static.sched"
	done < <(cases "$source")
	[ $number -gt 0 ] || grep -q '^ \* fmc-driven: ' "$source" || fail "$source states no case"
}

for sample in "${@:-samples/*}"; do
	for source in $sample; do
		[ -d "$source" ] || run_sample "$source"
	done
done
finish
