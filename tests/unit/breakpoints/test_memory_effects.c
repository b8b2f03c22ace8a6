/*
 * What functions of libc's are said to touch, against what they do: each is called with buffers that have been filled, and of these what has
 * changed afterwards is compared with what was told before.
 */
#include "breakpoints/effects/memory_table.h"
#include "breakpoints/stubs/stub.h"
#include "tests/unit/suite.h"
#include "tracer/tracee/tracee.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <wchar.h>

enum kind {
	EXACT, /* all that was told has changed, and nothing else */
	MOST, /* nothing else has; some of it may be as it was: gaps in structs, what the kernel leaves out, room that isn't needed */
};

#define BUFFERS 6
#define BYTES	512
static _Alignas(64) unsigned char buffers[BUFFERS][BYTES];
#define A	 buffers[0]
#define B	 buffers[1]
#define C	 buffers[2]
#define D	 buffers[3]
#define U(value) ((uint64_t)(uintptr_t)(value))

static struct target self;

/* What comes before a call, once the buffers have been filled: arguments among them. */
typedef void prepare(void);

struct result {
	bool changed[sizeof buffers], told[sizeof buffers];
};

static void tell(const char *name, const uint64_t arguments[6], struct result *result)
{
	const struct memory_call *call = memory_calls_find(name);
	const struct user_regs_struct regs = {.rdi = arguments[0],
					      .rsi = arguments[1],
					      .rdx = arguments[2],
					      .rcx = arguments[3],
					      .r8 = arguments[4],
					      .r9 = arguments[5]};
	uint64_t states[MEMORY_STATES] = {0};
	const struct memory_caller caller = {.target = &self, .regs = &regs, .states = states};
	struct touched at[TOUCHED_MOST];
	bool whole;
	ck_assert_msg(call != NULL, "%s isn't known", name);
	const size_t length = memory_call_touched(call, &caller, at, &whole);
	ck_assert_msg(whole, "not all of %s is told", name);
	for (size_t i = 0; i < length; i++)
		for (uint64_t k = 0; at[i].write && k < at[i].size; k++)
			if (at[i].address + k - U(buffers) < sizeof buffers)
				result->told[at[i].address + k - U(buffers)] = true;
}

/* The function is called twice, with buffers that differ in every bit. */
static void run(const char *name, prepare *before, const uint64_t a[6], unsigned char fill,
		struct result *result)
{
	static unsigned char was[sizeof buffers];
	long (*function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
	*(void **)&function = dlsym(RTLD_DEFAULT, name);
	if (!function)
		return; /* of another version of libc */
	memset(buffers, fill, sizeof buffers);
	if (before)
		before();
	tell(name, a, result);
	memcpy(was, buffers, sizeof buffers);
	function(a[0], a[1], a[2], a[3], a[4], a[5]);
	for (size_t i = 0; i < sizeof buffers; i++)
		result->changed[i] |= was[i] != buffers[i / BYTES][i % BYTES];
}

/* Asked for by the sanitizers: some functions give memory, which stays. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}

static void check_call(enum kind kind, prepare *before, const char *name, const uint64_t a[6])
{
	static struct result result;
	memset(&result, 0, sizeof result);
	run(name, before, a, 0x55, &result);
	run(name, before, a, 0xaa, &result);
	size_t written = 0;
	for (size_t i = 0; i < sizeof buffers; i++) {
		written += result.changed[i];
		ck_assert_msg(!result.changed[i] || result.told[i],
			      "%s has changed byte %zu of buffer %zu, which wasn't told", name, i % BYTES,
			      i / BYTES);
		ck_assert_msg(kind == MOST || !result.told[i] || result.changed[i],
			      "%s hasn't changed byte %zu of buffer %zu, which was told", name, i % BYTES,
			      i / BYTES);
	}
	ck_assert_msg(written > 0 || kind == MOST || !dlsym(RTLD_DEFAULT, name), "%s has changed nothing",
		      name);
}

#define CALL(kind, name, ...)	       check_call(kind, NULL, name, (uint64_t[6]){__VA_ARGS__})
#define AFTER(before, kind, name, ...) check_call(kind, before, name, (uint64_t[6]){__VA_ARGS__})

static int folder, file, pipes[2], sockets[2], internet, watched, terminal, timer_descriptor, event;
static char path[] = "/tmp/fmc-effects.XXXXXX";
static FILE *stream;
static DIR *directory;

static void set_up(void)
{
	self.memory = open("/proc/self/mem", O_RDONLY);
	file = mkstemp(path);
	folder = open("/", O_RDONLY | O_DIRECTORY);
	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	timer_descriptor = timerfd_create(CLOCK_MONOTONIC, 0);
	event = eventfd(3, 0);
	stream = fopen(path, "r+");
	directory = opendir("/");
	ck_assert(self.memory >= 0 && file >= 0 && folder >= 0 && timer_descriptor >= 0 && event >= 0 &&
		  stream && directory);
	ck_assert(pipe(pipes) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) == 0);
	ck_assert(write(file, "one\ntwo\nthree\n", 14) == 14);
	const struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	internet = socket(AF_INET, SOCK_DGRAM, 0);
	ck_assert(bind(internet, (const struct sockaddr *)&any, sizeof any) == 0);
	struct epoll_event can_write = {.events = EPOLLOUT};
	watched = epoll_create1(0);
	ck_assert(epoll_ctl(watched, EPOLL_CTL_ADD, pipes[1], &can_write) == 0);
}

static void tear_down(void)
{
	unlink(path);
}

static void text_in_a(void)
{
	strcpy((char *)A, "one");
}

static void wide_in_a(void)
{
	wcscpy((wchar_t *)(void *)A, L"one");
}

START_TEST(texts)
{
	const char *const text = "eleven char";
	CALL(EXACT, "memcpy", U(A), U(text), 9);
	CALL(EXACT, "__memcpy_chk", U(A), U(text), 9, BYTES);
	CALL(EXACT, "memmove", U(A), U(text), 9);
	CALL(EXACT, "__memmove_chk", U(A), U(text), 9, BYTES);
	CALL(EXACT, "mempcpy", U(A), U(text), 9);
	CALL(EXACT, "__mempcpy_chk", U(A), U(text), 9, BYTES);
	CALL(EXACT, "memset", U(A), 7, 33);
	CALL(EXACT, "__memset_chk", U(A), 7, 33, BYTES);
	CALL(EXACT, "bzero", U(A), 33);
	CALL(EXACT, "explicit_bzero", U(A), 33);
	CALL(EXACT, "memccpy", U(A), U(text), 'v', 12);
	CALL(EXACT, "memccpy", U(A), U(text), 'z', 5);
	CALL(EXACT, "swab", U(text), U(A), 8);
	CALL(EXACT, "strcpy", U(A), U(text));
	CALL(EXACT, "__strcpy_chk", U(A), U(text), BYTES);
	CALL(EXACT, "stpcpy", U(A), U(text));
	CALL(EXACT, "__stpcpy_chk", U(A), U(text), BYTES);
	CALL(EXACT, "strncpy", U(A), U(text), 4);
	CALL(EXACT, "strncpy", U(A), U(text), 40);
	CALL(EXACT, "__strncpy_chk", U(A), U(text), 40, BYTES);
	CALL(EXACT, "stpncpy", U(A), U(text), 40);
	CALL(EXACT, "__stpncpy_chk", U(A), U(text), 40, BYTES);
	AFTER(text_in_a, EXACT, "strcat", U(A), U(text));
	AFTER(text_in_a, EXACT, "__strcat_chk", U(A), U(text), BYTES);
	AFTER(text_in_a, EXACT, "strncat", U(A), U(text), 4);
	AFTER(text_in_a, EXACT, "strncat", U(A), U(text), 40);
	AFTER(text_in_a, EXACT, "__strncat_chk", U(A), U(text), 4, BYTES);
	CALL(MOST, "strxfrm", U(A), U(text), 40);
	CALL(EXACT, "sprintf", U(A), U("%s %d"), U(text), 7);
	CALL(EXACT, "__sprintf_chk", U(A), 0, BYTES, U("%s %d"), U(text), 7);
	CALL(EXACT, "snprintf", U(A), 5, U("%s %d"), U(text), 7);
	CALL(EXACT, "__snprintf_chk", U(A), 5, 0, BYTES, U("%s"), U(text));
	CALL(EXACT, "snprintf", U(A), 40, U("%d%n"), 77, U(B));
	CALL(EXACT, "snprintf", U(A), 40, U("%d%hn"), 77, U(B));
	CALL(EXACT, "sscanf", U("12 x"), U("%d %c"), U(A), U(B));
	CALL(EXACT, "__isoc99_sscanf", U("12 13"), U("%hd %ld"), U(A), U(B));
	CALL(EXACT, "sscanf", U("word 12 more"), U("%s %d %s"), U(A), U(B), U(C));
	CALL(EXACT, "sscanf", U("one"), U("%s %s"), U(A), U(B));
	CALL(EXACT, "sscanf", U("12"), U("%Ld"), U(A));
	CALL(MOST, "sscanf", U("1.5"), U("%Lf"), U(A));
	CALL(MOST, "sscanf", U("eleven"), U("%4ls%lc%2S"), U(A), U(B), U(C));
	CALL(EXACT, "sscanf", U("abc1 longer"), U("%[a-c]%n%*d %4s"), U(A), U(B), U(C));
	CALL(EXACT, "strtol", U("12x"), U(A), 10);
	CALL(EXACT, "strtoul", U("12x"), U(A), 10);
	CALL(EXACT, "strtoll", U("12x"), U(A), 10);
	CALL(EXACT, "strtoull", U("12x"), U(A), 10);
	CALL(EXACT, "__isoc23_strtol", U("12x"), U(A), 10);
	CALL(EXACT, "__isoc23_strtoull", U("12x"), U(A), 10);
	CALL(EXACT, "strtod", U("1.5x"), U(A));
	CALL(EXACT, "strtof", U("1.5x"), U(A));
	CALL(EXACT, "strtold", U("1.5x"), U(A));
	CALL(EXACT, "strtoimax", U("12x"), U(A), 10);
	CALL(MOST, "strerror_r", 9999, U(A), 100);
	CALL(MOST, "__xpg_strerror_r", 2, U(A), 100);
}
END_TEST

START_TEST(wide_texts)
{
	const wchar_t *const text = L"eleven char";
	CALL(EXACT, "wcscpy", U(A), U(text));
	/* Zeros of wide characters come upon others. */
	AFTER(wide_in_a, MOST, "wcscat", U(A), U(text));
	CALL(EXACT, "wcsncpy", U(A), U(text), 40);
	CALL(EXACT, "wmemcpy", U(A), U(text), 5);
	CALL(EXACT, "wmemmove", U(A), U(text), 5);
	CALL(EXACT, "wmemset", U(A), 'x', 5);
	CALL(MOST, "wcsxfrm", U(A), U(text), 40);
	CALL(MOST, "swprintf", U(A), 40, U(L"%d"), 12);
	CALL(MOST, "wcstombs", U(A), U(text), 40);
	CALL(MOST, "mbstowcs", U(A), U("text"), 40);
	CALL(EXACT, "mbtowc", U(A), U("text"), 1);
	CALL(EXACT, "wctomb", U(A), 'x');
	CALL(MOST, "wctomb", U(A), 0xe9);
	CALL(EXACT, "wcstol", U(L"12x"), U(A), 10);
	CALL(EXACT, "wcstoul", U(L"12x"), U(A), 10);
	CALL(EXACT, "wcstod", U(L"1.5x"), U(A));
}
END_TEST

static void words_in_b(void)
{
	const uint64_t words = U(B);
	strcpy((char *)B, "two words");
	memcpy(A, &words, sizeof words);
}

static void state_in_b(void)
{
	memset(B, 0, sizeof(mbstate_t));
}

static char *const no_texts[] = {NULL};

START_TEST(texts_in_steps)
{
	AFTER(state_in_b, MOST, "mbrtowc", U(A), U("text"), 1, U(B));
	AFTER(state_in_b, MOST, "wcrtomb", U(A), 'x', U(B));
	AFTER(words_in_b, MOST, "strsep", U(A), U(" "));
	AFTER(words_in_b, MOST, "strtok_r", 0, U(" "), U(A));
	AFTER(words_in_b, MOST, "getsubopt", U(A), U(no_texts), U(C));
}
END_TEST

static void date_in_c(void)
{
	const struct tm date = {.tm_mday = 31, .tm_mon = 1, .tm_year = 100, .tm_isdst = -1};
	const time_t time = 86400 * 365;
	memcpy(C, &date, sizeof date);
	memcpy(D, &time, sizeof time);
}

START_TEST(dates)
{
	setenv("TZ", "UTC0", 1);
	tzset();
	AFTER(date_in_c, EXACT, "asctime_r", U(C), U(A));
	AFTER(date_in_c, EXACT, "ctime_r", U(D), U(A));
	/* A gap is left in it. */
	AFTER(date_in_c, MOST, "localtime_r", U(D), U(A));
	AFTER(date_in_c, MOST, "gmtime_r", U(D), U(A));
	AFTER(date_in_c, MOST, "mktime", U(C));
	AFTER(date_in_c, MOST, "timegm", U(C));
	AFTER(date_in_c, MOST, "strftime", U(A), 40, U("%Y"), U(C));
	CALL(MOST, "strptime", U("12"), U("%S"), U(A));
	CALL(EXACT, "clock_gettime", CLOCK_MONOTONIC, U(A));
	CALL(EXACT, "clock_getres", CLOCK_MONOTONIC, U(A));
	CALL(EXACT, "gettimeofday", U(A), 0);
	CALL(EXACT, "times", U(A));
	CALL(EXACT, "getitimer", ITIMER_REAL, U(A));
	CALL(EXACT, "setitimer", ITIMER_REAL, 0, U(A));
	CALL(EXACT, "timerfd_gettime", (uint64_t)timer_descriptor, U(A));
	AFTER(date_in_c, MOST, "rand_r", U(A));
}
END_TEST

START_TEST(files)
{
	CALL(MOST, "stat", U("/"), U(A));
	CALL(MOST, "lstat", U("/"), U(A));
	CALL(MOST, "fstat", (uint64_t)folder, U(A));
	CALL(MOST, "fstatat", (uint64_t)folder, U("tmp"), U(A), 0);
	CALL(MOST, "__xstat", 1, U("/"), U(A));
	CALL(MOST, "__fxstat64", 1, (uint64_t)folder, U(A));
	CALL(MOST, "statx", (uint64_t)folder, U("tmp"), 0, STATX_ALL, U(A));
	CALL(MOST, "statfs", U("/"), U(A));
	CALL(MOST, "fstatfs", (uint64_t)folder, U(A));
	CALL(MOST, "statvfs", U("/"), U(A));
	CALL(MOST, "fstatvfs", (uint64_t)folder, U(A));
	CALL(MOST, "getcwd", U(A), BYTES);
	CALL(MOST, "readlink", U("/proc/self/exe"), U(A), BYTES);
	CALL(MOST, "realpath", U("/proc/self"), U(buffers), 0);
	CALL(EXACT, "pread", (uint64_t)file, U(A), 14, 0);
	CALL(EXACT, "pread64", (uint64_t)file, U(A), 14, 0);
	CALL(EXACT, "pipe", U(A));
	CALL(EXACT, "pipe2", U(A), O_CLOEXEC);
	CALL(MOST, "tcgetattr", (uint64_t)terminal, U(A));
	CALL(MOST, "ioctl", (uint64_t)terminal, TCGETS, U(A));
	CALL(EXACT, "ioctl", (uint64_t)terminal, TIOCGWINSZ, U(A));
	CALL(EXACT, "ioctl", (uint64_t)file, FIONREAD, U(A));
	CALL(MOST, "uname", U(A));
	CALL(MOST, "gethostname", U(A), BYTES);
	CALL(MOST, "confstr", _CS_PATH, U(A), BYTES);
	rewind(stream);
	CALL(MOST, "fgets", U(A), 4, U(stream));
	CALL(MOST, "fgetpos", U(stream), U(A));
	rewind(stream);
	CALL(EXACT, "fread", U(A), 2, 3, U(stream));
}
END_TEST

static void template_in_a(void)
{
	strcpy((char *)A, "/tmp/fmc-effects.XXXXXX");
}

static void template_in_a_with_end(void)
{
	strcpy((char *)A, "/tmp/fmc-effects.XXXXXX.c");
}

/* Its name ends in letters by chance, of which one may be an X. */
START_TEST(names_of_temporary_files)
{
	AFTER(template_in_a, MOST, "mkstemp", U(A));
	unlink((char *)A);
	AFTER(template_in_a, MOST, "mkostemp", U(A), O_CLOEXEC);
	unlink((char *)A);
	AFTER(template_in_a, MOST, "mkostemp64", U(A), O_CLOEXEC);
	unlink((char *)A);
	AFTER(template_in_a_with_end, MOST, "mkstemps", U(A), 2);
	unlink((char *)A);
	AFTER(template_in_a, MOST, "mkdtemp", U(A));
	rmdir((char *)A);
}
END_TEST

static void descriptors_in_a(void)
{
	const struct pollfd polled[] = {{pipes[0], POLLIN, 0x55aa}, {pipes[1], POLLOUT, 0x55aa}};
	memcpy(A, polled, sizeof polled);
}

static void set_in_a(void)
{
	memset(A, 0, sizeof(fd_set));
	FD_SET(pipes[1], (fd_set *)(void *)A);
}

static void message_in_a(void)
{
	ck_assert(send(sockets[1], "message", 7, 0) == 7);
}

static void lengths_in_b(void)
{
	const socklen_t length = 40;
	memcpy(B, &length, sizeof length);
}

static void sent_to_itself(void)
{
	struct sockaddr_in own;
	socklen_t length = sizeof own;
	ck_assert(getsockname(internet, (struct sockaddr *)&own, &length) == 0);
	ck_assert(sendto(internet, "message", 7, 0, (struct sockaddr *)&own, length) == 7);
	lengths_in_b();
}

static void vectors_in_a(void)
{
	const struct iovec at[] = {{B, 3}, {C, 4}};
	memcpy(A, at, sizeof at);
}

START_TEST(sockets_and_waits)
{
	AFTER(descriptors_in_a, MOST, "poll", U(A), 2, 0);
	AFTER(descriptors_in_a, MOST, "ppoll", U(A), 2, 0, 0);
	AFTER(set_in_a, MOST, "select", 64, 0, U(A), 0, 0);
	CALL(EXACT, "socketpair", AF_UNIX, SOCK_STREAM, 0, U(A));
	AFTER(message_in_a, EXACT, "recv", (uint64_t)sockets[0], U(A), 7, 0);
	AFTER(vectors_in_a, EXACT, "preadv", (uint64_t)file, U(A), 2, 0);
	AFTER(lengths_in_b, MOST, "getsockname", (uint64_t)sockets[0], U(A), U(B));
	AFTER(lengths_in_b, MOST, "getsockopt", (uint64_t)sockets[0], SOL_SOCKET, SO_TYPE, U(A), U(B));
	AFTER(lengths_in_b, MOST, "getpeername", (uint64_t)sockets[0], U(A), U(B));
	AFTER(sent_to_itself, MOST, "recvfrom", (uint64_t)internet, U(C), 7, 0, U(A), U(B));
	CALL(MOST, "epoll_wait", (uint64_t)watched, U(A), 4, 0);
	CALL(MOST, "gethostbyname_r", U("127.0.0.1"), U(A), U(B), BYTES, U(C), U(D));
	CALL(MOST, "getprotobyname_r", U("tcp"), U(A), U(B), BYTES, U(C));
	CALL(EXACT, "inet_pton", AF_INET, U("1.2.3.4"), U(A));
	CALL(EXACT, "inet_pton", AF_INET6, U("1:2:3:4:5:6:7:8"), U(A));
	CALL(EXACT, "inet_aton", U("1.2.3.4"), U(A));
	CALL(MOST, "inet_ntop", AF_INET, U("abcd"), U(A), 40);
}
END_TEST

static void event_again(void)
{
	ck_assert(eventfd_write(event, 3) == 0);
}

static void child_has_ended(void)
{
	if (fork() == 0)
		_exit(0);
}

START_TEST(processes)
{
	AFTER(event_again, EXACT, "eventfd_read", (uint64_t)event, U(A));
	AFTER(child_has_ended, EXACT, "wait", U(A));
	AFTER(child_has_ended, EXACT, "waitpid", (uint64_t)-1, U(A), 0);
	AFTER(child_has_ended, EXACT, "wait4", (uint64_t)-1, U(A), 0, U(B));
	AFTER(child_has_ended, EXACT, "wait3", U(A), 0, U(B));
	AFTER(child_has_ended, MOST, "waitid", P_ALL, 0, U(A), WEXITED);
	CALL(EXACT, "getrusage", RUSAGE_SELF, U(A));
	CALL(EXACT, "getrlimit", RLIMIT_NOFILE, U(A));
	CALL(EXACT, "prlimit", 0, RLIMIT_NOFILE, 0, U(A));
	CALL(MOST, "sysinfo", U(A));
	CALL(MOST, "prctl", PR_GET_NAME, U(A));
	CALL(EXACT, "prctl", PR_GET_PDEATHSIG, U(A));
	CALL(MOST, "fcntl", (uint64_t)pipes[0], F_GETOWN_EX, U(A));
	CALL(EXACT, "getloadavg", U(A), 2);
	CALL(EXACT, "getloadavg", U(A), 5);
	CALL(EXACT, "sched_getaffinity", 0, 128, U(A));
	CALL(EXACT, "sched_getparam", 0, U(A));
	CALL(MOST, "sigaltstack", 0, U(A));
	CALL(EXACT, "getrandom", U(A), 16, 0);
	CALL(EXACT, "getentropy", U(A), 16);
	CALL(MOST, "dladdr", U(&strlen), U(A));
	CALL(EXACT, "posix_memalign", U(A), 64, 64);
	CALL(EXACT, "sincos", U(A), U(B));
	CALL(MOST, "backtrace", U(A), 2);
	CALL(EXACT, "posix_spawnattr_init", U(A));
	CALL(MOST, "posix_spawn_file_actions_init", U(A));
	CALL(MOST, "getpwuid_r", 0, U(A), U(B), BYTES, U(C));
}
END_TEST

static void *end_at_once(void *result)
{
	return result;
}

static int end_with_a_number(void *unused)
{
	(void)unused;
	return 0x5b5b5b5b;
}

#define RESULT U(0x5b5b5b5b5b5b5b5b)
static pthread_t joined;
static thrd_t joined_too;

/* Of those that have been joined the next one has the stack, and so the number. */
static void thread_to_join(void)
{
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, end_at_once, (void *)RESULT), 0);
	ck_assert(!joined || pthread_equal(thread, joined));
	joined = thread;
}

static void other_thread_to_join(void)
{
	thrd_t thread;
	ck_assert_int_eq(thrd_create(&thread, end_with_a_number, NULL), thrd_success);
	ck_assert(!joined_too || thrd_equal(thread, joined_too));
	joined_too = thread;
}

static void attributes_in_d(void)
{
	ck_assert_int_eq(pthread_attr_init((pthread_attr_t *)(void *)D), 0);
}

static void semaphore_in_d(void)
{
	ck_assert_int_eq(sem_init((sem_t *)(void *)D, 0, 3), 0);
}

/* All of these are words of zeros at first. */
static void lock_attributes_in_d(void)
{
	memset(D, 0, 64);
}

static const char *const asked[] = {"pthread_attr_getinheritsched", "pthread_attr_getschedpolicy",
				    "pthread_attr_getscope"};
static const char *const asked_of_locks[] = {
    "pthread_mutexattr_gettype",     "pthread_mutexattr_getkind_np",  "pthread_mutexattr_getprotocol",
    "pthread_mutexattr_getpshared",  "pthread_mutexattr_getrobust",   "pthread_condattr_getclock",
    "pthread_condattr_getpshared",   "pthread_rwlockattr_getpshared", "pthread_rwlockattr_getkind_np",
    "pthread_barrierattr_getpshared"};

START_TEST(threads)
{
	const uint64_t me = U(pthread_self());
	thread_to_join();
	ck_assert_int_eq(pthread_join(joined, NULL), 0);
	AFTER(thread_to_join, EXACT, "pthread_join", U(joined), U(A));
	other_thread_to_join();
	ck_assert_int_eq(thrd_join(joined_too, NULL), thrd_success);
	AFTER(other_thread_to_join, EXACT, "thrd_join", U(joined_too), U(A));
	CALL(EXACT, "pthread_create", U(A), 0, U(end_at_once), 0);
	CALL(EXACT, "thrd_create", U(A), U(end_with_a_number), 0);
	CALL(EXACT, "pthread_key_create", U(A), 0);
	CALL(EXACT, "tss_create", U(A), 0);
	CALL(EXACT, "pthread_setcancelstate", PTHREAD_CANCEL_ENABLE, U(A));
	CALL(EXACT, "pthread_setcanceltype", PTHREAD_CANCEL_DEFERRED, U(A));
	CALL(EXACT, "pthread_getschedparam", me, U(A), U(B));
	CALL(EXACT, "pthread_getcpuclockid", me, U(A));
	CALL(EXACT, "pthread_getaffinity_np", me, 128, U(A));
	CALL(MOST, "pthread_getname_np", me, U(A), 16);
	CALL(MOST, "pthread_getattr_np", me, U(A));
	CALL(MOST, "pthread_attr_init", U(A));
	AFTER(attributes_in_d, EXACT, "pthread_attr_getdetachstate", U(D), U(A));
	AFTER(attributes_in_d, EXACT, "pthread_attr_getguardsize", U(D), U(A));
	AFTER(attributes_in_d, EXACT, "pthread_attr_getstacksize", U(D), U(A));
	AFTER(attributes_in_d, EXACT, "pthread_attr_getschedparam", U(D), U(A));
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
		AFTER(attributes_in_d, EXACT, asked[i], U(D), U(A));
	AFTER(attributes_in_d, MOST, "pthread_attr_getstackaddr", U(D), U(A));
	AFTER(attributes_in_d, MOST, "pthread_attr_getsigmask_np", U(D), U(A));
	AFTER(attributes_in_d, MOST, "pthread_attr_getaffinity_np", U(D), 128, U(A));
	CALL(MOST, "pthread_getattr_default_np", U(A));
	for (size_t i = 0; i < sizeof asked_of_locks / sizeof *asked_of_locks; i++)
		AFTER(lock_attributes_in_d, EXACT, asked_of_locks[i], U(D), U(A));
	AFTER(semaphore_in_d, EXACT, "sem_getvalue", U(D), U(A));
}
END_TEST

static void sets_in_b(void)
{
	memset(B, 0x0f, 128);
	memset(B + 128, 0x3c, 128);
}

START_TEST(signals)
{
	CALL(EXACT, "sigemptyset", U(A));
	CALL(EXACT, "sigfillset", U(A));
	CALL(EXACT, "sigpending", U(A));
	CALL(EXACT, "pthread_sigmask", SIG_BLOCK, 0, U(A));
	AFTER(sets_in_b, MOST, "sigorset", U(A), U(B), U(B + 128));
	AFTER(sets_in_b, MOST, "sigandset", U(A), U(B), U(B + 128));
	CALL(EXACT, "sigprocmask", SIG_BLOCK, 0, U(A));
	CALL(MOST, "sigaddset", U(A), SIGUSR1);
	CALL(MOST, "sigdelset", U(A), SIGUSR1);
	CALL(MOST, "sigaction", SIGUSR1, 0, U(A));
	CALL(EXACT, "time", U(A));
}
END_TEST

static void pattern_in_d(void)
{
	ck_assert(regcomp((regex_t *)(void *)D, "b(c)", REG_EXTENDED) == 0);
}

static int ascending(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

static void numbers_in_a(void)
{
	for (unsigned char i = 0; i < 16; i++)
		A[i] = (unsigned char)(16 - i);
}

START_TEST(others)
{
	CALL(MOST, "regcomp", U(A), U("b(c)"), REG_EXTENDED);
	AFTER(pattern_in_d, EXACT, "regexec", U(D), U("abc"), 3, U(A), 0);
	AFTER(pattern_in_d, MOST, "re_search", U(D), U("abc"), 3, 0, 3, U(A));
	CALL(MOST, "regerror", REG_BADPAT, 0, U(A), 40);
	CALL(MOST, "glob", U("/tm*"), 0, 0, U(A));
	CALL(MOST, "glob64", U("/tm*"), 0, 0, U(A));
	AFTER(numbers_in_a, MOST, "qsort", U(A), 16, 1, U(ascending));
}
END_TEST

static void iovecs_in_b(void)
{
	static const unsigned char zeros[64];
	const struct iovec vectors[2] = {{A, 40}, {(void *)(uintptr_t)zeros, 40}};
	memcpy(B, vectors, sizeof vectors);
}

static void zeros_in_a(void)
{
	memset(A, 0, BYTES);
}

static int state_written_by(const char *name)
{
	const struct memory_call *call = memory_calls_find(name);
	for (size_t i = 0; call && i < MEMORY_PARTS; i++)
		if ((call->parts[i].extent == STATE || call->parts[i].extent == STATE_UNLESS) &&
		    call->parts[i].write)
			return call->parts[i].argument;
	ck_abort_msg("%s writes no state", name);
}

START_TEST(seldom_called)
{
	const uint64_t page = U(buffers) & ~UINT64_C(4095);
	CALL(MOST, "getresuid", U(A), U(A + 8), U(A + 16));
	CALL(MOST, "getresgid", U(A), U(A + 8), U(A + 16));
	CALL(MOST, "getcontext", U(A));
	CALL(MOST, "timespec_get", U(A), TIME_UTC);
	CALL(MOST, "cfmakeraw", U(A));
	CALL(MOST, "cfsetspeed", U(A), B9600);
	CALL(MOST, "arc4random_buf", U(A), 64);
	CALL(MOST, "erand48", U(A));
	CALL(MOST, "jrand48", U(A));
	CALL(MOST, "ether_ntoa_r", U("abcdef"), U(A));
	CALL(MOST, "mincore", page, 4096, U(A));
	CALL(MOST, "getdomainname", U(A), 64);
	CALL(MOST, "if_indextoname", 1, U(A));
	AFTER(iovecs_in_b, EXACT, "process_vm_readv", (uint64_t)getpid(), U(B), 1,
	      U(B) + sizeof(struct iovec), 1);
	AFTER(wide_in_a, MOST, "wcsncat", U(A), U(L"eleven char"), 4);
	AFTER(wide_in_a, MOST, "wcsncat", U(A), U(L"eleven char"), 40);
	CALL(EXACT, "wcstoll", U(L"12x"), U(A), 10);
	CALL(EXACT, "__mempcpy", U(A), U("eleven char"), 9);
	CALL(MOST, "sched_rr_get_interval", 0, U(A));
	CALL(MOST, "getgroups", 20, U(A));
	AFTER(lengths_in_b, MOST, "getgrouplist", U("root"), 0, U(A), U(B));
	CALL(MOST, "gcvt", 40, U(A));
	CALL(MOST, "ecvt_r", 10, U(B), U(C), U(A), 20);
	CALL(MOST, "fcvt_r", 2, U(B), U(C), U(A), 400);
	CALL(MOST, "tmpnam", U(A));
	AFTER(zeros_in_a, MOST, "adjtimex", U(A));
	CALL(MOST, "readdir_r", U(directory), U(A), U(B));
	CALL(MOST, "parse_printf_format", U("%d %s"), 4, U(A));
}
END_TEST

/* All arguments are read, those on the stack, too, and none that follow the null pointer. */
START_TEST(texts_among_arguments)
{
	const struct memory_call *call = memory_calls_find("execl");
	const uint64_t stack[] = {U("sixth"), U("seventh"), 0, U("no argument")};
	const struct user_regs_struct regs = {.rdi = U("path"),
					      .rsi = U("zeroth"),
					      .rdx = U("first"),
					      .rcx = U("second"),
					      .r8 = U("third"),
					      .r9 = U("fourth")};
	const uint64_t states[MEMORY_STATES] = {0};
	const struct memory_caller caller = {
	    .target = &self, .regs = &regs, .stack = U(stack), .states = states};
	struct touched at[TOUCHED_MOST];
	bool whole;
	ck_assert_ptr_nonnull(call);
	ck_assert_uint_eq(memory_call_touched(call, &caller, at, &whole), 8);
	ck_assert(whole && at[7].address == stack[1] && at[7].size == sizeof "seventh" && !at[7].write);
}
END_TEST

/* A state is shared by functions that return the same memory, and by no others. */
START_TEST(states_of_libc)
{
	static const char *const apart[] = {
	    "getpwnam",	    "getgrnam",	 "getspent",   "gethostbyaddr", "getservbyname", "getprotobyname",
	    "getnetbyname", "getlogin",	 "getutent",   "ttyname",	"hsearch",	 "ecvt",
	    "fcvt",	    "l64a",	 "ether_ntoa", "ether_aton",	"getusershell",	 "getfsent",
	    "tmpnam",	    "mblen",	 "mbtowc",     "wctomb",	"mbrlen",	 "mbrtowc",
	    "wcrtomb",	    "mbsrtowcs", "mbsnrtowcs", "wcsrtombs",	"wcsnrtombs",	 "__cxa_atexit",
	    "at_quick_exit"};
	for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
		for (size_t k = 0; k < i; k++)
			ck_assert_msg(state_written_by(apart[i]) != state_written_by(apart[k]), "%s and %s",
				      apart[i], apart[k]);
	ck_assert_int_eq(state_written_by("getpwuid"), state_written_by("getpwent"));
	ck_assert_int_eq(state_written_by("getservent"), state_written_by("getservbyport"));
	ck_assert_int_eq(state_written_by("hcreate"), state_written_by("hsearch"));
	ck_assert_int_eq(state_written_by("getfsfile"), state_written_by("getfsent"));
	ck_assert_int_eq(state_written_by("on_exit"), state_written_by("__cxa_atexit"));
	ck_assert_int_eq(state_written_by("__wcsrtombs_chk"), state_written_by("wcsrtombs"));
	ck_assert_ptr_null(memory_calls_find("inet_ntoa"));
}
END_TEST

/* How many bytes are told to be written by this function, with what follows its format. */
static uint64_t bytes_printed(const char *name, uint64_t room, const char *format, const uint64_t values[3],
			      bool *whole)
{
	const bool limited = strcmp(name, "snprintf") == 0;
	const struct user_regs_struct regs = {.rdi = U(A),
					      .rsi = limited ? room : U(format),
					      .rdx = limited ? U(format) : values[0],
					      .rcx = values[limited ? 0 : 1],
					      .r8 = values[limited ? 1 : 2],
					      .r9 = values[2]};
	const uint64_t states[MEMORY_STATES] = {0};
	const struct memory_caller caller = {.target = &self, .regs = &regs, .states = states};
	struct touched at[TOUCHED_MOST];
	const size_t length = memory_call_touched(memory_calls_find(name), &caller, at, whole);
	return length > 0 && at[0].write && at[0].address == U(A) ? at[0].size : 0;
}

/* What is printed is as long as printf() makes it. */
START_TEST(printed)
{
	static const char *const formats[] = {"",
					      "no argument, 100 %%",
					      "%d",
					      "%d %s|%u",
					      "%5d %-7s %3u",
					      "%05d %.2s %x",
					      "%hhd %s %hu",
					      "%+ld %s %lx",
					      "%#x %10.3s %#o",
					      "%.5d%s%c",
					      "% d %s %.0x",
					      "%*d %s",
					      "%lld %s %llX",
					      "%Ld%s%Lx",
					      "%i%s%#lo"};
	static const uint64_t numbers[] = {
	    0, 1, 7, 10, 255, 256, 99999, (uint64_t)-1, (uint64_t)-300, INT32_MAX, UINT64_MAX / 3};
	int (*print)(char *, size_t, const char *, ...) = snprintf;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
			const bool star = strchr(formats[i], '*') != NULL;
			const uint64_t values[3] = {star ? numbers[k] % 20 : numbers[k],
						    star ? numbers[k] : U("text"),
						    star ? U("text") : numbers[k]};
			const int length = print(NULL, 0, formats[i], values[0], values[1], values[2]);
			bool whole;
			ck_assert_msg(bytes_printed("sprintf", 0, formats[i], values, &whole) ==
					      (uint64_t)length + 1 &&
					  whole,
				      "'%s' of %lx", formats[i], (unsigned long)numbers[k]);
			ck_assert_uint_eq(bytes_printed("snprintf", 1000, formats[i], values, &whole),
					  length + 1);
			ck_assert_uint_eq(bytes_printed("snprintf", 1, formats[i], values, &whole), 1);
		}
	const uint64_t none[3] = {0};
	bool whole;
	/* The thread's vector registers aren't known here. */
	ck_assert(bytes_printed("snprintf", 40, "%f", none, &whole) == 40 && whole);
	(void)bytes_printed("sprintf", 0, "%f", none, &whole);
	ck_assert(!whole);
}
END_TEST

/* What vsprintf() is told to write, of a list; *locale: whether it goes by the locale. */
static uint64_t bytes_listed(bool *whole, bool *locale, const char *format, va_list list)
{
	const struct user_regs_struct regs = {.rdi = U(A), .rsi = U(format), .rdx = U(list)};
	uint64_t states[MEMORY_STATES] = {0};
	const struct memory_caller caller = {.target = &self, .regs = &regs, .states = states};
	struct touched at[TOUCHED_MOST];
	states[LOCALE] = U(D);
	const size_t length = memory_call_touched(memory_calls_find("vsprintf"), &caller, at, whole);
	*locale = length > 1 && at[length - 1].address == U(D) && !at[length - 1].write;
	return at[0].address == U(A) ? at[0].size : 0;
}

static void check_listed(bool floats, const char *format, ...)
{
	va_list list, again;
	bool whole, locale;
	va_start(list, format);
	va_copy(again, list);
	const uint64_t told = bytes_listed(&whole, &locale, format, list);
	const int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	va_end(list);
	ck_assert_msg(whole && told == (uint64_t)length + 1, "'%s': %lu instead of %d", format,
		      (unsigned long)told, length + 1);
	ck_assert_msg(locale == floats, "'%s' and the locale", format);
}

/* Floating-point numbers are as long as printf() makes them, too, whether they are in registers or on the stack. */
START_TEST(printed_floats)
{
	static const double numbers[] = {0, -0.0, 1.5, -123456789.125, 1e300, 1e-7, INFINITY, -INFINITY, NAN};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const double number = numbers[i];
		check_listed(true, "%f|%e|%g|%a", number, number, number, number);
		check_listed(true, "%+f|% .3f|%-12.1e|%030G|%.0f", number, number, number, number, number);
		check_listed(true, "%d %f %s %.*f %*f", 7, number, "text", 2, number, 12, number);
		check_listed(true, "%Lf|%f|%Lg|%d", (long double)number / 3, number, (long double)number, 5);
		check_listed(true, "%f%f%f%f%f%f%f%f%f%Lf%f", number, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0,
			     number, (long double)number, 9.0);
		check_listed(true, "%2$s %1$.2f", number, "text");
	}
	check_listed(false, "%p %p %20p", (void *)NULL, (void *)numbers, (void *)numbers);
	check_listed(false, "no argument");
}
END_TEST

/* All of what getaddrinfo() gives, not its beginning. */
START_TEST(addresses)
{
	struct {
		struct addrinfo info;
		struct sockaddr_in6 address;
	} two[2] = {{.info = {.ai_addrlen = sizeof(struct sockaddr_in6), .ai_next = &two[1].info}},
		    {.info = {.ai_addrlen = sizeof(struct sockaddr_in6), .ai_canonname = path}}};
	const struct user_regs_struct regs = {.rdi = U(two)};
	const uint64_t states[MEMORY_STATES] = {0};
	const struct memory_caller caller = {.target = &self, .regs = &regs, .states = states};
	struct touched at[TOUCHED_MOST];
	bool whole;
	ck_assert_uint_eq(memory_call_touched(memory_calls_find("freeaddrinfo"), &caller, at, &whole), 3);
	ck_assert(whole && at[0].address == U(&two[0]) &&
		  at[0].size == sizeof(struct addrinfo) + sizeof(struct sockaddr_in6) &&
		  at[1].address == U(&two[1]) && at[2].address == U(path) && at[2].size == sizeof path);
}
END_TEST

/* readdir() fills its buffer anew, but for that what it returns stays as it is. */
START_TEST(entries_of_folders)
{
	DIR *own = opendir("/");
	const struct user_regs_struct regs = {.rdi = U(own)};
	const uint64_t states[MEMORY_STATES] = {0};
	const struct memory_caller caller = {.target = &self, .regs = &regs, .states = states};
	struct touched at[TOUCHED_MOST];
	bool whole;
	ck_assert_uint_eq(memory_call_touched(memory_calls_find("readdir"), &caller, at, &whole), 1);
	ck_assert(at[0].address == U(own) && at[0].write && at[0].size > sizeof(struct dirent));
	const struct dirent *entry = readdir(own);
	ck_assert(entry && U(entry) > U(own) && U(entry) + entry->d_reclen < U(own) + at[0].size);
	ck_assert_uint_eq(memory_call_touched(memory_calls_find("readdir"), &caller, at, &whole), 1);
	ck_assert(at[0].address == U(own) && at[0].size == 1);
	closedir(own);
}
END_TEST

/* strtok() goes on behind the last token, which others may have by then. */
START_TEST(tokens)
{
	const struct memory_call *call = memory_calls_find("strtok");
	struct user_regs_struct regs = {.rdi = U(A), .rsi = U(" ")};
	const uint64_t states[MEMORY_STATES] = {0};
	struct memory_tokens kept = {0};
	struct memory_caller caller = {.target = &self, .regs = &regs, .states = states, .tokens = &kept};
	struct touched at[TOUCHED_MOST];
	bool whole;
	strcpy((char *)A, " two  words");
	ck_assert_uint_eq(memory_call_touched(call, &caller, at, &whole), 3);
	ck_assert(whole && at[0].address == U(A) && at[0].size == 5 && !at[0].write);
	ck_assert(at[1].address == U(A) + 4 && at[1].size == 1 && at[1].write);
	A[4] = 0;
	regs.rdi = 0;
	ck_assert_uint_eq(memory_call_touched(call, &caller, at, &whole), 2);
	ck_assert(whole && at[0].address == U(A) + 5 && at[0].size == 7 && !at[0].write);
	ck_assert_uint_eq(memory_call_touched(call, &caller, at, &whole), 2);
	ck_assert(whole && at[0].address == U(A) + 11 && at[0].size == 1 && !at[0].write);
	caller.tokens = NULL;
	ck_assert_uint_eq(memory_call_touched(call, &caller, at, &whole), 1);
	ck_assert(!whole);
}
END_TEST

/* Arguments on the stack. */
START_TEST(seventh_argument)
{
	const uint64_t stack[] = {U(C), U(D)};
	const struct user_regs_struct regs = {.rcx = U(A), .r8 = U(B), .r9 = 100};
	const uint64_t states[MEMORY_STATES] = {0};
	const struct memory_caller caller = {
	    .target = &self, .regs = &regs, .stack = U(stack), .states = states};
	struct touched at[TOUCHED_MOST];
	bool whole;
	ck_assert_uint_eq(memory_call_touched(memory_calls_find("gethostbyaddr_r"), &caller, at, &whole), 4);
	ck_assert(at[0].address == U(A) && at[0].size == sizeof(struct hostent));
	ck_assert(at[1].address == U(B) && at[1].size == 100);
	ck_assert(at[2].address == U(C) && at[2].size == sizeof(char *));
	ck_assert(at[3].address == U(D) && at[3].size == sizeof(int));
}
END_TEST

/* Bytes that it touches; *write: whether it writes them. */
static uint64_t bytes_touched(const char *name, uint64_t third, uint64_t fourth, bool *write)
{
	const struct user_regs_struct regs = {.rdi = U(A), .rsi = BYTES, .rdx = third, .rcx = fourth};
	const uint64_t states[MEMORY_STATES] = {0};
	const struct memory_caller caller = {.target = &self, .regs = &regs, .states = states};
	struct touched at[TOUCHED_MOST];
	bool whole;
	const size_t length = memory_call_touched(memory_calls_find(name), &caller, at, &whole);
	*write = length > 0 && at[0].write;
	return length > 0 && at[0].address == U(A) ? at[0].size : 0;
}

/* What others have there changes for them only by some of these calls. */
START_TEST(memory_of_others)
{
	bool write;
	ck_assert_uint_eq(bytes_touched("mmap", PROT_READ, MAP_PRIVATE, &write), 0);
	ck_assert(bytes_touched("mmap", PROT_READ, MAP_PRIVATE | MAP_FIXED, &write) == BYTES && write);
	ck_assert_uint_eq(bytes_touched("madvise", MADV_SEQUENTIAL, 0, &write), 0);
	ck_assert(bytes_touched("madvise", MADV_DONTNEED, 0, &write) == BYTES && write);
	ck_assert_uint_eq(bytes_touched("mprotect", PROT_READ | PROT_WRITE, 0, &write), 0);
	ck_assert(bytes_touched("mprotect", PROT_READ, 0, &write) == BYTES && !write);
	ck_assert(bytes_touched("mprotect", PROT_NONE, 0, &write) == BYTES && write);
}
END_TEST

/* Who gives a place of his own for what has come of a character doesn't touch libc's. */
START_TEST(state_of_the_caller)
{
	const struct memory_call *call = memory_calls_find("mbrlen");
	struct user_regs_struct regs = {.rdi = U(A), .rsi = 1, .rdx = U(A + 8)};
	uint64_t states[MEMORY_STATES] = {0};
	const struct memory_caller caller = {.target = &self, .regs = &regs, .states = states};
	struct touched at[TOUCHED_MOST];
	bool whole;
	states[BY_MBRLEN] = U(A + 32);
	ck_assert_uint_eq(memory_call_touched(call, &caller, at, &whole), 2);
	ck_assert(at[1].address == U(A + 8) && at[1].size == sizeof(mbstate_t) && at[1].write);
	regs.rdx = 0;
	ck_assert_uint_eq(memory_call_touched(call, &caller, at, &whole), 2);
	ck_assert(at[1].address == U(A + 32) && at[1].size == 1 && at[1].write);
}
END_TEST

/* As a stub writes them. */
static void write_values(const struct stub_call *call, const uint64_t arguments[6], uint64_t *values)
{
	for (unsigned k = 0; k < 6; k++)
		if (call->arguments >> k & 1)
			*values++ = arguments[k];
	for (unsigned k = 0; k < 6; k++)
		if (call->strings >> k & 1)
			*values++ = arguments[k] + strlen((const char *)(uintptr_t)arguments[k]) + 1;
}

/* What its values tell of it is what is told without them. False: they don't tell it. */
static bool compare_values(const struct memory_call *call, const uint64_t arguments[6])
{
	const struct user_regs_struct regs = {.rdi = arguments[0],
					      .rsi = arguments[1],
					      .rdx = arguments[2],
					      .rcx = arguments[3],
					      .r8 = arguments[4],
					      .r9 = arguments[5]};
	uint64_t states[MEMORY_STATES], written[STUB_VALUES];
	const struct memory_caller caller = {.target = &self, .regs = &regs, .states = states};
	struct touched at[TOUCHED_MOST], touched;
	struct value_ranges ranges;
	struct stub_call values;
	size_t n = 0;
	bool whole;
	if (!memory_call_values(call, &values))
		return false;
	for (size_t i = 0; i < MEMORY_STATES; i++)
		states[i] = U(&D[i]);
	write_values(&values, arguments, written);
	memory_value_ranges(call, &values, states, &ranges);
	const size_t length = memory_call_touched(call, &caller, at, &whole);
	for (size_t i = 0; i < ranges.length; i++)
		if (memory_value_touched(&ranges.at[i], written, &touched))
			ck_assert_msg(n < length && memcmp(&touched, &at[n++], sizeof touched) == 0,
				      "%s: range %zu", memory_call_name(call), i);
	ck_assert_msg(n == length, "%s: %zu ranges", memory_call_name(call), n);
	return true;
}

static size_t compare_table(const struct memory_call *table)
{
	/* Addresses, one of them of a stream that is standard here; or numbers, one of which is none of bytes. */
	const uint64_t arguments[][6] = {
	    {U(A), U(B), U(C), U(A), U(B), U(C)},
	    {U(A), U(B), 7, 3, U(B), 1},
	    {U(&D[OUTPUT]), U(&D[ERRORS]), 5, U(&D[OUTPUT]), U(A), U(B)},
	    {U(A), U(B), UINT64_MAX, U(&D[ERRORS]), U(C), U(A)},
	};
	size_t compared = 0;
	for (; table->name; table++)
		for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
			compared += compare_values(table, arguments[i]);
	return compared;
}

START_TEST(values)
{
	memset(buffers, 0, sizeof buffers);
	memcpy(A, "seven", 6);
	memcpy(B, "a longer one", 13);
	ck_assert_uint_gt(compare_table(memory_table_texts), 0);
	ck_assert_uint_gt(compare_table(memory_table_files), 0);
	ck_assert_uint_gt(compare_table(memory_table_threads), 0);
	ck_assert_uint_gt(compare_table(memory_table_system), 0);
}
END_TEST

SUITE("memory_effects", 0, set_up, tear_down, TEST(texts), TEST(wide_texts), TEST(texts_in_steps),
      TEST(dates), TEST(files), TEST(names_of_temporary_files), TEST(sockets_and_waits), TEST(processes),
      TEST(threads), TEST(signals), TEST(others), TEST(seldom_called), TEST(texts_among_arguments),
      TEST(states_of_libc), TEST(state_of_the_caller), TEST(printed), TEST(printed_floats), TEST(addresses),
      TEST(entries_of_folders), TEST(tokens), TEST(seventh_argument), TEST(memory_of_others), TEST(values))
