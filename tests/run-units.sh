#!/bin/bash
# The unit tests (the sums of their own counts), as many at a time as there are processors, and the corpora of the
# fuzz tests.
. tests/lib.sh
# What check gives a test by itself is meant for a machine that has nothing else to do.
export CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-20}
export FMC_TEST_TARGETS=$PWD/$BUILD/targets FMC_TEST_SAMPLES=$PWD/$BUILD/samples CK_FORK=${CK_FORK:-yes}

# run NAME: its output in $SCRATCH/NAME, its status in $SCRATCH/NAME.status.
run() {
	timeout -k 10 3600 "$BUILD/tests/$1" </dev/null >"$SCRATCH/$1" 2>&1
	echo $? >"$SCRATCH/$1.status"
}
export BUILD SCRATCH
export -f run

# count NAME: what its run says.
count() {
	local status checks failures errors bad
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
		show "$SCRATCH/$1"
	else
		echo "ok   $1: $checks checks"
	fi
}

tests=$(basename -as .c tests/unit/test_*.c)
xargs -n 1 -P "$JOBS" bash -c 'run "$0"' <<<"$tests"
for name in $tests; do count "$name"; done

for source in tests/fuzz/fuzz_*.c; do
	[ -e "$source" ] || break
	name=$(basename "${source%.c}")
	name=${name#fuzz_}
	timeout -k 10 600 "$BUILD/tests/corpus_$name" tests/fuzz/corpus/"$name"/* >"$SCRATCH/out" 2>&1
	judge "corpus of $name" [ $? -eq 0 ]
done
finish
