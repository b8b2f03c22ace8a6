#!/bin/bash
# Accesses to memory as operations (--granularity race and memory): programs made at random come to the outcomes that running every order
# of their accesses does, and to no other; what is complete has missed none, and threads are switched where accesses race and nowhere
# else. RACES: how many programs, in check-long more; all of them in every way with EVERY_WAY=1. And what is told of races (--races).
# Arguments: programs of tests/accesses.py instead, without the rest.
. tests/lib.sh
RACES=${RACES:-8}
! long || RACES=$((RACES * 15))

# search NAME,LEVEL,GRANULARITY: what fmc says of the program so compiled, in a file for accesses.py. The schedule of its first outcome comes to
# that again.
search() {
	local name level granularity base=$SCRATCH/$1
	IFS=, read -r name level granularity <<<"$1"
	[ -x "$SCRATCH/$name$level" ] ||
	    "${CC:-cc}" -std=gnu11 -g "$level" -w -fno-strict-aliasing -pthread "$SCRATCH/$name.c" -o "$SCRATCH/$name$level" || return 1
	timeout -k 10 150 "$FMC" check --strategy optimal --granularity "$granularity" --outcomes --no-minimize --json "$base.said" -o "$base.sched" -- \
	    "$SCRATCH/$name$level" </dev/null >"$base.out" 2>&1 &&
	    timeout -k 10 60 "$FMC" replay "$base.1.sched" </dev/null >"$base.out" 2>&1 || rm -f "$base.said"
	rm -f "$base".*sched
}

# compare_all PROGRAM...: a few processes for all of them. They are compiled with or without optimisation, with EVERY_WAY both, and searched at one
# of the granularities or the other.
compare_all() {
	local name number=0 granularity ways=() said
	tests/accesses.py write "$SCRATCH" "$@" || exit 1
	for name; do
		[ $((number / 2 % 2)) -eq 0 ] && granularity=race || granularity=memory
		ways+=("$name,-O$((number % 2 * 2)),$granularity")
		[ -z "${EVERY_WAY:-}" ] || ways+=("$name,-O$((2 - number % 2 * 2)),$(echo racememory | sed "s/$granularity//")")
		number=$((number + 1))
	done
	for name in "${ways[@]}"; do search "$name"; done
	while read -r said name; do
		if [ "$said" = ok ]; then
			pass "$name"
			continue
		fi
		fail "$name"
		said=${name#program } said=${said%%:*}
		show "$SCRATCH/${said//, /,}.out" 2>/dev/null
	done < <(tests/accesses.py compare "$SCRATCH" "${ways[@]}")
	for name; do rm -f "$SCRATCH/$name"[-,.]*; done
}

# shellcheck disable=SC2046 # a list of words
if [ $# -gt 0 ]; then programs=("$@"); else programs=(vector line update once bytes $(seq "$RACES")); fi
for ((at = 0; at < ${#programs[@]}; at += 50)); do compare_all "${programs[@]:at:50}"; done
[ $# -eq 0 ] || { finish && exit || exit; }

# Values tell how an update is lost: both read 0, both write 1.
timeout -k 10 60 "$FMC" check -o "$SCRATCH/counter.sched" -- "$BUILD/samples/counter" </dev/null >"$SCRATCH/out" 2>&1
judge "each counts from 0 to 1" [ "$(grep -c 'memory_read *counter#0 *= 0 ' "$SCRATCH/counter.sched") $(grep -c 'memory_write *counter#0 *= 1 ' "$SCRATCH/counter.sched")" = '2 2' ]
# With memory, what a lock orders is switched at, too: two threads that count below one.
cat >"$SCRATCH/locked.c" <<'EOF'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *count(void *unused)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return unused;
}
int main(void)
{
	pthread_t a, b;
	counter = 1;
	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return counter != 3;
}
EOF
"${CC:-cc}" -std=gnu11 -g -pthread "$SCRATCH/locked.c" -o "$SCRATCH/locked" || exit 1
for granularity in race memory; do
	timeout -k 10 150 "$FMC" check --strategy optimal --granularity $granularity --require-complete --json "$SCRATCH/json" -o "$SCRATCH/r.sched" -- \
	    "$SCRATCH/locked" </dev/null >"$SCRATCH/out" 2>&1
	judge "below a lock, $granularity: complete" [ $? -eq 0 -a "$("$BUILD/tests/json" "$SCRATCH/json" watched)" = true ]
	[ $granularity = race ] || says "below a lock: switched at" 'accesses that threads share: counter at locked.c:7 by T2 and T3' \
	    'these accesses to memory: counter at locked.c:7 by T2 and T3'
	[ $granularity = memory ] || says_not "below a lock: not switched at" 'counter at'
done
judge "below a lock: so JSON says" [ "$("$BUILD/tests/json" "$SCRATCH/json" granularity)" = memory ]
# told STATUS OPTION... PROGRAM [WORD]: what is told of races, in $SCRATCH/out; JSON in $SCRATCH/json.
told() {
	local wanted=$1 status options=()
	shift
	until [ -x "$1" ]; do
		options+=("$1")
		shift
	done
	timeout -k 10 150 "$FMC" check --no-minimize --json "$SCRATCH/json" -o "$SCRATCH/r.sched" "${options[@]}" -- "$@" \
	    </dev/null >"$SCRATCH/out" 2>&1
	status=$?
	judge "status $wanted: ${options[*]##*/} ${*##*/}" [ $status -eq "$wanted" ]
	[ $status -eq "$wanted" ] || show "$SCRATCH/out"
}

# silent PATTERN: nothing of the kind was told.
silent() {
	judge "silent: $1" [ "$(grep -cE "$1" "$SCRATCH/out")" = 0 ]
}

# field NAME VALUE: of the first race.
field() {
	judge "$1 is $2" [ "$("$BUILD/tests/json" "$SCRATCH/json" races.0."$1")" = "$2" ]
}

cat >"$SCRATCH/benign.c" <<'EOF'
#include <pthread.h>
#include <stddef.h>
static int last;
static void *set(void *value)
{
	last = value ? 1 : 2;
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, set, NULL);
	pthread_create(&b, NULL, set, &last);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return last > 2;
}
EOF
# A flag on the heap and one that isn't, of C11's.
cat >"$SCRATCH/flags.c" <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct box {
	atomic_int ready;
	int result;
};
static _Atomic int seen;
static int found;
static void *produce(void *argument)
{
	struct box *box = argument;
	box->result = 42;
	atomic_store_explicit(&box->ready, 1, memory_order_release);
	return NULL;
}
static void *consume(void *argument)
{
	struct box *box = argument;
	if (atomic_load_explicit(&box->ready, memory_order_acquire)) {
		found = box->result;
		atomic_store_explicit(&seen, 1, memory_order_release);
	}
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	struct box *box = calloc(1, sizeof *box);
	pthread_create(&a, NULL, produce, box);
	pthread_create(&b, NULL, consume, box);
	int wrong = atomic_load_explicit(&seen, memory_order_acquire) && found != 42;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(box);
	return wrong;
}
EOF
# A race on a block that one of the two has allocated, by a function of its own.
cat >"$SCRATCH/block.c" <<'EOF'
#include <pthread.h>
#include <stdlib.h>
struct node {
	int key, value;
};
static struct node *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *make(void)
{
	return calloc(3, sizeof *shared);
}
static void *first(void *argument)
{
	pthread_mutex_lock(&lock);
	shared = make();
	pthread_mutex_unlock(&lock);
	shared->value++;
	return argument;
}
static void *second(void *argument)
{
	pthread_mutex_lock(&lock);
	struct node *node = shared;
	pthread_mutex_unlock(&lock);
	if (node)
		node->value++;
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
EOF
# Copies by a function of libc's, as large as the argument says: two words, of which each is seen as a whole, or more.
cat >"$SCRATCH/copies.c" <<'EOF'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static long shared[8], seen[8], ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static size_t size;
static void *fill(void *argument)
{
	void *end = mempcpy(shared, ones, size);
	return end == (char *)shared + size ? argument : (void *)seen;
}
static void *look(void *argument)
{
	return memcpy(seen, shared, size) == seen ? argument : (void *)seen;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	void *one, *other;
	size = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_create(&a, NULL, fill, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, &one);
	pthread_join(b, &other);
	memset(shared, 0, size);
	return one || other || seen[2] > 1 || (argc > 2 && seen[0] != seen[1]);
}
EOF
# A copy to where nothing may be written by then, or of more than there is room for: it fails as the function does.
cat >"$SCRATCH/guarded.c" <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static char *page;
static volatile int begun;
static volatile size_t size = 16;
static char ones[64], room[16];
static void *write_page(void *argument)
{
	begun = 1;
	memcpy(page, ones, size);
	return argument;
}
static void *close_page(void *argument)
{
	if (!begun)
		return argument;
	memcpy(page, ones, size);
	return mprotect(page, 4096, PROT_READ) ? page : argument;
}
static void *write_room(void *argument)
{
	memcpy(room, ones, size);
	return argument;
}
static void *change_size(void *argument)
{
	size = 64;
	size = 16;
	memcpy(room, ones, size);
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&a, NULL, argc > 1 ? write_room : write_page, NULL);
	pthread_create(&b, NULL, argc > 1 ? change_size : close_page, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return argv == NULL;
}
EOF
"${CC:-cc}" -std=gnu11 -g -O2 -D_FORTIFY_SOURCE=2 -pthread "$SCRATCH/guarded.c" -o "$SCRATCH/guarded" || exit 1
# What two threads write into a stream comes in one order or the other: to memory or a file it may be read later.
cat >"$SCRATCH/streams.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
static FILE *stream;
static void *write(void *unused)
{
	fputs("a", stream);
	fprintf(stream, "%s", "b");
	return unused;
}
int main(int argc, char **argv)
{
	char *text;
	size_t length;
	pthread_t threads[2];
	stream = argc > 1 ? open_memstream(&text, &length) : stdout;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, write, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	fclose(stream);
	return argv == NULL;
}
EOF
for name in benign flags block copies streams; do
	"${CC:-cc}" -std=gnu11 -g -O1 -pthread "$SCRATCH/$name.c" -o "$SCRATCH/$name" &&
	    strip -o "$SCRATCH/$name.stripped" "$SCRATCH/$name" || exit 1
done

told 0 "$SCRATCH/streams"
says "streams: what is seen" '^No failure found in [0-9]+ executions.* complete for all interleavings of memory accesses'
told 0 --races report "$SCRATCH/streams" memory
says "streams: what is kept" '^No failure found in [0-9]+ executions.* complete for all interleavings of memory accesses' '^and these accesses to memory: heap [^ ]* at streams\.c:[67] ' '^Not told as races?: heap .*: the library may have a lock for it'
told 0 "$SCRATCH/benign"
says "a race that does no harm is a warning" '^No failure found' \
    '^Warning: race on last: T2 writes at benign.c:6 in set, T3 writes at benign.c:6 in set' \
    '^T2 set: writes last' '^    #0  set +benign.c:6' '^T3 set: writes last' 'both orders end well'
field verdict benign
told 1 --races report "$SCRATCH/benign"
says "reported, it is a failure" '^1 data race found' '^Race on last: '
told 1 --races report "$SCRATCH/block"
says "where the block was allocated" '^Race on node.value: T2 writes at block.c:17 in first, T3 writes at block.c:26 in second' \
    '^T2 first: allocated 24 bytes there' '^    #0 .*alloc' '^    #1  make +block.c:10' '^    #2  first +block.c:15'
field allocated.thread T2
field allocated.bytes 24
told 1 --races report --time 20 "$BUILD/samples/freed_too_early"
says "a block of before" '^It is in a block that was allocated before the second thread began\.$'
tests/accesses.py write "$SCRATCH" vector
"${CC:-cc}" -std=gnu11 -g -O1 -w -pthread "$SCRATCH/vector.c" -o "$SCRATCH/vector" || exit 1
told 0 --strategy optimal --granularity race "$SCRATCH/vector"
says "in which order an access is made in parts" '^and these accesses to memory: ' '^parts of one access in the order of their addresses,$'
told 0 --strategy optimal --granularity race "$SCRATCH/copies" 16
says_not "whole ones" 'parts of one access'
says "copies of two words" '^No failure found in [0-9]+ executions.* complete for all interleavings of memory accesses'
told 1 --strategy optimal --granularity race "$SCRATCH/copies" 16 torn
says "half of a copy" '^exit: ' 'memory_write shared'
"$FMC" replay "$SCRATCH/r.sched" >"$SCRATCH/out" 2>&1
says "replayed" '^Replayed [0-9]+ transitions: exit as recorded'
told 1 "$SCRATCH/copies.stripped" 16 torn
told 0 --strategy optimal --granularity race "$SCRATCH/copies" 64
says "copies of more" 'memory was sampled, not watched' '^Not every access was watched: copies by functions of libc, .* that others may see in more parts'
told 1 "$SCRATCH/guarded"
says "a copy to a closed page" '^crash: T2 got SIGSEGV .* in memcpy, called at guarded\.c:12 in write_page'
told 1 "$SCRATCH/guarded" room
says "a copy without room" '^abort: \*\*\* buffer overflow detected'
told 0 --strategy optimal --granularity race "$SCRATCH/copies" 0
says "copies of nothing" 'complete for all interleavings of memory accesses'
told 1 --races report --strategy dfs "$SCRATCH/benign"
field verdict unexplored
told 0 --races ignore "$SCRATCH/benign"
silent '[Rr]ace on'
printf '# known\nrace:^set$\ndeadlock:x\n' >"$SCRATCH/known"
told 0 --races report --suppressions "$SCRATCH/known" "$SCRATCH/benign"
says "a known race isn't told" 'known: only race and race_top count here, not deadlock' '^No failure found' '^1 race is suppressed'
field suppressed true
printf 'race:other\nrace_top:benign.c\n' >"$SCRATCH/known"
told 0 --races report --suppressions "$SCRATCH/known" "$SCRATCH/benign"
printf 'race:other\n\nlast\n' >"$SCRATCH/known"
told 65 --suppressions "$SCRATCH/known" "$SCRATCH/benign"
says "what is wrong in the file" 'known: line 3: there is no colon'
told 0 --races report "$SCRATCH/benign.stripped"
says "without types it may be atomic" '^Not told as a race: benign.stripped[+]0x[0-9a-f]+: T2 writes at benign.stripped[+]0x.*may be atomic'
for name in flags flags.stripped; do
	told 0 --races report "$SCRATCH/$name"
	silent '^Race on'
done
# Each way in which two threads share memory, and what is in order.
for how in counter local helper copy print input scan told ask; do
	told 1 --races report --time 20 --all "$BUILD/targets/unordered" $how
	says "$how" '^Race on '
done
for how in locked publish branch copied rand once left reused large; do
	told 0 --races report --time 20 "$BUILD/targets/unordered" $how
	silent '^Race on'
done
# What only a search sees that switches threads at accesses isn't kept waiting by chance at operations alone: it is tried before. By its marks, which
# need symbols, this one fails sooner; without them tens of thousands of executions at operations alone come to nothing.
strip -s -o "$SCRATCH/unmarked" "$BUILD/samples/work_stealing" || exit 1
for bug in steal pop push; do
	told 1 --time 120 "$SCRATCH/unmarked" 2 $bug
	says "the queue without marks, $bug: tried in time" \
	    '^No failure found in [0-9]{1,3} executions by operations alone, .* seconds: trying accesses that no operation orders: ' '^abort: '
done
# One that takes longer than it is tried for is no loss: what was tried counts for nothing, and the search goes on to where it follows.
told 0 --time 120 --executions 2000 "$SCRATCH/unmarked" 1
says "a queue without marks that is right: tried, then made" ': trying accesses that no operation orders: ' '^No failure found in '
told 0 --time 120 --executions 1000 --all "$SCRATCH/unmarked" 1
silent ': trying '
# Samples that are correct have none, whatever orders their accesses.
for name in own_spin_lock stop_flag chase_lev ticket_lock queue_lock_free work_stealing buffer barrier semaphores c11_threads \
	spinlock once cpp_queue cpp_static; do
	# One of them has more orders than there is time for.
	[ "$name" = work_stealing ] && time=5 || time=20
	told 0 --races report --time $time "$BUILD/samples/$name"
	silent '^Race on'
done
# By operations alone it has one order, in which the accesses to the flag are found; with these it has 22, and each is run once.
timeout -k 10 100 "$FMC" check --strategy optimal --granularity race --certificate "$SCRATCH/stop_flag.cert" -- "$BUILD/samples/stop_flag" \
    </dev/null >"$SCRATCH/out" 2>&1
says "stop flag: each order once" '^No failure found in 23 executions, .*, complete for all interleavings' '^Certificate: .*\(22 executions,'
# What equivalent executions could show is nothing where every access was watched.
timeout -k 10 100 "$FMC" check -v --require-complete --time 60 -- "$BUILD/samples/stop_flag" </dev/null >"$SCRATCH/out" 2>&1
says "stop flag, by default: complete" 'complete for all interleavings'
silent '^fmc: dfs, after'
timeout -k 10 60 "$FMC" check --json "$SCRATCH/json" -o "$SCRATCH/counter.sched" -- "$BUILD/samples/counter" \
    </dev/null >"$SCRATCH/out" 2>&1
says "the story of a failure" \
    '^The race that makes the difference: T3 reads counter = 0 at counter.c:[0-9]+ .transition 6. before T2 writes counter = 1 at counter.c:[0-9]+ ' \
    'the other way round'
field verdict harmful
judge "as JSON" [ "$(for name in first second makes_the_difference; do "$BUILD/tests/json" "$SCRATCH/json" findings.0.race.$name; done | tr '\n' ' ')" = '6 8 true ' ]
# A block with a count of references that two threads may both find at 0, since they look after they have counted: each order of what they see
# and what they give back is run, though the last thing to be ordered is no access at all.
for level in O0 O2; do
	told 1 --strategy optimal --granularity race --time 60 "$BUILD/targets/unordered.$level" twice
	says "given back twice, $level" '^abort: ' 'memory_read .* unordered.c:' 'memory_write .* unordered.c:' 'double free'
	judge "the function and its call are in the schedule, $level" \
	    [ "$(grep -cE '^promoted (lib|unordered)' "$SCRATCH/r.sched") $(grep -c '^promoted libc' "$SCRATCH/r.sched")" = '3 1' ]
	"$FMC" replay "$SCRATCH/r.sched" >"$SCRATCH/out" 2>&1
	says "replayed, $level" '^Replayed [0-9]+ transitions: '
	told 0 --strategy optimal --granularity race --require-complete "$BUILD/targets/unordered.$level" counted
	says "given back by whom it is the last one, $level" 'complete for all interleavings of memory accesses'
	silent '^and these accesses to memory'
	told 0 --strategy optimal --granularity race --require-complete "$BUILD/targets/unordered.$level" gone
	says "read too late, $level" '^No failure found in [0-9]+ executions.* complete for all interleavings' \
	    '^Warning: race on .*: T2 gives back at unordered.c:[0-9]+ in give_back, T3 reads at unordered.c:[0-9]+ in read_number' 'both orders end well'
done
# The same of blocks that are larger than most, from the heap or with pages of their own.
cat >"$SCRATCH/large.c" <<'EOF'
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static struct large { atomic_int references; char rest[4 << 20]; } *large;
static void *drop(void *unused)
{
	atomic_fetch_sub(&large->references, 1);
	if (atomic_load(&large->references) == 0)
		free(large);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	if (argc > 1)
		mallopt(M_MMAP_THRESHOLD, 1 << 30);
	large = malloc(sizeof *large);
	atomic_init(&large->references, 2);
	pthread_create(&thread, NULL, drop, NULL);
	drop(NULL);
	pthread_join(thread, NULL);
	return 0;
}
EOF
"${CC:-cc}" -std=gnu11 -g -O1 -pthread "$SCRATCH/large.c" -o "$SCRATCH/large" || exit 1
for heap in "" heap; do
	told 1 --strategy optimal --granularity race --time 60 "$SCRATCH/large" $heap
	says "4 MB given back twice${heap:+, of the heap}" '^(abort|crash): ' 'memory_write .* large.c:'
done
# Which memory is given back is known of glibc's and musl's allocators alone: with another one no other order of that is run, which is told unless nobody is left
# who could use it. both: the last of two threads gives it back; joined: main does, after the other one's end.
cat >"$SCRATCH/given.c" <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static struct counted { atomic_int references; } *counted;
static void *drop(void *unused)
{
	if (atomic_fetch_sub(&counted->references, 1) == 1)
		free(counted);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	counted = malloc(sizeof *counted);
	atomic_init(&counted->references, 2);
	pthread_create(&thread, NULL, drop, NULL);
	if (argc > 1)
		pthread_join(thread, NULL);
	drop(NULL);
	if (argc == 1)
		pthread_join(thread, NULL);
	return 0;
}
EOF
"${CC:-cc}" -std=gnu11 -g -O1 -pthread "$SCRATCH/given.c" -o "$SCRATCH/given_glibc" || exit 1
"${CC:-cc}" -std=gnu11 -g -O1 -pthread "$SCRATCH/given.c" -o "$SCRATCH/given_jemalloc" -Wl,--no-as-needed -l:libjemalloc.so.2 2>"$SCRATCH/out"
! command -v musl-gcc >/dev/null || musl-gcc -std=gnu11 -g -O1 -pthread "$SCRATCH/given.c" -o "$SCRATCH/given_musl"
for allocator in glibc jemalloc musl; do
	if [ ! -x "$SCRATCH/given_$allocator" ]; then
		skip "given back to $allocator: not installed"
		continue
	fi
	[ $allocator = jemalloc ] && wanted=2 || wanted=0
	told $wanted --strategy optimal --granularity race --require-complete --time 60 "$SCRATCH/given_$allocator"
	if [ $wanted = 0 ]; then
		says "given back to $allocator" '^No failure found .*, complete for all interleavings of memory accesses'
	else
		says "given back to $allocator" '^No failure found .* memory was sampled, not watched' \
		    '^Not every access was watched: blocks of unknown size, given back to another allocator'
		judge "as JSON, $allocator" [ "$("$BUILD/tests/json" "$SCRATCH/json" watched)" = false ]
	fi
	told 0 --strategy optimal --granularity race --require-complete --time 60 "$SCRATCH/given_$allocator" joined
	says "given back after the others, $allocator" '^No failure found .*, complete for all interleavings of memory accesses'
done
# All of a block of theirs, and nothing of the next one: small, large, aligned; the other thread writes the last byte that was asked for, or what is beside it.
cat >"$SCRATCH/last.c" <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char *block, *other;
static void *give_back(void *unused)
{
	free(block);
	return unused;
}
static void *use(void *unused)
{
	*(volatile char *)other = 1;
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	const size_t bytes = (size_t)atoi(argv[1]);
	(void)argc;
	block = bytes % 4096 ? malloc(bytes) : aligned_alloc(4096, bytes);
	char *next = malloc(bytes);
	other = strcmp(argv[2], "last") == 0 ? block + bytes - 1 : next;
	pthread_create(&b, NULL, use, NULL);
	pthread_create(&a, NULL, give_back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
EOF
"${CC:-cc}" -std=gnu11 -g -O1 -pthread "$SCRATCH/last.c" -o "$SCRATCH/last_glibc" || exit 1
! command -v musl-gcc >/dev/null || musl-gcc -std=gnu11 -g -O1 -pthread "$SCRATCH/last.c" -o "$SCRATCH/last_musl"
for allocator in glibc musl; do
	if [ ! -x "$SCRATCH/last_$allocator" ]; then
		skip "blocks of $allocator's: not installed"
		continue
	fi
	for bytes in 24 100 3000 8192; do
		# musl takes the pages away.
		[ $allocator-$bytes = musl-3000 ] || [ $allocator-$bytes = musl-8192 ] && wanted=1 || wanted=0
		told $wanted --strategy optimal --granularity race --time 60 "$SCRATCH/last_$allocator" $bytes last
		says "a block of $bytes, $allocator" 'last\.c:[0-9]+ (by T3 and last\.c:[0-9]+ by T2|in use)'
		told 0 --strategy optimal --granularity race --require-complete "$SCRATCH/last_$allocator" $bytes next
		says "beside a block of $bytes, $allocator" '^No failure found in 1 execution, .*, complete for all interleavings of memory accesses'
	done
done
# A static program's allocator isn't glibc's because its functions have the same names: what is in front of its blocks is no size.
cat >"$SCRATCH/neighbours.c" <<'EOF'
#include <pthread.h>
#include <stdlib.h>
static long room[1 << 12], used = 1;
void *malloc(size_t size)
{
	long *block = room + used;
	block[-1] = 4096;
	used += 1 + (size + 7) / 8;
	return block;
}
void free(void *block) { (void)block; }
void *calloc(size_t n, size_t size) { return malloc(n * size); }
void *realloc(void *block, size_t size) { return block ? abort(), block : malloc(size); }
static int *first, *second;
static void *give_back(void *unused)
{
	free(first);
	return unused;
}
static void *use(void *unused)
{
	*second = 1;
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	first = malloc(sizeof *first);
	second = malloc(sizeof *second);
	pthread_create(&threads[0], NULL, give_back, NULL);
	pthread_create(&threads[1], NULL, use, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
EOF
if "${CC:-cc}" -std=gnu11 -g -O0 -pthread -static "$SCRATCH/neighbours.c" -o "$SCRATCH/neighbours" 2>"$SCRATCH/out"; then
	told 0 --races report --time 60 "$SCRATCH/neighbours"
	silent 'Race on'
else
	skip "a static program's allocator: no static libc"
fi
# What another allocator's function is told the size of is an operation where others race for it.
cat >"$SCRATCH/deleted.cc" <<'EOF'
#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
struct counted {
	std::atomic<int> references{2};
	long other{0};
};
alignas(counted) static char room[sizeof(counted)];
static std::atomic<int> given{0};
void operator delete(void *block, std::size_t size) noexcept
{
	if (block == room && size == sizeof(counted) && ++given == 2)
		abort();
}
static counted *shared;
static void drop()
{
	if (--shared->references == 0)
		::operator delete(shared, sizeof *shared);
}
static void drop_twice()
{
	--shared->references;
	if (shared->references == 0)
		::operator delete(shared, sizeof *shared);
}
int main(int argc, char **)
{
	shared = new (room) counted;
	std::thread a(argc > 1 ? drop_twice : drop), b(argc > 1 ? drop_twice : drop);
	a.join();
	b.join();
}
EOF
"${CXX:-c++}" -std=gnu++17 -g -O1 -pthread "$SCRATCH/deleted.cc" -o "$SCRATCH/deleted" || exit 1
told 0 --strategy optimal --granularity race --require-complete --time 60 "$SCRATCH/deleted"
says "given back with its size" '^No failure found .*, complete for all interleavings of memory accesses'
told 1 --strategy optimal --granularity race --time 60 "$SCRATCH/deleted" twice
says "given back twice with its size" '^abort: ' 'memory_write room.* deleted.cc:26'
# Memory that is given back while another thread reads it: by whom, not where libc does it.
told 1 --races report "$BUILD/samples/freed_too_early"
says "who gives it back" '^Race on heap .*, T1 gives back at freed_too_early.c:[0-9]+ in main, and nothing orders these'
# Functions of libc's: a call is an operation about all that it touches, what libc keeps to itself among that.
library=$BUILD/targets/library_calls
for how in tokens date encoded digits decoded emptied replaced ask letters half freed length; do
	told 1 --time 60 "$library" $how
	says "a call of a library's function: $how" "^abort: .*library_calls.c:[0-9]+: " 'memory_(read|write) .*'
	told 0 --strategy optimal --granularity race --require-complete "$library" $how right
done
told 1 --strategy optimal --granularity race --time 60 "$library" zone
says "a variable of libc's" 'going on with accesses that no operation orders: .*timezone' '^abort: .*library_calls.c:[0-9]+: '
told 0 --strategy optimal --granularity race --require-complete "$library" zone right
told 0 --strategy optimal --granularity race --races report "$library" zones
silent 'data race'
told 1 --strategy optimal --granularity race --time 60 "$library" exits
says "what is to be called at the end" 'going on with accesses that no operation orders: what exit\(\) goes by' '^abort: .*library_calls.c:[0-9]+: ' 'memory_write .*'
told 0 --strategy optimal --granularity race --require-complete "$library" exits right
told 1 --time 60 "$library" half
"$FMC" replay "$SCRATCH/r.sched" >"$SCRATCH/out" 2>&1
says "half of a string, replayed" '^Replayed [0-9]+ transitions: abort as recorded'
told 1 --time 60 "$library" closed
says "a stream that is closed" '^(crash|abort): '
# What is moved or detached isn't there any more; what lies behind it is.
for how in moved detached secured; do
	told 1 --time 60 "$library" $how
	says "memory that is $how" "^crash: .*SIGSEGV .*library_calls.c:[0-9]+ in write_page"
	told 0 --strategy optimal --granularity race "$library" $how right
done
for how in moved secured; do told 0 --strategy optimal --granularity race --require-complete "$library" $how right; done
told 0 --strategy optimal --granularity race --require-complete "$library" shrunk
# What libc locks by itself comes as a whole; what a function does after an operation in it isn't part of its own.
told 0 --strategy optimal --granularity race --require-complete "$library" rand
told 0 --strategy optimal --granularity race "$library" sort
says "an operation in a function" '^No failure found in [0-9]+ executions.*memory was sampled, not watched' \
    '^Not every access was watched: .*other accesses of theirs, .* that others may see in more parts'
told 0 --strategy optimal --granularity race --require-complete "$library" wait right
# A loop that polls by such a call waits for what that reads, or its rounds are yields where that isn't known: no livelock hides what comes after.
for how in compare two again ask; do
	told 1 --time 60 "$BUILD/targets/polls" $how wrong
	says "a loop that polls by a call: $how" '^abort: .*polls.c:[0-9]+: '
done
told 0 --strategy optimal --granularity race "$BUILD/targets/polls" yield
says "a loop that polls by a call and yields" '^No failure found in [0-9]+ executions.*complete only at granularity race'
finish
