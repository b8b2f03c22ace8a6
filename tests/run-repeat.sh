#!/bin/bash
# What an execution found is found by a replay that another fmc makes later: whatever the kernel says of processes, time
# and chance.
. tests/lib.sh
DIFFERS=$BUILD/targets/differs

# recorded NAME ARG...: fmc check finds the abort, and leaves a schedule.
recorded() {
	local name=$1
	shift
	rm -f "$SCRATCH/it.sched"
	"$FMC" check --no-minimize -o "$SCRATCH/it.sched" -- "$DIFFERS" "$@" </dev/null >"$SCRATCH/out" 2>&1
	[ $? -eq 1 ] && [ -e "$SCRATCH/it.sched" ] && return
	fail "$name: no finding"
	show "$SCRATCH/out"
	return 1
}

# same NAME ARG...: it replays each time, with other numbers of processes and in another second.
same() {
	local name=$1 i again=0
	recorded "$@" || return
	for i in 1 2 3; do
		(sleep 0.4) # somebody else has the next number, and a second passes
		"$FMC" replay "$SCRATCH/it.sched" </dev/null >"$SCRATCH/out" 2>&1
		grep -q 'abort as recorded' "$SCRATCH/out" && again=$((again + 1))
	done
	judge "$name: replayed $again times of 3" [ $again -eq 3 ]
	[ $again -eq 3 ] || show "$SCRATCH/out"
}

same "its own number" process
same "its parent's number" parent
same "a thread's number" thread
same "the second" second
for what in ticks "ticks and processor" chance seed; do
	same "the processor's $what" processor "$what"
done
same "random bytes" file /dev/urandom
same "random bytes that are waited for" file /dev/random

# Time that the processor counts passes as it is read: who waits for a moment of it gets there, and at the same round.
same "a moment of the processor's counter" processor moment

# So is what libraries ask the processor that come later, before there are threads or after, as they are loaded or called.
cat >"$SCRATCH/library.c" <<'EOT'
static unsigned long word;
static __attribute__((constructor)) void begin(void)
{
	__asm__ volatile("rdrand %0" : "=r"(word) : : "cc");
}
unsigned number(void)
{
	unsigned low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return low ^ high ^ (unsigned)word;
}
EOT
"${CC:-cc}" -O1 -g -fPIC -shared "$SCRATCH/library.c" -o "$SCRATCH/library.so"
cat >"$SCRATCH/loads.c" <<'EOT'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned times;
static void *load(void *path)
{
	void *library = dlopen(path, RTLD_NOW);
	unsigned (*number)(void) = library ? (unsigned (*)(void))dlsym(library, "number") : NULL;
	if (!number)
		exit(3);
	for (unsigned i = 0, word = number(); i < 32; i += 4)
		times ^= word >> i & 15;
	return NULL;
}
static void *take(void *unused)
{
	for (unsigned i = 0; i < times; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc > 2)
		pthread_create(&thread, NULL, load, argv[1]);
	else
		load(argv[1]);
	if (argc > 2)
		pthread_join(thread, NULL);
	pthread_create(&thread, NULL, take, NULL);
	pthread_join(thread, NULL);
	abort();
}
EOT
"${CC:-cc}" -O1 -g -pthread "$SCRATCH/loads.c" -o "$SCRATCH/loads" -ldl
DIFFERS=$SCRATCH/loads
same "a library that is loaded before there are threads" "$SCRATCH/library.so"
same "a library that a thread loads" "$SCRATCH/library.so" late
# And what a library asks that the program starts with, before anything of the program has run.
cat >"$SCRATCH/early.c" <<'EOT'
#define _GNU_SOURCE
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
static unsigned word;
static __attribute__((constructor)) void begin(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned low, high, number;
	if (strcmp(what, "ticks") == 0)
		__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	else if (strcmp(what, "ticks and processor") == 0)
		__asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(number));
	else if (strcmp(what, "number") == 0)
		low = (unsigned)getpid(), high = (unsigned)getppid();
	else if (strcmp(what, "many ticks") == 0)
		for (int i = 0; i < 1000000; i++)
			__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	else if (strcmp(what, "second") == 0)
		low = (unsigned)time(NULL), high = low < 1000000000 ? _exit(4), 0 : 0;
	else
		low = getrandom(&high, sizeof high, 0) == sizeof high;
	word = low ^ high;
}
unsigned early(void)
{
	return word;
}
EOT
cat >"$SCRATCH/starts.c" <<'EOT'
#include <pthread.h>
#include <stdlib.h>
unsigned early(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *take(void *unused)
{
	unsigned times = 0;
	for (unsigned i = 0, word = early(); i < 32; i += 4)
		times += word >> i & 15;
	for (unsigned i = 0; i < times; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, take, NULL);
	pthread_join(thread, NULL);
	abort();
}
EOT
"${CC:-cc}" -O1 -g -fPIC -shared "$SCRATCH/early.c" -o "$SCRATCH/libearly.so"
"${CC:-cc}" -O1 -g -pthread "$SCRATCH/starts.c" -o "$SCRATCH/starts" -L"$SCRATCH" -learly -Wl,-rpath,"$SCRATCH"
DIFFERS=$SCRATCH/starts
# differs NAME WHAT: what it reads early is the suspect. Two results may happen to lead to the same.
differs() {
	local tries
	for tries in {1..12}; do
		recorded "$@" || return
		grep -q "isn't repeatable" "$SCRATCH/out" && break
	done
	says "$1" "isn't repeatable: .*this machine doesn't let fmc answer what libraries read of the processor's counter"
}
for what in number second chance; do
	same "before the program: $what" "$what"
done
# Some virtual machines don't stop who reads the processor's counter. That it may be the reason is told there.
early_ticks=$("$BUILD/tests/early_ticks" && echo "answered")
for what in ticks "ticks and processor"; do
	if [ "$early_ticks" ]; then
		same "before the program: $what" "$what"
	else
		differs "before the program: $what" "$what"
	fi
done
# Not if it asks so often that this would take minutes.
timeout 200 "$FMC" check --executions 3 --no-minimize -o "$SCRATCH/it.sched" -- "$SCRATCH/starts" "many ticks" </dev/null >"$SCRATCH/out" 2>&1
judge "before the program: many ticks" [ $? -eq 1 ]
timeout 200 "$FMC" check --executions 1 --expect-exit SIGABRT --time 0 -- "$SCRATCH/starts" "many ticks" </dev/null >"$SCRATCH/out" 2>&1
[ -z "$early_ticks" ] || says "which is told" "the processor's counter of time, which libraries read more than 1000 times"
DIFFERS=$BUILD/targets/differs

# What can't be the same is told before anything is built on it: what executions read of what they have left.
printf 'once\n' >"$SCRATCH/grows.log"
"$FMC" check --executions 3 --no-minimize -o "$SCRATCH/it.sched" -- "$DIFFERS" append "$SCRATCH/grows.log" </dev/null >"$SCRATCH/out" 2>&1
says_not "a file that is put back" 'which it reads and also writes' 'differ'
judge "a file that is put back: as it was" [ "$(cat "$SCRATCH/grows.log")" = once ]
"$FMC" check --keep-files --executions 3 --no-minimize -o "$SCRATCH/it.sched" -- "$DIFFERS" append "$SCRATCH/grows.log" </dev/null >"$SCRATCH/out" 2>&1
says "a file that grows" 'grows.log, which it reads and also writes \(at differs.c:[0-9]+\)'

# Of what the kernel says the first that was read is named, where that made a difference: not each two times do.
# named TEXT KIND [FILE]
named() {
	for tries in {1..12}; do
		"$FMC" check --executions 3 --no-minimize -o "$SCRATCH/it.sched" -- "$DIFFERS" "$2" "${3:-}" </dev/null >"$SCRATCH/out" 2>&1
		grep -q "isn't repeatable" "$SCRATCH/out" && break
	done
	says "$2 ${3:-}" "differs first at transition .*; it reads $1 \\(at differs.c:[0-9]+\\), which is another one each time"
}
for file in uptime self/stat; do
	named "/proc/$file" contents "/proc/$file"
done
# So are folders whose entries are numbers of the kernel's, and links that lead to such a number.
named /proc/self/task names /proc/self/task
named /proc/self kernel
named "/proc/self/fd/[0-9]+" pipe
# So is a file of its own whose time differs.
named "what stat\(\) says of the file touched" changed "$SCRATCH/touched"
named "what stat\(\) says of the file itself" "changed itself" "$SCRATCH/itself"

# Nor can what an instruction says that is asked too often to be answered. Two results may happen to lead to the same.
for tries in {1..12}; do
	"$FMC" check --executions 3 --no-minimize -o "$SCRATCH/it.sched" -- "$DIFFERS" processor "ticks, many" </dev/null >"$SCRATCH/out" 2>&1
	grep -q "isn't complete" "$SCRATCH/out" && break
done
says "a counter that is read often" "the processor's counter of time, which it reads more than 50000 times \\(at differs.c:[0-9]+\\)"

# The trial runs don't have in common what only copies of one process have. Two numbers may happen to lead to the same, one
# pair of sixteen.
for tries in {1..12}; do
	"$FMC" check --executions 3 --no-minimize -o "$SCRATCH/it.sched" -- "$DIFFERS" kernel </dev/null >"$SCRATCH/out" 2>&1
	grep -q "isn't repeatable" "$SCRATCH/out" && break
done
says "the kernel's own number for it" "Replays may go another way: the program isn't repeatable: run twice"
finish
