#!/bin/bash
# The unit tests (the sums of their own counts), one more at a time than there are processors, since some wait, and the corpora of the
# fuzz tests. Arguments: which ones ("test_clock", "corpus_wire"), all if none; CK_RUN_CASE chooses a case
# of unit tests.
. tests/lib.sh
# What check gives a test by itself is meant for a machine that has nothing else to do.
export CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-20}
export FMC_TEST_TARGETS=$PWD/$BUILD/targets FMC_TEST_SAMPLES=$PWD/$BUILD/samples CK_FORK=${CK_FORK:-yes}

# run NAME: its output in $SCRATCH/NAME, its status in $SCRATCH/NAME.status.
if long; then LIMIT=3600; else LIMIT=600; fi
run() {
	timeout -k 10 $LIMIT "$BUILD/tests/$1" </dev/null >"$SCRATCH/$1" 2>&1
	echo $? >"$SCRATCH/$1.status"
}
export BUILD SCRATCH LIMIT
export -f run

# again: each case of $failing that failed, by check's own words ("x.c:30:F:case:test:0: ..."), or all of it.
again() {
	local case cases make="make -s units"
	[ "${failing#corpus_}" = "$failing" ] || make="make -s $BUILD/tests/$failing"
	cases=$(sed -nE 's/^[^ :]+:[0-9]+:[FE]:([^:]+):.*/\1/p' "$SCRATCH/$failing" | sort -u)
	while read -r case; do
		echo "     again: $make && ${SETTINGS}${case:+CK_RUN_CASE=${case@Q} }tests/run-units.sh $failing"
	done <<<"$cases"
}

# count NAME: what its run says.
count() {
	local status checks failures errors bad failing=$1
	status=$(cat "$SCRATCH/$1.status")
	# check's own words: "100%: Checks: 12, Failures: 0, Errors: 0"
	read -r checks failures errors < <(sed -nE \
	    's/^[0-9]+%: Checks: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+)$/\1 \2 \3/p' "$SCRATCH/$1" |
	    awk '{ c += $1; f += $2; e += $3 } END { print c + 0, f + 0, e + 0 }')
	bad=$((failures + errors))
	[ "$status" -eq 0 ] || [ $bad -gt 0 ] || bad=1
	PASSED=$((PASSED + checks - failures - errors)) FAILED=$((FAILED + bad))
	if [ $bad -gt 0 ] || [ "$checks" -eq 0 ]; then
		[ $bad -gt 0 ] || FAILED=$((FAILED + 1))
		echo "FAIL $1: status $status, $checks checks, $bad bad"
		again
		show "$SCRATCH/$1"
	else
		echo "ok   $1: $checks checks"
	fi
}

# corpus NAME: the inputs of a fuzz test, once.
corpus() {
	timeout -k 10 600 "$BUILD/tests/$1" tests/fuzz/corpus/"${1#corpus_}"/* >"$SCRATCH/$1" 2>&1
	judge "$1" [ $? -eq 0 ]
}

tests=() corpora=()
[ $# -gt 0 ] || set -- $(basename -as .c tests/unit/*/test_*.c tests/fuzz/fuzz_*.c | sed 's/^fuzz_/corpus_/')
for name; do
	case $name in
	corpus_*) corpora+=("$name") ;;
	*) tests+=("$name") ;;
	esac
done
[ ${#tests[@]} -eq 0 ] || printf '%s\n' "${tests[@]}" | xargs -n 1 -P $((JOBS + 1)) bash -c 'run "$0"'
for name in "${tests[@]}"; do count "$name"; done
for name in "${corpora[@]}"; do
	failing=$name
	corpus "$name"
done
finish
