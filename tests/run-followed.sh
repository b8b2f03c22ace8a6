#!/bin/bash
# Programs of several processes with --follow: what is found in them, which process it is told of, that it is played again, and what can't be had
# with it. TIMES: how often a failure is played.
. tests/lib.sh
TIMES=${TIMES:-1}
! long || TIMES=20
TARGET=$BUILD/targets/followed

field() {
	"$BUILD/tests/json" "$SCRATCH/result.json" "$1"
}

# follow OPTION... CASE: $status, and both outputs in out.
follow() {
	timeout -k 10 100 "$FMC" check --follow --no-minimize -o "$SCRATCH/found.sched" --json "$SCRATCH/result.json" "${@:1:$#-1}" -- "$TARGET" "${@: -1}" \
	    </dev/null >"$SCRATCH/out" 2>&1
	status=$?
}

# What is found: case | kind | message. Each is played again, and found by wakeup trees as well, and at random.
while IFS='|' read -r how kind pattern; do
	for strategy in dfs optimal random; do
		[ $strategy != random ] || [ "$how" = lost ] || long || continue
		rm -f "$SCRATCH"/found*.sched
		follow --strategy $strategy "$how"
		[ $status -eq 1 ] && [ "$(field findings.0.kind) $(field findings.0.threads.1.process)" = "$kind 2" ] && [[ "$(field findings.0.message)" =~ $pattern ]]
		good=$?
		judge "$how: $kind, by $strategy" [ $good -eq 0 ]
		[ $good -eq 0 ] || show "$SCRATCH/out"
		long || [ $strategy = dfs ] || continue
		for ((i = 0; i < TIMES; i++)); do
			timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1 || break
		done
		judge "$how: played $TIMES times" [ $i -eq "$TIMES" ]
	done
done <<'END'
orders|deadlock|T1.1 waits for .* held by T2.1, T2.1 waits for .* held by T1.1
elsewhere|deadlock|T1.1 waits for .* held by T2.1, T2.1 waits for .* held by T1.1
lost|abort|T1.1, .*Assertion .shared->count == 2. failed
waits|deadlock|T1.1 waits for T2.1 to exit, T2.1 waits for .* held by T1.1
wakeup|deadlock|T1.1 waits for T2.1 to exit, T2.1 waits for a signal of
crash|crash|T2.1 got SIGSEGV .* in crash
orphan|abort|T2.1, .*Assertion .shared->count == 0. failed
END

# What is right, in all orders: case | executions by dfs | by wakeup trees. family's are those of a program whose threads are all in one process.
while IFS='|' read -r how all reduced; do
	for strategy in dfs optimal; do
		[ $strategy = dfs ] && count=$all || count=$reduced
		[ -n "$count" ] || continue
		follow --strategy $strategy "$how"
		[ $status -eq 0 ] && [ "$(field complete) $(field executions)" = "true $count" ]
		good=$?
		judge "$how: complete in $count executions, by $strategy" [ $good -eq 0 ]
		[ $good -eq 0 ] || show "$SCRATCH/out"
	done
done <<'END'
private|210|1
added|98|
family||
kinds||4
numbers|2|1
replaced|1|1
END

# Not all is followed, and that is told.
timeout 60 "$FMC" check --strategy dfs --json "$SCRATCH/result.json" -- "$TARGET" orders </dev/null >"$SCRATCH/out" 2>&1
judge 'without --follow the search of such a program is not complete' [ "$(field complete)" != true ]

# A process ends another by a signal, wherever that is: case | is it complete | what is found. Wakeup trees run one of each kind of execution.
TARGET=$BUILD/targets/kills
while IFS='|' read -r how complete found; do
	for strategy in dfs optimal; do
		follow --strategy $strategy --all "$how"
		told=$(for i in 0 1 2; do field findings.$i.message; done | sed '/^$/d; s/0x[0-9a-f]*/LOCK/' | sort | paste -sd ,)
		judge "$how: all that there is, by $strategy" [ "$(field complete) $told" = "$complete $found" ]
		[ "$(field complete) $told" = "$complete $found" ] || show "$SCRATCH/out"
		[ $strategy = dfs ] && kinds=$(field classes)
	done
	judge "$how: $kinds kinds of executions, by both" [ "$(field classes)" = "$kinds" ]
done <<'END'
waits|true|
kill|true|
counts|true|exit: the program exits with status 11,exit: the program exits with status 12
holds|true|deadlock: T1.1 waits for LOCK held by T2.1
robust|true|
handles|false|exit: the program exits with status 1
locks|false|deadlock: T2.1 waits for LOCK held by itself
pauses|false|deadlock: T1.1 waits for T2.1 to exit, T2.1 waits in syscall
threads|true|
group|true|
both|true|
self|false|
several|false|
pidfd|true|
gone|true|
leaves|true|exit: the program exits with status 11
cuts|true|exit: the program exits with status 11
replaced|true|
child|false|
END
# Processes of which a seed says what they do: both searches see the same ends in the same kinds of executions, where neither takes too long.
TARGET=$BUILD/targets/families
# ends: what has been found, and the exit status that was taken for good
ends() {
	{ grep -oE '^(deadlock|abort|crash|exit): .*' "$SCRATCH/out"; sed -nE 's/^Exits with ([0-9]+) .*/exit: the program exits with status \1/p' "$SCRATCH/out"; } | sort -u
	field classes
}
# Has it come to all, or to an end of its executions?
is_whole() {
	! grep -qE '^  - (it was limited|its [0-9.]+ seconds)' "$SCRATCH/out"
}
# family STRATEGY EXECUTIONS SEED [more]
family() {
	timeout -k 10 100 "$FMC" check --follow --no-minimize -o "$SCRATCH/found.sched" --json "$SCRATCH/result.json" --strategy "$1" --granularity sync --all --executions "$2" \
	    -- "$TARGET" "${@:3}" </dev/null >"$SCRATCH/out" 2>&1
}
# families FIRST LAST [more]
families() {
	local compared=0 seed optimal
	for seed in $(seq "$1" "$2"); do
		family optimal "$(long && echo 2000 || echo 40)" $seed ${3:-}
		is_whole || continue
		optimal=$(ends)
		family dfs "$(long && echo 9000 || echo 400)" $seed ${3:-}
		is_whole || continue
		compared=$((compared + 1))
		judge "families $seed ${3:-}: as many kinds of executions, which end in the same ways" [ "$(ends)" = "$optimal" ]
	done
	judge "some families were small enough ${3:-}" [ $compared -ge 3 ]
}
families 1 "$(long && echo 100 || echo 18)"
families 1 "$(long && echo 100 || echo 18)" more

TARGET=$BUILD/targets/kills
for how in handles locks pauses; do
	rm -f "$SCRATCH"/found*.sched
	follow --strategy optimal $how
	for ((i = 0; i < TIMES; i++)); do
		timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1 || break
	done
	judge "$how: played $TIMES times" [ $i -eq "$TIMES" ]
done
follow killed
judge 'killed: no failure' [ "$status $(field findings.0.kind)" = '0 ' ]
TARGET=$BUILD/targets/followed
follow --strategy dfs paused
judge 'a process that stops another: told in a line' [ $status -eq 69 -a "$(wc -l <"$SCRATCH/out")" -eq 1 ]
says 'a process that stops another: what' 'a process stops another by a signal, which --follow can.t'

# The end of a child is a signal to its parent, and that of a pipe's reader to its writer: case | kind of what is found | message, or whether it is complete.
TARGET=$BUILD/targets/children
while IFS='|' read -r how kind said; do
	follow --strategy optimal "$how"
	found=$(field findings.0.kind)
	if [ -n "$kind" ]; then
		[ "$status $found" = "1 $kind" ] && [[ "$(field findings.0.message)" =~ $said ]]
	else
		[ "$status $found" = "0 " ] && [ "$(field complete)" = "$said" ]
	fi
	good=$?
	judge "$how: ${kind:-complete is} $said" [ $good -eq 0 ]
	[ $good -eq 0 ] || show "$SCRATCH/out"
done <<'END'
lock|deadlock|T1.1 waits for lock held by itself
suspend||true
await||true
all||true
broken|crash|T1.1 got SIGPIPE
ignored||true
pause|deadlock|T1.1 waits
twice|deadlock|T1.1 waits
cut|exit|status 1
takers|deadlock|T1.1 waits for T1.3 to exit, T1.3 waits in syscall
takers_info|deadlock|T1.1 waits for T1.3 to exit, T1.3 waits in syscall
takers_timed|deadlock|T1.1 waits for T1.3 to exit, T1.3 waits in syscall
takers_read|deadlock|T1.1 waits for T1.3 to exit, T1.3 waits in syscall
reapers|exit|status 1
reaped||true
collected|abort|T1.1 got SIGABRT
again||false
END
judge 'again: told why' grep -q "isn't controlled: .*signals between two operations" "$SCRATCH/out"
follow --strategy dfs reaped
all=$(field classes)
follow --strategy optimal reaped
judge "reaped: $all different executions, as many as there are" [ "$(field complete) $(field executions) $all" = 'true 2 2' ]
# A thread waits for the end of a child that isn't followed: it is told, and once there is no child any more nobody waits for one.
unfollowed() {
	timeout -k 10 100 "$FMC" check --no-minimize --executions 20 -o "$SCRATCH/found.sched" --json "$SCRATCH/result.json" "$@" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	told=$(sed -n 's/^  - what these do isn.t controlled: //p' "$SCRATCH/out")
}
for how in taker_wait taker_read taker_poll; do
	for strategy in dfs optimal; do
		unfollowed --strategy $strategy -- "$TARGET" $how
		judge "$how, not followed, by $strategy: each execution ends, and it is told what isn't controlled" \
			[ "$status $(field broken_off)" = '0 0' -a "$(field executions)" -ge 1 -a "$told" = 'child processes (--follow makes them part of the schedule)' ]
		[ "$status $(field broken_off)" = '0 0' ] || show "$SCRATCH/out"
	done
done
for how in takers takers_timed takers_read; do
	unfollowed --strategy optimal --executions 100 -- "$TARGET" $how
	judge "$how, not followed: a deadlock" [ "$status $(field findings.0.kind)" = '1 deadlock' ]
	says "$how, not followed: whose" '^deadlock: T1 waits for (T2 to exit, T2|T3 to exit, T3) waits in syscall'
done
unfollowed --memory-model tso --executions 300 -- "$TARGET" stores
judge "stores: a child that has been collected sends no signals, so they may wait" [ "$status $(field findings.0.message)" = '1 exit: the program exits with status 1' ]
judge 'nothing of these is left running' [ -z "$(users_of "$TARGET")" ]

# Sockets of several processes: how they come to them and what they do | kind of what is found | message | what isn't controlled | does dfs take long.
TARGET=$BUILD/targets/connected
connect() {
	timeout -k 10 100 "$FMC" check --follow --no-minimize -o "$SCRATCH/found.sched" --json "$SCRATCH/result.json" --granularity sync --all "${@:1:$#-2}" -- "$TARGET" "${@: -2}" \
	    </dev/null >"$SCRATCH/out" 2>&1
	status=$?
}
while IFS='|' read -r how kind pattern outside slow; do
	for strategy in optimal dfs; do
		[ $strategy = optimal ] || [ -z "$slow" ] || long || continue
		rm -f "$SCRATCH"/found*.sched
		connect --strategy $strategy $how
		[ "$(field findings.0.kind) $(field findings.1.kind)" = "$kind " ] && [[ "$(field findings.0.message)" =~ $pattern ]] &&
			[ "$(sed -n 's/^  - what these do isn.t controlled: //p; s/^  - //p' "$SCRATCH/out")" = "$outside" ]
		good=$?
		judge "$how: ${kind:-nothing}, by $strategy" [ $good -eq 0 ]
		[ $good -eq 0 ] || show "$SCRATCH/out"
		[ $strategy = optimal ] && kinds=$(field classes) && executions=$(field executions) && continue
		judge "$how: as many kinds of executions, by dfs" [ "$(field classes)" = "$kinds" ]
	done
	[[ "$how" != *polls && "$how" != *set ]] || judge "$how: $kinds kinds in at most two executions more" [ "$executions" -le $((kinds + 2)) ]
	# That of sets is found before all descriptors are known that are shared, and others are found after it.
	[ -n "$kind" ] || continue
	for ((i = 0; i < TIMES; i++)); do
		timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1 || break
	done
	judge "$how: played $TIMES times" [ $i -eq "$TIMES" ]
done <<'END'
pair talk||||
local talk|||sockets|
tcp talk|||sockets|
pair holds|deadlock|T1.1 waits for socket 3, T2.1 waits for .* held by T1.1||
pair kept|deadlock|T1.1 waits in poll, T2.1 waits for .* held by T1.1||
local holds|deadlock|T1.1 waits for connection 2, T2.1 waits for .* held by T1.1|sockets|slow
tcp holds|deadlock|T1.1 waits for connection 2, T2.1 waits for .* held by T1.1|sockets|slow
pair asks||||
pair polls|deadlock|T1.1 waits in poll, T2.1 waits for .* held by T1.1||
local polls|deadlock|T1.1 waits in poll, T2.1 waits for .* held by T1.1|sockets|slow
pair set|deadlock|T1.1 waits in poll, T2.1 waits for .* held by T1.1||
tcp set|deadlock|T1.1 waits in poll, T2.1 waits for .* held by T1.1|sockets|slow
pair children|deadlock|T1.1 waits for T2.1 to exit, T2.1 waits for socket 3, T3.1 waits for .* held by T2.1||slow
END
# Without --follow nobody knows whether the child's wait ends: that is told, and what to do, before the time is used up.
unfollowed --executions 1 -- "$TARGET" pair kept
judge "pair kept, not followed: an execution that waits" [ "$status $(field executions) $told" = '0 1 child processes (--follow makes them part of the schedule)' ]
says "pair kept, not followed: why" '^  - in 1 execution all threads waited for something outside$'
# A wait by poll() or a set of epoll for such a connection is one for the program's own, too.
for how in 'local polls' 'pair set' 'tcp set'; do
	rm -f "$SCRATCH"/found*.sched
	timeout -k 10 100 "$FMC" check --follow --no-minimize -o "$SCRATCH/found.sched" --json "$SCRATCH/result.json" -- "$TARGET" $how </dev/null >"$SCRATCH/out" 2>&1
	judge "$how: a deadlock, found by default" [ "$? $(field findings.0.kind)" = '1 deadlock' ]
	says "$how: its circle" '^deadlock: T1.1 waits in poll, T2.1 waits for .* held by T1.1'
	timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "$how: played" [ $? -eq 0 ]
done
# A search that is cut after executions in which more has become known than its failure went by: that is played as it was, also by what goes on with it.
rm -f "$SCRATCH"/found*.sched "$SCRATCH/saved"
connect --strategy dfs --executions 3 --resume "$SCRATCH/saved" --verbose pair set
judge 'pair set, cut: the deadlock' [ "$(field findings.0.kind)" = deadlock ]
judge 'pair set, cut: what its schedule needs of the environment can be told' [ -z "$(grep 'names the whole environment' "$SCRATCH/out")" ]
timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
judge 'pair set, cut: played' [ $? -eq 0 ]
timeout 60 "$FMC" minimize -o "$SCRATCH/less.sched" "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
judge 'pair set, cut: not minimised, in one line' [ $? -eq 1 -a "$(grep -vc ': running ' "$SCRATCH/out")" -eq 1 ]
says 'pair set, cut: why' 'executions beside it show more operations than it has'
connect --strategy dfs --executions 1 --resume "$SCRATCH/saved" pair set
judge 'pair set, gone on with: it is the same' [ "$(field findings.0.kind) $(grep -c "didn't replay" "$SCRATCH/out")" = 'deadlock 0' ]
says 'pair set, gone on with: of the first run' '^Found in execution 1,'
# Where it is found again with what is known now, it is that one which is told, and minimised.
rm -f "$SCRATCH"/found*.sched "$SCRATCH/saved"
timeout -k 10 100 "$FMC" check --follow -o "$SCRATCH/found.sched" --json "$SCRATCH/result.json" --granularity sync --all --strategy dfs -- "$TARGET" pair set \
    </dev/null >"$SCRATCH/out" 2>&1
judge 'pair set, found again: minimised' [ -n "$(field findings.0.minimized.executions)" ]
timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
judge 'pair set, found again: played' [ $? -eq 0 ]
# What the end of a process closes that another one brings about is seen: nobody sleeps on.
for how in pair local tcp; do
	connect --strategy optimal --executions 40 $how ended
	judge "$how ended: each execution ends" [ "$status $(field findings.0.kind)" = "0 " ]
done
# In a network of their own nobody else can connect: a search of them is complete, and a wait for a client that doesn't come a deadlock.
if "$FMC" check --own-network --executions 1 -- /bin/true </dev/null >"$SCRATCH/out" 2>&1; then
	for how in 'tcp talk' 'tcp holds' 'tcp polls'; do
		connect --strategy optimal --own-network $how
		judge "$how, in a network of their own: complete" [ "$(field complete) $(grep -c "isn't controlled" "$SCRATCH/out")" = 'true 0' ]
	done
	connect --strategy optimal --own-network local talk
	judge "local talk, in a network of their own: not complete" [ "$(field complete)" = false ]
	rm -f "$SCRATCH"/found*.sched
	connect --strategy optimal --own-network tcp alone
	judge "tcp alone: nobody connects" [ "$status $(field findings.0.message)" = '1 deadlock: T1.1 waits for connection 1' ]
	timeout 60 "$FMC" replay --own-network "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "tcp alone: played" [ $? -eq 0 ]
else
	says "no network of one's own here" "^fmc: --own-network: can't make one: "
	skip "networks of their own"
fi
for option in '--jobs 2' '--launch env'; do
	connect --own-network $option tcp talk
	judge "--own-network $option: refused" [ "$status" -eq 64 ]
done
connect --strategy optimal --executions 100 --outcomes tcp first
for end in 1 2; do
	says "tcp first: client $end is accepted first" "exit status $end "
done
judge 'nothing of these is left running' [ -z "$(users_of "$TARGET")" ]

# Locks of files that belong to processes: what comes of all orders is what the kernel does in those to which the program is brought without fmc.
TARGET=$BUILD/targets/record_locks
natively() {
	for ((order = 0; order <= 3; order++)); do
		timeout 60 "$TARGET" "$1" $order
	done | sort -u
}
for how in cross bytes upgrade threads circle; do
	natively $how >"$SCRATCH/natively"
	# Of three there are thousands of orders.
	[ $how = circle ] && orders='random --executions 200' complete=false || orders=optimal complete=true
	follow --strategy $orders --outcomes $how
	sed -n 's/^[1-9][0-9]* .*"\(.*\)\\n"$/\1/p' "$SCRATCH/out" | sort -u >"$SCRATCH/outcomes"
	[ "$(field complete)" = $complete ] && grep -q 35 "$SCRATCH/natively" && cmp -s "$SCRATCH/natively" "$SCRATCH/outcomes"
	good=$?
	judge "$how: ends as the kernel has it, and in no other way" [ $good -eq 0 ]
	[ $good -eq 0 ] || show "$SCRATCH/out"
done
follow --strategy optimal --outcomes closed
says 'closed: the lock is lost with any descriptor' '"0 0' '"0 11'
follow --strategy optimal retry
judge 'retry: complete' [ "$status $(field complete)" = "0 true" ]
# Whoever is refused and tries again is refused for ever, unless it lets go before that: then those who wait get their turn.
follow keep
judge "keep: a livelock, found by default" [ "$status $(field findings.0.kind)" = "1 livelock" ]
timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
judge "keep: played" [ $? -eq 0 ]
says "keep: with its cycle" '^ *livelock: [0-9]+ transitions? of .*T[12].1.* repeated for ever'
follow --strategy optimal again
judge "again: each execution ends" [ "$status $(field findings.0.kind) $(field complete)" = "0  true" ]
follow --strategy dfs open
judge 'open: a deadlock, as such locks are refused to nobody' [ "$status $(field findings.0.kind)" = "1 deadlock" ]
# The last one to close what has been opened once gives its lock back, in whichever process it is.
for how in last last_range; do
	follow --strategy dfs $how
	all=$(field classes)
	follow --strategy optimal --outcomes $how
	judge "$how: $all different executions, as many as there are, and each ends" [ "$status $(field complete) $(field executions)" = "0 true $all" ]
	says "$how: with the lock" '"0 0'
	judge "$how: with nothing else" [ "$(grep -c '^[1-9][0-9]* .*"[0-9]' "$SCRATCH/out")" -eq 1 ]
done
follow kept
judge 'kept: a deadlock' [ "$status $(field findings.0.kind)" = "1 deadlock" ]
timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
judge 'kept: played' [ $? -eq 0 ]
judge 'nothing of these is left running' [ -z "$(users_of "$TARGET")" ]
TARGET=$BUILD/targets/followed

# Whoever runs the executions, and whether a search is gone on with, they are the same.
follow --strategy optimal kinds
count=$(field executions)
follow --strategy optimal --jobs 2 kinds
judge 'by two workers as many executions' [ "$(field complete) $(field executions)" = "true $count" ]
rm -f "$SCRATCH/saved"
follow --strategy optimal --resume "$SCRATCH/saved" --executions 1 kinds
judge 'a search that is cut is not complete' [ "$(field complete)" = false ]
follow --strategy optimal --resume "$SCRATCH/saved" kinds
judge 'and is complete when gone on with' [ "$(field complete) $(field executions)" = "true $count" ]

# Accesses to memory that processes share aren't watched: complete is what was asked for only where that was left out.
follow --strategy optimal --require-complete kinds
judge 'memory that processes share: not all that --require-complete asks for' [ $status -eq 2 ]
says 'and it is named' '^Not every access was watched: accesses to memory that processes share'
follow --strategy optimal --require-complete --granularity sync kinds
judge 'all orders of operations are, where no more is asked for' [ $status -eq 0 ]

# By default what is accessed there is found by running an execution once more, and is an operation then: case | whether it fails.
TARGET=$BUILD/targets/shared_words
while IFS='|' read -r how pattern; do
	follow --json "$SCRATCH/result.json" "$how"
	good=$?
	if [ -n "$pattern" ]; then
		[ $status -eq 1 ] && [[ "$(field findings.0.message)" =~ $pattern ]]
		good=$?
		judge "shared words, $how: fails" [ $good -eq 0 ]
		timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/played" 2>&1
		judge "shared words, $how: played" [ $? -eq 0 ]
	else
		[ $status -eq 0 ] && [ "$(field complete) $(field granularity)" = "true race" ] &&
			grep -q 'memory that processes share was sampled, not watched: complete only at granularity race' "$SCRATCH/out"
		good=$?
		judge "shared words, $how: complete, and the first line says what was sampled" [ $good -eq 0 ]
	fi
	[ $good -eq 0 ] || show "$SCRATCH/out"
	rm -f "$SCRATCH"/found*.sched
done <<'END'
plain|Assertion .words->count == 2. failed
apart|Assertion .words->count == 2. failed
early|Assertion .words->data == 7. failed
copied|Assertion .words->text.0. == words->text
locked|
END
follow --strategy optimal plain
says 'what is not looked at is in the first line' '^No failure found .*; memory that processes share wasn.t looked at: complete only at granularity sync'
TARGET=$BUILD/targets/followed

timeout 60 "$FMC" run --follow --seed 7 -- "$TARGET" numbers </dev/null >"$SCRATCH/out" 2>&1
judge 'run: one execution, and its exit status' [ $? -eq 0 -a ! -s "$SCRATCH/out" ]

# What can't be had with it.
follow --strategy dfs orders
for wrong in 's/^thread T2.1/thread T3.1/' 's/^thread T2.1/thread T2/' 's/^thread T2.1/thread T2.2/' 's/  T2.1  /  T2.2  /' 's/  T2.1  /  T0.1  /'; do
	sed "$wrong" "$SCRATCH/found.sched" >"$SCRATCH/wrong.sched"
	timeout 60 "$FMC" replay "$SCRATCH/wrong.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "$wrong: a damaged schedule, in one line" [ $? -eq 65 -a "$(wc -l <"$SCRATCH/out")" -eq 1 ]
done
timeout 60 "$FMC" export --gdb "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
judge 'export --gdb: refused in one line' [ $? -eq 69 -a "$(wc -l <"$SCRATCH/out")" -eq 1 ]
says 'and what can walk it' 'fmc gdb can'
timeout 60 "$FMC" show "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
judge 'show: prints it' [ $? -eq 0 ]
says 'with the processes' 'T1.1 main .* T2.1 process 2'
timeout 60 "$FMC" minimize -o "$SCRATCH/less.sched" "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
judge 'minimize: has one that fails so' [ $? -eq 0 ]
for option in '--granularity race' '--memory-model tso' '--races report' '--engine agent' '--certificate x' '--states' '--prune-states' '--always 1' '--drive true --stdin /dev/null'; do
	timeout 60 "$FMC" check --follow $option -- "$TARGET" orders </dev/null >"$SCRATCH/out" 2>&1
	judge "$option: refused in one line" [ $? -eq 64 -a "$(wc -l <"$SCRATCH/out")" -eq 1 ]
done
judge 'nothing is left running' [ -z "$(users_of "$TARGET")" ]
finish
