/*
 * transfers CASE: system calls that wait in the middle of what they transfer, or that a stop of their thread would cut.
 * A second thread makes the call, the main thread lets it go on bit by bit. Status 0 if the call has done all of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define BYTES 300000
#define PARTS 3

static unsigned char data[BYTES], arrived[BYTES];
static int from, to, file;
static sem_t about_to;
static size_t announced = BYTES; /* so many bytes are to come out, or to be put in */

static void check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	_exit(1);
}

/* Parts of unequal length, one of them empty. */
static void in_parts(struct iovec parts[PARTS], unsigned char *bytes)
{
	parts[0] = (struct iovec){bytes, 70001};
	parts[1] = (struct iovec){bytes + 70001, 0};
	parts[2] = (struct iovec){bytes + 70001, BYTES - 70001};
}

static void whole(ssize_t done)
{
	if (done != BYTES)
		fprintf(stderr, "%zd of %d bytes\n", done, BYTES);
	check(done == BYTES, "short");
}

static void *writes(void *unused)
{
	whole(write(to, data, BYTES));
	return unused;
}

static void *writes_vector(void *unused)
{
	struct iovec parts[PARTS];
	in_parts(parts, data);
	whole(writev(to, parts, PARTS));
	return unused;
}

static void *writes_vector2(void *unused)
{
	struct iovec parts[PARTS];
	in_parts(parts, data);
	whole(pwritev2(to, parts, PARTS, -1, 0));
	return unused;
}

static void *sends(void *unused)
{
	whole(send(to, data, BYTES, 0));
	return unused;
}

static void *sends_message(void *unused)
{
	struct iovec parts[PARTS];
	const struct msghdr message = {.msg_iov = parts, .msg_iovlen = PARTS};
	in_parts(parts, data);
	whole(sendmsg(to, &message, 0));
	return unused;
}

static void *sends_file(void *unused)
{
	off_t at = 0;
	whole(sendfile(to, file, &at, BYTES));
	check(at == BYTES, "offset");
	return unused;
}

/* These fill a pipe and return: they don't wait for room in the middle. */
static void part(ssize_t done)
{
	check(done > 0 && done < BYTES, "more than there is room for");
	announced = (size_t)done;
}

static void *splices(void *unused)
{
	off_t at = 0;
	part(splice(file, &at, to, NULL, BYTES, 0));
	return unused;
}

static void *gives(void *unused)
{
	struct iovec parts[PARTS];
	in_parts(parts, data);
	part(vmsplice(to, parts, PARTS, 0));
	return unused;
}

static void *fills(void *unused)
{
	off_t at = 0;
	part(sendfile(to, file, &at, BYTES));
	return unused;
}

static void *receives(void *unused)
{
	whole(recv(from, arrived, BYTES, MSG_WAITALL));
	return unused;
}

static void *receives_message(void *unused)
{
	struct iovec parts[PARTS];
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = PARTS};
	in_parts(parts, arrived);
	whole(recvmsg(from, &message, MSG_WAITALL));
	return unused;
}

static void *receives_messages(void *unused)
{
	struct mmsghdr messages[3] = {0};
	struct iovec parts[3];
	for (int i = 0; i < 3; i++) {
		parts[i] = (struct iovec){arrived + i, 1};
		messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
	}
	check(recvmmsg(from, messages, 3, 0, NULL) == 3, "recvmmsg");
	return unused;
}

static void *receives_in_time(void *unused)
{
	const struct timeval long_time = {.tv_sec = 1000};
	check(setsockopt(from, SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof long_time) == 0, "SO_RCVTIMEO");
	check(recv(from, arrived, 1, 0) == 1, "recv");
	return unused;
}

static void *receives_messages_in_time(void *unused)
{
	struct timespec long_time = {.tv_sec = 1000};
	struct mmsghdr messages[3] = {0};
	struct iovec parts[3];
	for (int i = 0; i < 3; i++) {
		parts[i] = (struct iovec){arrived + i, 1};
		messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
	}
	check(recvmmsg(from, messages, 3, 0, &long_time) == 3, "recvmmsg");
	return unused;
}

static void *sends_messages(void *unused)
{
	struct mmsghdr messages[3] = {0};
	struct iovec parts[6];
	for (size_t i = 0; i < 3; i++) {
		parts[2 * i] = (struct iovec){data + 100000 * i, 30000};
		parts[2 * i + 1] = (struct iovec){data + 100000 * i + 30000, 70000};
		messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[2 * i], .msg_iovlen = 2};
	}
	check(sendmmsg(to, messages, 3, 0) == 3, "sendmmsg");
	for (int i = 0; i < 3; i++)
		check(messages[i].msg_len == 100000, "a message");
	return unused;
}

static void *receives_at_least(void *unused)
{
	const int least = 3;
	check(setsockopt(from, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least) == 0, "SO_RCVLOWAT");
	check(recv(from, arrived, 10, 0) >= 3, "recv");
	return unused;
}

/* Long calls that don't wait, but are stopped as their thread computes. */
#define LONG (size_t)(128 << 20)

static struct iovec *long_room(struct iovec parts[2])
{
	unsigned char *room = mmap(NULL, LONG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(room != MAP_FAILED, "mmap");
	parts[0] = (struct iovec){room, 1000001};
	parts[1] = (struct iovec){room + 1000001, LONG - 1000001};
	return parts;
}

static void *reads_zeros(void *unused)
{
	struct iovec parts[2];
	const int zeros = open("/dev/zero", O_RDONLY);
	check(read(zeros, long_room(parts)->iov_base, LONG) == (ssize_t)LONG, "read");
	check(pread(zeros, long_room(parts)->iov_base, LONG, 0) == (ssize_t)LONG, "pread");
	return unused;
}

static void *reads_zeros_vector(void *unused)
{
	struct iovec parts[2];
	const int zeros = open("/dev/zero", O_RDONLY);
	check(readv(zeros, long_room(parts), 2) == (ssize_t)LONG, "readv");
	check(preadv2(zeros, long_room(parts), 2, -1, 0) == (ssize_t)LONG, "preadv2");
	return unused;
}

static void make_files(int files[2])
{
	files[0] = memfd_create("from", 0);
	files[1] = memfd_create("to", 0);
	check(files[0] >= 0 && files[1] >= 0 && ftruncate(files[0], LONG) == 0, "memfd_create");
}

static void *sends_file_to_file(void *unused)
{
	int files[2];
	make_files(files);
	check(sendfile(files[1], files[0], NULL, LONG) == (ssize_t)LONG, "sendfile");
	return unused;
}

static void *copies_file(void *unused)
{
	int files[2];
	make_files(files);
	check(copy_file_range(files[0], NULL, files[1], NULL, LONG, 0) == (ssize_t)LONG, "copy_file_range");
	check(fallocate(files[1], 0, 0, 2 * LONG) == 0, "fallocate");
	return unused;
}

static void nothing(void)
{
	for (int i = 0; i < 3; i++)
		usleep(1000);
}

static void *reads_terminal(void *unused)
{
	check(read(from, arrived, 10) == 3, "read");
	return unused;
}

static void *writes_terminal(void *unused)
{
	whole(write(from, data, BYTES));
	return unused;
}

static void drain_terminal(void)
{
	for (size_t done = 0; done < BYTES;) {
		const ssize_t got = read(to, arrived + done, BYTES - done);
		check(got > 0, "read");
		done += (size_t)got;
	}
	check(memcmp(arrived, data, BYTES) == 0, "what has arrived");
}

static void type_three(void)
{
	for (int i = 0; i < 3; i++) {
		check(write(to, "x", 1) == 1, "write");
		usleep(1000);
	}
}

/* Where the system has no rings there is nothing to see: -1. */
static int make_ring(struct io_uring_params *about, unsigned char **queue, struct io_uring_sqe **entries)
{
	const int ring = (int)syscall(SYS_io_uring_setup, 4, about);
	if (ring < 0)
		return -1;
	*queue = mmap(NULL, about->sq_off.array + about->sq_entries * sizeof(unsigned),
		      PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	*entries = mmap(NULL, about->sq_entries * sizeof **entries, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
			IORING_OFF_SQES);
	check(*queue != MAP_FAILED && *entries != MAP_FAILED, "mmap");
	return ring;
}

static void *reads_by_ring(void *unused)
{
	struct io_uring_params about = {0};
	struct io_uring_sqe *entries;
	unsigned char *queue;
	const int ring = make_ring(&about, &queue, &entries);
	if (ring < 0)
		return unused;
	for (unsigned i = 0; i < 3; i++) {
		entries[i] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
						   .fd = from,
						   .addr = (uintptr_t)(arrived + i),
						   .len = 1,
						   .off = UINT64_MAX};
		((unsigned *)(void *)(queue + about.sq_off.array))[i] = i;
	}
	*(unsigned *)(void *)(queue + about.sq_off.tail) = 3;
	check(syscall(SYS_io_uring_enter, ring, 3, 3, IORING_ENTER_GETEVENTS, NULL, 0) == 3,
	      "io_uring_enter");
	check(*(unsigned *)(void *)(queue + about.cq_off.tail) == 3, "all are done");
	return unused;
}

static void *awaits_event(void *unused)
{
	aio_context_t context = 0;
	struct iocb wanted = {
	    .aio_lio_opcode = IOCB_CMD_POLL, .aio_fildes = (uint32_t)from, .aio_buf = POLLIN};
	struct iocb *list = &wanted;
	struct io_event event;
	if (syscall(SYS_io_setup, 1, &context) != 0 || syscall(SYS_io_submit, context, 1, &list) != 1)
		return unused; /* it has none, or older ones */
	check(syscall(SYS_io_getevents, context, 1, 1, &event, NULL) == 1, "io_getevents");
	return unused;
}

static void *takes(void *unused)
{
	struct sembuf one = {.sem_op = -1};
	check(semop(file, &one, 1) == 0, "semop");
	return unused;
}

/* The signal is the program's own: here the call has to say how far it came. */
static void *is_disturbed(void *unused)
{
	part(write(to, data, BYTES));
	return unused;
}

static void handle(int signal)
{
	(void)signal;
}

static void disturb(pthread_t thread, int signal)
{
	const struct sigaction action = {.sa_handler = handle};
	sigaction(SIGUSR1, &action, NULL);
	/* It sleeps in the middle when nothing more goes in. */
	struct pollfd full = {.fd = to, .events = POLLOUT};
	while (poll(&full, 1, 0) != 0)
		sched_yield();
	usleep(1000);
	check(pthread_kill(thread, signal) == 0, "kill");
}

static void drain(void)
{
	size_t done = 0;
	while (done < announced) {
		const ssize_t got =
		    read(from, arrived + done, 8192 < announced - done ? 8192 : announced - done);
		check(got > 0, "read");
		done += (size_t)got;
	}
	check(memcmp(arrived, data, announced) == 0, "what has arrived");
}

static void fill(void)
{
	for (size_t done = 0; done < BYTES;) {
		const size_t next = 50000 < BYTES - done ? 50000 : BYTES - done;
		check(write(to, data + done, next) == (ssize_t)next, "write");
		done += next;
		usleep(1000);
	}
}

static void make_pipe(void)
{
	int ends[2];
	check(pipe(ends) == 0, "pipe");
	from = ends[0];
	to = ends[1];
}

static void make_sockets(int type)
{
	int ends[2];
	check(socketpair(AF_UNIX, type, 0, ends) == 0, "socketpair");
	from = ends[0];
	to = ends[1];
}

static void make_file(void)
{
	FILE *temporary = tmpfile();
	check(temporary != NULL, "tmpfile");
	file = fileno(temporary);
	check(write(file, data, BYTES) == BYTES, "write to a file");
}

static void send_three(void)
{
	for (int i = 0; i < 3; i++) {
		check(send(to, "x", 1, 0) == 1, "send");
		usleep(1000);
	}
}

static void send_one(void)
{
	usleep(1000);
	send_three();
}

static void post(void)
{
	struct sembuf one = {.sem_op = 1};
	usleep(1000);
	check(semop(file, &one, 1) == 0, "semop");
}

enum channel { NONE, PIPE, STREAM, MESSAGES, SEMAPHORES, TERMINAL };

static const struct {
	const char *name;
	enum channel channel;
	void *(*call)(void *);
	void (*serve)(void);
	bool ends_first; /* what is served is what the call has left behind */
	int signal;	 /* sent in the middle */
} cases[] = {
    {"write", PIPE, writes, drain, false, 0},
    {"writev", PIPE, writes_vector, drain, false, 0},
    {"pwritev2", PIPE, writes_vector2, drain, false, 0},
    {"sendfile", STREAM, sends_file, drain, false, 0},
    {"write-socket", STREAM, writes, drain, false, 0},
    {"send", STREAM, sends, drain, false, 0},
    {"sendmsg", STREAM, sends_message, drain, false, 0},
    {"recv", STREAM, receives, fill, false, 0},
    {"recvmsg", STREAM, receives_message, fill, false, 0},
    {"recvmmsg", MESSAGES, receives_messages, send_three, false, 0},
    {"rcvtimeo", STREAM, receives_in_time, send_one, false, 0},
    {"semop", SEMAPHORES, takes, post, false, 0},
    {"recvmmsg-timed", MESSAGES, receives_messages_in_time, send_three, false, 0},
    {"sendmmsg", STREAM, sends_messages, drain, false, 0},
    {"rcvlowat", STREAM, receives_at_least, send_three, false, 0},
    {"terminal", TERMINAL, reads_terminal, type_three, false, 0},
    {"write-terminal", TERMINAL, writes_terminal, drain_terminal, false, 0},
    {"ring", PIPE, reads_by_ring, type_three, false, 0},
    {"aio", PIPE, awaits_event, type_three, false, 0},
    {"zero", NONE, reads_zeros, nothing, false, 0},
    {"zero-vector", NONE, reads_zeros_vector, nothing, false, 0},
    {"sendfile-file", NONE, sends_file_to_file, nothing, false, 0},
    {"copy_file_range", NONE, copies_file, nothing, false, 0},
    {"unhandled", PIPE, writes, drain, false, SIGWINCH},
    {"unhandled-vector", STREAM, sends_message, drain, false, SIGWINCH},
    {"handled", PIPE, is_disturbed, drain, true, SIGUSR1},
    {"splice", PIPE, splices, drain, true, 0},
    {"vmsplice", PIPE, gives, drain, true, 0},
    {"sendfile-pipe", PIPE, fills, drain, true, 0},
};

/* Without line editing; three bytes are the least that it gives. */
static void make_terminal(void)
{
	struct termios settings;
	to = posix_openpt(O_RDWR | O_NOCTTY);
	check(to >= 0 && grantpt(to) == 0 && unlockpt(to) == 0, "posix_openpt");
	from = open(ptsname(to), O_RDWR | O_NOCTTY);
	check(from >= 0 && tcgetattr(from, &settings) == 0, "terminal");
	cfmakeraw(&settings);
	settings.c_cc[VMIN] = 3;
	settings.c_cc[VTIME] = 0;
	check(tcsetattr(from, TCSANOW, &settings) == 0, "tcsetattr");
}

static void make_channel(enum channel channel)
{
	switch (channel) {
	case NONE:
		break;
	case TERMINAL:
		make_terminal();
		break;
	case PIPE:
		make_pipe();
		break;
	case STREAM:
		make_sockets(SOCK_STREAM);
		break;
	case MESSAGES:
		make_sockets(SOCK_DGRAM);
		break;
	case SEMAPHORES:
		file = semget(IPC_PRIVATE, 1, 0600);
		check(file >= 0, "semget");
		break;
	}
}

/* Whoever serves begins when the call is about to be made: under fmc, when it waits. */
static void *calls(void *call)
{
	sem_post(&about_to);
	return ((void *(**)(void *))call)[0](NULL);
}

int main(int count, char **arguments)
{
	pthread_t thread;
	for (size_t i = 0; i < BYTES; i++)
		data[i] = (unsigned char)(i * 7 + i / 251);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (count != 2 || strcmp(arguments[1], cases[i].name) != 0)
			continue;
		make_channel(cases[i].channel);
		if (cases[i].call == sends_file || cases[i].call == splices || cases[i].call == fills)
			make_file();
		void *(*call)(void *) = cases[i].call;
		pthread_create(&thread, NULL, calls, &call);
		sem_wait(&about_to);
		if (cases[i].signal)
			disturb(thread, cases[i].signal);
		if (cases[i].ends_first)
			pthread_join(thread, NULL);
		cases[i].serve();
		if (!cases[i].ends_first)
			pthread_join(thread, NULL);
		if (cases[i].channel == SEMAPHORES)
			semctl(file, 0, IPC_RMID);
		puts("done");
		return 0;
	}
	return 64;
}
