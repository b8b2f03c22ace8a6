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

say "samples/checksum.c: a thread pool that sums the files of a folder"
"$program" samples/texts

say "1000 plain runs of it"
failed=0
for ((i = 0; i < 1000; i++)); do
	timeout 5 "$program" samples/texts >/dev/null || failed=$((failed + 1))
done
echo "$failed of 1000 failed or hung"

say "fmc check -- $program samples/texts"
"$BUILD/fmc" check -o "$schedule" -- "$program" samples/texts </dev/null
status=$?
[ $status -eq 1 ] || { echo "fmc should have found a deadlock; exit status $status" >&2; exit 1; }

say "fmc replay $schedule"
"$BUILD/fmc" replay "$schedule" </dev/null >"$BUILD/demo/replay" || exit
head -n 1 "$BUILD/demo/replay"
