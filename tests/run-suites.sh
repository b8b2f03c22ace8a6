#!/bin/bash
# Test suites of others with fmc in front of their programs, as fmc-recipes(7) has it: CTest, Meson, Automake. Each has a test that passes,
# one that deadlocks under few schedules, one that is skipped and one that fails by itself.
. tests/lib.sh
case $FMC in
/*) TOOL=$FMC ;;
*) TOOL=$PWD/$FMC ;;
esac
# What these tools make of the environment is another matter.
unset MAKEFLAGS MAKELEVEL MFLAGS CFLAGS LDFLAGS DESTDIR

# project NAME TOOL...: its folder is made, and these are installed.
project() {
	local tool
	for tool in "${@:2}"; do
		command -v "$tool" >/dev/null || { skip "$1: $tool isn't installed" && return 1; }
	done
	mkdir "$SCRATCH/$1"
	cp tests/projects/bank.c tests/projects/"$1"/* "$SCRATCH/$1"
}

# made NAME COMMAND...: it succeeds.
made() {
	if ! "${@:2}" >"$SCRATCH/out" 2>&1 </dev/null; then
		fail "$1"
		show "$SCRATCH/out"
	fi
}

# The schedule of the test that deadlocks is where the test was run, and replays.
judge_schedule() {
	"$FMC" replay "$2/opposite.sched" >"$SCRATCH/out" 2>&1
	says "$1: the schedule replays" '^Replayed .*: deadlock as recorded'
}

if project cmake cmake ctest; then
	B=$SCRATCH/cmake/build
	made "cmake: set up" cmake -S "$SCRATCH/cmake" -B "$B" -DCMAKE_BUILD_TYPE=Debug \
	    "-DCMAKE_CROSSCOMPILING_EMULATOR=$TOOL;check;--ctest;--time;20;--" "-DCMAKE_TEST_LAUNCHER=$TOOL;check;--ctest;--time;20;--"
	made "cmake: build" cmake --build "$B"
	(cd "$B" && ctest --output-on-failure) >"$SCRATCH/out" 2>&1 </dev/null
	says "ctest" 'Test +#1: ordered .*Passed' 'Test +#2: opposite .*Failed' '^deadlock: T2 waits for locks\[1\]' \
	    'Test +#3: skips .*Skipped' 'Test +#4: fails .*Failed'
	judge_schedule ctest "$B"
fi
if project meson meson ninja; then
	B=$SCRATCH/meson/build
	made "meson: set up" meson setup "$B" "$SCRATCH/meson"
	meson test -C "$B" -t 20 --wrapper "$TOOL check --ctest --time 20 --" --print-errorlogs >"$SCRATCH/result" 2>&1 </dev/null
	grep -E '^ *[0-9]/4 ' "$SCRATCH/result" | sort -k 2 -u >"$SCRATCH/out"
	says "meson" ' fails +FAIL' ' opposite +FAIL' ' ordered +OK' ' skips +SKIP'
	judge "meson: the report" grep -q '^deadlock: T2 waits for locks\[1\]' "$SCRATCH/result"
	judge_schedule meson "$B"
fi
if project automake autoreconf automake; then
	B=$SCRATCH/automake
	made "automake: set up" env -C "$B" sh -c 'autoreconf -i && ./configure'
	"${MAKE:-make}" -C "$B" check LOG_COMPILER="$TOOL" LOG_FLAGS='check --ctest --time 20 --' >"$SCRATCH/out" 2>&1 </dev/null
	says "automake" '^PASS: ordered$' '^FAIL: opposite$' '^SKIP: skips$' '^FAIL: fails$'
	judge "automake: the report" grep -q '^deadlock: T2 waits for locks\[1\]' "$B/opposite.log"
	judge_schedule automake "$B"
fi
finish
