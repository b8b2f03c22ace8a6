#!/bin/bash
# Targets that end, begin and misbehave at bad moments: under fmc they print and end as they always do,
# under a random schedule (SEEDS: how many, more in `make check-long`) and without one.
. tests/lib.sh
SEEDS=${SEEDS:-1}

# run_under OPTIONS -- COMMAND: fills $SCRATCH/found, $SCRATCH/err; the exit status is fmc's.
run_under() {
	timeout -k 5 60 "$FMC" run -o "$SCRATCH/bad.sched" "$@" </dev/null >"$SCRATCH/found" 2>"$SCRATCH/err"
}

# same PROGRAM CASE...: output and status as natively.
same() {
	local program=$BUILD/targets/$1 status wrong=0 seed
	local name="$*"
	shift
	timeout -k 5 20 "$program" "$@" </dev/null >"$SCRATCH/expected" 2>/dev/null
	local wanted=$?
	for ((seed = 0; seed <= SEEDS; seed++)); do
		# shellcheck disable=SC2046,SC2086
		run_under ${OPTIONS-} $([ $seed -eq 0 ] || echo --seed $seed) -- "$program" "$@"
		status=$?
		if [ $status -ne $wanted ] || ! cmp -s "$SCRATCH/expected" "$SCRATCH/found"; then
			wrong=$((wrong + 1))
			echo "     $name, seed $seed: status $status, expected $wanted"
			show "$SCRATCH/found" "$SCRATCH/err"
		fi
	done
	judge "$name" [ $wrong -eq 0 ]
}

# refused PATTERN PROGRAM CASE: one line that matches, exit status 69.
refused() {
	local pattern=$1 program=$BUILD/targets/$2
	shift 2
	run_under --seed 1 -- "$program" "$@"
	judge "$* is refused" [ $? -eq 69 -a "$(wc -l <"$SCRATCH/err")" -eq 1 -a -n "$(grep -E "$pattern" "$SCRATCH/err")" ]
}

for case in detached main_exits exit exit_in abort kill fork double_fork late vfork spawn system many deep 'memory 200' overflow altstack \
    own_traps identity dumpable seccomp close_all own_handlers 'little_room 1000' 'little_room 9000'; do
	# shellcheck disable=SC2086
	same hostile $case
done
# The agent is in the same process as they are: what it can't live beside is run by stops.
for case in detached main_exits exit exit_in 'many 200' deep 'memory 20' altstack own_traps identity seccomp close_all own_handlers 'little_room 9000'; do
	# shellcheck disable=SC2086
	timeout -k 5 60 "$FMC" check --strategy random --executions 6 --all --granularity sync --engine agent --verify-engine 1 -o "$SCRATCH/bad.sched" \
	    -- "$BUILD/targets/hostile" $case </dev/null >"$SCRATCH/out" 2>&1
	says "$case with the agent" 'No failure found in 6 executions'
	says_not "$case: the engines agree" 'by the agent the execution'
done
refused 'exec' hostile exec
refused 'exec' hostile exec_in
refused 'priority ceiling' hostile ceiling

for case in nanosleep sem read pause cond mutex sigwait sigsuspend post write itimer timer stop sigpipe epipe block_all \
    about_to_lock about_to_lock_outside about_to_relock about_to_leave asleep_at_word queued_at_lock; do
	same signals $case
done
# In every order: a handler runs before its thread's operation or after it.
for case in about_to_lock about_to_lock_outside about_to_relock about_to_leave asleep_at_word queued_at_lock; do
	timeout -k 5 60 "$FMC" check --strategy dfs --spin-ms 0 -o "$SCRATCH/bad.sched" -- "$BUILD/targets/signals" $case \
	    </dev/null >"$SCRATCH/out" 2>&1
	says "signals $case in all orders" 'No failure found in ([2-9]|[1-9][0-9]+) executions'
	says_not "signals $case can be followed" "can't (supervise|follow)"
done
for case in write writev pwritev2 sendfile write-socket send sendmsg recv recvmsg recvmmsg rcvtimeo semop unhandled unhandled-vector \
    handled splice vmsplice sendfile-pipe recvmmsg-timed sendmmsg rcvlowat terminal write-terminal ring aio; do
	same transfers $case
done
# Whoever computes is looked at, too.
for case in zero zero-vector sendfile-file copy_file_range; do
	OPTIONS='--spin-ms 1' same transfers $case
done
# A failure of the first schedule would be taken for expected.
for case in recvmmsg-timed sendmmsg ring aio; do
	timeout -k 5 60 "$FMC" check --strategy random --executions 5 --expect-exit 0 -o "$SCRATCH/bad.sched" -- "$BUILD/targets/transfers" $case \
	    </dev/null >"$SCRATCH/out" 2>&1
	says "transfers $case, check" 'No failure found in 5 executions'
	says_not "transfers $case, check: ends well" 'taken as expected'
done
# sent SIGNAL STATUS CASE: a signal to fmc run is one to the program. Its input never comes.
sent() {
	local fmc
	mkfifo "$SCRATCH/input.$1.$3"
	exec 9<>"$SCRATCH/input.$1.$3"
	rm -f "$SCRATCH/found"
	"$FMC" run -o "$SCRATCH/bad.sched" -- "$BUILD/targets/signals" "$3" <&9 >"$SCRATCH/found" 2>"$SCRATCH/err" &
	fmc=$!
	until_said $fmc up "$SCRATCH/found"
	kill -s "$1" $fmc
	wait $fmc
	judge "SIG$1 to fmc run, $3: status $2" [ $? -eq "$2" ]
	exec 9<&-
}

sent TERM 143 end
sent HUP 129 end
sent USR2 140 end
sent TERM 5 handle_end
sent HUP 5 handle_end
judge "its handler has run" grep -q handled "$SCRATCH/found"

# Without symbols threads have the same numbers each time, which the kernel doesn't know.
cp "$BUILD/targets/signals.static" "$SCRATCH/stripped"
strip -s "$SCRATCH/stripped"
for case in timer write; do
	run_under --seed 1 -- "$SCRATCH/stripped" $case
	judge "signals $case, static and stripped" [ $? -eq 0 ]
done

# Other C libraries and ways of linking.
for flags in '-static-pie' '-static -s'; do
	# shellcheck disable=SC2086
	${CC:-cc} $flags -O1 -pthread -D_GNU_SOURCE samples/philosophers_ordered.c -o "$SCRATCH/linked" 2>"$SCRATCH/err"
	run_under --seed 1 -- "$SCRATCH/linked" 3
	judge "philosophers_ordered, $flags" [ $? -eq 0 ]
done
for flags in '' '-static'; do
	if command -v musl-gcc >/dev/null; then
		# shellcheck disable=SC2086
		musl-gcc $flags -O1 -pthread -D_GNU_SOURCE samples/philosophers_ordered.c -o "$SCRATCH/musl"
		run_under --seed 1 -- "$SCRATCH/musl" 3
		judge "philosophers_ordered, musl $flags" [ $? -eq 0 ]
	else
		skip "philosophers_ordered, musl $flags: no musl-gcc"
	fi
done

# A sanitizer reserves terabytes, and takes its time.
if ${CC:-cc} -fsanitize=address -g -O1 -pthread -D_GNU_SOURCE samples/philosophers_ordered.c -o "$SCRATCH/asan" 2>"$SCRATCH/err"; then
	run_under --seed 1 --spin-ms 1 -- "$SCRATCH/asan" 3
	judge "philosophers_ordered, AddressSanitizer" [ $? -eq 0 ]
else
	skip "philosophers_ordered, AddressSanitizer: can't be built"
fi

# unleaked NAME: the program alone has been heard, and that leaks aren't looked for.
unleaked() {
	judge "$1: output and status" [ "$STATUS" -eq 3 -a "$(cat "$SCRATCH/found")" = "counted 2" ]
	judge "$1: one line says why" [ "$(grep -c "^fmc: leaks of memory aren't looked for" "$SCRATCH/err")" -eq 1 -a \
	    "$(wc -l <"$SCRATCH/err")" -eq 1 ]
}
# Their check for leaks traces the program itself.
for flags in '-fsanitize=address' '-fsanitize=leak' '-fsanitize=address -static-libasan'; do
	# shellcheck disable=SC2086
	if ! ${CC:-cc} $flags -g -O1 -pthread tests/targets/leaky.c -o "$SCRATCH/leaky" 2>"$SCRATCH/err"; then
		skip "leaky, $flags: can't be built"
		continue
	fi
	run_under -- "$SCRATCH/leaky"
	STATUS=$? unleaked "leaky, $flags"
	LSAN_OPTIONS=verbosity=0 ASAN_OPTIONS=detect_leaks=1 run_under -- "$SCRATCH/leaky"
	STATUS=$? unleaked "leaky, $flags, asked for"
	ASAN_OPTIONS=detect_leaks=0 LSAN_OPTIONS=detect_leaks=0 run_under -- "$SCRATCH/leaky"
	judge "leaky, $flags, switched off: nothing is said" [ $? -eq 3 -a ! -s "$SCRATCH/err" ]
	# Who checks can't be seen from outside here: its tracer is refused, and it says so itself.
	run_under -- /bin/sh -c "$SCRATCH/leaky; echo \$?"
	judge "leaky, $flags, from a shell" [ $? -eq 0 -a -n "$(grep 'does not work under ptrace' "$SCRATCH/err")" ]
	timeout -k 5 120 "$FMC" check --strategy random --executions 30 --time 100 --json "$SCRATCH/result" -o "$SCRATCH/bad.sched" \
	    -- "$SCRATCH/leaky" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	judge "leaky, $flags, check" [ $? -eq 0 -a "$(grep -c 'executions": *30,' "$SCRATCH/result")" -eq 1 ]
	# Terabytes of shadow aren't gone through: without that it ends long before it is killed.
	timeout -k 5 100 "$FMC" check --time 2 -o "$SCRATCH/bad.sched" -- "$SCRATCH/leaky" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	judge "leaky, $flags, check --time" [ $? -eq 0 -a -n "$(grep '^No failure found in' "$SCRATCH/out")" ]
done

# This one takes most of the address space for itself, and tells of races by its exit status.
if ${CC:-cc} -fsanitize=thread -g -O1 -pthread -D_GNU_SOURCE samples/philosophers_ordered.c -o "$SCRATCH/tsan" 2>"$SCRATCH/err" &&
    ${CC:-cc} -fsanitize=thread -g -O1 -pthread -D_GNU_SOURCE samples/counter.c -o "$SCRATCH/races" 2>"$SCRATCH/err"; then
	run_under --seed 1 --spin-ms 1 -- "$SCRATCH/tsan" 3
	judge "philosophers_ordered, ThreadSanitizer" [ $? -eq 0 ]
	run_under --seed 1 --spin-ms 1 -- "$SCRATCH/races"
	judge "counter, ThreadSanitizer" [ $? -eq 66 ]
else
	skip "ThreadSanitizer: can't be built"
	skip "ThreadSanitizer: can't be built"
fi

for program in hostile signals; do
	judge "no $program left" gone "$BUILD/targets/$program"
done
finish
