#!/bin/bash
# What a schedule tells of the environment: what the program asked for, and no more, as long as the failure is the same. And the files
# around a program: each execution finds them as they were, and so does the user.
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

# Files that it changes in every way are as before, after each execution and in the end.
LEAVES=$PWD/$BUILD/targets/leaves_files
FMC=$(realpath "$FMC")
export LEAVES_NAME=$$
mkdir "$SCRATCH/folder"
cd "$SCRATCH/folder" || exit 1
echo old >old.txt && chmod 640 old.txt && touch -d @1000000000 old.txt
for name in gone a b c long; do echo $name >$name.txt; done
printf 'aaaaamaaaa' >mapped
ln -s old.txt link
mkdir empty

# tree: all that there is, with all that counts.
tree() {
	find . ! -name . -printf '%p %M %l %s ' -type d -printf '\n' -o ! -name . -printf '%T@\n' | sort
	cat ./*.txt mapped
	find /dev/shm -name "*leaves-$LEAVES_NAME"
}

# leaves NAME STATUS ARGUMENT...: fmc, after which all is as before.
leaves() {
	local name=$1 wanted=$2
	shift 2
	timeout -k 10 100 "$FMC" "$@" >"$OUT" 2>&1 </dev/null
	judge "$name: status $wanted" [ $? -eq "$wanted" ]
	tree >"$SCRATCH/after"
	judge "$name: files are as before" cmp -s "$SCRATCH/before" "$SCRATCH/after"
	diff "$SCRATCH/before" "$SCRATCH/after" | sed 's/^/     | /'
}

tree >"$SCRATCH/before"
leaves 'files' 0 check --executions 40 -- "$LEAVES"
says_not 'files: nothing is told of them' 'not as before' 'which it reads and also writes' "can't be put back"
leaves 'files, by exec' 0 check --executions 10 --origin exec -- "$LEAVES"
leaves 'files, several workers' 0 check --executions 40 --jobs 2 -- "$LEAVES"
leaves 'files, a failure' 1 check -o "$SCRATCH/leaves.sched" -- "$LEAVES" fails
says 'files, a failure: a deadlock' '^deadlock' 'replayed twice'
leaves 'files, replay' 0 replay "$SCRATCH/leaves.sched"
leaves 'files, minimize' 0 minimize -o "$SCRATCH/least.sched" "$SCRATCH/leaves.sched"
if command -v gdb >/dev/null; then
	leaves 'files, GDB' 0 gdb "$SCRATCH/leaves.sched" -nx -q -batch -ex 'fmc-goto 3' -ex 'fmc-goto 1' -ex continue -ex reverse-continue
	says_not 'files, GDB: each time it finds them' 'not as before' 'expected'
fi
timeout -k 10 100 "$FMC" check --executions 5 --keep-files -- "$LEAVES" >"$OUT" 2>&1 </dev/null
judge '--keep-files: a later execution finds what one has left' [ $? -eq 1 -a -e new/moved ]
says '--keep-files: it does' 'not as before'
rm -f "/dev/shm/fmc-leaves-$LEAVES_NAME"
finish
