#!/bin/bash
# fmc attach and fmc core: samples run natively until they hang, what only looks like a hang, and what is wrong with a command line.
# PERTURB_TRIES: how often a sample is run until it hangs. REPEAT: how often what never hangs is looked at.
. tests/lib.sh
. tests/native.sh
TRIES=${PERTURB_TRIES:-60}
REPEAT=${REPEAT:-8}
PERTURBER=$PWD/$BUILD/tests/perturb.so

# start PROGRAM ARGUMENT...: in the background, its input open and empty; sets pid.
start() {
	"$@" <"$SCRATCH/input" >/dev/null 2>&1 &
	pid=$!
}

# hang PROGRAM ARGUMENT...: run it until it hangs, each time otherwise; sets pid. False if it never does.
hang() {
	local try
	for ((try = 1; try <= TRIES; try++)); do
		start env LD_PRELOAD="$PERTURBER" PERTURB=$try $steps "$@"
		if asleep "$pid"; then return 0; fi
		stop
	done
	return 1
}

# told NAME STATUS KINDS REGEX: the last look ended so, the first cause is of one of these kinds, and its message matches.
told() {
	local kind
	kind=$(field causes.0.kind)
	[ "$status" -eq "$2" ] && [[ ",$3," == *",$kind,"* ]] && [[ "$(field causes.0.message)" =~ $4 ]] && [ ! -s "$SCRATCH/err" ]
	judge "$1" [ $? -eq 0 ] || :
	[[ "$status $kind" == "$2 "* && ",$3," == *",$kind,"* && "$(field causes.0.message)" =~ $4 ]] || show "$SCRATCH/out" "$SCRATCH/err"
}

# same_core NAME KINDS REGEX: a core file of the process tells the same.
same_core() {
	if ! command -v gcore >/dev/null; then
		skip "$1, from a core file: no gcore (Debian: apt-get install gdb)"
		return
	fi
	sed -n '/^T1/,/^$/p' "$SCRATCH/out" >"$SCRATCH/live"
	gcore -o "$SCRATCH/core" "$pid" >/dev/null 2>&1
	look core "$SCRATCH/core.$pid"
	told "$1, from a core file" "$4" "$2" "$3"
	sed -n '/^T1/,/^$/p' "$SCRATCH/out" | diff "$SCRATCH/live" - >"$SCRATCH/differences"
	judge "$1, from a core file: threads and stacks are the same" [ $? -eq 0 ]
	show "$SCRATCH/differences"
	rm -f "$SCRATCH/core.$pid"
}

# An input that stays open and empty.
mkfifo "$SCRATCH/input"
exec {input}<>"$SCRATCH/input"

# Every sample that deadlocks or loses a wake-up. What spins instead (spinlocks, livelocks) isn't asleep and not told of here.
# kinds | program and arguments | what the message says | + core files, too | s: between any two instructions
while IFS='|' read -r kinds words pattern more; do
	read -ra command <<<"$words"
	steps=
	[[ $more == *s* ]] && steps=PERTURB_STEPS=1
	if ! hang "$BUILD/samples/${command[0]}" "${command[@]:1}"; then
		fail "$words: doesn't hang in $TRIES runs"
		continue
	fi
	look attach "$pid"
	told "$words" 1 "$kinds" "$pattern"
	judge "$words: certain" [ "$(field causes.0.certain)" = true ]
	judge "$words: it is left as it was" asleep "$pid"
	[[ $more == *+* ]] && same_core "$words" "$kinds" "$pattern" 1
	stop
done <<'END'
deadlock|philosophers 3|T2 waits for forks\[1\] held by T3, T3 waits for forks\[2\] held by T4, T4 waits for forks\[0\] held by T2|+
deadlock|lock_order|T1 waits for to held by T2, T2 waits for from held by T1|
deadlock|philosophers_mut 2 unguarded|T2 waits for forks\[1\] held by T3, T3 waits for forks\[0\] held by T2|
self-deadlock|once again|T[23] waits for .*once held by itself|
owner-dead|cancel careless|T1 waits for lock, whose holder .* has ended|+
owner-dead|main_exits hold|T[23]( and T3)? waits? for lock held by T1|
nobody-left|lost_wakeup|T1 waits for a signal of done, and nobody is left to give one|+
nobody-left|barrier one-short|T2 to T4 wait for barrier \(3 of 4 have come\), and nobody is left to come to it|+
nobody-left|simple_barrier 5 deadlock|T2 to T6 wait for barrier \(5 of 6|
nobody-left|checksum samples/texts|waits? for a signal of pool.queue.more|
nobody-left,empty-queue|checksum samples/texts 2|waits? for a signal of pool.queue.more|
empty-queue,nobody-left|cond_broadcast 2 deadlock|T2.* waits? for a signal of told|+
nobody-left|futex_mutex_broken|waits? for a wake of word|
nobody-left|philosophers_homemade 2 deadlock|T2 waits for a signal of forks\[1\].positive, T3 waits for a signal of forks\[0\].positive|
nobody-left|reader_two_writers 1 deadlock|waits? for a signal of lock.writable|
nobody-left,empty-queue|reader_writer writers 1 2 deadlock|waits? for a signal of changed|
empty-queue,nobody-left|cond_broadcast 2 library deadlock|T2.* waits? for a post of queue|
nobody-left|philosophers_sem 3 deadlock|T2 waits for a post of forks\[1\] .*, T3 waits for a post of forks\[2\] .*, T4 waits for a post of forks\[0\]|
nobody-left|producer_consumer 1 1 1 1 deadlock|T3 waits for a post of filled_slots|
nobody-left|reader_writer_mut 1 1 deadlock|T2 waits for a post of resource|
nobody-left|sleeping_barber 1 1 deadlock|T2 waits for a signal of someone|
nobody-left|atomic_locks|T1 waits for a wake of second .*, T2 waits for a wake of first|s
nobody-left|reader_writer_rwlock 2 1 deadlock|waits? for lock \(.* readers? ha|
nobody-left|rwlock_preference writers-first|T1 waits for lock|
END
steps=

# Programs without debug information, without symbols, and without a shared library to know things from.
strip -o "$SCRATCH/stripped" "$BUILD/samples/philosophers"
if hang "$SCRATCH/stripped" 3; then
	look attach "$pid"
	told "philosophers, stripped" 1 deadlock \
	    'T2 waits for .* held by T3, T3 waits for .* held by T4, T4 waits for .* held by T2'
	stop
else
	fail "philosophers, stripped: doesn't hang in $TRIES runs"
fi
strip -o "$SCRATCH/static" "$BUILD/targets/hangs.static"
for program in "$BUILD/targets/hangs" "$BUILD/targets/hangs.static" "$SCRATCH/static"; do
	name=${program##*/}
	for how in cycle exits queue; do
		start "$program" $how
		asleep "$pid"
		judge "$name $how hangs" [ $? -eq 0 ]
		look attach "$pid"
		# Without symbols nobody knows whose code waits: that nobody is left is certain, but not for what.
		case ${program%/*}:$how in
		"$SCRATCH:cycle") told "$name $how" 1 nobody-left 'T1 waits for .* held by T2, T2 waits for .* held by T1' ;;
		"$SCRATCH:exits") told "$name $how" 1 nobody-left 'T1 waits for .*, whose holder \(thread [0-9]+\) has ended' ;;
		*:cycle) told "$name $how" 1 deadlock 'T1 waits for .* held by T2, T2 waits for .* held by T1' ;;
		*:exits) told "$name $how" 1 owner-dead 'T1 waits for .*, whose holder \(thread [0-9]+\) has ended' ;;
		*:queue) told "$name $how" 1 empty-queue 'T2 to T5 wait for .*, while T1 waits for T2 to exit' ;;
		esac
		stop
	done
done

# Locks without a name of their own: by the types that they are members of, and different ones differently.
start "$BUILD/targets/members"
asleep "$pid" 10
judge "members sleep" [ $? -eq 0 ]
look attach "$pid"
member='account\.lock at heap \+0x[0-9a-f]+'
pattern="T2 waits for ($member) held by T3, T3 waits for ($member) held by T2"
told "members" 1 deadlock "$pattern"
[[ "$(field causes.0.message)" =~ $pattern ]]
judge "members: two locks, two names" [ "${BASH_REMATCH[1]}" != "${BASH_REMATCH[2]}" ]
judge "members: the same name in JSON" [ "$(field threads.1.wait.name)" = "${BASH_REMATCH[1]}" ]
message=$(field causes.0.message)
if command -v gcore >/dev/null; then
	gcore -o "$SCRATCH/core" "$pid" >/dev/null 2>&1
	look core "$SCRATCH/core.$pid"
	judge "members, from a core file: the same" [ "$(field causes.0.message)" = "$message" ]
	rm -f "$SCRATCH/core.$pid"
else
	skip "members, from a core file: no gcore (Debian: apt-get install gdb)"
fi
stop

# What isn't wrong for certain: status 0.
while IFS='|' read -r how kinds pattern; do
	start "$BUILD/targets/hangs" "$how"
	if [ "$how" = hot ]; then
		until [ "$(grep -l '^State:.S' /proc/$pid/task/*/status 2>/dev/null | wc -l)" -eq 4 ]; do :; done
	else
		asleep "$pid"
	fi
	look attach "$pid"
	# A machine that has no time for it may not show in one look how much it wants to run.
	for again in 1 2 3 4 5; do
		[ "$how" = hot ] && [ "$(field causes.0.kind)" = busy ] && look attach "$pid"
	done
	told "hangs $how" 0 "$kinds" "$pattern"
	judge "hangs $how: not certain" [ "$(field certain)" = false ]
	stop
done <<'END'
idle|idle|T1 waits .*in read; T2 to T5 wait for a signal of work
chain|chain|T2 to T5 wait for first held by T1, while T1 waits .*in read
hot|hot|T1 runs all the time at .*hangs.c:[0-9]+ in (hold|main), and T2 to T5 wait for first held by T1
quit|nobody-left|T1 waits for a post of quit
child|chain|T1 waits for .* held by [0-9]+ T1 \(process-shared\), while [0-9]+ T1 waits for a signal of the system, in pause
END

# Stopped by job control: told, and left stopped.
start "$BUILD/targets/hangs" idle
asleep "$pid"
kill -STOP "$pid"
until grep -q '^State:.T' /proc/$pid/status; do :; done
look attach "$pid"
told "stopped" 1 stopped 'stopped by job control'
judge "stopped: left so" grep -q '^State:.T (stopped)' /proc/$pid/status
kill -CONT "$pid"
look attach "$pid"
told "going on again" 0 idle 'T1 waits .*in read'

# Frozen by its control group, of either version: told, as it looks as if it slept.
# frozen VERSION GROUP FILE FREEZE THAW FROZEN
frozen() {
	local group=$2/fmc-test-$$
	if ! mkdir "$group" 2>/dev/null; then
		skip "frozen, $1: no control group of one's own here"
		return
	fi
	stop
	start "$BUILD/targets/hangs" idle
	asleep "$pid"
	echo "$pid" >"$group/cgroup.procs"
	echo "$4" >"$group/$3"
	until grep -qs "$6" "$group/cgroup.events" "$group/freezer.state"; do :; done
	look attach "$pid"
	told "frozen, $1" 1 stopped 'the process is frozen'
	judge "frozen, $1: left so" grep -qs "$6" "$group/cgroup.events" "$group/freezer.state"
	echo "$5" >"$group/$3"
	look attach "$pid"
	told "thawed, $1" 0 idle 'T1 waits .*in read'
	stop
	rmdir "$group"
	start "$BUILD/targets/hangs" idle
}
group=$(awk '$0 ~ / - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
frozen "version 2" "${group:-/nowhere}" cgroup.freeze 1 0 'frozen 1'
group=$(awk '$0 ~ / - cgroup .*freezer/ { print $5; exit }' /proc/self/mountinfo)
frozen "version 1" "${group:-/nowhere}" freezer.state FROZEN THAWED FROZEN

# Two threads that are never both asleep, whatever a look finds of one after the other.
stop
for kind in pipe socket futex cond sem; do
	start "$BUILD/targets/relay" $kind rally
	wrong=
	for ((i = 0; i < REPEAT; i++)); do
		look attach "$pid"
		[[ $status,$(field causes.0.kind) == 0,@(busy|idle|hot) ]] || wrong+=" $status,$(field causes.0.message)"
	done
	judge "$kind, to and fro: neither is stuck$wrong" [ -z "$wrong" ]
	stop
done
start "$BUILD/targets/hangs" idle
asleep "$pid"

# Threads of a run-time system's own are another matter: said in one line.
stop
cp "$PERTURBER" "$SCRATCH/libjvm.so"
start env LD_PRELOAD="$SCRATCH/libjvm.so" "$BUILD/targets/hangs" cycle
asleep "$pid"
look attach "$pid"
told "Java" 1 deadlock 'T1 waits for second held by T2'
judge "Java: a note" grep -qx "This is a Java virtual machine, .*; 'jcmd $pid Thread.print' shows them\." "$SCRATCH/out"
stop
objcopy --add-section .go.buildinfo=/dev/null "$BUILD/targets/hangs.static" "$SCRATCH/go"
start "$SCRATCH/go" cycle
asleep "$pid"
look attach "$pid"
judge "Go: a note" [ "$(field note)" = "This is a Go program, whose goroutines aren't shown, only the threads that run them; 'dlv attach $pid' shows them." ]

# By name; JSON on standard output; --watch.
cp "$BUILD/targets/hangs" "$SCRATCH/fmc-$$"
stop
start "$SCRATCH/fmc-$$" cycle
asleep "$pid"
look attach fmc-$$
told "by name" 1 deadlock 'T1 waits for second held by T2'
judge "by name: the right process" [ "$(field pid)" = "$pid" ]
judge "in words: its threads" grep -q "^T1 main (tid $pid): waits for second held by T2, in pthread_mutex_lock$" "$SCRATCH/out"
judge "in words: its stack" grep -Eq '^    #[0-9]+  main  +hangs\.c:[0-9]+$' "$SCRATCH/out"
judge "in words: the last line" grep -Eq '^The process stood still for [0-9]+\.[0-9] ms and goes on\.$' <(tail -n 1 "$SCRATCH/out")
timeout 60 "$FMC" attach --json - fmc-$$ </dev/null >"$JSON" 2>"$SCRATCH/err"
judge "JSON on standard output, words elsewhere" [ $? -eq 1 -a "$(field threads.1.wait.holders.0)" = T1 -a -s "$SCRATCH/err" ]
for path in fmc verdict certain pid program core still_milliseconds symbols certain causes.0.threads.1 threads.0.thread threads.0.tid threads.0.number \
    threads.0.kernel_name threads.0.kernel_state threads.0.state threads.0.cpu_seconds threads.0.place threads.0.stack.0.function \
    threads.0.wait.kind threads.0.wait.call threads.0.wait.object threads.0.wait.name; do
	judge "JSON: $path" [ -n "$(field $path)" ]
done
look attach --watch 0.05 --count 3 "$pid"
told "--watch" 1 deadlock 'T1 waits for second held by T2'
judge "--watch: stuck" [ "$(grep -c '^After [0-9.]* s: stuck: T1 and T2$' "$SCRATCH/out")" -eq 2 ]
judge "--watch: JSON" [ "$(field threads.0.moved) $(field threads.1.moved)" = "false false" ]
stop
start "$BUILD/targets/hangs" hot
until [ "$(grep -l '^State:.S' /proc/$pid/task/*/status 2>/dev/null | wc -l)" -eq 4 ]; do :; done
look attach --watch 0.2 --count 2 "$pid"
judge "--watch: one computes, the others are stuck" \
    grep -Eq '^After [0-9.]+ s: stuck: T2 to T5 computing: T1 \([0-9]+ % of a processor\)$' "$SCRATCH/out"
# watch: in the background, until it has looked twice; sets watcher.
watch() {
	: >"$SCRATCH/out"
	"$FMC" attach --watch 0.05 "$pid" </dev/null >>"$SCRATCH/out" 2>"$SCRATCH/err" &
	watcher=$!
	until grep -q '^After' "$SCRATCH/out"; do kill -0 $watcher 2>/dev/null || break; done
}
# Ctrl-C ends it, and so does the end of the process.
watch
kill -TERM $watcher
wait $watcher
judge "--watch: Ctrl-C" [ $? -eq 130 -a "$(tail -n 1 "$SCRATCH/out" | grep -c 'looks in')" -eq 1 ]
watch
stop
wait $watcher
judge "--watch: the process ends" [ $? -eq 0 -a "$(cat "$SCRATCH/err")" = 'fmc: the process has ended' ]

# Numbers begin anew at the lowest after the highest: threads are told by age. In a namespace where the program may choose them.
wrapped() {
	unshare --user --map-root-user --pid --fork --mount-proc --kill-child sh -c '
		"$1" >"$2/said" &
		until [ -s "$2/said" ] || ! kill -0 $! 2>/dev/null; do :; done
		[ -s "$2/said" ] && "$3" attach $! --json "$2/result.json"
	' sh "$BUILD/targets/wrapped" "$SCRATCH" "$FMC" >"$SCRATCH/out" 2>"$SCRATCH/err"
}
rm -f "$JSON" "$SCRATCH/said"
wrapped
if [ -s "$JSON" ]; then
	names=$(for t in 1 2 3; do field threads.$t.kernel_name; done)
	judge "numbers that wrap: threads by age" [ "$(echo $names)" = "eldest middle youngest" ]
	judge "numbers that wrap: they did" [ "$(field threads.1.tid)" -gt "$(field threads.2.tid)" ]
else
	skip "numbers that wrap: no namespaces for it here"
fi

# Core files that the kernel writes, if this machine has them where they are looked for: of a hanging process that is sent a signal,
# and of one that crashes.
# dump HOW: run hangs so, until it has ended with a core file.
dump() {
	rm -rf "$SCRATCH/folder"
	mkdir "$SCRATCH/folder"
	(cd "$SCRATCH/folder" && ulimit -c unlimited && exec "$program" "$1") <"$SCRATCH/input" >/dev/null 2>&1 &
	pid=$!
	until [ /proc/$pid/exe -ef "$program" ] || ! kill -0 $pid 2>/dev/null; do :; done
	if [ "$1" = cycle ]; then
		asleep "$pid"
		kill -ABRT "$pid"
	fi
	wait "$pid" 2>/dev/null
	look core "$(echo "$SCRATCH"/folder/core*)"
}
if [ "$(cat /proc/sys/kernel/core_pattern)" = core ]; then
	program=$PWD/$BUILD/targets/hangs
	dump cycle
	told "aborted from outside" 1 deadlock 'T1 waits for second held by T2, T2 waits for first held by T1'
	judge "aborted: the last line" grep -q '^Core file of .*hangs, which SIGABRT ended\.$' "$SCRATCH/out"
	judge "aborted: the signal" [ "$(field signal) $(field core) $(field still_milliseconds)" = "6 true null" ]
	dump crash
	told "crashed" 1 crash 'T2 got SIGSEGV at .*hangs\.c:[0-9]+ in crash'
else
	skip "core files of the kernel: /proc/sys/kernel/core_pattern isn't 'core'"
fi
finish
