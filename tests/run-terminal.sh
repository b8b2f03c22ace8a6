#!/bin/bash
# What a person sees on a terminal: the line of progress fits, and what a stranger's schedule would run is asked for.
. tests/lib.sh
OUT=$SCRATCH/out

# on COLUMNS ANSWER COMMAND...: on a terminal of that width; its output a line each, also what was written over. Sets STATUS.
on() {
	timeout -k 10 600 python3 tests/on_terminal.py "$@" >"$SCRATCH/raw"
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

"$FMC" check -o "$SCRATCH/p.sched" -- "$BUILD/samples/philosophers" 3 >/dev/null
on 100 n "$FMC" replay "$SCRATCH/p.sched"
exits 'one'"'"'s own schedule' 0
says 'the program is named' 'p.sched: running .*/samples/philosophers 3$' '^Replayed 9 transitions'
says_not 'nothing is asked' 'belongs to'

if [ "$(id -u)" -eq 0 ] && chown nobody "$SCRATCH/p.sched" 2>/dev/null; then
	for command in replay minimize 'gdb' 'export --gdb -o /dev/null'; do
		on 100 n "$FMC" $command "$SCRATCH/p.sched"
		exits "$command, another user's schedule refused" 130
		says "$command: the program is named, then asked for" 'running .*/samples/philosophers 3$' \
			'belongs to nobody. Run that program' 'not run$'
		says_not "$command: it isn't run" '^Replayed|transitions|GNU gdb'
	done
	if command -v gdb >/dev/null; then
		on 300 n env FMC="$(realpath "$FMC")" gdb -nx -q -batch -x replay/gdb/fmc.py -ex "fmc-replay $SCRATCH/p.sched"
		says "in GDB: the program is named, then asked for" 'running .*/samples/philosophers 3$' \
		    'belongs to nobody. Run that program' 'not run$'
		says_not "in GDB: it isn't run" 'at the end'
		on 300 y env FMC="$(realpath "$FMC")" gdb -nx -q -batch -x replay/gdb/fmc.py -ex "fmc-replay $SCRATCH/p.sched"
		says "in GDB: it is run then" 'belongs to nobody' 'at the end, after transition 9'
		on 300 y "$FMC" gdb "$SCRATCH/p.sched" -batch
		judge "fmc gdb asks once" [ "$(grep -c 'belongs to nobody' "$OUT")" -eq 1 ]
		says "and runs it" 'at the end, after transition 9'
	else
		skip 'no gdb'
	fi
	on 100 y "$FMC" replay "$SCRATCH/p.sched"
	exits "another user's schedule allowed" 0
	says 'it is run then' 'belongs to nobody' '^Replayed 9 transitions'
	on 100 n "$FMC" show --format dot "$SCRATCH/p.sched"
	exits 'a drawing without a replay' 0
	says 'it is drawn from the file' "its program isn't run; drawn without" 'digraph'
	"$FMC" replay "$SCRATCH/p.sched" >"$OUT" 2>&1 </dev/null
	STATUS=$?
	exits 'without a terminal nobody can be asked' 0
	says 'but told' 'running .*/samples/philosophers 3$' '^Replayed'
else
	skip 'schedules of another user: files can be given away by root only'
fi

# What the loader would load is as good as the program.
sed 's|^input|env LD_PRELOAD=evil\\x1b.so\n&|' "$SCRATCH/p.sched" >"$SCRATCH/preload.sched"
"$FMC" replay "$SCRATCH/preload.sched" >"$OUT" 2>&1
says 'libraries that are loaded before are named' 'running .*philosophers 3, with LD_PRELOAD=evil'
finish
