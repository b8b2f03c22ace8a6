#!/bin/bash
# fmc attach and core: programs in Python. FMC_TEST_PYTHON: interpreters to test with, instead of the first in the PATH and the
# system's.
. tests/lib.sh
. tests/native.sh
SCRIPTS=tests/python

# Start a process and wait until so many threads of it sleep. start THREADS COMMAND...; sets pid. False if it ends.
start() {
	"${@:2}" </dev/null >"$SCRATCH/said" 2>&1 &
	pid=$!
	asleep $pid "$1"
}

# line FILE MARK: the line that is marked so.
line() {
	grep -n "  # $2\$" "$SCRIPTS/$1" | cut -d : -f 1
}

# bank NAME TYPE MARK: what a deadlock of two is told as.
bank() {
	judge "$1: status" [ $status -eq 1 ]
	judge "$1: certain" [ "$(field causes.0.kind) $(field causes.0.certain)" = "deadlock true" ]
	says "$1" "^deadlock: T2 waits for threading.$2 giro held by T3.*, T3 waits for threading.$2 savings held by T2" \
		'^T1 main .*: waits for .*T[23].* to exit' "^T2 saver .*: waits for threading.$2 giro held by T3" \
		"^    #0  $4  bank.py:$(line bank.py "$3")$" "^T3 spender .*: waits for threading.$2 savings held by T2"
	judge "$1: place" [ "$(field threads.2.place)" = "bank.py:$(line bank.py "$3")" ]
	says_not "$1: nothing of the interpreter" '_PyEval|_bootstrap|clone'
}

# interpreter PYTHON NAME
interpreter() {
	local python=$1 name=$2
	if start 3 "$python" -B $SCRIPTS/bank.py Lock; then
		look attach $pid
		bank "$name: locks" Lock waits transfer
		judge "$name: goes on" [ "$(grep -c '^TracerPid:.0$' /proc/$pid/status)" -eq 1 ]
		gdb -nx -batch -p $pid -ex "gcore $SCRATCH/core" >/dev/null 2>&1
		look core "$SCRATCH/core"
		bank "$name: core file" Lock waits transfer
	else
		fail "$name: locks: doesn't run"
	fi
	stop
	if start 3 "$python" -B $SCRIPTS/bank.py RLock acquire; then
		look attach $pid
		bank "$name: reentrant locks" RLock acquires acquire
	else
		fail "$name: reentrant locks: doesn't run"
	fi
	stop
	# Without `with` nobody knows who has them, but both wait.
	if start 3 "$python" -B $SCRIPTS/bank.py Lock acquire; then
		look attach $pid
		judge "$name: without with: status" [ $status -eq 1 ]
		says "$name: without with" \
			'^nobody-left: T2 waits for threading.Lock giro, T3 waits for threading.Lock savings, and nobody is left to unlock it'
	else
		fail "$name: without with: doesn't run"
	fi
	stop
	if start 9 "$python" -B $SCRIPTS/server.py; then
		look attach $pid
		judge "$name: an idle server isn't wrong for certain" [ $status -eq 0 ]
		says "$name: server" '^T1 main .*: waits for a signal of threading.Event stop' '^    #[0-9] .* server.py:14$' \
			'^T2 to T9 \(8 threads\) ThreadPoolExecutor-0_0 and so on: wait for a signal of queue.SimpleQueue pool._work_queue'
		kill -TERM $pid
		wait $pid
		judge "$name: the server ends as it should" [ $? -eq 0 ]
		pid=
	else
		fail "$name: server: doesn't run"
		stop
	fi
	if start 1 "$python" -B $SCRIPTS/asynchronous.py; then
		look attach $pid
		judge "$name: an event loop" [ "$status $(field causes.0.kind)" = "0 idle" ]
		says "$name: event loop" '^T1 main .*: waits for .*epoll.* for a limited time' '^    #0  epoll_wait' \
			'^    #[0-9]+ +(BaseEventLoop\.)?run_forever '
	else
		fail "$name: event loop: doesn't run"
	fi
	stop
}

# What fmc knows of a version is said by test_python; here it is enough that there is one.
known() {
	"$1" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 14))' 2>/dev/null
}

tested=
for python in ${FMC_TEST_PYTHON:-python3 /usr/bin/python3}; do
	# What is called python3 may be a script that looks for the interpreter, and would be looked at instead of it.
	read -r name python < <("$python" -c 'import sys; print(".".join(map(str, sys.version_info[:3])), sys.executable)' 2>/dev/null)
	[[ " $tested " == *" $name "* ]] && continue
	if ! known "$python"; then
		skip "${python:-python3}: a version between 3.8 and 3.13 is needed"
		continue
	fi
	tested="$tested $name"
	interpreter "$python" "$name"
done

# A version that isn't known: what C knows of it, and one line.
cat >"$SCRATCH/other.c" <<'END'
#include <unistd.h>
unsigned long Py_Version = 0x03ff0000, _PyRuntime[1024];
int main(void)
{
	return pause();
}
END
if gcc -rdynamic -o "$SCRATCH/python3.255" "$SCRATCH/other.c" 2>"$SCRATCH/out" && start 1 "$SCRATCH/python3.255"; then
	look attach $pid
	judge "unknown version: status" [ $status -eq 0 ]
	says "unknown version" '^T1 main .*: waits .*pause' '#0 .*pause' "^Python 3\.255 isn't known: its frames and locks aren't shown$"
	judge "unknown version: JSON" [ "$(field note)" = "Python 3.255 isn't known: its frames and locks aren't shown" ]
else
	fail "unknown version: doesn't run"
	show "$SCRATCH/out"
fi
stop

# A program of its own with an interpreter in it.
cat >"$SCRATCH/embeds.c" <<'END'
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static void run_script(void)
{
	PyRun_SimpleString("import threading\ndef wait():\n  threading.Lock().acquire()\n  again.acquire()\n"
			   "again = threading.Lock()\nagain.acquire()\nwait()\n");
}

int main(void)
{
	Py_Initialize();
	run_script();
	return 0;
}
END
config=$(command -v /usr/bin/python3-config || command -v python3-config)
if [ -n "$config" ] && gcc -g -Og -o "$SCRATCH/embeds" "$SCRATCH/embeds.c" $("$config" --includes --ldflags --embed) 2>"$SCRATCH/out" &&
	start 1 "$SCRATCH/embeds"; then
	look attach $pid
	judge "embedded: status" [ $status -eq 1 ]
	says "embedded" '^nobody-left: T1 waits for threading.Lock again' '^    #0  wait        <string>:4$' '^    #1  <module>    <string>:7$' \
		'^    #2  run_script  embeds.c:6$' '^    #3  main        embeds.c:13$'
	stop
else
	skip "a program with an interpreter in it: Python's header files aren't there"
fi
finish
