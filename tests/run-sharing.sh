#!/bin/bash
# What a complete search says of memory that threads share without operations: which, where, who; and nothing where all is ordered.
. tests/lib.sh

# look STATUS PROGRAM ARGUMENT...: search it to the end, its first line in $SCRATCH/out, JSON in $SCRATCH/json.
look() {
	local expected=$1 found
	shift
	timeout -k 10 200 "$FMC" check --strategy optimal --require-complete --json "$SCRATCH/json" \
	    -o "$SCRATCH/sharing.sched" -- "$@" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	found=$?
	judge "status $expected: $*" [ $found -eq "$expected" ]
	[ $found -eq "$expected" ] || show "$SCRATCH/out" "$SCRATCH/err"
}

# depends PATTERN PROGRAM ARGUMENT...: the first line says that completeness depends on this, the exit status and JSON, too.
depends() {
	local pattern=$1
	shift
	look 2 "$@"
	says "names it: $*" "^No failure found in .*, complete only if these accesses don't matter: $pattern\.\$"
	judge "complete is false" [ "$("$BUILD/tests/json" "$SCRATCH/json" complete)" = false ]
}

# ordered PROGRAM ARGUMENT...: it is complete, and all that it does to memory was seen.
ordered() {
	look 0 "$@"
	says "nothing is shared: $*" \
	    '^No failure found in .*, complete for all interleavings of memory accesses\.$' '^Search complete' '^In (one execution of each order|all of them) every access to memory was watched'
	for field in complete watched; do
		judge "$field is true" [ "$("$BUILD/tests/json" "$SCRATCH/json" $field)" = true ]
	done
}

# sampled PROGRAM ARGUMENT...: it is complete as far as samples show.
sampled() {
	look 2 "$@"
	says "which isn't all that is asked for: $*" '^--require-complete asks for every access to be watched; .* --granularity sync\.$'
	says "nothing is shared: $*" '^No failure found in .*; memory was sampled, not watched: complete only at granularity sync\.$' '^Search complete' \
	    '^A sample of what [0-9]+ of them do(es)? to memory shows nothing'
	judge "complete, but not watched" \
	    [ "$("$BUILD/tests/json" "$SCRATCH/json" complete) $("$BUILD/tests/json" "$SCRATCH/json" watched)" = 'true false' ]
}

at() {
	echo "unordered\.c:[0-9]+ by $1"
}

for level in O0 O2; do
	program=$BUILD/targets/unordered.$level
	depends "counter at $(at 'T2 and T3')" "$program" counter
	depends "(block|shared|heap \+0x[0-9a-f]+).* at $(at 'T2 and T3')" "$program" heap
	depends "local in main at $(at 'T2 and T3')" "$program" local
	depends "flag at $(at T2) and $(at T3); data at $(at T2) and $(at T3)" "$program" publish
	depends "flag at $(at T2) and $(at T3)" "$program" branch
	depends "counter at $(at 'T2 and T3')" "$program" helper
	depends "array\[[06]\] at $(at 'T2 and T3'); array\[[06]\] at $(at 'T2 and T3')" "$program" late
	# What libc does with a buffer for the program, or lets the kernel do.
	for how in copy print input limits; do
		depends "buffer\[0\] at $(at 'T2 and T3')" "$program" $how
	done
	depends "buffer\[[01]\] at $(at T2) and $(at T3)" "$program" behind
	ordered "$program" beyond
	depends "buffer\[0\] at $(at T2) and $(at T3)" "$program" ask
	# What an operation writes for its caller.
	depends "result[^ ]* at $(at 'T2 and T[34]')" "$program" result
	depends "key at $(at 'T2 and T3'); what pthread_key_create\(\) goes by at $(at 'T2 and T3')" "$program" key
	depends "counter at $(at T2) and $(at T3)" "$program" value
	# By pointers that a format is about, or others lead to, and what libc keeps to itself.
	depends "array\[0\] at $(at 'T2 and T3').*" "$program" sort
	depends "line at $(at 'T2 and T3'); line_bytes at $(at 'T2 and T3'); .*at $(at 'T2 and T3')" "$program" line
	depends "counter at $(at 'T2 and T3')" "$program" scan
	depends "buffer\[0\] at $(at T2) and $(at T3)" "$program" told
	# Formats with lists of arguments, and with arguments by number; streams.
	for how in listed numbered; do
		depends "buffer\[0\] at $(at T2) and $(at T3)" "$program" $how
	done
	# More than is looked at forbids a complete search.
	for how in long far strings; do
		look 2 "$program" $how
		says "$how: what isn't looked at is named" "isn't complete" \
		    "wasn't looked at: arguments of (__)?vsnprintf(_chk)? \(not all of them can be told\)"
	done
	depends "array\[0\] at $(at 'T2 and T3'); counter at $(at 'T2 and T3')" "$program" scans
	depends "(stream|heap \+0x[0-9a-f]+).* at $(at 'T2 and T3')" "$program" lines
	depends "(stream|heap \+0x[0-9a-f]+).* at $(at T2) and $(at T3)" "$program" where
	depends "(stream|heap \+0x[0-9a-f]+).* at $(at 'T2 and T3')" "$program" printed
	depends "(__)?environ at $(at T2) and $(at T3)" "$program" set
	depends "what rand\(\) goes by at $(at 'T2 and T3')" "$program" rand
	# libc's count of threads orders what the last one does, but main's end waits for nobody.
	depends "counter at $(at T2) and $(at T1)" "$program" ended
	# Whoever reads a block comes before or after it is given back, but not to the one that is made of it.
	depends "[^;]* at $(at T3) and $(at T2)" "$program" gone
	for how in locked copied once reused large left prints streams; do
		ordered "$program" $how
	done
	depends "shared\.money at unordered_cxx\.cc:[0-9]+ by T2 and T3" "$BUILD/targets/unordered_cxx.$level" member
	depends "shared\.owner[^ ]* at [^;]* by T2 and T3.*" "$BUILD/targets/unordered_cxx.$level" string
	ordered "$BUILD/targets/unordered_cxx.$level" guarded
	depends 'what exit\(\) goes by at unordered_cxx\.cc:[0-9]+ by T2 and unordered_cxx\.cc:[0-9]+ by T3' "$BUILD/targets/unordered_cxx.$level" statics
	depends '.* at unordered_cxx\.cc:[0-9]+ by T2 and unordered_cxx\.cc:[0-9]+ by T3; .*' "$BUILD/targets/unordered_cxx.$level" tree
done

# A library's accesses are the program's own.
"${CC:-cc}" -g -shared -fPIC -x c -o "$SCRATCH/libadds.so" - <<'EOF'
int adds;
void add(void)
{
	adds++;
}
EOF
"${CC:-cc}" -g -pthread -x c - -x none -L"$SCRATCH" -ladds -Wl,-rpath,"$SCRATCH" -o "$SCRATCH/adds" <<'EOF'
#include <pthread.h>
#include <stddef.h>
void add(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *locks)
{
	if (locks)
		pthread_mutex_lock(&lock);
	add();
	if (locks)
		pthread_mutex_unlock(&lock);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	pthread_create(&thread, NULL, run, &lock);
	run(argc > 1 ? NULL : &lock);
	return pthread_join(thread, NULL);
}
EOF
ordered "$SCRATCH/adds"
depends "adds at [^;]* by T1 and T2" "$SCRATCH/adds" unlocked

depends "counter at $(at 'T2 and T3')" "$BUILD/targets/unordered.static" counter
for how in copy print input; do
	depends "buffer\[0\] at $(at 'T2 and T3')" "$BUILD/targets/unordered.static" $how
done
depends "buffer\[0\] at $(at T2) and $(at T3)" "$BUILD/targets/unordered.static" ask
depends "counter at $(at 'T2 and T3')" "$BUILD/targets/unordered.static" scan
depends "what rand\(\) goes by at $(at 'T2 and T3')" "$BUILD/targets/unordered.static" rand
for how in left locked copied; do
	sampled "$BUILD/targets/unordered.static" $how
	says 'which of its libc it calls' "^Not every access was watched: functions that aren't followed: those of a static libc"
done
depends 'unordered\.stripped\+0x[0-9a-f]+ at unordered\.stripped\+0x[0-9a-f]+ by T2 and T3' "$BUILD/targets/unordered.stripped" counter
ordered "$BUILD/targets/unordered.stripped" reused
# Where the program can't be told from its libc, no claim is made of its memory.
look 2 "$BUILD/targets/unordered.static.stripped" counter
says 'static and stripped: what was not looked at is the reason' "isn't complete" \
	"to memory that threads may share wasn't looked at: unordered\.static\.stripped \(its libc isn't known\)"

# Instructions of the program's own that compare or search strings, as far as they come; what an instruction touches without an operand, or lets the kernel touch.
"${CC:-cc}" -O1 -g -pthread -x c - -o "$SCRATCH/instructions" <<'EOT'
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#define TABLE 0x10000000
static volatile char text[] = "text", other[] = "text";
static char *table = (char *)TABLE;
static const char *how;
static void *touch(void *unused)
{
	const volatile void *from = text, *to = other;
	long length = sizeof text, result = 0;
	if (strcmp(how, "search") == 0)
		__asm__ volatile("repne scasb" : "+D"(from), "+c"(length) : "a"(0) : "cc", "memory");
	else if (strcmp(how, "compare") == 0)
		__asm__ volatile("repe cmpsb" : "+S"(from), "+D"(to), "+c"(length) : : "cc", "memory");
	else if (strcmp(how, "first") == 0)
		__asm__ volatile("repne scasb" : "+D"(from), "+c"(length) : "a"('t') : "cc", "memory");
	else if (strcmp(how, "entry") == 0)
		__asm__ volatile("xlat" : "+a"(result) : "b"(table) : "memory");
	else if (strcmp(how, "far") == 0)
		__asm__ volatile("movabs %c1, %%al" : "+a"(result) : "i"(TABLE) : "memory");
	else if (strcmp(how, "masked") == 0)
		__asm__ volatile("pcmpeqb %%xmm0, %%xmm0; maskmovdqu %%xmm0, %%xmm0" : : "D"(table) : "xmm0", "memory");
	else if (strcmp(how, "folder") == 0)
		__asm__ volatile("syscall" : "=a"(result) : "0"(SYS_getcwd), "D"(table), "S"(4096) : "rcx", "r11", "memory");
	else
		__asm__ volatile("syscall" : "=a"(result) : "0"(SYS_gettid) : "rcx", "r11", "memory");
	return unused;
}
static void *write_there(void *unused)
{
	other[3] = text[3] = 'T';
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	how = argc > 1 ? argv[1] : "";
	if (mmap(table, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != table)
		return 2;
	pthread_create(&threads[0], NULL, touch, NULL);
	pthread_create(&threads[1], NULL, write_there, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
EOT
depends "text\[[03]\] at .*" "$SCRATCH/instructions" search
depends "(text|other)\[[03]\] at .*; (text|other)\[[03]\] at .*" "$SCRATCH/instructions" compare
ordered "$SCRATCH/instructions" first
ordered "$SCRATCH/instructions" thread
for how in entry far masked folder; do
	sampled "$SCRATCH/instructions" $how
done

# Of a library that is loaded when there are several threads already.
cat >"$SCRATCH/late.c" <<'EOT'
static int late;
void count(void)
{
	late++;
}
EOT
"${CC:-cc}" -O1 -g -fPIC -shared "$SCRATCH/late.c" -o "$SCRATCH/liblate.so"
cat >"$SCRATCH/loads.c" <<'EOT'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
static void (*count)(void);
static void *load(void *unused)
{
	void *library = dlopen(LIBRARY, RTLD_NOW);
	if (!library)
		abort();
	count = (void (*)(void))dlsym(library, "count");
	return unused;
}
static void *run(void *unused)
{
	count();
	return unused;
}
int main(void)
{
	pthread_t loader, threads[2];
	pthread_create(&loader, NULL, load, NULL);
	pthread_join(loader, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
EOT
"${CC:-cc}" -O1 -g -pthread -DLIBRARY="\"$SCRATCH/liblate.so\"" "$SCRATCH/loads.c" -o "$SCRATCH/loads" -ldl
depends 'late at loads\.c:15 by T3 and T4' "$SCRATCH/loads"

# Of many variables the reason names some; JSON has them all.
cat >"$SCRATCH/many.c" <<'EOT'
#include <pthread.h>
static volatile int a, b, c, d, e, f, g, h, i, j;
static void *touch(void *unused)
{
	a = b = c = d = e = f = g = h = i = j = 1;
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	for (int t = 0; t < 2; t++)
		pthread_create(&threads[t], NULL, touch, NULL);
	for (int t = 0; t < 2; t++)
		pthread_join(threads[t], NULL);
	return 0;
}
EOT
"${CC:-cc}" -O1 -g -pthread "$SCRATCH/many.c" -o "$SCRATCH/many"
depends '[a-j] at .*; and 7 more' "$SCRATCH/many"
judge "the reason is short" grep -q "if these accesses don't matter: .* and 4 more" \
    <<<"$("$BUILD/tests/json" "$SCRATCH/json" incomplete_because.0)"
for field in complete_only_if memory.unordered; do
	judge "$field has all" [ -n "$("$BUILD/tests/json" "$SCRATCH/json" $field.9.variable)" ]
done

# What isn't seen, though every execution is watched.
cat >"$SCRATCH/unseen.c" <<'EOT'
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *other;
#ifdef LOCAL
static __thread int mine;
#else
static char text[8];
#endif
static void *own(void *unused)
{
	pthread_mutex_lock(&lock);
#ifdef LOCAL
	other = &mine;
#endif
	pthread_mutex_unlock(&lock);
#ifdef LOCAL
	mine++;
#elif defined BITS
	/* Which word it changes the register says. */
	__asm__ volatile("btsq %1, %0" : "+m"(text) : "r"(9L) : "memory");
#else
	memfrob(text, sizeof text);
#endif
	return unused;
}
static void *touch(void *unused)
{
	pthread_mutex_lock(&lock);
	int *it = other;
	pthread_mutex_unlock(&lock);
	if (it)
		++*it;
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, own, NULL);
	pthread_create(&threads[1], NULL, touch, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
EOT
"${CC:-cc}" -O1 -g -pthread "$SCRATCH/unseen.c" -o "$SCRATCH/function"
"${CC:-cc}" -O1 -g -pthread -DLOCAL "$SCRATCH/unseen.c" -o "$SCRATCH/local"
"${CC:-cc}" -O1 -g -pthread -DBITS "$SCRATCH/unseen.c" -o "$SCRATCH/bits"
sampled "$SCRATCH/bits"
says 'an instruction' "^Not every access was watched: instructions that can't be told or decoded\.$"
sampled "$SCRATCH/function"
says 'a function of libc' "^Not every access was watched: functions that aren't followed: memfrob\.$"
sampled "$SCRATCH/local"
says 'thread-local variables' "^Not every access was watched: a thread touches another one's thread-local variables\.$"

# How much functions of libc's write, or read, for the program: the other thread writes one byte of it, or the first one that is none of it.
cat >"$SCRATCH/buffers.c" <<'EOT'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(64) volatile char shared[64];
static char *const text = (char *)shared;
static const char *how;
static int at, descriptor;
static volatile double number = 1.5;
static FILE *stream;
static __thread volatile long result;
static int is(const char *name)
{
	return strcmp(how, name) == 0;
}
static void *one(void *unused)
{
	char own[64];
	struct tm date = {.tm_year = 100, .tm_mday = 1};
	if (is("float"))
		sprintf(text, "%.2f", number);
	if (is("long float"))
		sprintf(text, "%.1Lf%s", (long double)number, "!");
	if (is("own"))
		result = sprintf(own, "%f %g", number, number) + sscanf("more words", "%s %[a-z]", own, own + 32);
	if (is("words"))
		sscanf("one more", "%s %s", text, own);
	if (is("digits"))
		gcvt(number, 3, text);
	if (is("events"))
		result = epoll_wait(descriptor, (struct epoll_event *)text, 2, 0);
	if (is("wide"))
		result = swprintf((wchar_t *)own, 10, L"%d %ls", 7, (wchar_t *)text);
	if (is("locale"))
		setlocale(LC_CTYPE, "C");
#ifndef APART
	if (is("zone"))
		result = mktime(&date);
	if (is("names"))
		result = localtime_r(&(time_t){0}, &date) != NULL;
#endif
	if (is("dates"))
		result = mktime(&date);
	if (is("name"))
		prctl(PR_GET_NAME, text);
	if (is("stream"))
		result = getc_unlocked(stream);
	if (is("load"))
		result = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL) != NULL;
	if (is("locked numbers"))
		pthread_mutex_lock(&lock);
	if (is("numbers") || is("locked numbers"))
		result = open("/dev/null", O_RDONLY);
	if (is("locked numbers"))
		pthread_mutex_unlock(&lock);
	if (is("environment"))
		setenv("FMC_BUFFERS", "1", 1);
	return unused;
}
static void *other(void *unused)
{
	if (is("locale"))
		result = iswalpha(0xe9);
#ifndef APART
	else if (is("zone"))
		result = timezone;
	else if (is("names"))
		result = tzname[1] != NULL;
#endif
	else if (is("dates") || is("numbers") || is("locked numbers"))
		return one(unused);
	else if (is("environment"))
		result = environ != NULL;
	else if (is("stream"))
		result = fgetc(stream);
	else if (is("load"))
		result = dlsym(RTLD_DEFAULT, "lgamma") != NULL;
	else if (at < 64)
		shared[at] = 'x';
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	how = argv[1];
	at = argc > 2 ? atoi(argv[2]) : 64;
	setlocale(LC_CTYPE, "C.UTF-8");
	stream = fopen("/etc/passwd", "r");
	result = getc(stream);
	wmemset((wchar_t *)text, L'w', 8);
	((wchar_t *)text)[8] = 0;
	descriptor = is("events") ? epoll_create1(0) : 0;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
EOT
"${CC:-cc}" -O1 -g -pthread "$SCRATCH/buffers.c" -o "$SCRATCH/buffers"
"${CC:-cc}" -O1 -g -pthread -DAPART "$SCRATCH/buffers.c" -o "$SCRATCH/apart"
while IFS=: read -r how inside outside; do
	depends "shared\[[0-9]+\] at [^;]* by T[23] and [^;]* by T[23]" "$SCRATCH/buffers" "$how" $inside
	ordered "$SCRATCH/buffers" "$how" $outside
done <<-EOT
	float:4:5
	long float:4:5
	words:3:4
	digits:10:11
	events:23:24
	name:15:16
	wide:35:36
EOT
ordered "$SCRATCH/buffers" own
# What libc keeps to itself, and variables of its own, which count where the program refers to them.
depends 'what setlocale\(\) goes by at .*' "$SCRATCH/buffers" locale
depends '(__)?timezone at .*' "$SCRATCH/buffers" zone
depends '(__)?tzname(\[1\])? at .*' "$SCRATCH/buffers" names
depends '_*environ at .*' "$SCRATCH/buffers" environment
depends '[^;]* at buffers\.c:[0-9]+ by T2 and [^;]* by T3' "$SCRATCH/buffers" stream
depends '.*what dlopen\(\) goes by at .*' "$SCRATCH/buffers" load
ordered "$SCRATCH/apart" dates
# Which number a descriptor gets isn't looked at, which is said where it depends on an order that no operation makes.
ordered "$SCRATCH/buffers" numbers
says 'numbers of descriptors: a condition' '^under .*, numbers of descriptors as they were given, sequential'
judge '... in JSON as well' grep -q 'numbers of descriptors as they were given' "$SCRATCH/json"
ordered "$SCRATCH/buffers" "locked numbers"
judge 'numbers that operations order: none' [ "$(grep -c 'numbers of descriptors' "$SCRATCH/out")" = 0 ]

# strtok() goes on with its string: with what comes behind the tokens that others have by then.
cat >"$SCRATCH/tokens.c" <<'EOT'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char text[] = "a b c";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int ready;
static int at;
static void *one(void *unused)
{
	strtok(text, " ");
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_mutex_unlock(&lock);
	strtok(NULL, " ");
	return unused;
}
static void *other(void *unused)
{
	pthread_mutex_lock(&lock);
	const int now = ready;
	pthread_mutex_unlock(&lock);
	return now && *(volatile char *)&text[at] ? NULL : unused;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	at = argc > 1 ? atoi(argv[1]) : 0;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
EOT
"${CC:-cc}" -O1 -g -pthread "$SCRATCH/tokens.c" -o "$SCRATCH/tokens"
depends 'text\[[23]\] at [^;]* by T2 and [^;]* by T3' "$SCRATCH/tokens" 3
for at in 0 1 2 4; do ordered "$SCRATCH/tokens" $at; done

# Functions of libraries count where they are called, however that is done, and not where they only might be.
cat >"$SCRATCH/called.c" <<'EOT'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
static char text[8] = "b", *words[] = {text, "a"};
static void *(*volatile frob)(void *, size_t) = memfrob;
static int (*volatile compare)(const char *, const char *) = strcmp;
static volatile int result;
static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}
static void *one(void *how)
{
	if (!strcmp(how, "direct"))
		memfrob(words, 0);
	if (!strcmp(how, "pointer"))
		frob(words, 0);
	if (!strcmp(how, "sort"))
		qsort(words, 2, sizeof *words, by_text);
	if (!strcmp(how, "vector")) {
		const struct iovec parts[] = {{"a", 1}, {text, 2}};
		result = (int)writev(1, parts, 2);
	}
	/* Only the last of the calls at one place touches it. */
	for (int i = 0; i < 4 && !strcmp(how, "memory"); i++)
		result = memcmp(i == 3 ? text : "b", "a", 1);
	for (int i = 0; i < 4 && !strcmp(how, "length"); i++)
		result = (int)strlen(i == 3 ? text : "b");
	if (!strcmp(how, "compare"))
		result = compare(text, "a");
	return NULL;
}
static void *other(void *unused)
{
	text[0] = 'c';
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	pthread_create(&a, NULL, one, argv[argc - 1]);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
EOT
"${CC:-cc}" -O2 -fno-builtin -g -pthread "$SCRATCH/called.c" -o "$SCRATCH/called"
ordered "$SCRATCH/called" nothing
for how in direct pointer; do
	sampled "$SCRATCH/called" $how
	says "$how" "^Not every access was watched: functions that aren't followed: memfrob\.$"
done
depends 'text\[0\] at .* by T2 and called\.c:[0-9]+ by T3' "$SCRATCH/called" sort
for how in compare vector memory length; do
	depends 'text\[0\] at called\.c:[0-9]+ by T2 and called\.c:[0-9]+ by T3' "$SCRATCH/called" $how
done

# Functions that real programs call for their options, texts and files.
cat >"$SCRATCH/follows.c" <<'EOT'
#define _GNU_SOURCE
#include <fcntl.h>
#include <getopt.h>
#include <libintl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
static int texts;
static char *words[] = {"a", "-x", "b", NULL};
static const struct option none[1];
static void *one(void *how)
{
	if (!strcmp(how, "flags"))
		return fcntl(0, F_GETFD) < 0 ? how : NULL;
	if (!strcmp(how, "options"))
		return getopt_long(3, words, "x", none, NULL) == 'x' ? NULL : how;
	mbstate_t state = {0};
	wchar_t wide;
	mbrtowc(&wide, "x", 1, &state);
	flockfile(stdout);
	texts += *gettext("a") == 'a';
	funlockfile(stdout);
	return NULL;
}
static void *other(void *how)
{
	if (!strcmp(how, "options"))
		return optind < 0 ? how : NULL; /* which the program has for libc */
	return mbsinit(NULL) ? NULL : how;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	pthread_create(&a, NULL, one, argv[argc - 1]);
	pthread_create(&b, NULL, other, argv[argc - 1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
EOT
"${CC:-cc}" -O1 -g -pthread "$SCRATCH/follows.c" -o "$SCRATCH/follows"
ordered "$SCRATCH/follows" flags
ordered "$SCRATCH/follows" texts
depends 'optind.* at follows\.c:[0-9]+ by T2 and follows\.c:[0-9]+ by T3' "$SCRATCH/follows" options

# What fairness left out is run, too, but isn't watched.
cat >"$SCRATCH/sleeps.c" <<'EOT'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;
static void *set(void *sleeps)
{
	if (sleeps) {
		usleep(1);
		usleep(1);
	}
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	return sleeps;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, set, &lock);
	pthread_create(&threads[1], NULL, set, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
EOT
"${CC:-cc}" -O1 -g -pthread "$SCRATCH/sleeps.c" -o "$SCRATCH/sleeps"
sampled "$SCRATCH/sleeps"
says 'unfair executions' 'memory was sampled, not watched: complete only at granularity sync\.$' 'and without it' \
    '^Not every access was watched: none of the executions that fairness leaves out was\.$'
judge "watched is false" [ "$("$BUILD/tests/json" "$SCRATCH/json" watched)" = false ]

# Loops are come by more or less often in the execution in which what was found is named.
depends 'done at spins\.c:[0-9]+ by T2 and spins\.c:[0-9]+ by T3' "$BUILD/targets/spins" counter

# As JSON.
look 2 "$BUILD/targets/unordered.O0" publish
for field in variable:flag accesses.0.thread:T2 accesses.1.thread:T3 threads.0:T2 threads.1:T3; do
	judge "complete_only_if.0.${field%%:*}" \
	    [ "$("$BUILD/tests/json" "$SCRATCH/json" "complete_only_if.0.${field%%:*}")" = "${field#*:}" ]
done
judge "a place" grep -Eq '"unordered\.c:[0-9]+"' "$SCRATCH/json"

# Orders that weren't run are a reason of their own: then the memory isn't all that completeness depends on.
timeout -k 10 100 "$FMC" check --strategy dfs --depth 25 -- "$BUILD/targets/unordered.O2" longer >"$SCRATCH/out" 2>&1
says "orders left out and memory" '^No failure found in [0-9]+ executions, [0-9.]+ seconds\.$' 'executions were longer than 25 transitions: ' \
	'  - no operation orders these accesses, and no thread is switched there: counter at .* by T2 and .* by T3$'

# Workers do the search, another process the look.
timeout -k 10 100 "$FMC" check --strategy optimal --jobs 2 -- "$BUILD/targets/unordered.O2" counter >"$SCRATCH/out" 2>&1
says "with workers" "complete only if these accesses don't matter: counter at"
finish
