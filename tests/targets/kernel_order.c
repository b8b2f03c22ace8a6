/*
 * kernel_order [any] CASE: two threads meet at an object of the kernel, and what they or main() find depends on which was first. Each
 * aborts in one of the orders, but with `any`; and but for these: mutex_tcp, mutex_local, mutex_datagrams, mutex_named, which end in a
 * deadlock; own_files, own_connections, own_folders, handed, mapped_written, read_only, rights_given, poll_lock, poll_end, poll_listener, in which no order matters; replaced,
 * reopened, opened_first, flags, mode, mapped, mapped_later, which fmc is to name.
 */
#include "orders.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static int one[2], two[2], ends[4], listener, first = -1, file, queue, set, events;
static const char *text;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct sockaddr_in address;
static struct sockaddr_un local;

static void must(int good)
{
	if (!good)
		abort();
}

static void put(int descriptor, char byte)
{
	must(write(descriptor, &byte, 1) == 1);
}

static char get(int descriptor)
{
	char byte = 0;
	must(read(descriptor, &byte, 1) == 1);
	return byte;
}

static void make_named(void);
static void send_named(int me);

/* What one order alone has. */
static void expect(int good)
{
	must(good || any);
}

static char letter(int me)
{
	return (char)('a' + me);
}

/* Files. */
static void make_file(void)
{
	file = memfd_create("file", 0);
	must(file >= 0);
}

static void make_appended(void)
{
	char name[] = "/tmp/kernel_orderXXXXXX";
	file = mkostemp(name, O_APPEND);
	must(file >= 0 && unlink(name) == 0);
}

static void put_file(int me)
{
	put(file, letter(me));
}

static void check_file(void)
{
	char byte = 0;
	must(any || pread(file, &byte, 1, 0) == 1);
	expect(byte == 'a');
}

static void put_line(int me)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	const int own = open(path, O_WRONLY | O_APPEND);
	put(own, letter(me));
	close(own);
}

static void put_start(int me)
{
	const char byte = letter(me);
	must(pwrite(file, &byte, 1, 0) == 1);
}

static void make_number(void)
{
	const int zero = 0;
	make_file();
	must(pwrite(file, &zero, sizeof zero, 0) == sizeof zero);
}

static void add_number(int me)
{
	int number;
	(void)me;
	must(pread(file, &number, sizeof number, 0) == sizeof number);
	number++;
	must(pwrite(file, &number, sizeof number, 0) == sizeof number);
}

static void check_number(void)
{
	int number;
	must(pread(file, &number, sizeof number, 0) == sizeof number);
	expect(number == 2);
}

/* A record lock is the process's: it keeps no thread out. */
static void add_recorded(int me)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	must(fcntl(file, F_SETLKW, &lock) == 0);
	add_number(me);
	lock.l_type = F_UNLCK;
	must(fcntl(file, F_SETLKW, &lock) == 0);
}

static void size_or_put(int me)
{
	struct stat about;
	if (me == 0)
		put(file, 'a');
	else if (fstat(file, &about) == 0)
		expect(about.st_size == 1);
}

static void seek_or_put(int me)
{
	if (me == 0)
		put(file, 'a');
	else
		expect(lseek(file, 0, SEEK_CUR) == 1);
}

static void cut_or_put(int me)
{
	if (me == 0)
		put(file, 'a');
	else
		must(ftruncate(file, 0) == 0);
}

static void read_next(int me)
{
	if (get(file) == 'x')
		first = me;
}

static void make_text(void)
{
	make_file();
	must(pwrite(file, "xy", 2, 0) == 2);
}

static void check_first(void)
{
	expect(first == 0);
}

/* Sockets. */
static void make_listener(void)
{
	socklen_t size = sizeof address;
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	must(listener >= 0 && bind(listener, (struct sockaddr *)&address, size) == 0 &&
	     listen(listener, 4) == 0);
	must(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
}

static void make_address(void)
{
	socklen_t size = sizeof address;
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	must(listener >= 0 && bind(listener, (struct sockaddr *)&address, size) == 0);
	must(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
}

/* One listens, and the other one may be refused. */
static void listen_or_dial(int me)
{
	if (me == 0) {
		must(listen(listener, 4) == 0);
		return;
	}
	first = connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address);
}

/* It tries until it isn't. */
static void listen_or_try(int me)
{
	if (me == 0)
		return listen_or_dial(me);
	while (connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address) != 0)
		;
}

static int dial(void)
{
	const int own = socket(AF_INET, SOCK_STREAM, 0);
	must(own >= 0 && connect(own, (struct sockaddr *)&address, sizeof address) == 0);
	return own;
}

static void make_tcp(void)
{
	make_listener();
	one[0] = dial();
	one[1] = accept(listener, NULL, NULL);
	must(one[1] >= 0);
}

static void send_one(int me)
{
	put(one[0], letter(me));
}

static void send_either(int me)
{
	const char byte = letter(me);
	must(send(one[0], &byte, 1, 0) == 1);
}

static void check_one(void)
{
	expect(get(one[1]) == 'a');
}

static void dial_one(int me)
{
	const int own = dial();
	put(own, letter(me));
	ends[me] = own;
}

static void check_accepted(void)
{
	const int own = accept(listener, NULL, NULL);
	must(own >= 0);
	expect(get(own) == 'a');
}

static void make_two_dialled(void)
{
	make_listener();
	put(dial(), 'x');
	put(dial(), 'y');
}

static void accept_one(int me)
{
	const int own = accept(listener, NULL, NULL);
	must(own >= 0);
	if (get(own) == 'x')
		first = me;
}

static void make_local(void)
{
	local.sun_family = AF_UNIX;
	snprintf(local.sun_path + 1, sizeof local.sun_path - 1, "kernel_order %d", getpid());
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	must(listener >= 0 && bind(listener, (struct sockaddr *)&local, sizeof local) == 0 &&
	     listen(listener, 4) == 0);
}

/* One takes the name, and listens by it. */
static void make_local_late(void)
{
	local.sun_family = AF_UNIX;
	snprintf(local.sun_path + 1, sizeof local.sun_path - 1, "kernel_order %d", getpid());
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
}

static void bind_or_dial(int me)
{
	if (me == 0) {
		must(bind(listener, (struct sockaddr *)&local, sizeof local) == 0 &&
		     listen(listener, 4) == 0);
		return;
	}
	first = connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&local, sizeof local);
}

static int dial_path(void)
{
	const int own = socket(AF_UNIX, SOCK_STREAM, 0);
	must(own >= 0 && connect(own, (struct sockaddr *)&local, sizeof local) == 0);
	return own;
}

static void dial_local(int me)
{
	const int own = dial_path();
	put(own, letter(me));
	ends[me] = own;
}

static void make_local_pair(void)
{
	make_local();
	one[0] = dial_path();
	one[1] = accept(listener, NULL, NULL);
	must(one[1] >= 0);
}

static void make_two_local(void)
{
	make_local();
	put(dial_path(), 'x');
	put(dial_path(), 'y');
}

static void make_udp(void)
{
	socklen_t size = sizeof address;
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	one[1] = socket(AF_INET, SOCK_DGRAM, 0);
	one[0] = socket(AF_INET, SOCK_DGRAM, 0);
	must(bind(one[1], (struct sockaddr *)&address, size) == 0);
	must(getsockname(one[1], (struct sockaddr *)&address, &size) == 0);
}

static void send_udp(int me)
{
	const char byte = letter(me);
	must(sendto(one[0], &byte, 1, 0, (struct sockaddr *)&address, sizeof address) == 1);
}

static void make_letters(void)
{
	local.sun_family = AF_UNIX;
	snprintf(local.sun_path + 1, sizeof local.sun_path - 1, "kernel_order %d", getpid());
	one[1] = socket(AF_UNIX, SOCK_DGRAM, 0);
	one[0] = socket(AF_UNIX, SOCK_DGRAM, 0);
	must(bind(one[1], (struct sockaddr *)&local, sizeof local) == 0);
}

static void send_local(int me)
{
	const char byte = letter(me);
	must(sendto(one[0], &byte, 1, 0, (struct sockaddr *)&local, sizeof local) == 1);
}

static void make_pair(void)
{
	must(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, one) == 0);
}

static void send_many(int me)
{
	char byte = letter(me);
	struct iovec part = {&byte, 1};
	struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
	must(sendmmsg(one[0], &message, 1, 0) == 1);
}

static void receive_many(int me)
{
	char byte = 0;
	struct iovec part = {&byte, 1};
	struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
	must(recvmmsg(one[1], &message, 1, 0, NULL) == 1);
	if (byte == 'x')
		first = me;
}

static void make_sent(void)
{
	make_pair();
	put(one[0], 'x');
	put(one[0], 'y');
}

/* Descriptors that are sent: of a pipe's writing end, and each of its receivers writes there. */
static void send_rights(int descriptor)
{
	char byte = 'r', room[CMSG_SPACE(sizeof descriptor)] = {0};
	struct iovec part = {&byte, 1};
	struct msghdr message = {
	    .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof descriptor);
	memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
	must(sendmsg(one[0], &message, 0) == 1);
}

static int receive_rights(void)
{
	int descriptor = -1;
	char byte = 'r', room[CMSG_SPACE(sizeof descriptor)];
	struct iovec part = {&byte, 1};
	struct msghdr message = {
	    .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
	must(recvmsg(one[1], &message, 0) == 1);
	memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
	return descriptor;
}

static void make_rights(void)
{
	make_pair();
	must(pipe(two) == 0);
	send_rights(two[1]);
	send_rights(two[1]);
}

static void use_rights(int me)
{
	put(receive_rights(), letter(me));
}

static void check_two(void)
{
	expect(get(two[0]) == 'a');
}

static void make_unsent(void)
{
	make_pair();
	must(pipe(two) == 0);
}

static void give_rights(int me)
{
	if (me == 0)
		send_rights(two[1]);
	else
		put(two[1], 'b');
}

static void check_rights(void)
{
	put(receive_rights(), 'a');
	must(get(two[0]) == 'b');
}

/* Pipes. */
static void make_pipes(void)
{
	must(pipe(one) == 0 && pipe(two) == 0);
}

static void make_filled(void)
{
	make_pipes();
	put(one[1], 'a');
}

static void make_dup(void)
{
	make_pipes();
	ends[0] = dup(two[1]);
	ends[1] = fcntl(two[1], F_DUPFD, 20);
}

static void put_dup(int me)
{
	put(ends[me], letter(me));
}

static void splice_or_put(int me)
{
	if (me == 0)
		must(splice(one[0], NULL, two[1], NULL, 1, 0) == 1);
	else
		put(two[1], 'b');
}

static void tee_or_put(int me)
{
	if (me == 0)
		must(tee(one[0], two[1], 1, 0) == 1);
	else
		put(two[1], 'b');
}

static void make_sendfile(void)
{
	make_pipes();
	make_file();
	must(pwrite(file, "a", 1, 0) == 1);
}

static void sendfile_or_put(int me)
{
	off_t from = 0;
	if (me == 0)
		must(sendfile(two[1], file, &from, 1) == 1);
	else
		put(two[1], 'b');
}

static void vmsplice_or_put(int me)
{
	static char byte = 'a';
	struct iovec part = {&byte, 1};
	if (me == 0)
		must(vmsplice(two[1], &part, 1, 0) == 1);
	else
		put(two[1], 'b');
}

static void copy_or_put(int me)
{
	loff_t from = 0, to = 0;
	if (me == 0)
		must(copy_file_range(file, &from, ends[0], &to, 1, 0) == 1);
	else
		must(pwrite(ends[0], "b", 1, 0) == 1);
}

static void make_copy(void)
{
	make_file();
	must(pwrite(file, "a", 1, 0) == 1);
	ends[0] = memfd_create("other", 0);
}

static void check_copy(void)
{
	char byte;
	must(pread(ends[0], &byte, 1, 0) == 1);
	expect(byte == 'b');
}

static void make_fifo(void)
{
	char name[] = "/tmp/kernel_orderXXXXXX";
	must(mkdtemp(name) != NULL);
	char path[64];
	snprintf(path, sizeof path, "%s/fifo", name);
	must(mkfifo(path, 0600) == 0);
	two[0] = open(path, O_RDWR);
	two[1] = open(path, O_WRONLY);
	must(unlink(path) == 0 && rmdir(name) == 0);
}

static void put_two(int me)
{
	put(two[1], letter(me));
}

/* What is asked without waiting. */
static void poll_or_put(int me)
{
	struct pollfd what = {.fd = one[0], .events = POLLIN};
	if (me == 0)
		put(one[1], 'a');
	else
		expect(poll(&what, 1, 0) == 1);
}

static void select_or_put(int me)
{
	struct timeval now = {0};
	fd_set what;
	FD_ZERO(&what);
	FD_SET(one[0], &what);
	if (me == 0)
		put(one[1], 'a');
	else
		expect(select(one[0] + 1, &what, NULL, NULL, &now) == 1);
}

static void make_events(void)
{
	make_pipes();
	struct epoll_event what = {.events = EPOLLIN, .data.fd = 0};
	events = epoll_create1(0);
	must(events >= 0 && epoll_ctl(events, EPOLL_CTL_ADD, one[0], &what) == 0);
	what.data.fd = 1;
	must(epoll_ctl(events, EPOLL_CTL_ADD, two[0], &what) == 0);
}

static void epoll_or_put(int me)
{
	struct epoll_event what;
	if (me == 0)
		put(one[1], 'a');
	else
		expect(epoll_wait(events, &what, 1, 0) == 1);
}

/* Which of two is ready first. */
static void put_either(int me)
{
	put(me == 0 ? one[1] : two[1], 'a');
}

static void check_events(void)
{
	struct epoll_event what;
	must(epoll_wait(events, &what, 1, -1) == 1);
	expect(what.data.fd == 0);
}

/* Once for each event, of which one thread hears. */
static void make_edges(void)
{
	make_pipes();
	struct epoll_event what = {.events = EPOLLIN | EPOLLET, .data.fd = 0};
	events = epoll_create1(0);
	must(events >= 0 && epoll_ctl(events, EPOLL_CTL_ADD, one[0], &what) == 0);
	put(one[1], 'a');
}

static void take_edge(int me)
{
	struct epoll_event what;
	if (epoll_wait(events, &what, 1, 0) == 1)
		first = me;
}

static void make_ready(void)
{
	make_events();
	put(one[1], 'a');
	put(two[1], 'a');
}

static void take_ready(int me)
{
	struct epoll_event what;
	must(epoll_wait(events, &what, 1, -1) == 1);
	if (what.data.fd == 0 && first < 0)
		first = me;
}

static void change_or_ask(int me)
{
	struct epoll_event what = {.events = EPOLLIN, .data.fd = 0};
	if (me == 0)
		must(epoll_ctl(events, EPOLL_CTL_DEL, one[0], NULL) == 0);
	else
		expect(epoll_wait(events, &what, 1, 0) == 0);
}

static void make_full_events(void)
{
	make_events();
	put(one[1], 'a');
}

static void wait_or_put(int me)
{
	struct pollfd what[] = {{.fd = one[0], .events = POLLIN}, {.fd = two[0], .events = POLLIN}};
	if (me == 0) {
		put(one[1], 'a');
		put(two[1], 'a');
	} else {
		expect(poll(what, 2, -1) == 1);
	}
}

/* It comes between the two. */
static void between_or_put(int me)
{
	struct pollfd what[] = {{.fd = one[0], .events = POLLIN}, {.fd = two[0], .events = POLLIN}};
	if (me == 0) {
		put(one[1], 'a');
		put(two[1], 'a');
	} else {
		expect(poll(what, 2, -1) == 2);
	}
}

static void epoll_between_or_put(int me)
{
	struct epoll_event what[2];
	if (me == 0) {
		put(one[1], 'a');
		put(two[1], 'a');
	} else {
		expect(epoll_wait(events, what, 2, -1) == 2);
	}
}

static void change_twice_or_ask(int me)
{
	struct epoll_event what = {.events = EPOLLIN, .data.fd = 0};
	if (me == 0) {
		must(epoll_ctl(events, EPOLL_CTL_DEL, one[0], NULL) == 0);
		must(epoll_ctl(events, EPOLL_CTL_ADD, one[0], &what) == 0);
	} else {
		expect(epoll_wait(events, &what, 1, 0) == 1);
	}
}

static void poll_for_long_or_put(int me)
{
	struct pollfd what = {.fd = one[0], .events = POLLIN};
	if (me == 0)
		put(one[1], 'a');
	else
		expect(poll(&what, 1, 1000) == 1);
}

static void make_counter(void)
{
	one[0] = one[1] = eventfd(0, 0);
	must(one[0] >= 0);
}

static void poll_counter_or_add(int me)
{
	const uint64_t number = 1;
	struct pollfd what = {.fd = one[0], .events = POLLIN};
	if (me == 0)
		must(write(one[1], &number, sizeof number) == sizeof number);
	else
		expect(poll(&what, 1, 0) == 1);
}

/* One asks for what the other has nothing to do with. */
static void poll_or_lock(int me)
{
	struct pollfd what = {.fd = one[0], .events = POLLIN};
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	if (me == 1)
		must(poll(&what, 1, 0) == 0);
}

/* What the one end receives is apart from what the other one does. */
static void make_two_ends(void)
{
	make_pair();
	put(one[0], 'x');
}

static void poll_end_or_put(int me)
{
	struct pollfd what = {.fd = one[0], .events = POLLIN};
	if (me == 0)
		put(one[0], 'y');
	else
		must(poll(&what, 1, 0) == 0);
}

/* A queue's descriptor can be asked for, too. */
static void make_asked_queue(void)
{
	make_pipes();
	make_named();
}

/* Of two only the first one can ask to be told of messages. */
static void ask_to_be_told(int me)
{
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	if (mq_notify(queue, &event) == 0)
		first = me;
	else
		must(errno == EBUSY);
}

/* Before somebody is there nobody can be accepted. */
static void poll_or_dial(int me)
{
	struct pollfd what = {.fd = listener, .events = POLLIN};
	if (me == 0)
		(void)dial();
	else
		expect(poll(&what, 1, 0) == 1);
}

/* A pipe and a connection, of which the one that is waited for comes last. */
static void make_tcp_and_pipe(void)
{
	make_tcp();
	must(pipe(two) == 0);
}

static void poll_both_or_put(int me)
{
	struct pollfd what[] = {{.fd = one[1], .events = POLLIN}, {.fd = two[0], .events = POLLIN}};
	if (me == 0) {
		put(one[0], 'a');
		put(two[1], 'a');
	} else {
		expect(poll(what, 2, -1) == 2);
	}
}

/* There is room when the other one has read. */
static void make_no_room(void)
{
	char page[4096] = {0};
	make_pipes();
	must(fcntl(one[1], F_SETFL, O_NONBLOCK) == 0);
	while (write(one[1], page, sizeof page) > 0)
		;
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, two) == 0 && fcntl(two[1], F_SETFL, O_NONBLOCK) == 0);
	while (write(two[1], page, sizeof page) > 0)
		;
}

static void poll_room(int me, const int room[2])
{
	static char much[1 << 20];
	struct pollfd what = {.fd = room[1], .events = POLLOUT};
	if (me == 0)
		must(read(room[0], much, sizeof much) > 0);
	else
		expect(poll(&what, 1, 0) == 1);
}

static void poll_room_or_get(int me)
{
	poll_room(me, one);
}

static void poll_pair_or_get(int me)
{
	poll_room(me, two);
}

/* Both ask, and nobody changes anything. */
static void poll_listener(int me)
{
	struct pollfd what = {.fd = listener, .events = POLLIN};
	(void)me;
	must(poll(&what, 1, 0) == 0);
}

static void poll_queue_or_send(int me)
{
	struct pollfd what[] = {{.fd = queue, .events = POLLIN}, {.fd = one[0], .events = POLLIN}};
	if (me == 0) {
		send_named(me);
		put(one[1], 'a');
	} else {
		expect(poll(what, 2, 0) != 1);
	}
}

/* What isn't followed: which of two changes stays, or what the change means to the other one. */
static void replace_or_put(int me)
{
	if (me == 0)
		must(dup2(two[1], one[1]) == one[1]);
	else
		put(one[1], 'b');
}

/* The number leads to another file by then. */
static void reopen_or_put(int me)
{
	const char byte = letter(me);
	if (me == 1)
		(void)write(file, &byte, 1);
	else
		must(close(file) == 0 && memfd_create("another", 0) == file);
}

/* Or to none yet. */
static void make_closed(void)
{
	make_file();
	must(close(file) == 0);
}

static void open_or_put(int me)
{
	const char byte = letter(me);
	if (me == 1)
		(void)write(file, &byte, 1);
	else
		must(memfd_create("another", 0) == file);
}

/* One opens, the other one uses and closes, each time the same number: the mutex orders that. */
static void hand_over(int me)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&mutex);
		if (me == 0 && first < 0)
			first = memfd_create("handed", 0);
		else if (me == 1 && first >= 0) {
			put(first, 'a');
			must(close(first) == 0);
			first = -1;
		}
		pthread_mutex_unlock(&mutex);
	}
}

static void set_flags(int me)
{
	must(fcntl(one[0], F_SETFL, me == 0 ? 0 : O_NONBLOCK) == 0);
}

static void change_mode(int me)
{
	must(fchmod(file, me == 0 ? 0600 : 0400) == 0);
}

static void make_mapped(void)
{
	make_text();
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	const int own = open(path, O_RDONLY);
	text = mmap(NULL, 2, PROT_READ, MAP_SHARED, own, 0);
	must(text != MAP_FAILED && close(own) == 0);
}

static void look_or_put(int me)
{
	if (me == 0)
		put(file, 'a');
	else
		first = *text;
}

/* Or mapped only then. */
static void map_file(void)
{
	const char *there = mmap(NULL, 2, PROT_READ, MAP_PRIVATE, file, 0);
	must(there != MAP_FAILED);
	first = *there;
}

static void map_or_put(int me)
{
	if (me == 0)
		put(file, 'a');
	else
		map_file();
}

/* Under a mutex, if it has been written. */
static void map_written(int me)
{
	pthread_mutex_lock(&mutex);
	if (me == 0) {
		put(file, 'a');
		first = 0;
	} else if (first == 0) {
		map_file();
	}
	pthread_mutex_unlock(&mutex);
}

static void open_otherwise(int me)
{
	struct open_how how = {.flags = O_CREAT | O_EXCL | O_WRONLY, .mode = 0600};
	char path[64];
	snprintf(path, sizeof path, "/tmp/kernel_order %d", getpid());
	const int own = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
	if (own >= 0)
		first = me;
}

static void remove_opened(void)
{
	char path[64];
	snprintf(path, sizeof path, "/tmp/kernel_order %d", getpid());
	unlink(path);
	check_first();
}

/* A file that can't be written any more. */
static void make_sealable(void)
{
	file = memfd_create("file", MFD_ALLOW_SEALING);
	must(file >= 0);
}

static void seal_or_put(int me)
{
	if (me == 0)
		must(fcntl(file, F_ADD_SEALS, F_SEAL_WRITE) == 0);
	else
		expect(write(file, "a", 1) == 1);
}

/* Timers and events of files. */
static void make_timer(void)
{
	const struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
	struct pollfd what;
	file = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	what = (struct pollfd){.fd = file, .events = POLLIN};
	must(file >= 0 && timerfd_settime(file, 0, &soon, NULL) == 0 && poll(&what, 1, -1) == 1);
}

static void take_timer(int me)
{
	uint64_t times;
	if (read(file, &times, sizeof times) == sizeof times)
		first = me;
}

static char folder[] = "/tmp/kernel_orderXXXXXX";
static void make_watch(void)
{
	must(mkdtemp(folder) != NULL);
	file = inotify_init1(0);
	must(file >= 0 && inotify_add_watch(file, folder, IN_CREATE) >= 0);
}

static void make_name(int me)
{
	char path[64];
	snprintf(path, sizeof path, "%s/%c", folder, letter(me));
	ends[me] = open(path, O_CREAT | O_RDWR, 0600);
}

/* What is written to a file that is watched, or whose folder is, and whose it is last. */
static int watched[2];

static void watch_files(uint32_t of_folder, uint32_t of_file)
{
	char path[64];
	must(mkdtemp(folder) != NULL);
	for (int me = 0; me < 2; me++)
		make_name(me);
	for (int me = 0; me < 2; me++)
		watched[me] = ends[me];
	file = inotify_init1(0);
	snprintf(path, sizeof path, "%s/a", folder);
	must(file >= 0 && (!of_folder || inotify_add_watch(file, folder, of_folder) >= 0) &&
	     (!of_file || inotify_add_watch(file, path, of_file) >= 0));
}

static void make_watch_writes(void)
{
	watch_files(IN_MODIFY, 0);
}

static void make_watch_one(void)
{
	watch_files(0, IN_MODIFY);
}

static void make_watch_closes(void)
{
	watch_files(IN_CLOSE_WRITE, 0);
}

static void write_watched(int me)
{
	put(watched[me], 'x');
}

static void close_watched(int me)
{
	must(close(watched[me]) == 0);
}

/* How much is told of by now? */
static void read_or_write(int me)
{
	char room[1024] __attribute__((aligned(8)));
	if (me == 0) {
		must(read(file, room, sizeof room) == sizeof(struct inotify_event));
		must(pread(watched[0], room, 2, 0) >= 1);
		expect(room[1] != 'y');
		return;
	}
	put(watched[0], 'x');
	put(watched[0], 'y');
}

/* How many are there by now? */
static void read_or_make_names(int me)
{
	char room[1024] __attribute__((aligned(8)));
	if (me) {
		make_name(0);
		make_name(1);
	} else {
		expect(read(file, room, sizeof room) <= (ssize_t)sizeof(struct inotify_event) + 16);
	}
}

static void remove_names(void)
{
	char path[64];
	for (int me = 0; me < 2; me++) {
		snprintf(path, sizeof path, "%s/%c", folder, letter(me));
		unlink(path);
	}
	rmdir(folder);
}

static void check_watch(void)
{
	char room[1024] __attribute__((aligned(8)));
	must(read(file, room, sizeof room) > 0);
	remove_names();
	expect(((struct inotify_event *)room)->name[0] == 'a');
}

/* Queues and semaphores with a name or a number. */
static void make_named(void)
{
	char name[64];
	struct mq_attr about = {.mq_maxmsg = 4, .mq_msgsize = 1};
	snprintf(name, sizeof name, "/kernel_order_%d", getpid());
	mq_unlink(name);
	queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &about);
	must(queue >= 0);
	if (first == -1)
		mq_unlink(name);
}

static void remove_named(void)
{
	char name[64];
	snprintf(name, sizeof name, "/kernel_order_%d", getpid());
	mq_unlink(name);
}

static void make_named_long(void)
{
	first = -2;
	make_named();
}

static void send_named(int me)
{
	const char byte = letter(me);
	must(mq_send(queue, &byte, 1, 0) == 0);
}

static void check_named(void)
{
	char byte;
	remove_named();
	must(mq_receive(queue, &byte, 1, NULL) == 1);
	expect(byte == 'a');
}

static void make_keyed_queue(void)
{
	queue = msgget(getpid() + 77, IPC_CREAT | 0600);
	must(queue >= 0);
}

struct message {
	long type;
	char byte;
};

static void send_keyed(int me)
{
	const struct message message = {1, letter(me)};
	must(msgsnd(queue, &message, 1, 0) == 0);
}

static void check_keyed(void)
{
	struct message message;
	must(msgrcv(queue, &message, 1, 0, 0) == 1);
	msgctl(queue, IPC_RMID, NULL);
	expect(message.byte == 'a');
}

static void make_keyed_set(void)
{
	set = semget(getpid() + 77, 1, IPC_CREAT | 0600);
	must(set >= 0 && semctl(set, 0, SETVAL, 0) == 0);
}

static void add_keyed(int me)
{
	(void)me;
	const int value = semctl(set, 0, GETVAL);
	must(semctl(set, 0, SETVAL, value + 1) == 0);
}

static void check_keyed_set(void)
{
	const int value = semctl(set, 0, GETVAL);
	semctl(set, 0, IPC_RMID);
	expect(value == 2);
}

/* The reader holds what the writer needs first. */
static void talk(int me)
{
	pthread_mutex_lock(&mutex);
	if (me == 0)
		get(one[1]);
	else
		put(one[0], 'x');
	pthread_mutex_unlock(&mutex);
}

static void talk_datagrams(int me)
{
	pthread_mutex_lock(&mutex);
	if (me == 0)
		get(one[1]);
	else
		send_udp(me);
	pthread_mutex_unlock(&mutex);
}

static void talk_named(int me)
{
	char byte;
	pthread_mutex_lock(&mutex);
	if (me == 0)
		must(mq_receive(queue, &byte, 1, NULL) == 1);
	else
		send_named(me);
	pthread_mutex_unlock(&mutex);
}

/* What only one thread has. */
static void use_file(int me)
{
	char byte;
	const int own = memfd_create("own", 0);
	put(own, letter(me));
	must(lseek(own, 0, SEEK_SET) == 0 && read(own, &byte, 1) == 1 && close(own) == 0);
}

/* Its name is that of the other one's, and so may be the number of its folder. */
static void use_folder(int me)
{
	char own[64], path[80];
	snprintf(own, sizeof own, "/tmp/kernel_order.%d.%d", getpid(), me);
	snprintf(path, sizeof path, "%s/name", own);
	must(mkdir(own, 0700) == 0);
	const int made = open(path, O_CREAT | O_EXCL | O_RDWR, 0600);
	put(made, letter(me));
	must(close(made) == 0 && unlink(path) == 0 && rmdir(own) == 0);
}

static void make_both(void)
{
	make_tcp();
	two[0] = dial();
	two[1] = accept(listener, NULL, NULL);
}

static void use_connection(int me)
{
	const int *own = me ? one : two;
	put(own[0], 'x');
	get(own[1]);
}

static void read_start(int me)
{
	char byte;
	(void)me;
	must(pread(file, &byte, 1, 0) == 1);
}

static const struct order orders[] = {
    {"append", make_appended, put_file, check_file},
    {"offset", make_file, put_file, check_file},
    {"opened", make_file, put_line, check_file},
    {"overwrite", make_file, put_start, check_file},
    {"number", make_number, add_number, check_number},
    {"recorded", make_number, add_recorded, check_number},
    {"size", make_file, size_or_put, NULL},
    {"seek", make_file, seek_or_put, NULL},
    {"cut", make_file, cut_or_put, check_file},
    {"next", make_text, read_next, check_first},
    {"tcp", make_tcp, send_one, check_one},
    {"tcp_send", make_tcp, send_either, check_one},
    {"dialled", make_listener, dial_one, check_accepted},
    {"accepted", make_two_dialled, accept_one, check_first},
    {"local", make_local_pair, send_one, check_one},
    {"local_dialled", make_local, dial_local, check_accepted},
    {"local_accepted", make_two_local, accept_one, check_first},
    {"listened", make_address, listen_or_dial, check_first},
    {"listened_late", make_local_late, bind_or_dial, check_first},
    {"listened_tried", make_address, listen_or_try, NULL},
    {"udp", make_udp, send_udp, check_one},
    {"letters", make_letters, send_local, check_one},
    {"many_sent", make_pair, send_many, check_one},
    {"many_received", make_sent, receive_many, check_first},
    {"rights", make_rights, use_rights, check_two},
    {"rights_given", make_unsent, give_rights, check_rights},
    {"dup", make_dup, put_dup, check_two},
    {"fifo", make_fifo, put_two, check_two},
    {"splice", make_filled, splice_or_put, check_two},
    {"tee", make_filled, tee_or_put, check_two},
    {"sendfile", make_sendfile, sendfile_or_put, check_two},
    {"vmsplice", make_pipes, vmsplice_or_put, check_two},
    {"copied", make_copy, copy_or_put, check_copy},
    {"poll", make_pipes, poll_or_put, NULL},
    {"select", make_pipes, select_or_put, NULL},
    {"epoll", make_events, epoll_or_put, NULL},
    {"epoll_first", make_events, put_either, check_events},
    {"epoll_edge", make_edges, take_edge, check_first},
    {"epoll_ready", make_ready, take_ready, check_first},
    {"epoll_change", make_full_events, change_or_ask, NULL},
    {"poll_wait", make_pipes, wait_or_put, NULL},
    {"poll_between", make_pipes, between_or_put, NULL},
    {"poll_time", make_pipes, poll_for_long_or_put, NULL},
    {"poll_counter", make_counter, poll_counter_or_add, NULL},
    {"poll_lock", make_pipes, poll_or_lock, NULL},
    {"poll_end", make_two_ends, poll_end_or_put, NULL},
    {"poll_dial", make_listener, poll_or_dial, NULL},
    {"poll_both", make_tcp_and_pipe, poll_both_or_put, NULL},
    {"poll_room", make_no_room, poll_room_or_get, NULL},
    {"poll_pair", make_no_room, poll_pair_or_get, NULL},
    {"poll_listener", make_listener, poll_listener, NULL},
    {"told", make_asked_queue, ask_to_be_told, check_first},
    {"poll_queue", make_asked_queue, poll_queue_or_send, NULL},
    {"epoll_between", make_events, epoll_between_or_put, NULL},
    {"epoll_twice", make_full_events, change_twice_or_ask, NULL},
    {"sealed", make_sealable, seal_or_put, NULL},
    {"replaced", make_pipes, replace_or_put, NULL},
    {"reopened", make_file, reopen_or_put, NULL},
    {"opened_first", make_closed, open_or_put, NULL},
    {"handed", NULL, hand_over, NULL},
    {"flags", make_pipes, set_flags, NULL},
    {"mode", make_file, change_mode, NULL},
    {"mapped", make_mapped, look_or_put, NULL},
    {"mapped_later", make_text, map_or_put, NULL},
    {"mapped_written", make_text, map_written, NULL},
    {"opened_otherwise", NULL, open_otherwise, remove_opened},
    {"timer", make_timer, take_timer, check_first},
    {"watch", make_watch, make_name, check_watch},
    {"watch_read", make_watch, read_or_make_names, remove_names},
    {"watch_writes", make_watch_writes, write_watched, check_watch},
    {"watch_closes", make_watch_closes, close_watched, check_watch},
    {"watch_one", make_watch_one, read_or_write, remove_names},
    {"named", make_named_long, send_named, check_named},
    {"unlinked", make_named, send_named, check_named},
    {"keyed_queue", make_keyed_queue, send_keyed, check_keyed},
    {"mutex_tcp", make_tcp, talk, NULL},
    {"mutex_local", make_local_pair, talk, NULL},
    {"mutex_datagrams", make_udp, talk_datagrams, NULL},
    {"mutex_named", make_named, talk_named, NULL},
    {"own_files", NULL, use_file, NULL},
    {"own_folders", NULL, use_folder, NULL},
    {"own_connections", make_both, use_connection, NULL},
    {"read_only", make_text, read_start, NULL},
    {"keyed_set", make_keyed_set, add_keyed, check_keyed_set},
};

int main(int argc, char **argv)
{
	return orders_run(orders, sizeof orders / sizeof orders[0], argc, argv);
}
