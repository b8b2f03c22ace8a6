#!/bin/bash
# What a schedule tells of the environment: what the program asked for, and no more, as long as the failure is the same.
. tests/lib.sh
OUT=$SCRATCH/out
export FMC_TEST_WANTED=yes FMC_TEST_SECRET=not-for-others

# replays NAME FILE STATUS: in an environment of its own that has nothing.
replays() {
	env -i "$FMC" replay "$2" >"$OUT" 2>&1 </dev/null
	judge "$1" [ $? -eq "$3" ]
}

for target in asks asks.static; do
	for how in name secure; do
		file=$SCRATCH/$target.$how.sched
		"$FMC" check -o "$file" -- "$BUILD/targets/$target" $how >"$OUT" 2>&1
		says "$target $how: found" '^deadlock'
		cp "$file" "$OUT"
		says "$target $how: what was asked for is there" '^env FMC_TEST_WANTED=yes$'
		says_not "$target $how: the rest isn't" 'FMC_TEST_SECRET|not-for-others|^env (PATH|HOME)='
		replays "$target $how: replays" "$file" 0
	done
done

file=$SCRATCH/walk.sched
"$FMC" check -v -o "$file" -- "$BUILD/targets/asks" walk >"$OUT" 2>&1
says 'walk: why everything is there' 'names the whole environment: without what' '^deadlock'
cp "$file" "$OUT"
says 'walk: everything is there' '^env .*not-for-others$'
says_not 'walk: nothing is hidden' '^hidden'
replays 'walk: replays' "$file" 0
"$FMC" show --strip "$file" >"$OUT"
says 'stripped: still a schedule' '^fmc-schedule 1' '^program ' '^hidden [0-9 ]+$' 'mutex_lock'
says_not 'stripped: no variable is told' '^env|not-for-others'
cp "$OUT" "$SCRATCH/strip.sched"
replays 'stripped: another execution without what it needs' "$SCRATCH/strip.sched" 1

# Everything has the same address as with the variables that are hidden.
output() {
	"$BUILD/tests/json" "$1" findings.0.output
}
"$FMC" check --json "$SCRATCH/check.json" -o "$SCRATCH/again.sched" -- "$BUILD/targets/asks" name >"$OUT" 2>&1
env -i "$FMC" replay --json "$SCRATCH/replay.json" "$SCRATCH/again.sched" >"$OUT" 2>&1 </dev/null
place=$(output "$SCRATCH/check.json")
echo "     | $place"
judge 'the stack is where it was' [ -n "$place" -a "$place" = "$(output "$SCRATCH/replay.json")" ]
finish
