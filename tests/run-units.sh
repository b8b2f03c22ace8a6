#!/bin/bash
# The unit tests (the sums of their own counts) and the corpora of the fuzz tests.
. tests/lib.sh
export FMC_TEST_TARGETS=$PWD/$BUILD/targets FMC_TEST_SAMPLES=$PWD/$BUILD/samples CK_FORK=${CK_FORK:-yes}

for source in tests/unit/test_*.c; do
	[ -e "$source" ] || break
	name=$(basename "${source%.c}")
	timeout -k 10 900 "$BUILD/tests/$name" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	# check's own words: "100%: Checks: 12, Failures: 0, Errors: 0"
	read -r checks failures errors < <(sed -nE \
	    's/^[0-9]+%: Checks: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+)$/\1 \2 \3/p' "$SCRATCH/out" |
	    awk '{ c += $1; f += $2; e += $3 } END { print c + 0, f + 0, e + 0 }')
	bad=$((failures + errors))
	[ $status -eq 0 ] || [ $bad -gt 0 ] || bad=1
	PASSED=$((PASSED + checks - failures - errors)) FAILED=$((FAILED + bad))
	if [ $bad -gt 0 ] || [ "$checks" -eq 0 ]; then
		[ $bad -gt 0 ] || FAILED=$((FAILED + 1))
		echo "FAIL $name: status $status, $checks checks, $bad bad"
		show "$SCRATCH/out"
	else
		echo "ok   $name: $checks checks"
	fi
done

for source in tests/fuzz/fuzz_*.c; do
	[ -e "$source" ] || break
	name=$(basename "${source%.c}")
	name=${name#fuzz_}
	timeout -k 10 60 "$BUILD/tests/corpus_$name" tests/fuzz/corpus/"$name"/* >"$SCRATCH/out" 2>&1
	judge "corpus of $name" [ $? -eq 0 ]
done
finish
