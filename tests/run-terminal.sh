#!/bin/bash
# What a person sees on a terminal: the line of progress fits, and what a stranger's schedule would run is asked for.
. tests/lib.sh
OUT=$SCRATCH/out

# on COLUMNS ANSWER COMMAND...: on a terminal of that width; its output a line each, also what was written over. Sets STATUS.
on() {
	python3 tests/on_terminal.py "$@" >"$SCRATCH/raw"
	STATUS=$?
	tr -d '\r' <"$SCRATCH/raw" | sed 's/\x1b\[K/\n/g' >"$OUT"
}

exits() {
	if [ "$STATUS" -eq "$2" ]; then
		pass "$1: exit status $2"
	else
		fail "$1: exit status $STATUS, not $2"
		show "$OUT"
	fi
}

# The whole line doesn't fit into 40 columns, and one is left for the cursor.
on 40 '' "$FMC" check --strategy dfs --executions 2000 -- "$BUILD/samples/philosophers_mut" 5
says 'progress is shown' '^dfs: [0-9]+ executions'
long=$(grep '^dfs: ' "$OUT" | sed 's/…/./' | awk 'length($0) > 39' | head -n 1)
[ -z "$long" ] || echo "     | $long"
judge 'progress fits the terminal' [ -z "$long" ]
judge 'no part of it is left on the screen' grep -q $'\r\x1b\[K''No failure' "$SCRATCH/raw"

finish
