#!/bin/bash
# fmc attach --explore: processes that run natively and stand before what can go wrong (tests/targets/midway.c), explored from
# there; what is found is replayed, also under GDB, and the process goes on as if nothing had been.
. tests/lib.sh
. tests/native.sh
MIDWAY=$PWD/$BUILD/targets/midway
FMC=$(realpath "$FMC")

# start THREADS PROGRAM ARGUMENT...: in the background; returns when it has so many threads and all of them sleep.
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
	says "philosophers: under GDB" 'at the end, behind transition .*: deadlock' 'T3 eat +waits for forks\[2\] held by T4' 'in eat .*midway.c' \
		'No more reverse-execution' '=> T1 main +at the saved state' 'Thread 1 \"T1 main\" .*nanosleep' 'Thread 1 .* stopped' 'Thread 2 .* stopped'
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

# A signal that may come too early; the process isn't held.
start 3 "$MIDWAY" lost
run attach --explore --keep-running --strategy cb:1 -o lost.sched $pid
ended "lost wakeup: found" 1
says "lost wakeup: what" 'lost.image.*the process goes on' '^deadlock: T1 waits for T2 to exit, T2 waits for a signal of ready'
untouched "lost wakeup"
judge "lost wakeup: the original goes on" go_on
run replay lost.sched
ended "lost wakeup: replayed" 0

# Nothing to be found: as many executions as there are orders of the N critical sections at the gate and of the 2 N behind it.
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
run attach --explore --require-complete $pid
ended "socket: not complete" 2
says "socket: who would have used it" "can't do what it did: T3: .*socket"
judge "socket: the original uses it" go_on

# The command line.
run attach --keep-running 1
ended "--keep-running alone" 64
run attach --strategy dfs 1
ended "a search's option without a search" 64
run attach --explore --watch 1 1
ended "--explore and --watch" 64
run attach --explore no-such-process
ended "no such process" 69
finish
