#!/bin/bash
# The real GDB on fmc gdbserver: along a schedule and back.
. tests/lib.sh
if ! command -v gdb >/dev/null; then
	skip 'no gdb'
	finish
	exit
fi
for program in debugged debugged.static raises; do
	cp "$BUILD/targets/$program" "$SCRATCH/$program"
	"$FMC" check --expect-exit 0 --no-minimize -o "$SCRATCH/$program.sched" -- "$SCRATCH/$program" </dev/null >/dev/null 2>&1
done
"$FMC" check --no-minimize -o "$SCRATCH/differs.sched" -- "$BUILD/targets/differs" processor ticks </dev/null >/dev/null 2>&1
"$FMC" check --no-minimize -o "$SCRATCH/philosophers.sched" -- "$BUILD/samples/philosophers" 3 </dev/null >/dev/null 2>&1
PROGRAM=debugged TARGET= SYSROOT=/

# gdb_do COMMAND...: what GDB says is in $SCRATCH/out. It speaks with a server of its own, or with the one at $TARGET.
gdb_do() {
	local command words=()
	for command; do words+=(-ex "$command"); done
	timeout -k 10 120 gdb -nx -q -batch -ex 'set remotetimeout 60' -ex 'set pagination off' -ex 'set width 0' \
	    -ex 'set debuginfod enabled off' -ex "set sysroot $SYSROOT" -ex "target extended-remote ${TARGET:-| $FMC gdbserver $SCRATCH/$PROGRAM.sched}" \
	    "${words[@]}" </dev/null >"$SCRATCH/out" 2>&1
}

gdb_do continue bt 'info threads' 'thread apply all bt' continue
says 'to the failure' 'begins' 'counter is 1' 'fmc: the end: abort: .*Assertion' 'SIGABRT' '^#.* in main .*debugged.c:58'
says 'threads have names' '^\* 1 +Thread 1.1 "T1 main"'
says 'after the end there is nothing' 'SIGABRT' 'No more reverse-execution history'
says_not 'no packet was refused' 'E01|rror'

# GDB reads files through the server, also those of the program that is replayed.
SYSROOT=target:
gdb_do 'p $_siginfo.si_signo' 'info proc' 'info proc mappings' 'info auxv' 'break put' continue continue 'p $_siginfo.si_signo' continue \
    'p $_siginfo.si_signo' 'p $_siginfo.si_code' 'info proc mappings' 'info sharedlibrary' 'remote get /proc/1/task/1/comm '"$SCRATCH/comm" \
    'remote get /proc/1/task/2/comm '"$SCRATCH/none" 'remote get /proc/2/comm '"$SCRATCH/none" "remote put $SCRATCH/comm $SCRATCH/none"
says 'files are read through the server' "^Reading .*$SCRATCH/debugged from remote target" 'Unable to read siginfo' '^process 1$' "^cmdline = '$SCRATCH/debugged'" \
    "^exe = '$SCRATCH/debugged'" "r-xp +$SCRATCH/debugged" '\[stack\]' 'AT_EXECFN .*debugged' 'Breakpoint 1, put' 'Unable to read siginfo' SIGABRT \
    '^\$1 = 6$' '^\$2 = -6$' "rw-p +$SCRATCH/debugged" '\[stack\]' 'Yes .*libc.so.6' \
    'Remote I/O error: No such file' 'Remote I/O error: No such file' 'Remote I/O error: Read-only'
judge 'those of the process that is replayed' [ "$(cat "$SCRATCH/comm")" = debugged -a ! -s "$SCRATCH/none" ]
SYSROOT=/

gdb_do 'break put' continue 'info threads' bt 'p mine' 'p (int)errno' 'thread 3' 'p mine' 'thread 1' 'p mine' continue \
    'p mine' 'p (int)errno' 'p value' 'p counter'
says 'breakpoints' 'Breakpoint 1, put \(value=1\)' 'T1 main.*waits for T2 to exit, in thread_join' \
    "T3 work.*hasn't started yet" '^#1 .* work' 'Breakpoint 1, put'
says 'thread-local variables' '= 10$' '= 40$' '= 5$' '= 5$' '= 11$' '= 41$' '= 1$'

gdb_do 'break put if mine == 11' continue 'p counter' bt
says 'a condition' 'Breakpoint 1, put' '= [01]$' '^#1 .* work'

gdb_do 'break main' continue 'watch counter' continue continue continue reverse-continue bt 'p counter' reverse-continue
says_watched 'a watchpoint, forwards' 'Hardware watchpoint 2: counter' 'Old value = 0' 'New value = 1'
says_watched 'and backwards' 'SIGABRT' 'Hardware watchpoint 2: counter' 'Old value = 1' 'New value = 0' '^#0 .*put' '= 0$' \
    'Breakpoint 1, main'

gdb_do 'break put' continue 'p $pc' 'p $rsp' stepi stepi reverse-stepi reverse-stepi 'p $pc' 'p $rsp' 'x/2i $pc'
says 'there and back by instructions' '^\$1 = .*put' '^\$3 = .*put' '=> 0x[0-9a-f]+ <put'
judge 'the same registers' [ "$(sed -n 's/^\$2 = //p' "$SCRATCH/out")" = "$(sed -n 's/^\$4 = //p' "$SCRATCH/out")" ]

gdb_do 'break work' continue next next next next 'p seen' reverse-next 'p seen' 'info line' reverse-step reverse-finish
says 'lines, forwards' 'Breakpoint 1, work' 'seen = get' 'seen \+= 1'
says 'and backwards' 'seen \+= 1' 'put|get'

# Where threads stand before their operations is met backwards, but for the place that one goes back from.
PROGRAM=philosophers
gdb_do 'break *pthread_mutex_lock' 'monitor goto end' 'monitor resync' reverse-continue reverse-continue 'monitor position' reverse-continue 'monitor position' \
    stepi stepi 'monitor position' reverse-continue 'monitor position' reverse-continue 'monitor position'
says 'breakpoints before operations, backwards from any place' '^before transition 9 of 9: T3 mutex_lock' '^before transition 7 of 9: T4 mutex_lock' \
    '^2 instructions into transition 7 of 9' '^before transition 7 of 9' '^before transition 5 of 9'
PROGRAM=debugged

PROGRAM=differs
gdb_do 'break *now' continue 'x/i $pc' 'stepi' 'p $rip - (unsigned long)now' 'p $rax' reverse-stepi 'p $rip - (unsigned long)now' \
    'break *((unsigned long)now + 2)' continue continue reverse-continue 'p $rax' 'x/i now' reverse-continue 'p $rip - (unsigned long)now'
PROGRAM=debugged
says "the processor's counter is read again" 'Breakpoint 1, ' '=> .*rdtsc' '\$1 = .*0x2$' '\$2 = 1000[0-9]{6}$' '\$3 = .*0x0$' 'Breakpoint 2, ' \
    'SIGABRT' 'Breakpoint 2, ' '\$4 = 1000[0-9]{6}$' 'rdtsc' 'Breakpoint 1, ' '\$5 = .*0x0$'

gdb_do 'break get' continue finish 'p $' reverse-finish
says 'finish' 'Value returned is \$1 = 0' 'Breakpoint 1, get'

gdb_do 'break work' continue 'until 43' 'info line'
says 'until' 'Line 43 '

gdb_do 'break pthread_join' continue 'x/2i $pc' 'x/2i pthread_mutex_lock' 'x/i pthread_create'
says 'no traps show' 'Breakpoint 1' '=> 0x[0-9a-f]+ <.*pthread_join.*>:' '<.*pthread_mutex_lock>:' '<.*pthread_create.*>:'
says_not 'no int3' 'int3'

gdb_do 'break put' continue 'info sharedlibrary' 'p $ymm0' 'p $xmm0.uint128' 'info registers rip fs_base eflags' 'p $st0' 'p $mxcsr'
says 'libraries and registers' 'libc.so.6' '\$1 = \{.*v4_' 'rip +0x' 'fs_base +0x' 'eflags' '\$[0-9]+ = (\(raw )?-?[0-9]' '= \['

gdb_do 'break put' continue 'call twice(21)' 'p calls' 'p value' continue 'p calls'
says 'functions can be called' '\$1 = 42' '\$2 = 1' '\$3 = 1' 'fmc: your changes .* are dropped' 'Breakpoint 1, put' '= 0'

gdb_do 'break put' continue 'set var counter = 77' 'p counter' continue 'p counter'
says 'changes are dropped' 'fmc: what you change' '\$1 = 77' 'fmc: your changes to memory and registers are dropped' 'Breakpoint 1, put' '\$2 = [01]$'

gdb_do 'break put' continue 'set $r12 = 99' 'p $r12' continue
says 'registers can be changed' '= 99' 'are dropped' 'Breakpoint 1'

gdb_do 'monitor position' 'monitor goto 8' 'maint flush register-cache' 'info threads' 'thread 3' bt 'monitor next' 'monitor prev 3' 'monitor goto 99' \
    'monitor goto end' 'monitor nonsense' 'monitor help'
says 'monitor' "at the program's beginning, before transition 1 of 14" 'before transition 8 of 14: T3 mutex_unlock lock +debugged.c:26' \
    '#0 .*pthread_mutex_unlock' 'before transition 9 of 14' 'before transition 6 of 14' 'a number from 0 to 15' \
    'at the end, after transition 14: abort' "no command 'nonsense'" 'monitor goto'

gdb_do 'break put' continue detach 'info threads'
says 'detach' 'Breakpoint 1' 'detached' 'No threads'
gdb_do 'break put' continue kill 'info threads' run continue
says 'kill, and run again' 'Breakpoint 1' 'killed' 'No threads' 'Breakpoint 1, put'
judge 'no program left' gone "$SCRATCH/debugged"

cat >"$SCRATCH/kill-all" <<END
#!/bin/bash
. tests/lib.sh
kill -KILL \$(users_of "$SCRATCH/debugged")
END
gdb_do 'break put' continue "shell bash $SCRATCH/kill-all" continue 'thread apply 1.1 bt 1' continue continue
says 'killed from outside' 'Breakpoint 1, put' "fmc: the program's process has been killed; here is another one, before transition 5" \
    'pthread_join' 'Breakpoint 1, put' 'SIGABRT'

rm -f "$SCRATCH/err"
"$FMC" gdbserver --socket "$SCRATCH/socket" "$SCRATCH/debugged.sched" </dev/null >/dev/null 2>"$SCRATCH/err" &
SERVER=$!
until_said $SERVER waiting "$SCRATCH/err"
TARGET=$SCRATCH/socket
gdb_do 'break put' continue
says 'through a socket' 'Breakpoint 1, put'
gdb_do 'monitor position' 'break put' continue
says 'and another GDB after the first' 'in transition 5 of 14' 'Breakpoint 1, put'
kill -TERM $SERVER
wait $SERVER
judge 'the socket is gone' [ $? -eq 0 -a ! -e "$SCRATCH/socket" ]
TARGET=

# Everything that it keeps is killed: it begins anew, and ends.
TARGET=$SCRATCH/socket
rm "$SCRATCH/err"
timeout -k 5 60 "$FMC" gdbserver --once --socket "$SCRATCH/socket" "$SCRATCH/debugged.sched" 2>"$SCRATCH/err" &
SERVER=$!
until_said $SERVER waiting "$SCRATCH/err"
pkill -KILL -f "^$SCRATCH/debugged\$"
timeout -k 10 60 gdb -nx -q -batch -ex "target extended-remote $SCRATCH/socket" -ex continue -ex continue -ex bt -ex kill "$SCRATCH/debugged" \
    </dev/null >"$SCRATCH/out" 2>&1
says 'all its processes killed from outside' 'main .*debugged.c:58'
wait $SERVER
judge 'and it ends' [ $? -eq 0 ]
TARGET=

# A condition that is looked at 1,500 times each way, by the server: GDB hears of the stops that it wants. It may be changed.
cat >"$SCRATCH/rounds.c" <<'EOT'
#include <assert.h>
#include <pthread.h>
int total, rounds = 1500;
void add(int i) { total += i ? 1 : 2; }
static void *run(void *argument)
{
	for (int i = 0; i < rounds; i++)
		add(i);
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, run, 0);
	pthread_join(thread, 0);
	assert(total == 0);
}
EOT
"${CC:-cc}" -g -O0 -pthread "$SCRATCH/rounds.c" -o "$SCRATCH/rounds"
"$FMC" check --no-minimize -o "$SCRATCH/rounds.sched" -- "$SCRATCH/rounds" </dev/null >/dev/null 2>&1
PROGRAM=rounds
gdb_do 'break add if i == 1400 || total == 18' continue 'p i' continue 'p i' 'info breakpoints' continue reverse-continue 'p i' \
    reverse-continue 'p i' 'condition 1 i == 9 && rounds > 1' reverse-continue 'p i' reverse-continue continue 'p i' 'condition 1 i / total > 7' \
    reverse-continue 'p i'
says 'a condition that the server looks at' '^\$1 = 17$' '^\$2 = 1400$' 'stop only if .*target evals' 'already hit 2 times' 'fmc: the end: abort' \
    '^\$3 = 1400$' '^\$4 = 17$' '^\$5 = 9$' 'No more reverse' '^\$6 = 9$' 'Division by zero' \
    'Breakpoint 1, add' '^\$7 = 0$'

PROGRAM=raises
gdb_do continue 'p caught' 'p $_siginfo.si_signo' 'break handle' continue continue 'delete 1' continue continue reverse-continue 'p caught' reverse-continue \
    'p caught' continue 'p $_siginfo.si_signo' 'p caught' continue
says 'signals' 'SIGUSR1' '\$1 = 0$' '\$2 = 10$' 'Breakpoint 1, handle' 'Breakpoint 1, handle' 'SIG35' 'fmc: the end: exit' 'No more'
says 'and backwards' 'fmc: the end' 'SIG35' '\$3 = 2$' 'SIGUSR1' '\$4 = 0$' 'SIG35' '\$5 = 35$' '\$6 = 2$' 'No more'

PROGRAM=philosophers
gdb_do continue 'info threads' 'thread apply all bt 3'
says 'a deadlock' 'fmc: the end: deadlock: T2 waits for' 'No more reverse-execution history' 'T2 eat.*waits for forks\[1\] held by T3, in mutex_lock'

PROGRAM=debugged.static
gdb_do 'break put' continue 'p mine' 'p (int)errno' continue 'p mine' continue bt
says 'a static program' 'Breakpoint 1, put' '\$1 = 1[01]' 'SIGABRT' 'main .*debugged.c:58'

if command -v musl-gcc >/dev/null; then
	musl-gcc -g -Og -pthread -D_GNU_SOURCE tests/targets/debugged.c -o "$SCRATCH/musl"
	"$FMC" check --no-minimize -o "$SCRATCH/musl.sched" -- "$SCRATCH/musl" </dev/null >/dev/null 2>&1
	PROGRAM=musl
	gdb_do 'break put' continue 'p mine' 'thread 1' 'p mine' continue continue
	says 'another C library' 'Breakpoint 1, put' '\$1 = 1[01]' '\$2 = 5' 'Breakpoint 1, put' 'SIGABRT'
else
	skip 'another C library: no musl-gcc'
fi

# A library that is loaded on the way, and isn't there yet where going back begins.
cat >"$SCRATCH/answer.c" <<'EOT'
int answer(int x) { return 2 * x; }
EOT
cat >"$SCRATCH/loads.c" <<'EOT'
#include <dlfcn.h>
#include <pthread.h>
static void *run(void *file)
{
	int (*answer)(int) = (int (*)(int))dlsym(dlopen(file, RTLD_NOW), "answer");
	return answer(21) == 42 ? file : NULL;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	return argc < 2 || pthread_create(&thread, NULL, run, argv[1]) || pthread_join(thread, NULL) || 3;
}
EOT
"${CC:-cc}" -g -Og -shared -fPIC "$SCRATCH/answer.c" -o "$SCRATCH/libanswer.so"
"${CC:-cc}" -g -Og -pthread "$SCRATCH/loads.c" -o "$SCRATCH/loads"
"$FMC" check --expect-exit 0 --no-minimize -o "$SCRATCH/loads.sched" -- "$SCRATCH/loads" "$SCRATCH/libanswer.so" </dev/null >/dev/null 2>&1
PROGRAM=loads
gdb_do 'set breakpoint pending on' 'break answer' continue 'p x' continue reverse-continue 'p x + 1' 'info sharedlibrary'
says 'a library loaded later' 'Breakpoint 1 .*pending' 'Breakpoint 1, answer' '\$1 = 21' 'fmc: the end: exit' 'Breakpoint 1, answer' '\$2 = 22' \
    'libanswer.so'
finish
