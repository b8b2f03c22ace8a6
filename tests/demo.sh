#!/bin/bash
# The demo: a program whose mistake plain runs don't show, what fmc finds, and the finding played again.
set -u
BUILD=${BUILD:-build}
program=$BUILD/samples/checksum
schedule=$BUILD/demo/checksum.sched
rm -rf "$BUILD/demo"
mkdir -p "$BUILD/demo"

say() {
	printf '\n== %s\n\n' "$*"
}

tell() {
	printf '\n'
	printf '%s\n' "$@"
}

say "samples/checksum.c: a thread pool that sums the files of a folder"
printf '%s\n\n' "Two workers take files from a queue; main collects the sums and shuts the pool down:"
"$program" samples/texts

say "1000 plain runs of it"
failed=0
for ((i = 0; i < 1000; i++)); do
	timeout 5 "$program" samples/texts >/dev/null || failed=$((failed + 1))
done
echo "$failed of 1000 failed or hung"
tell "There is a mistake all the same: main sets the stop flag without holding the queue's lock. It matters only if" \
    "it happens between two instructions of a worker. fmc decides itself which thread runs when:"

say "fmc check -- $program samples/texts"
"$BUILD/fmc" check -o "$schedule" -- "$program" samples/texts </dev/null
status=$?
[ $status -eq 1 ] || { echo "fmc should have found a deadlock; exit status $status" >&2; exit 1; }
tell "What this says: the program hangs, because main waits for a worker that waits for a signal which nobody is left to" \
    "send. Below each thread is where it stands. The table is what happened last, one line an operation, a column a" \
    "thread: main broadcasts while the worker has looked at the flag but isn't waiting yet, so the signal is lost." \
    "The critical transition is the last one before which all could still end well; beside it is a run that does." \
    "The schedule file makes it happen again, every time:"

say "fmc replay $schedule"
"$BUILD/fmc" replay "$schedule" </dev/null >"$BUILD/demo/replay" || exit
head -n 1 "$BUILD/demo/replay"
tell "To go on: '$BUILD/fmc show $schedule' prints all of it, '$BUILD/fmc help' says what else there is," \
    "and '$BUILD/fmc check -- PROGRAM ARGUMENT...' does the same for your program."
