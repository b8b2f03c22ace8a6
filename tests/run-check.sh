#!/bin/bash
# All tests: `make check`; with "quick", `make check-quick`, those that take seconds each; with "only NAME...", these suites. A line for each
# suite as it ends, details in build/check/NAME.log, shown when something failed. The last line is the sum of all suites. LANES: how many suites
# run at a time, 1 for one after the other. A suite that isn't over after SUITE_LIMIT seconds is given up, and all of them at CHECK_UNTIL (seconds
# since 1970): whatever hangs, and even if the kernel keeps it, this script ends, and names it. SUITE_FOLDER: where suites are.
. tests/lib.sh
# python3 may be a script that looks for the interpreter, which takes longer than most of what it is called for: it is looked for once.
! interpreter=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || export PATH=${interpreter%/*}:$PATH
MAKE=${MAKE:-make}
# More than processors: most suites wait for something now and then. Not many more on a slow machine (spare_slow()).
LANES_GIVEN=${LANES:-}
LANES=${LANES:-$((JOBS + 3))}
PART=${1:-all}
SUITE_FOLDER=${SUITE_FOLDER:-tests}
LOGS=build/check
[ "$PART" = all ] || LOGS=build/check-$PART
[ "$SUITE_FOLDER" = tests ] || LOGS=$SUITE_FOLDER/logs
export SCHEDULES=$LOGS/schedules MAKE
rm -rf "$LOGS"
mkdir -p "$SCHEDULES"
if long; then SUITE_LIMIT=${SUITE_LIMIT:-36000}; else SUITE_LIMIT=${SUITE_LIMIT:-2400}; fi
CHECK_UNTIL=${CHECK_UNTIL:-$((EPOCHSECONDS + 1000000))}
# Where each suite says that it is over; and by its name, the process that runs it, when it was begun, and when it is given up.
mkfifo "$SCRATCH/over"
exec {OVER}<>"$SCRATCH/over"
declare -A PROCESSES BEGUN DEADLINES

# Suites that run beside each other, after a colon those that have to be over before; by the processor time that they take, those that take
# most, or longest, first, so that the lanes end together.
SUITES='samples engine tries drive atomics gdb-commands:samples races time attach-across verdict hostile always programs waits spin tso points resume attach export:samples
	repeat outcomes replay:samples kernel jobs states sharing origins attach-run gdb gdb-processes certificate memory page suites explore shard launch gdbserver servers reduced show
	terminal attach-refused followed between passed handlers layers kill fifos results attach-python cli minimize languages ops install reports look docs completion environment again hangs'

# In `make check-long` alone: a package is built from the sources once more.
! long || SUITES="$SUITES deb"

# The quick part: these suites, these samples, all unit tests but these.
QUICK='terminal cli ops minimize certificate reports environment install completion always results again docs layers'
QUICK_SAMPLES='barrier buffer c11_threads choose counter cpp_queue fair_philosophers lost_update lost_wakeup misuse once philosophers
	rwlock semaphores spurious timedwait transfer'
SLOW_UNITS='bounds core dpor estimate execution image_file linearizations foreign foreign_run minimize plugin python saved schedule search several
	strategies timeline timeline_long timeline_random unharmed wait_members wire'

# What a shell starts in the background ignores Ctrl-C, what nohup starts the loss of its terminal, and so would all that a suite starts.
INTERRUPTIBLE='env --default-signal=INT,QUIT,HUP'
$INTERRUPTIBLE true 2>/dev/null || INTERRUPTIBLE=

# run NAME COMMAND...: one suite; how it ended and how long it took is in $SCRATCH/NAME.done.
run() {
	local name=$1 start=$SECONDS status TIMEFORMAT='%U %S'
	shift
	exec {OVER}>&-
	echo "$*" >"$SCRATCH/$name.command"
	{ time $INTERRUPTIBLE "$@" </dev/null >"$LOGS/$name.log" 2>&1; } 2>"$SCRATCH/$name.time"
	status=$?
	echo "$status $((SECONDS - start)) $(awk '{ print int($1 + $2) }' "$SCRATCH/$name.time")" >"$SCRATCH/$name.new"
	mv "$SCRATCH/$name.new" "$SCRATCH/$name.done"
	echo "$name" >"$SCRATCH/over"
}

# begin NAME COMMAND...: run it beside what follows, unless there is no time left.
begin() {
	if [ $EPOCHSECONDS -ge "$CHECK_UNTIL" ]; then
		echo "FAIL $1: not begun, since the time for all suites is over" >"$LOGS/$1.log"
		echo "${*:2}" >"$SCRATCH/$1.command"
		echo "125 0 0" >"$SCRATCH/$1.done"
		return
	fi
	BEGUN[$1]=$EPOCHSECONDS
	DEADLINES[$1]=$((EPOCHSECONDS + SUITE_LIMIT < CHECK_UNTIL ? EPOCHSECONDS + SUITE_LIMIT : CHECK_UNTIL))
	run "$@" &
	PROCESSES[$1]=$!
}

# family PROCESS: it and all that it and they have made.
family() {
	ps -e -o pid=,ppid= | awk -v root="$1" '{ parent[$1] = $2 }
		END {
			for (process in parent) {
				for (at = process; at != root && at in parent; at = parent[at]);
				if (at == root) print process
			}
		}' | sort -n
}

# give_up NAME: end all that is left of it, and tell what that was. Nothing waits for it to be gone: it may be stuck in the kernel.
give_up() {
	local processes before= round seconds=$((EPOCHSECONDS - BEGUN[$1]))
	processes=$(family "${PROCESSES[$1]}")
	{
		echo
		echo "FAIL $1: not over after $seconds s; given up, with what was left of it:"
		timeout -s KILL 10 ps -ww -o pid=,ppid=,stat=,wchan:24=,etimes=,args= -p "${processes//$'\n'/,}" | cut -c 1-300
	} >>"$LOGS/$1.log"
	# Stopped first, so that none makes more of them.
	for round in {1..10}; do
		[ "$processes" != "$before" ] || break
		kill -STOP $processes 2>/dev/null
		before=$processes
		processes=$(family "${PROCESSES[$1]}")
	done
	kill -KILL $processes 2>/dev/null
	echo "124 $seconds 0" >"$SCRATCH/$1.done"
}

# await NAME...: until one of these is over, or has been given up.
await() {
	local name over
	while :; do
		for name; do
			[ ! -e "$SCRATCH/$name.done" ] || return 0
		done
		# A word of it, or now and then a look at the time.
		read -r -t 2 over <&"$OVER" && continue
		for name; do
			# One that runs no more and hasn't told has been killed.
			if ! kill -0 "${PROCESSES[$name]}" 2>/dev/null; then
				[ -e "$SCRATCH/$name.done" ] || echo "127 0 0" >"$SCRATCH/$name.done"
			elif [ $EPOCHSECONDS -ge "${DEADLINES[$name]}" ]; then
				give_up "$name"
			fi
		done
	done
}

# count NAME: what a suite that is over came to: one test that passes if it succeeded, unless its last line gives counts.
count() {
	local name=$1 log=$LOGS/$1.log status seconds processor last p f s
	read -r status seconds processor <"$SCRATCH/$name.done"
	last=$(tail -n 1 "$log")
	if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} s=${BASH_REMATCH[4]:-0}
		# A suite that broke off, or tested nothing, has failed.
		[ $status -eq 0 ] || [ "$f" -gt 0 ] || f=1
	else
		p=$((status == 0)) f=$((status != 0)) s=0
	fi
	PASSED=$((PASSED + p)) FAILED=$((FAILED + f)) SKIPPED=$((SKIPPED + s))
	printf '%-14s %4d passed, %d failed, %d skipped  (%d s, %d of a processor)\n' "$name" "$p" "$f" "$s" "$seconds" "$processor"
	[ "$f" -eq 0 ] || report "$name"
}

# suite NAME COMMAND...: alone.
suite() {
	begin "$@"
	await "$1"
	count "$1"
}

# report NAME: what failed in it, and how to repeat that; all of it where it doesn't say so itself.
report() {
	local log=$LOGS/$1.log
	grep -E -m 3 '(^FAIL|error:)' "$log" | sed "s/^/$1: /" >>"$SCRATCH/failures"
	grep -nE '(^FAIL|error:|undefined reference|warning:)' -A 12 "$log" | head -n 80 || true
	grep -q '^     again: ' "$log" || echo "     again: $(cat "$SCRATCH/$1.command")"
	echo "  (all of it: $log)"
}

# spare_slow: where the build has taken minutes, programs of five suites beside each other would not come to what they do within the tests' limits.
spare_slow() {
	[ -n "$LANES_GIVEN" ] || [ "$SECONDS" -lt 200 ] || LANES=$((JOBS + 1))
}

# beside NAME[:BEFORE]...: suites in $LANES lanes, each begun once a lane is free and those that it needs are over.
beside() {
	local waiting=("$@") running=() still name entry
	while [ ${#waiting[@]} -gt 0 ] || [ ${#running[@]} -gt 0 ]; do
		still=()
		for entry in "${waiting[@]}"; do
			name=${entry%%:*}
			if [ ${#running[@]} -lt "$LANES" ] && { [ "$name" = "$entry" ] || [ -e "$SCRATCH/${entry#*:}.done" ]; }; then
				begin "$name" "$SUITE_FOLDER/run-$name.sh"
				running+=("$name")
			else
				still+=("$entry")
			fi
		done
		waiting=("${still[@]}") still=()
		await "${running[@]}"
		for name in "${running[@]}"; do
			if [ -e "$SCRATCH/$name.done" ]; then count "$name"; else still+=("$name"); fi
		done
		running=("${still[@]}")
	done
}

# build NAME FOLDER ARGUMENT...: the suite that makes these.
build() {
	suite "$1" $MAKE --no-print-directory -j "$JOBS" BUILD="$2" "${@:3}"
}

# corpora: the programs that run the inputs of fuzz tests.
corpora() {
	local f
	for f in tests/fuzz/fuzz_*.c; do
		[ -e "$f" ] && basename "$f" .c | sed 's|^fuzz_|build/tests/corpus_|'
	done
}

check_all() {
	build build-gcc build CC=gcc all archives samples units tools $(corpora)
	# Another compiler's warnings in `make check-long` alone: gcc's are errors in every build.
	if ! long; then
		:
	elif command -v clang >/dev/null; then
		build clang build/clang CC=clang CXX=clang++ syntax
	else
		SKIPPED=$((SKIPPED + 1))
	fi
	spare_slow
	suite units tests/run-units.sh
	beside $SUITES
}

check_quick() {
	build build-gcc build CC=gcc all archives samples units tools
	suite units tests/run-units.sh $(basename -as .c tests/unit/*/test_*.c | grep -vxF "$(printf 'test_%s\n' $SLOW_UNITS)")
	suite samples tests/run-samples.sh $(printf 'samples/%s.*\n' $QUICK_SAMPLES)
	beside $QUICK
}

check_only() {
	beside "$@"
}

check_$PART "${@:2}"
# Once more at the end, where the end alone is seen.
[ ! -e "$SCRATCH/failures" ] || cut -c 1-160 "$SCRATCH/failures" | tail -n 20
rm -rf "$SCRATCH"
finish
