#!/bin/bash
# Threads and processes that try for locks of the kernel's: who gives back what it has and tries again may do so for ever, which is told with its cycle, and
# played; who waits gets its turn in the end.
. tests/lib.sh
TARGET=$BUILD/targets/tries
export TMPDIR=$SCRATCH/files

# tries OPTION... HOW LOCK [process]: fmc's status, in an empty folder.
tries() {
	rm -rf "$TMPDIR"
	mkdir "$TMPDIR"
	timeout -k 10 100 "$FMC" check --json "$SCRATCH/result.json" -o "$SCRATCH/found.sched" "$@" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
}

field() {
	"$BUILD/tests/json" "$SCRATCH/result.json" "$1"
}

# What says by a lock or a message that it isn't to be had says so to fmc, too; a name says nothing, and who tries for it lets others go on by himself.
while read -r how lock; do
	for process in '' process; do
		[ -z "$process" ] && parts='T2, T3' follow= || parts='T1.1, T2.1' follow=--follow
		tries $follow --no-minimize -- "$TARGET" $how $lock $process
		judge "$lock $process: a livelock, found by default" [ "$status $(field findings.0.kind)" = "1 livelock" ]
		says "$lock $process: with its cycle" "^livelock: [0-9]+ transitions of $parts repeated for ever"
		rm -rf "${TMPDIR:?}"/*
		timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
		judge "$lock $process: played" [ $? -eq 0 ]
	done
done <<'END'
back pipe
back pair
back eventfd
back semop
back msgrcv
back mq
back flock
back fcntl
yield exclusive
yield link
yield mkdir
yield rename
yield noreplace
yield shm
END

# Older versions told of a livelock when the state came again for the first time, not one round later: theirs is played as it was written, and nothing shorter.
"$FMC" check --strategy cb:1 --depth 16 --no-minimize -o "$SCRATCH/long.sched" -- "$BUILD/samples/trylock_livelock" >"$SCRATCH/out" 2>&1
for length in 28 29; do
	awk -v end=$length '$1 == "loop" { $2 = end - 5 } $1 == "length" { $2 = end } $1 !~ /^[0-9]+$/ || $1 <= end' "$SCRATCH/long.sched" >"$SCRATCH/$length.sched"
	timeout 60 "$FMC" replay "$SCRATCH/$length.sched" </dev/null >"$SCRATCH/$length.out" 2>&1
	echo $? >"$SCRATCH/$length.status"
done
cp "$SCRATCH/29.out" "$SCRATCH/out"
says "a livelock of an older version: played" '^Replayed 29 transitions: livelock as recorded'
cp "$SCRATCH/28.out" "$SCRATCH/out"
says "no livelock where none is seen" 'transition 29: expected the end'

# Tries that come to an end are none, and messages that weren't taken are still there, in their order.
for lock in semop mq rename; do
	tries --strategy cb:1 -- "$TARGET" shrink $lock
	judge "$lock: some tries are no livelock" [ "$status $(field findings.0.kind)" = "0 " ]
	says_not "$lock: no execution is cut" 'cut at'
done

# Who waits for a lock that another one has whenever it looks gets it.
for how in barge hog; do
	for lock in semop msgrcv mq flock fcntl 'fcntl process' 'mq process'; do
		[[ $lock = *process ]] && follow=--follow || follow=
		tries $follow --strategy cb:1 -- "$TARGET" $how $lock
		judge "$how $lock: no failure" [ "$status $(field findings.0.kind)" = "0 " ]
		says "$how $lock: each execution ends" 'isn.t complete:$' '^  - only executions with at most 1 preemption were all run$'
		says_not "$how $lock: no execution is cut" 'cut at|broken off'
	done
done

fmc=$(realpath "$FMC")
asks=$(realpath "$BUILD/targets/asks_outside")
# Who goes round and asks for what somebody outside could change isn't told as a livelock; who asks for what nobody else has is.
asks() {
	rm -rf "$TMPDIR"
	mkdir "$TMPDIR"
	(cd "$TMPDIR" && exec timeout -k 10 60 "$fmc" check --depth 100 --strategy cb:0 --executions 3 --no-minimize --json "$SCRATCH/result.json" -o "$SCRATCH/found.sched" -- \
		"$asks" "$1" </dev/null >"$SCRATCH/out" 2>&1)
	status=$?
}
for what in fifo fifo-poll fifo-select fifo-epoll fifo-ioctl fifo-open datagram datagram-read datagram-poll accept connect \
	semop semctl semget msgrcv mq mq-attr mq-poll stat access open gone exclusive mkdir unlink rename link readlink grows seek read pread flock getlk inotify \
	signalfd sigpending kill getdents getppid time shared-file shared-to-read semaphore; do
	asks $what
	judge "asks $what: no failure" [ "$status $(field findings.0.kind)" = "0 " ]
	says "asks $what: somebody outside could end it" 'executions? threads went round and round, which something outside could have ended'
done
for what in own-shared-file own-shared own-semaphore own-pipe own-pipe-poll own-event own-pair own-sem never writes pid; do
	asks $what
	judge "asks $what: a livelock" [ "$status $(field findings.0.kind)" = "1 livelock" ]
done
# Nor is one who waits in memory that others can map by its name told as a deadlock.
for what in semaphore-wait barrier; do
	asks $what
	judge "asks $what: no failure" [ "$status $(field findings.0.kind)" = "0 " ]
	says "asks $what: somebody outside could end it" 'in [0-9]+ executions? all threads waited for something outside'
	asks own-$what
	judge "asks own-$what: a deadlock" [ "$status $(field findings.0.kind)" = "1 deadlock" ]
done
finish
