#!/bin/bash
# Atomic instructions: where they are switch points (--atomics), and how the verdict tells of them where they aren't.
. tests/lib.sh

# build NAME COMPILER-OPTION...: a program from the C source on standard input.
build() {
	local name=$1
	shift
	cat >"$SCRATCH/$name.c"
	"${CC:-cc}" -O1 -g -pthread "$SCRATCH/$name.c" -o "$SCRATCH/$name" "$@"
}

# Options of each check. Endless loops are shorter than the default depth, at which most of the time would go into running them.
DEPTH='--depth 2000'

# check STATUS NAME OPTION...: `fmc check` of a program ends with this status; its output is in $SCRATCH/out.
check() {
	local expected=$1 name=$2 status
	shift 2
	# shellcheck disable=SC2086 # options
	timeout -k 10 150 "$FMC" check --time 100 $DEPTH -o "$SCRATCH/$name.sched" "$@" -- "$SCRATCH/$name" \
	    >"$SCRATCH/out" 2>&1
	status=$?
	judge "$name $*: ends with $expected" [ $status -eq "$expected" ]
	[ $status -eq "$expected" ] || show "$SCRATCH/out"
}

# Signals that come while their thread stands before an atomic instruction arrive after it.
build signals <<'EOT'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
static atomic_int n, handled;
static void handle(int signal)
{
	(void)signal;
	handled++;
}
static void *count(void *unused)
{
	n++;
	n++;
	return unused;
}
int main(void)
{
	pthread_t thread;
	struct sigaction action = {.sa_handler = handle};
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	pthread_create(&thread, NULL, count, NULL);
	n++;
	pthread_kill(thread, SIGUSR1);
	pthread_kill(thread, SIGUSR2);
	n++;
	pthread_join(thread, NULL);
	assert(n == 4);
	assert(handled <= 2);
	return 0;
}
EOT
check 2 signals --atomics --strategy dfs --require-complete
says "signals: they are told" "isn't controlled: signals that threads send each other"
for seed in 1 2 3 4 5; do
	"$FMC" run --atomics --seed $seed -- "$SCRATCH/signals" >"$SCRATCH/out" 2>&1
	judge "signals: run with seed $seed" [ $? -eq 0 ]
done

# What the instruction itself causes is the program's to handle.
build faults <<'EOT'
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int *_Atomic nowhere;
static _Thread_local sigjmp_buf back;
static void handle(int signal)
{
	siglongjmp(back, signal);
}
static void *touch(void *unused)
{
	if (sigsetjmp(back, 1) == 0) {
		atomic_fetch_add(nowhere, 1);
		assert(0);
	}
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	if (argc == 1)
		signal(SIGSEGV, handle);
	pthread_create(&thread, NULL, touch, NULL);
	touch(NULL);
	pthread_join(thread, NULL);
	return 0;
}
EOT
check 0 faults --atomics --strategy optimal --require-complete
cp "$SCRATCH/faults" "$SCRATCH/fatal"
timeout -k 10 100 "$FMC" check --atomics -o "$SCRATCH/fatal.sched" -- "$SCRATCH/fatal" unhandled >"$SCRATCH/out" 2>&1
judge "a fault that nobody handles is a finding" [ $? -eq 1 ]
says "a fault that nobody handles" "SIGSEGV"

# The process ends while a thread stands before an atomic instruction.
build ends <<'EOT'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int n;
static void *count(void *unused)
{
	n++;
	n++;
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, count, NULL);
	n++;
	_Exit(0);
}
EOT
check 0 ends --atomics --strategy dfs --require-complete

# Locks of libraries, taken in both orders by two threads: told of without --atomics, found with it.
crossed() {
	local name=$1
	shift
	check 2 "$name" --require-complete --strategy dfs "$@"
	says "$name: the verdict tells of them" "atomic instructions of lib(spin|gomp|glib)[^ ]*\.so.*--atomics"
	check 1 "$name" --atomics --strategy cb:2 "$@"
	goes_on "$name"
}

# goes_on NAME: by itself, and what it finds replays.
goes_on() {
	check 1 "$1" --json "$SCRATCH/json"
	says "$1: goes on with atomic instructions" '^No failure found in [0-9]+ executions? by operations alone.* going on with atomic instructions' \
	    '^(deadlock|livelock)'
	judge "$1: as JSON" grep -q '"atomics": true' "$SCRATCH/json"
	judge "$1: both searches are counted" [ "$("$BUILD/tests/json" "$SCRATCH/json" executions_without_atomics)" -gt 0 ]
	judge "$1: the schedule says so" grep -q '^atomics' "$SCRATCH/$1.sched"
	judge "$1: replays" timeout -k 10 100 "$FMC" replay "$SCRATCH/$1.sched" >"$SCRATCH/out" 2>&1
}
cat >"$SCRATCH/spin.c" <<'EOT'
#include <sched.h>
#include <stdatomic.h>
static atomic_int locks[2];
void spin_lock(int i)
{
	while (atomic_exchange(&locks[i], 1))
		sched_yield();
}
void spin_unlock(int i)
{
	atomic_store_explicit(&locks[i], 0, memory_order_release);
}
EOT
"${CC:-cc}" -O1 -g -fPIC -shared "$SCRATCH/spin.c" -o "$SCRATCH/libspin.so"
cat >"$SCRATCH/both.h" <<'EOT'
#include <pthread.h>
static void *both(void *first)
{
	int i = first != NULL;
	lock(i);
	lock(!i);
	unlock(!i);
	unlock(i);
	return NULL;
}
static int cross(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, both, NULL);
	pthread_create(&threads[1], NULL, both, threads);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
EOT
build linked -I"$SCRATCH" -L"$SCRATCH" -lspin -Wl,-rpath,"$SCRATCH" <<'EOT'
void spin_lock(int i);
void spin_unlock(int i);
#define lock spin_lock
#define unlock spin_unlock
#include "both.h"
int main(void)
{
	return cross();
}
EOT
crossed linked
# The same library, loaded before there are threads, or by one of them.
for when in 0 1; do
	build "loaded$when" -I"$SCRATCH" -DLIBRARY="\"$SCRATCH/libspin.so\"" -DLATE=$when -ldl <<'EOT'
#include <dlfcn.h>
#include <stdlib.h>
static void (*lock)(int), (*unlock)(int);
#include "both.h"
static void *load(void *unused)
{
	void *library = dlopen(LIBRARY, RTLD_NOW);
	if (!library)
		abort();
	lock = (void (*)(int))dlsym(library, "spin_lock");
	unlock = (void (*)(int))dlsym(library, "spin_unlock");
	return unused;
}
int main(void)
{
	pthread_t loader;
	if (!LATE) {
		load(NULL);
	} else {
		pthread_create(&loader, NULL, load, NULL);
		pthread_join(loader, NULL);
	}
	return cross();
}
EOT
	crossed "loaded$when"
done
# A lock whose loop doesn't yield: each round in vain is taken for that, so that the right order is no failure. It is released by
# an atomic instruction: a store to an element of an array by its index is seen as an access to memory alone.
sed 's/sched_yield()/__builtin_ia32_pause()/; s/, memory_order_release//; s/store_explicit/store/' "$SCRATCH/spin.c" \
    >"$SCRATCH/pause.c"
"${CC:-cc}" -O1 -g -fPIC -shared "$SCRATCH/pause.c" -o "$SCRATCH/libspin-pause.so"
for order in crossed ordered; do
	build "pause-$order" -I"$SCRATCH" -D"$order" -L"$SCRATCH" -lspin-pause -Wl,-rpath,"$SCRATCH" <<'EOT'
void spin_lock(int i);
void spin_unlock(int i);
#ifdef ordered
#define lock(i) spin_lock((i) == first_is(first))
#define unlock(i) spin_unlock((i) == first_is(first))
#define first_is(first) ((first) != NULL)
#else
#define lock spin_lock
#define unlock spin_unlock
#endif
#include "both.h"
int main(void)
{
	return cross();
}
EOT
done
check 1 pause-crossed --atomics --strategy cb:2
says "pause-crossed: both wait for ever" "^livelock"
goes_on pause-crossed
check 0 pause-ordered --atomics --strategy optimal --require-complete
says "pause-ordered: that was all" "^Search complete"
check 0 pause-ordered --require-complete --json "$SCRATCH/json"
says "pause-ordered: goes on, and that was all" "going on with atomic instructions" "^Search complete" "atomic instructions of the program"
judge "pause-ordered: one verdict" [ "$("$BUILD/tests/json" "$SCRATCH/json" complete)" = true ]
# Where the search that goes on comes to no end of an execution, what the first one has shown stands, and the time of both.
build pause-long <<'EOT'
#include <pthread.h>
static unsigned n;
static void *count(void *word)
{
	for (int i = 0; i < 5000000; i++)
		__atomic_add_fetch((unsigned *)word, 1, __ATOMIC_SEQ_CST);
	return word;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, count, &n);
	count(&n);
	return pthread_join(thread, NULL);
}
EOT
check 0 pause-long --time 6 --depth 0 --json "$SCRATCH/json"
says "pause-long: goes on, and comes to nothing" "going on with atomic instructions" \
    "the search with atomic instructions that followed came to the end of no execution"
judge "pause-long: all of its time" awk "BEGIN { exit !($("$BUILD/tests/json" "$SCRATCH/json" seconds) >= 6) }"

# What the user has chosen stays.
for chosen in '--strategy cb:2' '--executions 3' "--resume $SCRATCH/state"; do
	# shellcheck disable=SC2086 # options
	check 0 pause-crossed $chosen
	says_not "pause-crossed $chosen: doesn't go on" "going on"
done

if "${CC:-cc}" -fopenmp -x c /dev/null -shared -fPIC -o "$SCRATCH/probe.so" 2>/dev/null; then
	build openmp -fopenmp <<'EOT'
#include <omp.h>
int main(void)
{
	omp_lock_t locks[2];
	omp_init_lock(&locks[0]);
	omp_init_lock(&locks[1]);
#pragma omp parallel num_threads(2)
	{
		int i = omp_get_thread_num();
		omp_set_lock(&locks[i]);
		omp_set_lock(&locks[!i]);
		omp_unset_lock(&locks[!i]);
		omp_unset_lock(&locks[i]);
	}
	return 0;
}
EOT
	crossed openmp
else
	skip "openmp: the compiler has none"
fi
# GLib without its headers: a GMutex is a word of zeros.
glib=$(ldconfig -p 2>/dev/null | sed -n 's/.*libglib-2\.0\.so\.0 .*x86-64.* => //p' | head -n 1)
if [ -n "$glib" ]; then
	build glib -I"$SCRATCH" "$glib" <<'EOT'
void g_mutex_lock(void *mutex);
void g_mutex_unlock(void *mutex);
static void *locks[2];
#define lock(i) g_mutex_lock(&locks[i])
#define unlock(i) g_mutex_unlock(&locks[i])
#include "both.h"
int main(void)
{
	return cross();
}
EOT
	crossed glib
else
	skip "glib: not installed"
fi

# Atomics that compile to plain loads and stores, as debug information tells: Peterson's lock is right, and without a turn it isn't.
cat >"$SCRATCH/peterson.h" <<'EOT'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int wants[2], turn, inside;
#define set(object, value) atomic_store_explicit(object, value, memory_order_release)
#define get(object)	   atomic_load_explicit(object, memory_order_acquire)
#define ROUTINE(name, me, other, first)                                                                      \
	static void *name(void *unused)                                                                      \
	{                                                                                                    \
		set(&wants[me], 1);                                                                          \
		if (TURNS)                                                                                   \
			set(&turn, other);                                                                   \
		while (get(&wants[other]) && (!TURNS || get(&turn) == other))                                \
			sched_yield();                                                                       \
		int before = get(&inside);                                                                   \
		set(&inside, before + 1);                                                                    \
		assert(get(&inside) == 1);                                                                   \
		set(&inside, 0);                                                                             \
		set(&wants[me], 0);                                                                          \
		return unused;                                                                               \
	}
ROUTINE(zero, 0, 1, 0)
ROUTINE(one, 1, 0, 1)
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, zero, NULL);
	pthread_create(&threads[1], NULL, one, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
EOT
build peterson -I"$SCRATCH" -DTURNS=1 <<<'#include "peterson.h"'
check 0 peterson --atomics --strategy cb:2
build rude -I"$SCRATCH" -DTURNS=0 <<<'#include "peterson.h"'
check 1 rude --atomics --strategy cb:2
says "rude: both wait for ever" "^livelock"

# The same of C++, as members of a structure.
cat >"$SCRATCH/members.cc" <<'EOT'
#include <atomic>
#include <sched.h>
#include <thread>
struct lock {
	int unused;
	std::atomic<int> wants[2];
};
static lock l;
static void zero()
{
	l.wants[0].store(1, std::memory_order_release);
	while (l.wants[1].load(std::memory_order_acquire))
		sched_yield();
	l.wants[0].store(0, std::memory_order_release);
}
static void one()
{
	l.wants[1].store(1, std::memory_order_release);
	while (l.wants[0].load(std::memory_order_acquire))
		sched_yield();
	l.wants[1].store(0, std::memory_order_release);
}
int main()
{
	std::thread first(zero), second(one);
	first.join();
	second.join();
}
EOT
"${CXX:-c++}" -O1 -g -pthread "$SCRATCH/members.cc" -o "$SCRATCH/members"
check 1 members --atomics --strategy cb:2
says "members: both wait for ever" "^livelock"

# Traps in the middle of an instruction: libc's string functions for AVX-512, in a program without symbols.
build strings -static -s <<'EOT'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
static atomic_int n;
static char from[300], to[300];
static void *work(void *unused)
{
	n++;
	for (size_t i = 0; i < sizeof from; i += 37) {
		strncpy(to, from, i);
		assert(strncmp(to, from, i) == 0 && memchr(from, 0, sizeof from));
		assert(strchr(from, 'y') == NULL && strrchr(from, 'x') && strspn(from, "x") == strlen(from));
		memmove(to + 1, to, i);
		memset(to, 0, sizeof to);
		strncat(to, from, 3);
	}
	return unused;
}
int main(void)
{
	pthread_t thread;
	memset(from, 'x', sizeof from - 1);
	pthread_create(&thread, NULL, work, NULL);
	n++;
	pthread_join(thread, NULL);
	assert(n == 2);
	return 0;
}
EOT
check 0 strings --atomics --strategy random --executions 50

finish
