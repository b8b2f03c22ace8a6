#!/bin/bash
# Programs that are compiled to tell of their accesses to memory: built as users do it, with what `make install` puts where and each
# compiler that is there; switched at these accesses from the first execution on.
. tests/lib.sh
MAKE=${MAKE:-make}
PREFIX=$SCRATCH/prefix
"$MAKE" --no-print-directory BUILD="$BUILD" PREFIX="$PREFIX" install >"$SCRATCH/out" 2>&1
judge "make install" [ $? -eq 0 ]
export PKG_CONFIG_PATH=$PREFIX/share/pkgconfig

# compile COMPILER SOURCE OBJECT [OPTION...], link COMPILER OBJECT PROGRAM [OPTION...]: the lines of the manual.
compile() {
	local extra=
	case $1 in clang*) extra=$(pkg-config --variable=clang_cflags fmc-tsan) ;; esac
	# shellcheck disable=SC2046,SC2086 # lists of words
	"$1" -O1 -g -pthread $(pkg-config --cflags fmc-tsan) $extra -c "$2" -o "$3" "${@:4}"
}
link() {
	# shellcheck disable=SC2046 # a list of words
	"$1" -pthread "$2" -o "$3" "${@:4}" $(pkg-config --libs fmc-tsan)
}

# check STATUS NAME OPTION... -- ARGUMENT...: of the program $SCRATCH/NAME; its output is in $SCRATCH/out.
check() {
	local expected=$1 name=$2 options=() status
	shift 2
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	timeout -k 10 150 "$FMC" check --time 120 --json "$SCRATCH/result.json" -o "$SCRATCH/$name.sched" "${options[@]}" -- \
	    "$SCRATCH/$name" "${@:2}" </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	judge "$name ${options[*]}: ends with $expected" [ $status -eq "$expected" ]
	[ $status -eq "$expected" ] || show "$SCRATCH/out"
}

field() {
	"$BUILD/tests/json" "$SCRATCH/result.json" "$1"
}

# fails_again NAME
fails_again() {
	"$FMC" replay "$SCRATCH/$1.sched" >"$SCRATCH/out" 2>&1
	judge "$1: its schedule fails again" [ $? -eq 0 ]
	says "$1: in the same way" '^Replayed .* as recorded'
}

cat >"$SCRATCH/copies.c" <<'EOT2'
#include <assert.h>
#include <pthread.h>
#include <string.h>
struct pair { long a, b; };
struct big { long at[20]; };
static struct pair from = {1, 1}, to, *source = &from, *target = &to;
static struct big big_from, big_to;
static char text_from[100], text_to[100];
static volatile size_t length = sizeof text_to;
static void *copy(void *unused)
{
	*target = *source;
	big_to = big_from;
	memcpy(text_to, text_from, length);
	return unused;
}
static void *change(void *unused)
{
	source->a = 2;
	source->b = 2;
	big_from.at[3] = 4;
	memset(text_from, 1, length);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	(void)argv;
	pthread_create(&a, NULL, copy, NULL);
	pthread_create(&b, NULL, change, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(argc == 1 || to.a == to.b);
	return 0;
}
EOT2
cat >"$SCRATCH/halves.c" <<'EOT2'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static long shared[4], seen[4], ones[4] = {1, 1, 1, 1};
static volatile size_t size;
static int sets;
static void *fill(void *argument)
{
	if (sets)
		memset(shared, 1, size);
	else
		memcpy(shared, ones, size);
	return argument;
}
static void *look(void *argument)
{
	memcpy(seen, shared, size);
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	size = strtoul(argv[1], NULL, 10);
	sets = argc > 2 && argv[2][0] == 's';
	pthread_create(&a, NULL, fill, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(argc == 2 || seen[0] == seen[1]);
	return 0;
}
EOT2
cat >"$SCRATCH/atomics.cc" <<'EOT2'
#include <atomic>
#include <cassert>
#include <thread>
struct alignas(16) wide { long a, b; };
static std::atomic<int> ready, n;
static std::atomic<bool> seen;
static int data;
int main(int argc, char **)
{
	std::thread producer([] { data = 42; ready.store(1, std::memory_order_release); n++; });
	std::thread consumer([argc] {
		while (!ready.load(std::memory_order_acquire))
			std::this_thread::yield();
		assert(data == 42);
		int one = 1;
		if (argc > 1)
			n = n + 1;
		else if (!n.compare_exchange_strong(one, 2))
			n++;
		seen.exchange(true);
	});
	producer.join();
	consumer.join();
	assert(n == 2 && seen);
}
EOT2
# Every function of the library natively: what it returns, and what it leaves in memory.
cat >"$SCRATCH/native.c" <<'EOT2'
#include <stdint.h>
#include <string.h>
#define CHECK(condition) if (!(condition)) return __LINE__
#define WIDTH(type) { \
	static type x = 5; \
	type y = 1; \
	__atomic_store_n(&x, 6, 5); \
	CHECK(__atomic_load_n(&x, 5) == 6); \
	CHECK(__atomic_exchange_n(&x, 12, 5) == 6); \
	CHECK(__atomic_fetch_add(&x, 3, 5) == 12 && x == 15); \
	CHECK(__atomic_fetch_sub(&x, 4, 5) == 15 && x == 11); \
	CHECK(__atomic_fetch_and(&x, 6, 5) == 11 && x == 2); \
	CHECK(__atomic_fetch_or(&x, 9, 5) == 2 && x == 11); \
	CHECK(__atomic_fetch_xor(&x, 3, 5) == 11 && x == 8); \
	CHECK(__atomic_fetch_nand(&x, 12, 5) == 8 && x == (type)~8); \
	CHECK(!__atomic_compare_exchange_n(&x, &y, 3, 0, 5, 5) && y == (type)~8); \
	CHECK(__atomic_compare_exchange_n(&x, &y, 3, 0, 5, 5) && x == 3); }
static char text[64], *volatile at = text;
static volatile size_t ten = 10;
int main(void)
{
	WIDTH(uint8_t)
	WIDTH(uint16_t)
	WIDTH(uint32_t)
	WIDTH(uint64_t)
#ifdef __SIZEOF_INT128__
	WIDTH(unsigned __int128)
#endif
	__atomic_signal_fence(5);
	CHECK(memset(at, 'x', ten) == at && text[9] == 'x' && !text[10]);
	CHECK(memcpy(at, "0123456789", ten) == at && !memcmp(text, "0123456789", 10));
	CHECK(memmove(at + 2, at, ten) == at + 2 && !memcmp(text, "010123456789", 12));
	CHECK(memmove(at, at + 2, ten) == at && !memcmp(text, "012345678989", 12));
	return 0;
}
EOT2
cat >"$SCRATCH/library.c" <<'EOT2'
int shared;
void add(void);
void add(void) { shared++; }
EOT2
cat >"$SCRATCH/user.c" <<'EOT2'
#include <assert.h>
#include <pthread.h>
extern int shared;
void add(void);
static void *work(void *unused) { add(); return unused; }
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	assert(shared == 2);
	return 0;
}
EOT2

for compiler in gcc clang; do
	if ! command -v $compiler >/dev/null; then
		skip "$compiler isn't installed"
		continue
	fi
	cxx=${compiler/gcc/g}++
	cxx=${cxx/clang++/clang++}
	for name in counter publication mailbox stop_flag spin_locked; do
		compile $compiler samples/$name.c "$SCRATCH/$name.o" && link $compiler "$SCRATCH/$name.o" "$SCRATCH/$name"
		judge "$compiler: $name is built" [ $? -eq 0 ]
	done
	compile $compiler "$SCRATCH/native.c" "$SCRATCH/native.o" -mcx16 && link $compiler "$SCRATCH/native.o" "$SCRATCH/native"
	"$SCRATCH/native"
	judge "$compiler: each function does its work natively (line $?)" "$SCRATCH/native"

	# As many executions as there are orders, without a look at what they do to memory.
	check 1 counter --strategy optimal --granularity sync --all --
	judge "$compiler: counter is run in 6 executions" [ "$(field executions) $(field complete)" = "6 true" ]
	judge "$compiler: where threads were switched" [ "$(field granularity)" = access ]
	says "$compiler: the summary says so" '^and accesses to memory of code that was compiled to tell of them'
	says "$compiler: accesses are told with their places" ' T[23] memory_read counter = 0 +counter\.c:26'
	fails_again counter
	check 1 publication --strategy optimal --granularity sync --all --
	judge "$compiler: publication is searched whole" [ "$(field complete)" = true ]
	fails_again publication

	# What each access is and when it comes is told right: watching every access finds none that wasn't told of.
	check 0 mailbox --granularity sync --require-complete --
	judge "$compiler: mailbox, nothing is left" [ "$(field complete) $(field watched)" = "true true" ]
	judge "$compiler: mailbox, atomic operations are told of once" [ "$(field atomics)" = false ]
	check 1 mailbox --granularity sync -- early
	fails_again mailbox

	# A loop that waits by reading yields; where one never does, it is told with its place in the program.
	check 0 stop_flag --granularity sync --strategy optimal --
	judge "$compiler: a loop that waits is searched whole" [ "$(field complete)" = true ]
	check 1 spin_locked --granularity sync --
	says "$compiler: a loop that never yields" '^good-samaritan: .* at spin_locked\.c:[0-9]+ in spin'

	compile $compiler "$SCRATCH/copies.c" "$SCRATCH/copies.o" && link $compiler "$SCRATCH/copies.o" "$SCRATCH/copies"
	check 0 copies --granularity sync --strategy optimal --
	judge "$compiler: copies, complete" [ "$(field complete)" = true ]
	check 1 copies --granularity sync -- torn
	fails_again copies

	# Copies of two words, of which others see one: as where nothing is told of.
	compile $compiler "$SCRATCH/halves.c" "$SCRATCH/halves.o" && link $compiler "$SCRATCH/halves.o" "$SCRATCH/halves"
	check 0 halves --granularity sync --strategy optimal --require-complete -- 16
	judge "$compiler: copies of two words, nothing is left" [ "$(field complete) $(field watched)" = "true true" ]
	check 1 halves --granularity sync -- 16 torn
	fails_again halves
	check 1 halves --granularity sync -- 16 set
	check 0 halves --granularity sync --strategy optimal -- 32
	judge "$compiler: copies of more are seen in more parts" [ "$(field complete) $(field watched)" = "true false" ]
	says "$compiler: which is told" '^Not every access was watched: copies by functions of libc, other accesses of theirs, or those told by the compiler, that others'
	$compiler -O1 -g -pthread "$SCRATCH/halves.c" -o "$SCRATCH/halves"
	check 0 halves --granularity race --strategy optimal --require-complete -- 16
	check 1 halves --granularity race -- 16 torn

	compile $cxx "$SCRATCH/atomics.cc" "$SCRATCH/atomics.o" && link $cxx "$SCRATCH/atomics.o" "$SCRATCH/atomics"
	check 0 atomics --strategy optimal --granularity sync --
	judge "$compiler: atomics of C++, complete" [ "$(field complete) $(field granularity)" = "true access" ]
	check 1 atomics --granularity sync -- lost
	fails_again atomics

	# libc's own calls of memcpy() and its like are none of the program's.
	link $compiler "$SCRATCH/copies.o" "$SCRATCH/copies-static" -static
	check 1 copies-static --granularity sync -- torn
	fails_again copies-static

	# Of a library that isn't compiled so nothing is told, which is said.
	compile $compiler "$SCRATCH/user.c" "$SCRATCH/user.o"
	$compiler -O1 -g -shared -fPIC "$SCRATCH/library.c" -o "$SCRATCH/libadds.so"
	link $compiler "$SCRATCH/user.o" "$SCRATCH/user" "$SCRATCH/libadds.so"
	check 0 user --strategy optimal --granularity sync --
	judge "$compiler: a library that tells nothing is named" [ "$(field memory.not_compiled) $(field complete)" = "libadds.so false" ]
	says "$compiler: in the summary, too" 'only if these accesses don.t matter: shared' '^which libadds\.so doesn.t do'
	compile $compiler "$SCRATCH/library.c" "$SCRATCH/library.o" -fPIC
	$compiler -shared "$SCRATCH/library.o" -o "$SCRATCH/libadds.so"
	link $compiler "$SCRATCH/user.o" "$SCRATCH/user" "$SCRATCH/libadds.so"
	check 1 user --strategy optimal --granularity sync --
	fails_again user
done
finish
