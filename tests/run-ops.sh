#!/bin/bash
# Plug-ins: each way of being wrong ends with one line and its exit status; schedules of good ones are played, minimised,
# and shown without them.
. tests/lib.sh
S=$BUILD/samples
WRONG=$BUILD/tests/ops/wrong.so

# ends STATUS REGEX COMMAND...: one line of fmc's own on standard error, besides the one that says what is run.
ends() {
	local wanted=$1 regex=$2 status lines
	shift 2
	timeout -k 10 600 "$FMC" "$@" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	status=$?
	lines=$(grep '^fmc: ' "$SCRATCH/err" | grep -vc ': running /')
	grep -Eq "^fmc: .*$regex" "$SCRATCH/err" && [ $status -eq "$wanted" ] && [ "$lines" -eq 1 ]
	judge "${wrong:+$wrong: }$1 ends with $wanted: $regex" [ $? -eq 0 ]
	grep -Eq "$regex" "$SCRATCH/err" || show "$SCRATCH/err"
}

# wrong WAY STATUS REGEX ARGUMENT...: of ticket_lock.
wrong() {
	local wrong=$1 status=$2 regex=$3
	shift 3
	FMC_WRONG=$wrong ends "$status" "$regex" check -o "$SCRATCH/x.sched" --ops "$WRONG" -- "$S/ticket_lock" "$@"
	judge "$wrong: no schedule" [ ! -e "$SCRATCH/x.sched" ]
}

wrong=
for command in check run; do
	ends 64 'none.so: No such file or directory' $command --ops none.so -- "$S/ticket_lock"
	ends 64 'README.md: (invalid ELF header|file too short)' $command --ops README.md -- "$S/ticket_lock"
	ends 64 'empty.so: it has no symbol fmc_ops' $command --ops "$BUILD/tests/ops/empty.so" -- "$S/ticket_lock"
	ends 69 'none of its functions: ticket_lock, ticket_trylock, ticket_unlock' \
	    $command --ops "$S/ticket.so" -- "$S/philosophers" 2
done
wrong constructor 64 'wrong.so: its constructor got SIGABRT'
wrong name 64 "wrong.so: 'mutex_lock' can't be the name"
wrong decode 69 'wrong.so: decode\(\) of wrong_lock got SIGSEGV' 2
wrong loop 69 "wrong.so: apply\(\) of wrong_lock doesn't come to an end" 2
wrong result 69 'wrong.so: apply\(\) of wrong_try predicted the result 7, the function returned 0' 2 tries
# Which of the two comes to it first hangs on what is searched first.
wrong enabled 69 'wrong.so: enabled\(\) of wrong_lock says that T[23] can go on, but the function waits' 2

FMC_WRONG=absent "$FMC" check --strategy cb:0 --ops "$WRONG" -- "$S/ticket_lock" 1 >"$SCRATCH/out" 2>&1
grep -q '^Warning: the program has none of these functions, .*wrong.so describes: no_such_function\.$' "$SCRATCH/out"
judge "a function that isn't there is warned of" [ $? -eq 0 ]

"$FMC" check --strategy optimal --ops "$S/rw2.so" -- "$S/reader_two_writers" 0 >"$SCRATCH/out" 2>&1
tr '\n' ' ' <"$SCRATCH/out" | grep -q 'Search complete: .*, operations being what rw2.so says\.'
judge "a complete search says whose word it takes" [ $? -eq 0 ]

# A function that libc calls.
for case in '0: No failure' '1 shut: deadlock: T1 waits for T2 to exit, T2 waits for gate.open'; do
	# shellcheck disable=SC2086 # a status and arguments
	set -- ${case%%: *}
	"$FMC" check --strategy dfs -o "$SCRATCH/g.sched" --ops "$BUILD/tests/ops/gate.so" -- "$BUILD/targets/gate" "${@:2}" \
	    >"$SCRATCH/out" 2>&1
	status=$?
	grep -q "^${case#*: }" "$SCRATCH/out"
	judge "a start routine is an operation, $*" [ $? -eq 0 -a $status -eq "$1" ]
	[ $status -eq "$1" ] || show "$SCRATCH/out"
done
"$FMC" check --strategy dfs -o "$SCRATCH/g.sched" -- "$BUILD/targets/gate" shut >"$SCRATCH/out" 2>&1
judge "and without a plug-in it goes on" grep -q '^abort: ' "$SCRATCH/out"

# A schedule and its plug-in.
cp "$S/ticket.so" "$SCRATCH/ticket.so"
"$FMC" check --strategy dfs -o "$SCRATCH/a.sched" --ops "$SCRATCH/ticket.so" -- "$S/ticket_lock" 2 crossed \
    </dev/null >"$SCRATCH/out" 2>&1
judge "a deadlock is found" [ $? -eq 1 ]
judge "the schedule names the plug-in" grep -q "^ops [0-9a-f]* .*/ticket.so$" "$SCRATCH/a.sched"
judge "and the operations" grep -q '^op ticket_trylock ticket$' "$SCRATCH/a.sched"
"$FMC" replay "$SCRATCH/a.sched" >"$SCRATCH/out" 2>&1
judge "replayed" grep -q '^Replayed 8 transitions: deadlock as recorded' "$SCRATCH/out"
"$FMC" minimize -o "$SCRATCH/b.sched" "$SCRATCH/a.sched" >"$SCRATCH/out" 2>&1
judge "minimised" [ $? -eq 0 ]
judge "what was minimised names the plug-in" grep -q "^ops [0-9a-f]* .*/ticket.so$" "$SCRATCH/b.sched"
rm "$SCRATCH/ticket.so"
"$FMC" show "$SCRATCH/a.sched" >"$SCRATCH/out" 2>&1
judge "shown without the plug-in" grep -q 'ticket_lock locks\[1\]' "$SCRATCH/out"
ends 65 'ticket.so of the schedule isn.t there' replay "$SCRATCH/a.sched"
ends 65 'ticket.so of the schedule isn.t there' minimize "$SCRATCH/a.sched"
"$FMC" replay --ops "$S/ticket.so" "$SCRATCH/a.sched" >"$SCRATCH/out" 2>&1
judge "replayed with another copy of it" grep -q '^Replayed 8 transitions: deadlock as recorded' "$SCRATCH/out"
grep -v '^ops ' "$SCRATCH/a.sched" >"$SCRATCH/c.sched"
ends 65 "operations of a plug-in and doesn't say of which" replay "$SCRATCH/c.sched"
FMC_WRONG='' ends 64 "wrong.so: it doesn't describe ticket_lock, which the schedule has" replay --ops "$WRONG" "$SCRATCH/a.sched"
"$FMC" run --ops "$S/ticket.so" --seed 3 -- "$S/ticket_lock" 3 </dev/null >"$SCRATCH/out" 2>&1
judge "run under a random schedule" [ $? -eq 0 ]
finish
