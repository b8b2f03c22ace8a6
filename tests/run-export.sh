#!/bin/bash
# fmc export: GDB alone follows the schedules of failures of the samples of each kind to where they fail; those that it can't
# follow are refused by name. Scripts that don't fit say so. Arguments: names of schedules.
. tests/lib.sh
SCHEDULES=${SCHEDULES:-build/check/schedules}

# What GDB alone can't do, and why.
declare -A REFUSED=(
	[counter.1]='transition 8, T[23]: .* another thread changed it'
	[counter.2]='transition 8, T[23]: .* another thread changed it'
	[handler_errno.1]='transition 5, T1: .* handles a signal'
	[handler_lock.1]='transition [0-9]+, T[0-9]: .* handles a signal'
	[handler_lock.2]='transition [0-9]+, T[0-9]: .* handles a signal'
	[stopped.1]='transition [0-9]+, T[0-9]: .* threads that no function of the thread library creates'
	[stopped.2]='transition [0-9]+, T[0-9]: .* threads that no function of the thread library creates'
	[stopped.3]='transition [0-9]+, T[0-9]: .* threads that no function of the thread library creates'
	[alarm_clock.1]='transition [0-9]+, T[0-9]: .* threads that no function of the thread library creates'
	[alarm_clock.2]='transition [0-9]+, T[0-9]: .* threads that no function of the thread library creates'
	[alarm_clock.3]='transition [0-9]+, T[0-9]: .* threads that no function of the thread library creates'
	[suspended.1]='transition [0-9]+, T[0-9]: .* handles a signal'
	[loopback.1]='transition 2, T1: .* the kernel makes connections'
	[no_threads.3]='no second thread'
	[reader_two_writers.5]='transition 5, T2: .* plug-in'
	[ticket_lock.3]='transition 4, T2: .* plug-in'
	[ticket_lock.4]='transition 4, T2: .* plug-in'
	[ticket_lock.6]='transition 4, T2: .* plug-in'
)

header() {
	sed -n "s/^$1 //p;/^\$/q" "$2"
}

# follow SCRIPT PROGRAM: what GDB does, in $SCRATCH/gdb. Calls of its own it may not make: where it doesn't know all registers
# of the processor, it fails when it puts them back.
follow() {
	timeout -k 10 600 gdb -q -nx -batch -iex 'set may-call-functions off' -x "$1" "$2" </dev/null >"$SCRATCH/gdb" 2>&1
}

# at_end: does GDB show the failure where the schedule has it?
at_end() {
	local schedule=$1 end message
	message=$(header message "$schedule")
	end=$(header end "$schedule")
	[ -n "$message" ] || message=${end%% *}
	grep -Fxq "fmc: $message" "$SCRATCH/gdb" || return 1
	case $end in
	"signal "*) grep -Eq "received signal $(cut -d ' ' -f 2 <<<"$end")" "$SCRATCH/gdb" ;;
	esac
}

follow_one() {
	local schedule=$1 name script=$SCRATCH/script.gdb status
	name=$(basename "$schedule" .sched)
	"$FMC" export --gdb -o "$script" "$schedule" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	if [ -n "${REFUSED[$name]-}" ]; then
		[ $status -eq 69 ] && [ "$(wc -l <"$SCRATCH/out")" -eq 1 ] && grep -Eq "${REFUSED[$name]}" "$SCRATCH/out"
		judge "$name is refused: ${REFUSED[$name]}" [ $? -eq 0 ]
		return
	fi
	if [ $status -ne 0 ]; then
		fail "export $name (status $status)"
		show "$SCRATCH/out"
		return
	fi
	follow "$script" "$(header program "$schedule")" && at_end "$schedule"
	status=$?
	judge "GDB follows $name ($(header length "$schedule") transitions): $(header verdict "$schedule")" [ $status -eq 0 ]
	[ $status -eq 0 ] || show "$SCRATCH/gdb"
}

# found NAME OPTION... -- PROGRAM ARGUMENT...: a failure, exported as NAME.gdb.
found() {
	local name=$1
	shift
	"$FMC" check -o "$SCRATCH/$name.sched" "$@" </dev/null >"$SCRATCH/out" 2>&1
	"$FMC" export --gdb -o "$SCRATCH/$name.gdb" "$SCRATCH/$name.sched" </dev/null >>"$SCRATCH/out" 2>&1
	[ $? -eq 0 ] || { fail "export $name"; show "$SCRATCH/out"; }
}

# follows TEXT SCHEDULE SCRIPT PROGRAM
follows() {
	follow "$3" "$4" && at_end "$2"
	local status=$?
	judge "$1" [ $status -eq 0 ]
	[ $status -eq 0 ] || show "$SCRATCH/gdb"
}

# diverges TEXT REGEX SCRIPT PROGRAM: GDB fails with such a line, and doesn't show the failure.
diverges() {
	follow "$3" "$4"
	local status=$?
	[ $status -eq 1 ] && grep -Eq "^fmc: $2" "$SCRATCH/gdb" && ! grep -q '^fmc: deadlock' "$SCRATCH/gdb"
	status=$?
	judge "$1" [ $status -eq 0 ]
	[ $status -eq 0 ] || show "$SCRATCH/gdb"
}

command -v gdb >/dev/null || { skip "no gdb"; finish; exit; }

if [ $# -gt 0 ]; then
	chosen=("${@/#/"$SCHEDULES/"}")
	chosen=("${chosen[@]/%/.sched}")
else
	mapfile -t chosen < <(some_schedules)
fi
for schedule in "${chosen[@]}"; do follow_one "$schedule"; done

# Where the threads stand, in GDB's own words.
program=$BUILD/samples/philosophers
found forks -- "$program" 3
follows "philosophers" "$SCRATCH/forks.sched" "$SCRATCH/forks.gdb" "$program"
judge "three wait for the second fork" [ "$(grep -c ' eat .*philosophers.c:35$' "$SCRATCH/gdb")" = 3 ]
judge "the main thread waits for them" grep -q ' main .*philosophers.c:56$' "$SCRATCH/gdb"
printf 'thread 3\nbt 1\nprint 6 * 7\n' |
    timeout -k 10 60 gdb -q -nx -x "$SCRATCH/forks.gdb" "$program" >"$SCRATCH/gdb" 2>&1
[ $? -eq 0 ] && grep -q '= 42$' "$SCRATCH/gdb" && grep -q '^#0 .*pthread_mutex_lock' "$SCRATCH/gdb"
judge "without -batch GDB stays there" [ $? -eq 0 ]

# Whatever there is to know of the program is in the script.
strip -s -o "$SCRATCH/stripped" "$program"
follows "the same program without symbols" "$SCRATCH/forks.sched" "$SCRATCH/forks.gdb" "$SCRATCH/stripped"
found static -- "$BUILD/samples/philosophers.static" 3
strip -s -o "$SCRATCH/static" "$BUILD/samples/philosophers.static"
follows "a static program without symbols" "$SCRATCH/static.sched" "$SCRATCH/static.gdb" "$SCRATCH/static"

found expires -- "$BUILD/targets/expires"
follows "time-outs" "$SCRATCH/expires.sched" "$SCRATCH/expires.gdb" "$BUILD/targets/expires"
if [ "$(${CXX:-c++} -dumpversion)" = 12 ]; then
	found semaphore --atomics --time 60 -- "$BUILD/samples/cpp_semaphore"
	follows "atomic instructions of a C++ program" "$SCRATCH/semaphore.sched" "$SCRATCH/semaphore.gdb" \
	    "$BUILD/samples/cpp_semaphore"
else
	skip "atomic instructions of a C++ program: another compiler"
fi

# What doesn't fit. Transition 9 is T3's mutex_lock of forks[1].
sed '/^9 /s/forks\[1\]#1/forks[0]#0/' "$SCRATCH/forks.sched" >"$SCRATCH/edited.sched"
"$FMC" export --gdb -o "$SCRATCH/edited.gdb" "$SCRATCH/edited.sched" </dev/null >"$SCRATCH/out" 2>&1
[ $? -eq 1 ] && [ ! -e "$SCRATCH/edited.gdb" ] && grep -q 'expected T3 mutex_lock' "$SCRATCH/out"
judge "a schedule that doesn't fit is refused with its line" [ $? -eq 0 ]
edited() {
	sed "s/^fmc-run 9 3 pthread_mutex_lock \(0x[0-9a-f]*\) .o1/$2/" "$SCRATCH/forks.gdb" >"$SCRATCH/edited.gdb"
	cmp -s "$SCRATCH/forks.gdb" "$SCRATCH/edited.gdb" && fail "$1: the script is as before"
	diverges "$1" "$3" "$SCRATCH/edited.gdb" "$program"
}
edited "another function" 'fmc-run 9 3 pthread_join \1 $o1' 'line 9: expected T3 at pthread_join, .*pthread_mutex_lock'
edited "another object" 'fmc-run 9 3 pthread_mutex_lock \1 $o2' 'line 9: expected T3 to be about .o2'
edited "another caller" 'fmc-run 9 3 pthread_mutex_lock 0x1 $o1' 'line 9: expected T3 to call pthread_mutex_lock from'
edited "a thread that isn't there" 'fmc-run 9 7 pthread_mutex_lock \1 $o1' 'line 9: there is no T7'
edited "a thread that hasn't exited" '&\nfmc-gone' 'line 9: expected T3 to exit'
edited "a transition left out" '' 'line 9: expected T3 to call pthread_mutex_lock from'
diverges "another program" "this isn't the program of the schedule" "$SCRATCH/forks.gdb" "$BUILD/samples/lost_wakeup"

"$FMC" export --gdb -o "$SCRATCH/no/such.gdb" "$SCRATCH/forks.sched" </dev/null >"$SCRATCH/out" 2>&1
[ $? -eq 70 ] && grep -q 'No such file' "$SCRATCH/out"
judge "a script that can't be written" [ $? -eq 0 ]
"$FMC" export --gdb -o - "$SCRATCH/forks.sched" </dev/null >"$SCRATCH/out" 2>&1
sed 1d "$SCRATCH/out" | cmp -s - <(sed 1d "$SCRATCH/forks.gdb")
judge "-o - writes the same to standard output" [ $? -eq 0 ]
finish
