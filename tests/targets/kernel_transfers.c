/*
 * kernel_transfers [any] CASE: two threads meet at what one of them transfers from one descriptor to another. Each aborts in one of the two
 * orders, but with `any`; and but for these: locked, crossed and full, which end in a deadlock, the last two always; both, whole, tried and
 * cloned, which don't fail.
 */
#include "orders.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static int one[2], two[2], file, other;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

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

/* What one order alone has. */
static void expect(int good)
{
	must(good || any);
}

static void make_pipes(void)
{
	must(pipe(one) == 0 && pipe(two) == 0);
}

static void make_pair(void)
{
	must(pipe(one) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, two) == 0);
}

/* Both ends have names, the one that connects none. */
static void make_connection(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	must(pipe(one) == 0);
	snprintf(name.sun_path, sizeof name.sun_path, "/tmp/kernel_transfers.%d", (int)getpid());
	must(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 1) == 0);
	two[1] = socket(AF_UNIX, SOCK_STREAM, 0);
	must(connect(two[1], (struct sockaddr *)&name, sizeof name) == 0);
	two[0] = accept(listener, NULL, NULL);
	must(two[0] >= 0 && close(listener) == 0 && unlink(name.sun_path) == 0);
}

static void make_file(void)
{
	file = memfd_create("file", 0);
	other = memfd_create("other", 0);
	must(pwrite(file, "abc", 3, 0) == 3 && pwrite(other, "xyz", 3, 0) == 3);
}

static void make_file_pipes(void)
{
	make_file();
	make_pipes();
}

static void make_file_pair(void)
{
	make_file();
	make_pair();
}

static void make_file_connection(void)
{
	make_file();
	make_connection();
}

/* One moves a byte into `two`, the other one puts one there; main finds both. */
static void splice_or_put(int me)
{
	if (me) {
		put(two[1], 'b');
		return;
	}
	put(one[1], 'a');
	must(splice(one[0], NULL, two[1], NULL, 1, 0) == 1);
}

static void tee_or_put(int me)
{
	if (me) {
		put(two[1], 'b');
		return;
	}
	put(one[1], 'a');
	must(tee(one[0], two[1], 1, 0) == 1);
	must(get(one[0]) == 'a');
}

static void check_two(void)
{
	expect(get(two[0]) == 'a');
	(void)get(two[0]);
}

/* From `two` into `one`; the other one takes the first byte, or the second. */
static void make_filled(void)
{
	make_pipes();
	must(write(two[1], "ab", 2) == 2);
}

static void make_filled_pair(void)
{
	make_pair();
	must(write(two[1], "ab", 2) == 2);
}

static void make_filled_connection(void)
{
	make_connection();
	must(write(two[1], "ab", 2) == 2);
}

static void splice_or_get(int me)
{
	if (me)
		expect(get(two[0]) == 'b');
	else
		must(splice(two[0], NULL, one[1], NULL, 1, 0) == 1);
}

static void check_one(void)
{
	expect(get(one[0]) == 'a');
}

/* From a file that the other one writes. */
static void send_or_write(int me)
{
	off_t from = 0;
	if (me)
		must(pwrite(file, "b", 1, 0) == 1);
	else
		must(sendfile(two[1], file, &from, 1) == 1);
}

static void splice_file_or_write(int me)
{
	off64_t from = 0;
	if (me)
		must(pwrite(file, "b", 1, 0) == 1);
	else
		must(splice(file, &from, two[1], NULL, 1, 0) == 1);
}

static void check_sent(void)
{
	expect(get(two[0]) == 'a');
}

/* At the file's own place, which both move. */
static void send_or_read(int me)
{
	if (me)
		expect(get(file) == 'b');
	else
		must(sendfile(two[1], file, NULL, 1) == 1);
}

/* Neither changes what the other one finds. */
static void send_both(int me)
{
	off_t from = me;
	must(sendfile(me ? one[1] : two[1], file, &from, 1) == 1);
}

static void check_both(void)
{
	must(get(two[0]) == 'a' && get(one[0]) == 'b');
}

static void keep_or_read(int me)
{
	off64_t into = 0;
	char byte;
	if (me) {
		must(pread(file, &byte, 1, 0) == 1);
		expect(byte == 'p');
		return;
	}
	put(one[1], 'p');
	must(splice(one[0], NULL, file, &into, 1, 0) == 1);
}

static void copy_or_write(int me)
{
	off64_t from = 0, into = 0;
	if (me)
		must(pwrite(file, "b", 1, 0) == 1);
	else
		must(copy_file_range(file, &from, other, &into, 1, 0) == 1);
}

static void check_other(void)
{
	char byte;
	must(pread(other, &byte, 1, 0) == 1);
	expect(byte == 'a');
}

/* Where that isn't possible it fails, and the order is the same to it. */
static void clone_or_write(int me)
{
	if (me)
		must(pwrite(file, "b", 1, 0) == 1);
	else
		(void)ioctl(other, FICLONE, file);
}

static void take_or_put(int me)
{
	char byte = 0;
	struct iovec part = {&byte, 1};
	if (me)
		put(one[1], 'b');
	else
		must(vmsplice(one[0], &part, 1, SPLICE_F_NONBLOCK) == 1 || any);
}

static void vector_or_put(int me)
{
	struct iovec part = {"a", 1};
	if (me)
		put(two[1], 'b');
	else
		must(pwritev2(two[1], &part, 1, -1, 0) == 1);
}

/* Whoever would read the pipe waits for the mutex. */
static void make_stuffed(void)
{
	make_pipes();
	must(fcntl(two[1], F_SETPIPE_SZ, 4096) == 4096);
	put(two[1], 'x');
	put(one[1], 'a');
}

static void lock_and_splice(int me)
{
	pthread_mutex_lock(&mutex);
	if (me)
		(void)get(two[0]);
	else
		must(splice(one[0], NULL, two[1], NULL, 1, 0) == 1);
	pthread_mutex_unlock(&mutex);
}

static void cross(int me)
{
	must(splice((me ? one : two)[0], NULL, (me ? two : one)[1], NULL, 1, 0) == 1);
}

static void fill(int me)
{
	if (me == 0)
		must(splice(one[0], NULL, two[1], NULL, 1, 0) == 1);
	else
		(void)pthread_mutex_lock(&mutex);
	if (me)
		pthread_mutex_unlock(&mutex);
}

/* The room comes from the other thread, and what is to be moved, too. */
static void pump(int me)
{
	if (me == 0) {
		must(splice(one[0], NULL, two[1], NULL, 1, 0) == 1);
		return;
	}
	must(get(two[0]) == 'x' && get(two[0]) == 'a');
}

/* It tries until there is something. */
static void try_or_put(int me)
{
	if (me) {
		put(one[1], 'a');
		return;
	}
	while (splice(one[0], NULL, two[1], NULL, 1, SPLICE_F_NONBLOCK) != 1)
		;
}

static const struct order orders[] = {
    {"splice", make_pipes, splice_or_put, check_two},
    {"splice_pair", make_pair, splice_or_put, check_two},
    {"splice_connection", make_connection, splice_or_put, check_two},
    {"tee", make_pipes, tee_or_put, check_two},
    {"taken", make_filled, splice_or_get, check_one},
    {"taken_pair", make_filled_pair, splice_or_get, check_one},
    {"taken_connection", make_filled_connection, splice_or_get, check_one},
    {"sent", make_file_pipes, send_or_write, check_sent},
    {"sent_pair", make_file_pair, send_or_write, check_sent},
    {"sent_connection", make_file_connection, send_or_write, check_sent},
    {"spliced_file", make_file_pipes, splice_file_or_write, check_sent},
    {"moved", make_file_pair, send_or_read, check_sent},
    {"both", make_file_pipes, send_both, check_both},
    {"kept", make_file_pipes, keep_or_read, NULL},
    {"copied", make_file, copy_or_write, check_other},
    {"cloned", make_file, clone_or_write, NULL},
    {"vmsplice", make_pipes, take_or_put, NULL},
    {"pwritev2", make_pipes, vector_or_put, check_two},
    {"locked", make_stuffed, lock_and_splice, NULL},
    {"crossed", make_pipes, cross, NULL},
    {"full", make_stuffed, fill, NULL},
    {"whole", make_stuffed, pump, NULL},
    {"tried", make_pipes, try_or_put, check_sent},
};

int main(int argc, char **argv)
{
	return orders_run(orders, sizeof orders / sizeof orders[0], argc, argv);
}
