#!/bin/bash
# All tests: `make check`. A line for each suite, details in build/check/NAME.log, shown when something failed. The
# last line is the sum of all suites.
. tests/lib.sh
MAKE=${MAKE:-make}
LOGS=build/check
export SCHEDULES=$LOGS/schedules MAKE
rm -rf "$LOGS"
mkdir -p "$SCHEDULES"

# suite NAME COMMAND...: one test that passes if the command succeeds, unless its last line gives counts.
suite() {
	local name=$1 log=$LOGS/$1.log start=$SECONDS status last p f s
	shift
	"$@" </dev/null >"$log" 2>&1
	status=$?
	last=$(tail -n 1 "$log")
	if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} s=${BASH_REMATCH[4]:-0}
		# A suite that broke off, or tested nothing, has failed.
		[ $status -eq 0 ] || [ "$f" -gt 0 ] || f=1
	else
		p=$((status == 0)) f=$((status != 0)) s=0
	fi
	PASSED=$((PASSED + p)) FAILED=$((FAILED + f)) SKIPPED=$((SKIPPED + s))
	printf '%-14s %4d passed, %d failed, %d skipped  (%d s)\n' "$name" "$p" "$f" "$s" $((SECONDS - start))
	[ "$f" -eq 0 ] || report "$log"
	return $((f > 0))
}

report() {
	grep -nE '(^FAIL|error:|undefined reference|warning:)' -A 12 "$1" | head -n 80 || true
	echo "  (all of it: $1)"
}

make_in() {
	local folder=$1
	shift
	$MAKE --no-print-directory -j "$JOBS" BUILD="$folder" "$@"
}

suite build-gcc make_in build CC=gcc all archives samples units tools $(
	for f in tests/fuzz/fuzz_*.c; do [ -e "$f" ] && basename "$f" .c | sed 's|^fuzz_|build/tests/corpus_|'; done
)
if command -v clang >/dev/null; then
	suite build-clang make_in build/clang CC=clang CXX=clang++ all samples units
else
	SKIPPED=$((SKIPPED + 1))
fi
for name in units layers docs samples verdict spin reduced sharing atomics time repeat replay show terminal environment reports page gdbserver gdb gdb-commands export attach attach-refused attach-run explore attach-python servers ops origins cli jobs resume minimize kill hostile memory programs; do
	suite $name tests/run-$name.sh
done
rm -rf "$SCRATCH"
finish
