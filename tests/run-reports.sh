#!/bin/bash
# What the stacks of a report show: functions that the compiler put in line, and those of Python.
. tests/lib.sh
OUT=$SCRATCH/out

# check NAME OPTION... -- PROGRAM ARGUMENT...: its report.
check() {
	"$FMC" check --no-minimize -o "$SCRATCH/$1.sched" "${@:2}" >"$OUT" 2>&1 </dev/null
}

for program in inlines inlines.static; do
	check $program -- "$BUILD/targets/$program"
	says "$program: each function in line, with its caller's line" '^crash: .* at inlines.c:9 in innermost' '^T2 run' \
		'^    #0  innermost  inlines.c:9$' '^    #1  middle     inlines.c:15$' '^    #2  outer      inlines.c:20$' \
		'^    #3  run        inlines.c:26$'
	"$FMC" replay "$SCRATCH/$program.sched" >"$OUT" 2>&1 </dev/null
	says "$program: in a replay, too" '#1  middle     inlines.c:15$'
done

# An operation in line from a header of the C++ library is where the program's own code calls that.
for program in guards guards.O2; do
	check $program -- "$BUILD/targets/$program"
	"$FMC" show "$SCRATCH/$program.sched" --format text >"$OUT" 2>&1
	says "$program: the guard's line" 'mutex_lock a .*guards.cc:9$' 'mutex_lock b .*guards.cc:9$'
	cp "$SCRATCH/$program.sched" "$OUT"
	says "$program: a failure is known by such lines" '^signature deadlock mutex_lock@guards.cc:10 mutex_lock@guards.cc:10 thread_join@guards.cc:26$'
done

# A script's own functions, in place of the interpreter's.
cat >"$SCRATCH/locks.py" <<'END'
import threading

a = threading.Lock()
b = threading.Lock()


def transfer(first, second):
    with first:
        take(second)


def take(lock):
    with lock:
        pass


threads = [threading.Thread(target=transfer, args=locks) for locks in ((a, b), (b, a))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
END
if [ -x /usr/bin/python3 ]; then
	# Where it is found doesn't matter: the functions of the threads that are blocked do.
	check python --strategy pct --time 200 -- /usr/bin/python3 "$SCRATCH/locks.py"
	says 'Python: functions and lines of the script' '^deadlock' '^T1 main' '<module>  *locks.py:21$' '^T2 ' 'take  *locks.py:13$' \
		'transfer  *locks.py:9$' '^T3 ' 'take  *locks.py:13$'
	says_not 'Python: nothing of the interpreter' '_PyEval|_PyFunction|_PyObject|start_thread'
	"$FMC" replay "$SCRATCH/python.sched" >"$OUT" 2>&1 </dev/null
	says 'Python: in a replay, too' '^T2 ' 'transfer  *locks.py:9$'
else
	skip 'Python: there is none'
fi
finish
