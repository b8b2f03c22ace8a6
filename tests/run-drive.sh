#!/bin/bash
# Programs that don't end by themselves, with a client beside each execution: what is found, that it is played again, what is put
# back, and what is said of commands and programs that aren't as they are to be. Nothing is left running.
. tests/lib.sh
SERVER=$BUILD/samples/counter_server
DRIVEN=$BUILD/targets/driven
SOCKET=$SCRATCH/socket
BEFORE="rm -f $SOCKET"
# What this run alone starts.
cp "$SERVER" "$SCRATCH/counter_server" && SERVER=$SCRATCH/counter_server
cp "$DRIVEN" "$SCRATCH/driven" && DRIVEN=$SCRATCH/driven

# run ARGUMENT...: of fmc; $status, and both outputs in out.
run() {
	timeout -k 10 100 "$FMC" "$@" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
}

# left NAME: nothing that was started is there any more.
left() {
	judge "$1: nothing is left" eval '[ -z "$(users_of "$SERVER")$(users_of "$DRIVEN")" ]'
}

field() {
	"$BUILD/tests/json" "$SCRATCH/result.json" "$1"
}

# A lost update that the client alone sees, through all that schedules go.
run check --time 60 --no-minimize -o "$SCRATCH/lost.sched" --json "$SCRATCH/result.json" --drive "$SERVER $SOCKET 2" --before "$BEFORE" -- "$SERVER" "$SOCKET"
judge 'a lost update is found' [ $status -eq 1 -a "$(field findings.0.kind)" = rejected -a "$(field complete)" = false ]
says 'it is told with what the client has printed' '^rejected: the client ends with exit status 1$' '^T2 serve: ' '^Output of the client:$' \
    '1 of 2 additions were counted' 'replayed twice with the same result'
left check
for try in 1 2 3; do
	run replay "$SCRATCH/lost.sched"
	[ $status -eq 0 ] && grep -q ': rejected as recorded' "$SCRATCH/out" || break
done
judge 'it is replayed again and again' [ $status -eq 0 ]
says 'who is asked to run it is told of the client' "with the client $SERVER $SOCKET 2, before it $BEFORE"
run replay --drive "$SERVER $SOCKET 1" "$SCRATCH/lost.sched"
judge 'another client is another execution' [ $status -eq 1 ]
left replay
if command -v gdb >/dev/null; then
	timeout 100 "$FMC" gdb "$SCRATCH/lost.sched" -q -batch -ex 'fmc-goto 6' -ex 'bt 2' -ex 'fmc-goto 8' -ex 'fmc-goto 3' >"$SCRATCH/out" 2>&1 </dev/null
	says 'GDB walks it both ways' 'transition 6 of' 'add \(\)' 'transition 8 of' 'transition 3 of'
	left gdb
else
	skip 'no gdb'
fi
"$FMC" show "$SCRATCH/lost.sched" >"$SCRATCH/out" 2>&1
says 'it is shown' 'rejected: the client ends'

run export --gdb -o "$SCRATCH/lost.gdb" "$SCRATCH/lost.sched"
judge 'a script for GDB alone is refused' [ $status -eq 69 -a "$(wc -l <"$SCRATCH/out")" -eq 1 -a ! -e "$SCRATCH/lost.gdb" ]
run minimize -o "$SCRATCH/less.sched" "$SCRATCH/lost.sched"
judge 'it is minimised with its client' [ $status -eq 0 -a -s "$SCRATCH/less.sched" -a -n "$(grep '^drive ' "$SCRATCH/less.sched")" ]
[ $status -eq 0 ] || show "$SCRATCH/out"
left minimize

# One that nothing is wrong with.
run run --drive "$SERVER $SOCKET 2" --before "$BEFORE" -- "$SERVER" "$SOCKET"
judge 'run: a server ends well with its client' [ $status -eq 0 ]
says 'run: what the client prints is seen' '^2 of 2 additions were counted$'
run run --drive "$SERVER $SOCKET 2; exit 5" --before "$BEFORE" -- "$SERVER" "$SOCKET"
judge 'run: the client judges' [ $status -eq 1 -a -n "$(grep '^rejected: the client ends with exit status 5$' "$SCRATCH/out")" ]
left run

# The first execution counts where there is no time for others, and what took the time is told.
rm -f "$SCRATCH/came"
run check --time 10 --keep-files --json "$SCRATCH/result.json" --drive "[ ! -e $SCRATCH/came ] || sleep 1000; touch $SCRATCH/came; $DRIVEN ask $SOCKET" --before "$BEFORE" -- \
    "$DRIVEN" ends "$SOCKET"
judge 'a second execution that never ends' [ $status -eq 0 -a "$(field executions)" = 1 ]
says 'it is told' '^No failure found in 1 execution' 'its 10 seconds were used up before the search.*: .* by its first schedule, the rest to see'
run check --time 2 --keep-files --json "$SCRATCH/result.json" --drive "sleep 1000" --before "$BEFORE" -- "$DRIVEN" ends "$SOCKET"
judge 'a client that never ends' [ $status -eq 0 -a "$(field executions)" = 0 ]
says 'it is told, too' '^No execution came to its end: .*, its client still running\.$' '^Give its client'
left 'no time'

# The program and its client wait for each other.
run check --time 20 --no-minimize -o "$SCRATCH/wait.sched" --drive "$DRIVEN ask $SOCKET" --before "$BEFORE" -- "$DRIVEN" lost "$SOCKET"
judge 'a lost wake-up for which the client waits is a deadlock' [ $status -eq 1 -a -n "$(grep '^deadlock: .*T2 waits for a signal of comes' "$SCRATCH/out")" ]
left deadlock

# Files are put back, and judged.
notes() {
	run check --keep-files --time 20 --strategy dfs --executions 5 -o "$SCRATCH/notes.sched" --drive "$DRIVEN ask $SOCKET" --before "$1" --after "test \$(cat $SOCKET.notes) = 1" -- \
	    "$DRIVEN" notes "$SOCKET"
}
notes "$BEFORE $SOCKET.notes"
judge '--before puts files back' [ $status -eq 0 ]
notes "$BEFORE"
judge '--after judges' [ $status -eq 1 -a -n "$(grep '^rejected: --after ends with exit status 1$' "$SCRATCH/out")" ]

run run --ready 'may +come' --drive "$DRIVEN ask $SOCKET" --before "$BEFORE" -- "$DRIVEN" late "$SOCKET"
judge '--ready waits for what the program prints, which is seen all the same' [ $status -eq 0 -a "$(cat "$SCRATCH/out")" = 'may come' ]
run run --stop none --drive "$DRIVEN ask $SOCKET" --before "$BEFORE" -- "$DRIVEN" ends "$SOCKET"
judge '--stop none' [ $status -eq 0 ]
run run --stop KILL --drive "$DRIVEN ask $SOCKET" --before "$BEFORE" -- "$DRIVEN" deaf "$SOCKET"
judge '--stop KILL' [ $status -eq 0 ]
run check --executions 3 --strategy dfs --drive "$DRIVEN ask $SOCKET; sleep 1000 & sleep 1000 >/dev/null &" --before "$BEFORE" -- "$DRIVEN" ends "$SOCKET"
judge 'what the client leaves behind is killed' [ $status -eq 0 ]
says 'and told' 'processes that the client left behind, which were killed'
run check --executions 3 --strategy dfs --drive "while $DRIVEN ask $SOCKET; do :; done; sleep 1000 &" --before "$BEFORE" -- "$DRIVEN" ends "$SOCKET"
says 'also where it ends after the program' 'processes that the client left behind, which were killed'

# A client that is followed is part of the schedule, as the program is: the same is found, and played.
together=(--follow --drive "$SERVER $SOCKET 2" --before "$BEFORE")
run check --time 60 --no-minimize -o "$SCRATCH/together.sched" --json "$SCRATCH/result.json" "${together[@]}" -- "$SERVER" "$SOCKET"
judge 'followed: a lost update is found' [ $status -eq 1 -a "$(field findings.0.kind)" = rejected ]
says 'followed: it is told' '^rejected: the client ends with exit status 1$' '^T3.1 ' '^Output of the program:$' '1 of 2 additions were counted' 'replayed twice with the same result'
left 'followed: check'
for try in 1 2 3; do
	run replay "$SCRATCH/together.sched"
	[ $status -eq 0 ] && grep -q ': rejected as recorded' "$SCRATCH/out" || break
done
judge 'followed: it is replayed again and again' [ $status -eq 0 ]
left 'followed: replay'
run run "${together[@]}" -- "$SERVER" "$SOCKET"
judge 'followed: one that goes well' [ $status -eq 0 ]
says 'followed: prints once' '^2 of 2 additions were counted$'
judge 'followed: and nothing else' [ "$(wc -l <"$SCRATCH/out")" -eq 1 ]
run run "${together[@]:0:2}" "$SERVER $SOCKET 2; exit 5" --before "$BEFORE" -- "$SERVER" "$SOCKET"
judge 'followed: a client that fails is told' [ $status -eq 1 -a -n "$(grep '^rejected: the client ends with exit status 5$' "$SCRATCH/out")" ]
run run --follow --ready 'may +come' --drive "$DRIVEN ask $SOCKET" --before "$BEFORE" -- "$DRIVEN" late "$SOCKET"
judge 'followed: it is started when something has been printed' [ $status -eq 0 -a "$(cat "$SCRATCH/out")" = 'may come' ]
run run --follow --stop none --drive "$DRIVEN ask $SOCKET" --before "$BEFORE" -- "$DRIVEN" ends "$SOCKET"
judge 'followed: a program that ends by itself' [ $status -eq 0 ]
run run --follow --stop KILL --drive "$DRIVEN ask $SOCKET" --before "$BEFORE" -- "$DRIVEN" deaf "$SOCKET"
judge 'followed: one that is killed' [ $status -eq 0 ]
left 'followed: run'

# refused NAME STATUS REGEX ARGUMENT...: one line says so.
refused() {
	local name=$1 wanted=$2 line=$3
	shift 3
	run "$@"
	judge "$name" [ $status -eq $wanted -a "$(wc -l <"$SCRATCH/out")" -eq 1 -a -n "$(grep -E "^fmc: .*$line" "$SCRATCH/out")" ]
	[ $status -eq $wanted ] || show "$SCRATCH/out"
	left "$name"
}
drive=(--drive "$DRIVEN ask $SOCKET" --before "$BEFORE")
refused 'no such client' 69 "--drive 'nosuchclient' can't be run: exit status 127" check --drive nosuchclient --before "$BEFORE" -- "$DRIVEN" ends "$SOCKET"
refused '--before fails' 69 "--before 'exit 3' ends with exit status 3" check --drive "$DRIVEN ask $SOCKET" --before 'exit 3' -- "$DRIVEN" ends "$SOCKET"
refused 'no such --after' 69 "--after 'nosuchjudge' ends with exit status 127" check "${drive[@]}" --after nosuchjudge -- "$DRIVEN" ends "$SOCKET"
rm -f "$SOCKET"
: >"$SOCKET"
refused 'the address is in use' 69 'exit status 3: .*Address already in use' check --drive "$DRIVEN ask $SOCKET" -- "$DRIVEN" ends "$SOCKET"
refused 'a program that goes to the background' 69 'exit status 0; is there an option that keeps it in the foreground' check "${drive[@]}" -- "$DRIVEN" leaves "$SOCKET"
refused 'a program that ignores the signal' 69 'goes on after SIGTERM: give another signal' check "${drive[@]}" -- "$DRIVEN" deaf "$SOCKET"
refused 'a program that nobody ends' 69 "doesn't end by itself: give a signal" check --stop none "${drive[@]}" -- "$DRIVEN" notes "$SOCKET"
refused 'followed: no such client' 69 "--drive 'nosuchclient' can't be run: exit status 127" check --follow --drive nosuchclient --before "$BEFORE" -- "$DRIVEN" ends "$SOCKET"
refused 'followed: a program that ends' 69 'the program ended before its client could be started' check --follow "${drive[@]}" -- /bin/true
refused 'no such signal' 64 "--stop needs a signal, as TERM, not 'FOO'" check --stop FOO "${drive[@]}" -- "$DRIVEN" ends "$SOCKET"
refused 'no regular expression' 64 "--ready '\\('" check --ready '(' "${drive[@]}" -- "$DRIVEN" ends "$SOCKET"
refused '--after alone' 64 '--after is for --drive, which is missing' check --after true -- "$DRIVEN" ends "$SOCKET"
refused '--jobs' 64 "--drive and --jobs can't be had together" check --jobs 2 "${drive[@]}" -- "$DRIVEN" ends "$SOCKET"

# Ctrl-C, and the end of fmc itself.
for signal in INT KILL; do
	rm -f "$SOCKET" "$SCRATCH/began"
	mkfifo "$SCRATCH/began"
	"$FMC" run --drive "echo >$SCRATCH/began; exec $DRIVEN quiet x" -- "$DRIVEN" ends "$SOCKET" </dev/null >"$SCRATCH/out" 2>&1 &
	process=$!
	read -r <"$SCRATCH/began"
	kill -$signal $process
	wait $process 2>/dev/null
	judge "$signal: nothing is left" gone "$DRIVEN"
	rm -f "$SCRATCH/began"
done

# A real server with clients of its own kind.
if command -v memcached >/dev/null && command -v python3 >/dev/null; then
	run check --time 60 --strategy random --executions 1 --stop KILL --drive "python3 tests/drive_memcached.py $SOCKET" --before "$BEFORE" -- \
	    "$(command -v memcached)" -u "$(id -un)" -s "$SOCKET" -t 2 -o no_lru_maintainer
	judge 'memcached: counted rightly under other schedules' [ $status -eq 0 ]
	left memcached
else
	skip 'no memcached'
fi
finish
