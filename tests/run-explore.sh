#!/bin/bash
# fmc attach --explore: processes that run natively and stand before what can go wrong (tests/targets/midway.c), explored from
# there; what is found is replayed, also under GDB, and the process goes on as if nothing had been.
. tests/lib.sh
. tests/native.sh
MIDWAY=$PWD/$BUILD/targets/midway
FMC=$(realpath "$FMC")

# start THREADS PROGRAM ARGUMENT...: in the background; returns when so many threads of it sleep.
start() {
	local threads=$1 asleep
	shift
	"$@" </dev/null >/dev/null 2>&1 &
	pid=$!
	until asleep=$(cat /proc/$pid/task/*/syscall 2>/dev/null | grep -c '^[0-9]'); [ "$asleep" -eq "$threads" ]; do
		kill -0 $pid || return 1
	done
}

# go_on: it comes to its end, which it reaches at once when it is woken; its status.
go_on() {
	kill -USR1 "$pid"
	wait "$pid"
	local status=$?
	pid=
	return $status
}

# run COMMAND ARGUMENT...: fmc's output to out and err, in $SCRATCH; sets status.
run() {
	(cd "$SCRATCH" && timeout -k 10 100 "$FMC" "$@") </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	status=$?
}

ended() {
	[ "$status" -eq "$2" ]
	judge "$1" [ $? -eq 0 ]
	[ "$status" -eq "$2" ] || show "$SCRATCH/out" "$SCRATCH/err"
}

untouched() {
	judge "$1: nobody traces it, and it runs" grep -qzE 'State:.[RS].*TracerPid:.0' "/proc/$pid/status"
}

# A deadlock that hasn't come yet.
start 4 "$MIDWAY" forks 3
before=$(cat /proc/$pid/maps)
run attach --explore --json "$JSON" $pid
ended "philosophers: found" 1
says "philosophers: what" '^Saved 4 threads to midway.image' '^deadlock: T2 waits for forks\[1\] held by T3' \
	'^T1 main: waits for T2' '^T2 eat: waits for forks\[1\] held by T3.*holds forks\[0\]' 'mutex_unlock gate' '^The process goes on'
judge "philosophers: as JSON" [ "$(field findings.0.kind)" = deadlock ]
untouched philosophers
judge "philosophers: no memory of it has been mapped" [ "$before" = "$(cat /proc/$pid/maps)" ]
judge "philosophers: the original goes on" go_on
judge "philosophers: the schedule names the image beside it" grep -qE '^image [0-9a-f]{16} midway.image$' "$SCRATCH/midway.sched"

# Without the process, and elsewhere.
mkdir "$SCRATCH/elsewhere"
mv "$SCRATCH"/midway.{sched,image} "$SCRATCH/elsewhere"
run replay elsewhere/midway.sched
ended "philosophers: replayed" 0
says "philosophers: as recorded" '^Replayed [0-9]+ transitions: deadlock as recorded'
run minimize -o min.sched elsewhere/midway.sched
ended "philosophers: minimised" 0
run replay min.sched
ended "philosophers: the minimal one replays" 0
run show elsewhere/midway.sched
says "philosophers: shown" 'T1 main' 'mutex_unlock gate' 'deadlock'
run show --format dot elsewhere/midway.sched
ended "philosophers: drawn" 0
if command -v gdb >/dev/null; then
	run gdb elsewhere/midway.sched -nx -batch -ex 'continue' -ex 'fmc-threads' -ex 'thread 3' -ex bt -ex 'reverse-continue' \
		-ex 'fmc-threads' -ex 'info threads' -ex 'fmc-goto 2' -ex 'fmc-next'
	says "philosophers: under GDB" 'at the end, after transition .*: deadlock' 'T3 eat +waits for forks\[2\] held by T4' 'in eat .*midway.c' \
		'No more reverse-execution' '=> T1 main +at the saved state' 'Thread 1\.1 \"T1 main\" .*nanosleep' 'Thread 1 .* stopped' 'Thread 2 .* stopped'
else
	skip "philosophers: under GDB (there is no gdb)"
fi
cp "$SCRATCH/elsewhere/midway.image" "$SCRATCH/kept.image"
echo more >>"$SCRATCH/elsewhere/midway.image"
run replay elsewhere/midway.sched
ended "another image: refused" 65
judge "another image: one line" grep -q "isn't the image that the schedule was made with" "$SCRATCH/err"
rm "$SCRATCH/elsewhere/midway.image"
run replay elsewhere/midway.sched
ended "no image: refused" 65

# The processor's counter of time goes on from what it was, the same in each execution.
start 4 "$MIDWAY" ticks 3
run attach --explore --no-minimize -o ticks.sched $pid
ended "ticks: found" 1
says "ticks: what" '^deadlock: T. waits for forks'
judge "ticks: the original goes on" go_on
for i in 1 2; do
	run replay ticks.sched
	ended "ticks: replayed" 0
done

# A signal that may come too early; the process isn't held.
start 3 "$MIDWAY" lost
run attach --explore --keep-running --strategy cb:1 -o lost.sched $pid
ended "lost wakeup: found" 1
says "lost wakeup: what" 'lost.image.*the process goes on' '^deadlock: T1 waits for T2 to exit, T2 waits for a signal of ready'
untouched "lost wakeup"
judge "lost wakeup: the original goes on" go_on
run replay lost.sched
ended "lost wakeup: replayed" 0

# A circle of locks beside a thread that goes on for ever: it ends there.
start 4 "$MIDWAY" beat 2
run attach --explore -o beat.sched $pid
ended "a circle beside a loop: found" 1
says "a circle beside a loop: what" '^deadlock: T. waits for forks' '^T2 beat: could go on, with '
judge "a circle beside a loop: the original goes on" go_on
run replay beat.sched
ended "a circle beside a loop: replayed" 0
# A loop that ran when the process was looked at is no livelock, nor is one without operations.
start 3 "$MIDWAY" rounds
run attach --explore --depth 200 --strategy cb:0 --require-complete $pid
ended "a loop that ran before: not complete" 2
says "a loop that ran before: which" '^No failure found' 'loops that ran before .*T2 .*beat at midway\.c'
untouched "a loop that ran before"
kill $pid
wait $pid
start 2 "$MIDWAY" late
run attach --explore --depth 200 -o late.sched $pid
ended "a loop that comes later: found" 1
says "a loop that comes later: what" '^livelock: .* of T2 repeated for ever'
kill $pid
wait $pid
start 2 "$MIDWAY" spin 1
run attach --explore --executions 20 $pid
ended "a loop without operations: no failure" 0
says "a loop without operations: searched" '^No failure found in 20 executions'
judge "a loop without operations: the original goes on" go_on

# Nothing to be found: as many executions as there are orders of the N critical sections at the gate and of the 2 N after it.
while read -r threads count; do
	start $((threads + 1)) "$MIDWAY" count "$threads"
	run attach --explore --strategy optimal --require-complete $pid
	ended "$threads threads that count: complete" 0
	says "$threads threads that count: $count executions" "^No failure found in $count executions" '^Search complete: .*from the state in' 'midway.image on'
	judge "$threads threads that count: no image is left" [ ! -e "$SCRATCH/midway.image" ]
	judge "$threads threads that count: the original goes on" go_on
done <<<"2 12
3 540"

# A program started from an image has no sockets.
start 3 "$MIDWAY" socket
run attach --explore --strategy optimal --require-complete $pid
ended "socket: not complete" 2
says "socket: who would have used it" "can't do what it did: T3: .*socket"
judge "socket: the original uses it" go_on

# A thread whose first step is to use one stays before that step; the others go on without it.
start 4 "$MIDWAY" receive 2
run attach --explore --executions 1 --require-complete $pid
ended "a thread at a socket: not complete" 2
says "a thread at a socket: which" '^No failure found' 'T2 waits for what a copy of the process lacks'
run attach --explore -o receive.sched $pid
ended "a thread at a socket: others are searched" 1
says "a thread at a socket: what" '^deadlock: T. waits for forks' '^T2 receive: waits in syscall'
judge "a thread at a socket: the original goes on" go_on
run replay receive.sched
ended "a thread at a socket: replayed" 0

# Pipes, event counters and epoll sets are there in each execution anew, where it can be known that nobody else has them.
if [ "$(id -u)" -eq 0 ] && [ "$(stat -Lc %i /proc/self/ns/pid)" -eq $((0xeffffffc)) ]; then
	# The orders of N critical sections at the gate, and of N after it. Each checks that it reads the next byte.
	while read -r threads count kind; do
		start $((threads + 1)) "$MIDWAY" bytes "$threads" $kind
		run attach --explore --strategy optimal --require-complete $pid
		ended "$threads bytes: all orders $kind" 0
		says "$threads bytes: $count executions $kind" "^No failure found in $count executions" '^Search complete'
		judge "$threads bytes: the original reads them $kind" go_on
	done <<<"2 4
3 36
2 4 counter
3 36 counter"
	for kind in "" counter set; do
		start 3 "$MIDWAY" wake 2 $kind
		run attach --explore --strategy optimal --require-complete $pid
		ended "asleep in read: all orders $kind" 0
		says "asleep in read: nothing lacks $kind" '^No failure found' '^Search complete'
		judge "asleep in read: the copy has all $kind" [ -z "$(grep "lacked\|can't do what" "$SCRATCH/out")" ]
		judge "asleep in read: the original is woken $kind" go_on
		start 4 "$MIDWAY" short 3 $kind
		run attach --explore -o short.sched $pid
		ended "a byte too few: found $kind" 1
		says "a byte too few: what $kind" '^deadlock: T1 waits for T. to exit, T. waits (in|for (pipe|eventfd) [0-9]+)' '^The process goes on'
		kill $pid
		wait $pid
		run replay short.sched
		ended "a byte too few: replayed $kind" 0
		says "a byte too few: as recorded $kind" 'deadlock as recorded'
		if command -v gdb >/dev/null; then
			run gdb short.sched -nx -batch -ex continue -ex 'thread 1' -ex bt -ex reverse-continue -ex 'fmc-goto 3' -ex continue
			says "a byte too few: under GDB $kind" 'at the end, after transition .*: deadlock' 'in serve .*midway.c' \
				'No more reverse-execution'
		else
			skip "a byte too few: under GDB $kind (there is no gdb)"
		fi
		rm -f "$SCRATCH"/short.*
	done
	start 3 "$MIDWAY" bytes 2
	exec {shared}<"/proc/$pid/fd/3"
	run attach --explore --strategy optimal --require-complete $pid
	exec {shared}<&-
	ended "a pipe that others have: not complete" 2
	says "a pipe that others have: who would have used it" "can't do what it did: T[23]: read from pipe 3"
	judge "a pipe that others have: the original reads it" go_on
	start 3 "$MIDWAY" bytes 2 sent
	run attach --explore --strategy optimal --require-complete $pid
	ended "a pipe that a message has: not complete" 2
	says "a pipe that a message has: who would have used it" "can't do what it did: T[23]: read from pipe 3"
	judge "a pipe that a message has: the original reads it" go_on
	# Whoever has started it may have it, too, and can't be looked into.
	user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	mkdir "$SCRATCH/theirs"
	cp "$FMC" "$MIDWAY" "$SCRATCH/theirs"
	chmod 755 "$SCRATCH"
	chown 65534 "$SCRATCH/theirs"
	if "${user[@]}" "$SCRATCH/theirs/fmc" --version >/dev/null 2>&1; then
		start 3 "${user[@]}" "$SCRATCH/theirs/midway" bytes 2
		(cd "$SCRATCH/theirs" && timeout -k 10 100 "${user[@]}" ./fmc attach --explore --strategy optimal --require-complete $pid) </dev/null \
			>"$SCRATCH/out" 2>"$SCRATCH/err"
		status=$?
		ended "a pipe of who knows whom: not complete" 2
		says "a pipe of who knows whom: who would have used it" "can't do what it did: T[23]: read from pipe 3"
		judge "a pipe of who knows whom: the original reads it" go_on
	else
		skip "a pipe of who knows whom (nobody may run a copy of fmc here)"
	fi
else
	skip "pipes and event counters (it can't be known here whose they are)"
fi

# The command line.
run attach --keep-running 1
ended "--keep-running alone" 64
run attach --strategy dfs 1
ended "a search's option without a search" 64
run attach --explore --watch 1 1
ended "--explore and --watch" 64
run attach --explore no-such-process
ended "no such process" 69
# A thread whose next step no copy can do, when others sleep in functions of libc's already: told once, nothing is searched.
start 3 "$PWD/$BUILD/targets/relay" cond recv
run attach --explore $pid
ended "receives from a socket: refused" 69
judge "receives from a socket: who, and why" grep -q "T2 can't be gone on with: .*: receive from socket" "$SCRATCH/err"
judge "receives from a socket: no image is left" [ -z "$(ls "$SCRATCH" | grep relay)" ]
untouched "receives from a socket"
stop
finish
