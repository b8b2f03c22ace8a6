/*
 * A process with pipes, event counters and epoll sets of its own, in all kinds of states, to be saved from outside. It says by a
 * file "ready" in the folder named that all is there and that threads sleep in read(), write() and epoll_wait(), and goes on when
 * there is a file "go". Ends with the number of the first of them that isn't as it was, else prints "fine".
 *
 *     30, 31     two pages, each of which has as much in it as keeps the other half from joining; 30 doesn't block. 32 doubles 31
 *     33, 34     70,000 bytes but for the first 100, in a pipe of 128 KiB
 *     35, 36     nothing; a thread waits for it
 *     37         three bytes, and nobody to write more
 *     38         nobody to read
 *     39 to 41   counters: 7, which doesn't block; a semaphore of 3; more than 32 bits hold
 *     42         a set of 33, 35 and 39
 *     43         one of 41, by edges, which has been told of
 *     44         one of 40, disarmed
 *     45, 46     a pipe with nothing in it, and 47 a set of it, which a thread waits for
 *     48, 49     a pipe of one page, which is full; a thread waits to write 100 bytes more
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HALF = 2500, LONG = 70000, FIRST = 100, LARGE = 131072 };
#define MANY UINT64_C(0x123456789ab)

static char bytes[LONG], found[LONG];
static pid_t sleeper, waiter, writer;
static char received, told;
static ssize_t written;

static void put(int from, int to, int flags)
{
	if (from != to && (dup3(from, to, flags) != to || close(from) != 0))
		exit(90);
}

static void make_pipe(int reading, int writing, int flags)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		exit(91);
	/* Out of the way of each other's numbers. */
	const int high = fcntl(ends[1], F_DUPFD_CLOEXEC, 100);
	close(ends[1]);
	put(ends[0], reading, 0);
	put(high, writing, flags);
}

static int is_writable(int end)
{
	struct pollfd one = {.fd = end, .events = POLLOUT};
	return poll(&one, 1, 0) == 1 && one.revents & POLLOUT;
}

static int has(int end)
{
	int length = -1;
	return ioctl(end, FIONREAD, &length) == 0 ? length : -1;
}

static void *sleep_in_read(void *argument)
{
	(void)argument;
	__atomic_store_n(&sleeper, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	if (read(35, &received, 1) != 1)
		received = 0;
	return NULL;
}

static void *wait_for_set(void *argument)
{
	struct epoll_event event;
	__atomic_store_n(&waiter, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	told = epoll_wait(47, &event, 1, -1) == 1 && event.data.u64 == 45;
	return argument;
}

static void *wait_to_write(void *argument)
{
	__atomic_store_n(&writer, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	written = write(49, bytes, FIRST);
	return argument;
}

/* What was there comes first, then all of what the thread writes. */
static int check_writer(pthread_t thread)
{
	char page[4096];
	return !written && read(48, page, 4096) == 4096 && memcmp(page, bytes, 4096) == 0 &&
	       pthread_join(thread, NULL) == 0 && written == FIRST && read(48, page, 4096) == FIRST &&
	       memcmp(page, bytes, FIRST) == 0;
}

static int sleeps(const pid_t *thread, long call)
{
	char path[64];
	long number = -1;
	const pid_t tid = __atomic_load_n(thread, __ATOMIC_SEQ_CST);
	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
	FILE *file = fopen(path, "re");
	const int known = file && fscanf(file, "%ld", &number) == 1;
	if (file)
		fclose(file);
	return known && number == call;
}

static int add(int set, int member, uint32_t events)
{
	struct epoll_event event = {.events = events, .data = {.u64 = (uint64_t)member}};
	return epoll_ctl(set, EPOLL_CTL_ADD, member, &event) == 0;
}

/* The member that is told of first; how many more there are. */
static int ask(int set, int *more)
{
	struct epoll_event events[4];
	const int told_of = epoll_wait(set, events, 4, 0);
	*more = told_of - 1;
	return told_of > 0 ? (int)events[0].data.u64 : told_of;
}

static int make_sets(void)
{
	int more;
	put(epoll_create1(0), 42, 0);
	put(epoll_create1(EPOLL_CLOEXEC), 43, O_CLOEXEC);
	put(epoll_create1(0), 44, 0);
	put(epoll_create1(0), 47, 0);
	return add(42, 33, EPOLLIN) && add(42, 35, EPOLLIN) && add(42, 39, EPOLLIN) &&
	       add(43, 41, EPOLLIN | EPOLLET) && ask(43, &more) == 41 &&
	       add(44, 40, EPOLLIN | EPOLLONESHOT) && ask(44, &more) == 40 && add(47, 45, EPOLLIN);
}

static int check_sets(void)
{
	const uint64_t one = 1;
	struct epoll_event armed = {.events = EPOLLIN, .data = {.u64 = 400}};
	int more, first = ask(42, &more), all = (first == 33 || first == 39) && more == 1;
	all &= fcntl(43, F_GETFD) == FD_CLOEXEC && ask(43, &more) == 0;
	all &= write(41, &one, sizeof one) == sizeof one && ask(43, &more) == 41 && ask(43, &more) == 0;
	all &= ask(44, &more) == 0 && epoll_ctl(44, EPOLL_CTL_MOD, 40, &armed) == 0;
	return all && ask(44, &more) == 400 && epoll_ctl(42, EPOLL_CTL_DEL, 33, NULL) == 0 &&
	       ask(42, &more) == 39 && more == 0;
}

static int make(void)
{
	const uint64_t many = MANY;
	make_pipe(30, 31, O_CLOEXEC);
	make_pipe(33, 34, 0);
	make_pipe(35, 36, 0);
	make_pipe(45, 46, 0);
	make_pipe(48, 49, 0);
	make_pipe(37, 50, 0);
	make_pipe(51, 38, 0);
	put(eventfd(7, EFD_NONBLOCK), 39, 0);
	put(eventfd(3, EFD_SEMAPHORE | EFD_CLOEXEC), 40, O_CLOEXEC);
	put(eventfd(0, 0), 41, 0);
	return dup2(31, 32) == 32 && fcntl(31, F_SETPIPE_SZ, 8192) == 8192 &&
	       fcntl(30, F_SETFL, O_NONBLOCK) == 0 && write(31, bytes, HALF) == HALF &&
	       write(32, bytes + HALF, HALF) == HALF && fcntl(34, F_SETPIPE_SZ, LARGE) == LARGE &&
	       write(34, bytes, LONG) == LONG && read(33, found, FIRST) == FIRST &&
	       write(50, "end", 3) == 3 && close(50) == 0 && close(51) == 0 &&
	       write(41, &many, sizeof many) == sizeof many && fcntl(49, F_SETPIPE_SZ, 4096) == 4096 &&
	       write(49, bytes, 4096) == 4096 && make_sets();
}

static int check_full(void)
{
	int all = fcntl(31, F_GETPIPE_SZ) == 8192 && !is_writable(31) && has(30) == 2 * HALF;
	all &= fcntl(31, F_GETFD) == FD_CLOEXEC && fcntl(32, F_GETFD) == 0 && fcntl(30, F_GETFD) == 0;
	all &= fcntl(30, F_GETFL) == O_NONBLOCK && fcntl(31, F_GETFL) == O_WRONLY;
	/* Doubles have their flags in common. */
	all &= fcntl(32, F_SETFL, O_NONBLOCK) == 0 && fcntl(31, F_GETFL) == (O_WRONLY | O_NONBLOCK);
	all &= write(31, "x", 1) == 1 && write(32, bytes, HALF) == -1 && errno == EAGAIN;
	all &= read(30, found, HALF) == HALF && is_writable(32) &&
	       read(30, found + HALF, LONG - HALF) == HALF + 1;
	return all && memcmp(found, bytes, 2 * HALF) == 0 && read(30, found, 1) == -1 && errno == EAGAIN;
}

static int check_long(void)
{
	int length = 0, got = 1;
	if (fcntl(33, F_GETPIPE_SZ) != LARGE || has(33) != LONG - FIRST || close(34) != 0)
		return 0;
	for (; got > 0; length += got)
		got = (int)read(33, found + length, sizeof found - (size_t)length);
	return got == 0 && length == LONG - FIRST && memcmp(found, bytes + FIRST, (size_t)length) == 0;
}

static int check_closed(void)
{
	return read(37, found, 10) == 3 && memcmp(found, "end", 3) == 0 && read(37, found, 10) == 0 &&
	       write(38, "x", 1) == -1 && errno == EPIPE;
}

static int check_counters(void)
{
	uint64_t value = 0;
	int all = read(39, &value, sizeof value) == sizeof value && value == 7;
	all &= read(39, &value, sizeof value) == -1 && errno == EAGAIN;
	all &= fcntl(40, F_GETFD) == FD_CLOEXEC && fcntl(40, F_SETFL, O_NONBLOCK) == 0;
	for (int i = 0; i < 3; i++)
		all &= read(40, &value, sizeof value) == sizeof value && value == 1;
	all &= read(40, &value, sizeof value) == -1 && errno == EAGAIN;
	return all && read(41, &value, sizeof value) == sizeof value && value == MANY + 1;
}

int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	pthread_t thread, other, third;
	for (int i = 0; i < LONG; i++)
		bytes[i] = (char)(i * 7 + i / 256);
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2 || chdir(argv[1]) != 0 || !make() ||
	    pthread_create(&thread, NULL, sleep_in_read, NULL) != 0 ||
	    pthread_create(&other, NULL, wait_for_set, NULL) != 0 ||
	    pthread_create(&third, NULL, wait_to_write, NULL) != 0)
		return 92;
	while (!sleeps(&sleeper, SYS_read) || !sleeps(&waiter, SYS_epoll_wait) || !sleeps(&writer, SYS_write))
		nanosleep(&pause, NULL);
	close(open("ready", O_WRONLY | O_CREAT, 0600));
	while (access("go", F_OK) != 0)
		nanosleep(&pause, NULL);
	if (!check_sets())
		return 6;
	if (told || write(46, "t", 1) != 1 || pthread_join(other, NULL) != 0 || !told)
		return 7;
	if (!check_writer(third))
		return 8;
	if (!check_full())
		return 1;
	if (!check_long())
		return 2;
	if (received || write(36, "w", 1) != 1 || pthread_join(thread, NULL) != 0 || received != 'w')
		return 3;
	if (!check_closed())
		return 4;
	if (!check_counters())
		return 5;
	return puts("fine") < 0;
}
