/*
 * epoll_waits CASE: a thread writes twice into what another one waits for by a set of epoll. Who is told of changes alone and takes one byte of
 * two waits for ever: edge, pair, once (a counter that isn't armed again), nothing (an empty set), asked (poll() for room in a full pipe). All goes well: whole, timer,
 * signal, child. Somebody else could write: given (descriptor 9), inner (what is in a set in a set isn't looked at). The kernel writes when it has done
 * its work, which it does by itself: raised, raised_poll, raised_read (io_submit()), ring, ring_poll, ring_read (io_uring). Status 77: there is none here.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define GIVEN	9 /* a descriptor that the caller has opened */
#define SKIPPED 77
#define BYTES	4000000 /* to be written to the disk, which takes a while */

static int set, ends[2];

static void must(int good)
{
	if (!good)
		abort();
}

static void add(int to, int descriptor, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = descriptor};
	must(epoll_ctl(to, EPOLL_CTL_ADD, descriptor, &event) == 0);
}

static int await(void)
{
	struct epoll_event event;
	int ready;
	/* What io_uring has to tell interrupts. */
	while ((ready = epoll_wait(set, &event, 1, -1)) < 0 && errno == EINTR)
		;
	must(ready == 1);
	return event.data.fd;
}

static void *write_twice(void *unused)
{
	must(write(ends[1], "a", 1) == 1 && write(ends[1], "b", 1) == 1);
	return unused;
}

static void *count_twice(void *unused)
{
	must(eventfd_write(ends[1], 1) == 0 && eventfd_write(ends[1], 1) == 0);
	return unused;
}

static void *send_signal(void *unused)
{
	must(kill(getpid(), SIGUSR1) == 0);
	return unused;
}

static void *do_nothing(void *unused)
{
	return unused;
}

static void make_pipe(uint32_t events)
{
	must(pipe2(ends, O_NONBLOCK) == 0);
	add(set, ends[0], events);
}

static void take_bytes(int at_once)
{
	char byte;
	for (int taken = 0; taken < 2;) {
		await();
		int more = 1;
		while (more && read(ends[0], &byte, 1) == 1) {
			taken++;
			more = !at_once;
		}
	}
}

static void take_counts(void)
{
	eventfd_t value;
	for (eventfd_t taken = 0; taken < 2; taken += value) {
		await();
		must(eventfd_read(ends[0], &value) == 0);
	}
}

static void fill(void)
{
	char bytes[4096];
	memset(bytes, 'x', sizeof bytes);
	must(pipe2(ends, O_NONBLOCK) == 0);
	while (write(ends[1], bytes, sizeof bytes) > 0)
		;
}

static void await_room(void)
{
	struct pollfd what = {.fd = ends[1], .events = POLLOUT};
	must(poll(&what, 1, -1) == 1);
}

static void await_timer(void)
{
	const struct itimerspec soon = {.it_value.tv_nsec = 1000000};
	const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	make_pipe(EPOLLIN);
	add(set, timer, EPOLLIN);
	must(timerfd_settime(timer, 0, &soon, NULL) == 0);
	must(await() == timer);
}

static void block_signal(void)
{
	sigset_t mask;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	must(pthread_sigmask(SIG_BLOCK, &mask, NULL) == 0);
	add(set, signalfd(-1, &mask, 0), EPOLLIN);
}

static void await_child(void)
{
	make_pipe(EPOLLIN);
	const pid_t child = fork();
	must(child >= 0);
	if (child == 0)
		_exit(write(ends[1], "a", 1) != 1);
	must(await() == ends[0] && waitpid(child, NULL, 0) == child);
}

/* A file that has much to be written. */
static int make_file(void)
{
	static char bytes[BYTES];
	char name[] = "raised-XXXXXX";
	const int file = mkstemp(name);
	must(file >= 0 && unlink(name) == 0 && write(file, bytes, sizeof bytes) == sizeof bytes);
	return file;
}

static void must_have(long result)
{
	if (result < 0 && (errno == ENOSYS || errno == EPERM))
		_exit(SKIPPED);
	must(result >= 0);
}

/* The kernel writes the file to the disk, and then into the counter. */
static void submit(void)
{
	struct iocb block = {.aio_lio_opcode = IOCB_CMD_FSYNC, .aio_flags = IOCB_FLAG_RESFD};
	struct iocb *blocks[] = {&block};
	aio_context_t context = 0;
	must_have(syscall(SYS_io_setup, 1, &context));
	block.aio_fildes = (uint32_t)make_file();
	block.aio_resfd = (uint32_t)ends[0];
	must(syscall(SYS_io_submit, context, 1, blocks) == 1);
}

static void submit_to_ring(void)
{
	struct io_uring_params about = {0};
	const int ring = (int)syscall(SYS_io_uring_setup, 1, &about);
	must_have(ring);
	must(syscall(SYS_io_uring_register, ring, IORING_REGISTER_EVENTFD, ends, 1) == 0);
	const size_t size = about.sq_off.array + about.sq_entries * sizeof(uint32_t);
	char *queue = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	struct io_uring_sqe *entries =
	    mmap(NULL, sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	must(queue != MAP_FAILED && entries != MAP_FAILED);
	entries[0] = (struct io_uring_sqe){.opcode = IORING_OP_FSYNC, .fd = make_file()};
	*(uint32_t *)(void *)(queue + about.sq_off.array) = 0;
	__atomic_store_n((uint32_t *)(void *)(queue + about.sq_off.tail), 1, __ATOMIC_RELEASE);
	must(syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0) == 1);
}

/* The counter is one that two threads use: this one puts one there, and waits for more. */
static void *count_own(void *unused)
{
	must(eventfd_write(ends[1], 1) == 0);
	return unused;
}

static void await_kernel(const char *name)
{
	struct pollfd what = {.fd = ends[0], .events = POLLIN};
	eventfd_t value;
	if (strstr(name, "_read"))
		for (eventfd_t taken = 0; taken < 2; taken += value)
			must(eventfd_read(ends[0], &value) == 0);
	else if (strstr(name, "_poll"))
		must(poll(&what, 1, -1) == 1);
	else
		must(await() == ends[0]);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	void *(*other)(void *) = write_twice;
	pthread_t thread;
	set = epoll_create1(0);
	if (strcmp(name, "edge") == 0 || strcmp(name, "whole") == 0) {
		make_pipe(EPOLLIN | EPOLLET);
	} else if (strcmp(name, "pair") == 0) {
		must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
		add(set, ends[0], EPOLLIN | EPOLLET);
	} else if (strcmp(name, "once") == 0) {
		ends[0] = ends[1] = eventfd(0, 0);
		add(set, ends[0], EPOLLIN | EPOLLONESHOT);
		other = count_twice;
	} else if (strcmp(name, "asked") == 0) {
		fill();
		other = do_nothing;
	} else if (strcmp(name, "signal") == 0) {
		block_signal();
		other = send_signal;
	} else if (strncmp(name, "raised", 6) == 0 || strncmp(name, "ring", 4) == 0) {
		ends[0] = ends[1] = eventfd(0, 0);
		add(set, ends[0], EPOLLIN);
		if (*name == 'r' && name[1] == 'a')
			submit();
		else
			submit_to_ring();
		other = strstr(name, "_read") ? count_own : do_nothing;
	} else if (strcmp(name, "given") == 0) {
		add(set, GIVEN, EPOLLIN);
		other = do_nothing;
	} else if (strcmp(name, "inner") == 0) {
		const int inner = set;
		make_pipe(EPOLLIN);
		set = epoll_create1(0);
		add(set, inner, EPOLLIN);
		other = do_nothing;
	} else {
		other = do_nothing;
	}
	must(pthread_create(&thread, NULL, other, NULL) == 0);
	if (strcmp(name, "once") == 0)
		take_counts();
	else if (strncmp(name, "raised", 6) == 0 || strncmp(name, "ring", 4) == 0)
		await_kernel(name);
	else if (strcmp(name, "asked") == 0)
		await_room();
	else if (strcmp(name, "timer") == 0)
		await_timer();
	else if (strcmp(name, "child") == 0)
		await_child();
	else if (strcmp(name, "edge") == 0 || strcmp(name, "pair") == 0 || strcmp(name, "whole") == 0)
		take_bytes(strcmp(name, "whole") != 0);
	else
		await();
	must(pthread_join(thread, NULL) == 0);
	return 0;
}
