#!/bin/bash
# fmc attach: two processes that hang in each other, or only seem to. REPEAT: how often pairs that never hang are looked at.
. tests/lib.sh
. tests/native.sh
REPEAT=${REPEAT:-12}
! long || REPEAT=200
TARGET=$BUILD/targets/across

# An input that stays open and empty, which nobody but this script could write to.
mkfifo "$SCRATCH/input"
exec {input}<>"$SCRATCH/input"

# start CASE: both of its processes, or three; sets pid and folder. Other processes here have no other end of anything of theirs.
start() {
	folder=$SCRATCH/$1
	rm -rf "$folder"
	mkdir "$folder"
	"$TARGET" "$1" "$folder" <"$SCRATCH/input" >"$SCRATCH/said" 2>/dev/null {input}>&- &
	pid=$!
}

# family PID: it and its children, and theirs; in $family.
family() {
	local child
	[ "$1" != "$pid" ] || family=()
	family+=("$1")
	children "$1"
	for child in $children; do family "$child"; done
}

# all_asleep COUNT: there are so many, and all sleep.
all_asleep() {
	local member
	while family "$pid" && [ ${#family[@]} -ne "$1" ]; do
		kill -0 "$pid" || return 1
		sleep 0.01
	done
	for member in "${family[@]}"; do asleep "$member" || return 1; done
}

# told NAME STATUS KIND REGEX: of the last look. P stands for the process, C for its child, N for any process's number.
told() {
	local pattern=$4 kind message
	children "$pid"
	pattern=${pattern//@P/$pid}
	pattern=${pattern//@C/${children%% *}}
	kind=$(field causes.0.kind) message=$(field causes.0.message)
	[ "$status $kind" = "$2 $3" ] && [[ $message =~ $pattern ]] && [ ! -s "$SCRATCH/err" ]
	judge "$1" [ $? -eq 0 ] || :
	[[ "$status $kind" = "$2 $3" && $message =~ $pattern ]] || show "$SCRATCH/out" "$SCRATCH/err"
}

# look_for_certain: what another process sends to yet another may hold an end of a pipe for a moment, so that nothing is certain.
look_for_certain() {
	local try
	for try in 1 2 3 4 5; do
		look attach "$1"
		[ "$status" -ne 0 ] || continue
		return
	done
}

# counts: how often each of them has come to a processor; in $counts.
counts() {
	local member task line
	counts=
	family "$pid"
	for member in "${family[@]}"; do
		for task in /proc/"$member"/task/*; do
			{ read -r line <"$task/schedstat"; } 2>/dev/null || continue
			counts+=" ${line##* }"
		done
	done
}

# What hangs: status 1, and it is left as it was: it still hangs, and does what it would have done when it is let go.
# processes | case | kind | what the message says
while IFS='|' read -r count how kind pattern; do
	start "$how"
	all_asleep "$count"
	judge "$how: hangs" [ $? -eq 0 ]
	look_for_certain "$pid"
	told "$how" 1 "$kind" "$pattern"
	judge "$how: certain" [ "$(field causes.0.certain)" = true ]
	judge "$how: the stack of the other" grep -Eq '^[0-9]+ T1 second' "$SCRATCH/out"
	# From the other side it is the same.
	children "$pid"
	look_for_certain "${children%% *}"
	judge "$how: from the other side" [ "$status $(field causes.0.kind)" = "1 $kind" ]
	all_asleep "$count"
	judge "$how: left as it was" [ $? -eq 0 ]
	stop
done <<'END'
2|read|deadlock|T1 waits to read from pipe [0-9]+, whose other end @C \(second\) has, @C T1 waits to read from pipe [0-9]+, whose other end @P \(across\) has$
2|write|deadlock|T1 waits to write to pipe [0-9]+, whose other end @C \(second\) has, @C T1 waits to write to pipe [0-9]+, whose other end @P \(across\) has$
2|wait|deadlock|T1 waits for its child @C \(second\) to end, @C T1 waits to read from pipe [0-9]+, whose other end @P \(across\) has$
2|wait-own|deadlock|T1 waits for one of its children to end: @C \(second\), @C T1 waits to read from pipe [0-9]+, whose other end @P \(across\) and itself have$
2|keep-own|nobody-left|@C T1 waits to read from pipe [0-9]+, and nobody is left to come to its other end$
3|three|deadlock|T1 waits to read .*, ([0-9]+) T1 waits to read .*, ([0-9]+) T1 waits to read from pipe [0-9]+, whose other end @P \(across\) has$
2|stream|deadlock|T1 waits to read from socket [0-9]+, whose other end @C \(second\) has, @C T1 waits to read from socket [0-9]+, whose other end @P \(across\) has$
2|datagram|deadlock|T1 waits to read from socket [0-9]+, whose other end @C \(second\) has, @C T1 waits to read from socket [0-9]+, whose other end @P \(across\) has$
2|unix|deadlock|T1 waits to read from socket [0-9]+ at .*/socket, whose other end @C \(second\) has, @C T1 waits to read from socket [0-9]+, whose other end @P \(across\) has$
2|tcp|deadlock|T1 waits to read from socket [0-9]+ to 127\.0\.0\.1:[0-9]+, whose other end @C \(second\) has, @C T1 waits to read from socket [0-9]+ to 127\.0\.0\.1:[0-9]+, whose other end @P \(across\) has$
2|flock|deadlock|T1 waits for .*/b held by @C \(second\), @C T1 waits for .*/a held by @P \(across\)$
2|ofd|deadlock|T1 waits for .*/b held by @C \(second\), @C T1 waits for .*/a held by @P \(across\)$
2|locker|deadlock|T1 waits for its child @C \(second\) to end, @C T1 waits for .*/a held by @P \(across\)$
2|mutex|deadlock|T1 waits for shared\.mutexes\[1\].* held by @C T1 \(process-shared\), @C T1 waits for shared\.mutexes\[0\].* held by T1 \(process-shared\)$
2|mutex-file|deadlock|T1 waits for shared\.mutexes\[1\].* held by @C T1 \(process-shared\), @C T1 waits for shared\.mutexes\[0\].* held by T1 \(process-shared\)$
2|cond|nobody-left|T1 waits for a signal of shared\.cond.*, shared with @C \(second\).*, and nobody is left to give one$
2|sem|nobody-left|T1 waits for a post of shared\.sem.*, shared with @C \(second\).*, and nobody is left to post it$
2|sem-unlinked|nobody-left|T1 waits for a post of shared\.sem.*, shared with @C \(second\).*, and nobody is left to post it$
END

# Only one of them is left.
start dead
all_asleep 1
look_for_certain "$pid"
told "dead" 1 owner-dead 'T1 waits for shared\.mutexes\[0\].*, whose holder \(thread [0-9]+\) has ended'

# Stopped by job control: the one that is waited for.
stop
start stopped
while children "$pid" && ! grep -qs '^State:.T' "/proc/$children/status"; do kill -0 "$pid" || break; done
asleep "$pid"
look_for_certain "$pid"
told "stopped" 1 stopped 'process @C \(second\) is stopped by job control, and T1 waits for its child @C \(second\) to end$'
judge "stopped: left so" grep -q '^State:.T' "/proc/$children/status"
stop

# What is likely only, since somebody might come, or a handler be called: told so, status 0.
while IFS='|' read -r count how kind pattern; do
	start "$how"
	all_asleep "$count"
	judge "$how: hangs" [ $? -eq 0 ]
	look attach "$pid"
	told "$how" 0 "$kind" "$pattern"
	judge "$how: not certain" [ "$(field causes.0.certain) $(field certain)" = "false false" ]
	judge "$how: likely" grep -q "^likely $kind" "$SCRATCH/out"
	[ "$how" != sets ] || ipcrm -s "$(cat "$SCRATCH/said")"
	stop
done <<'END'
2|sets|deadlock|T1 waits for a post of semaphore 1 of set [0-9]+, last changed by @C \(second\).*, @C T1 waits for a post of semaphore 0 of set [0-9]+, last changed by @P \(across\)
2|open-fifos|deadlock|T1 waits to read from .*/fifo0, which @C \(second\) might open \(it opens it, and nobody has its other end\), @C T1 waits to read from .*/fifo1, which @P \(across\) might open
2|fifos|deadlock|T1 waits to read from .*/fifo0, whose other end @C \(second\) has, @C T1 waits to read from .*/fifo1, whose other end @P \(across\) has$
2|handled|deadlock|T1 waits to read from pipe [0-9]+, whose other end @C \(second\) has, @C T1 waits to read from pipe [0-9]+, whose other end @P
END

# JSON: the other process and its threads, and who can end a wait.
start read
all_asleep 2
look attach "$pid"
children "$pid"
child=${children%% *}
judge "a place in the C library is one in its code, whatever is known of its sources" grep -Eq '^ +#0 +read +libc\.so\.6\+0x' "$SCRATCH/out"
judge "JSON: threads of the cause" [ "$(field causes.0.threads.0) $(field causes.0.threads.1)" = "T1 $child T1" ]
judge "JSON: the other process" [ "$(field processes.0.pid) $(field processes.0.name) $(field processes.0.threads.0.thread)" = "$child second $child T1" ]
judge "JSON: its stack" [ -n "$(field processes.0.threads.0.stack.0.function)" ]
judge "JSON: who can end the wait" [ "$(field threads.0.wait.processes.0.pid) $(field threads.0.wait.processes.0.name)" = "$child second" ]
judge "JSON: and that one's" [ "$(field processes.0.threads.0.wait.processes.0.pid)" = "$pid" ]
judge "JSON: holders" [ "$(field threads.0.wait.holders.0)" = "$child T1" ]
judge "the last line" grep -Eq '^The 2 processes stood still for [0-9]+\.[0-9] ms at most and go on\.$' <(tail -n 1 "$SCRATCH/out")
look attach --watch 0.05 --count 3 "$pid"
told "--watch" 1 deadlock 'T1 waits to read from pipe'
judge "--watch: stuck" [ "$(grep -c '^After [0-9.]* s: stuck: T1$' "$SCRATCH/out")" -eq 2 ]

# A process that may not be looked into is named. Both are looked at by a user that the child isn't of.
stop
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups "$FMC" --version >/dev/null 2>&1; then
	chmod 711 "$SCRATCH"
	folder=$SCRATCH/hidden
	mkdir "$folder"
	chmod 777 "$folder"
	cp "$TARGET" "$folder/across"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$folder/across" read "$folder" </dev/null >/dev/null 2>&1 &
	pid=$!
	all_asleep 2
	children "$pid"
	child=${children%% *}
	# Another process traces the child, so that nobody else may look at it.
	gdb -q -batch -p "$child" -ex 'shell touch '"$folder/traced" -ex "shell until [ -e $folder/over ]; do sleep 0.02; done" \
	    >/dev/null 2>&1 &
	tracer=$!
	until [ -e "$folder/traced" ]; do kill -0 $tracer 2>/dev/null || break; done
	look attach "$pid"
	judge "hidden: named" grep -Eq "whose other end process $child \(second\), which may not be looked into has" "$SCRATCH/out"
	judge "hidden: nothing is certain" [ "$status $(field certain)" = "0 false" ]
	touch "$folder/over"
	wait $tracer
else
	skip "a process that may not be looked into: only root can try that"
fi
stop

# What isn't wrong: idle or busy, at every look, and it goes on.
for how in rally idle idle-threads work named readers; do
	start "$how"
	case $how in
	rally | work) while children "$pid" && [ -z "$children" ]; do kill -0 "$pid" || break; done ;;
	*) all_asleep 2 ;;
	esac
	wrong=
	for ((i = 0; i < REPEAT; i++)); do
		look attach "$pid"
		[[ $status,$(field causes.0.kind) == 0,@(busy|idle|hot) ]] || wrong+=" $status,$(field causes.0.message)"
	done
	judge "$how: nothing is wrong in $REPEAT looks$wrong" [ -z "$wrong" ]
	counts
	before=$counts
	case $how in
	rally | work) while counts && [ "$counts" = "$before" ]; do kill -0 "$pid" || break; done ;;
	esac
	judge "$how: goes on" kill -0 "$pid"
	stop
done
finish
