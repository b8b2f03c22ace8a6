/*
 * kernel_objects CASE: threads that wait for each other by objects of the kernel. Right: ping, echo, end, shut, full, large, whole, tries,
 * units, turns, late, many, alone, replaced; whole_flock, whole_range, whole_semop, both, zero, removed, letters, types, tried. Wrong in some schedules: lost_pipe, lost_eventfd, lost_socket, lost_flock, lost_range, lost_semop, lost_queue (an update is lost), mutex_pipe,
 * mutex_eventfd, mutex_socket, mutex_semop, mutex_flock (the writer needs a mutex that the reader holds), both_full (each writes before it reads), lonely (a reader
 * whose writer reads itself), early (the end comes before the last byte). The same of a number in a file, which each adds to, by locks that don't
 * exclude threads of one process: lost_record (fcntl()), lost_range_one, lost_flock_one (both by what has been opened once); and by those that do:
 * whole_range_two, whole_flock_two.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int one[2], two[2], event, value;
static char buffer[200000], written[100000];

static void must(int good)
{
	if (!good)
		abort();
}

static void put(int descriptor)
{
	must(write(descriptor, "x", 1) == 1);
}

static void get(int descriptor)
{
	char byte;
	must(read(descriptor, &byte, 1) == 1 && byte == 'x');
}

static void take_event(void)
{
	eventfd_t number;
	must(eventfd_read(event, &number) == 0);
}

static void give_event(void)
{
	must(eventfd_write(event, 1) == 0);
}

static void make_pipes(void)
{
	must(pipe(one) == 0 && pipe(two) == 0);
}

static void make_small(void)
{
	make_pipes();
	must(fcntl(one[1], F_SETPIPE_SZ, 4096) == 4096 && fcntl(two[1], F_SETPIPE_SZ, 4096) == 4096);
}

static void make_nonblocking(void)
{
	must(pipe2(one, O_NONBLOCK) == 0);
	put(one[1]);
}

/* Of a pair, one end is for both directions. */
static void make_pair(void)
{
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, one) == 0);
}

static void make_event(void)
{
	event = eventfd(0, 0);
	must(event >= 0);
}

static void make_units(void)
{
	event = eventfd(2, EFD_SEMAPHORE);
	must(event >= 0);
}

static void make_lock(void)
{
	make_pipes();
	put(one[1]);
}

static void make_event_lock(void)
{
	event = eventfd(1, 0);
	must(event >= 0);
}

static void make_socket_lock(void)
{
	make_pair();
	put(one[1]);
}

static void ping(int me)
{
	for (int i = 0; i < 2; i++) {
		if (me == 0)
			put(one[1]);
		get(me == 0 ? two[0] : one[0]);
		if (me == 1)
			put(two[1]);
	}
}

static void echo(int me)
{
	put(one[me]);
	get(one[me]);
}

static void end(int me)
{
	char byte;
	if (me == 0) {
		put(one[1]);
		close(one[1]);
	} else {
		get(one[0]);
		must(read(one[0], &byte, 1) == 0);
	}
}

static void shut(int me)
{
	char byte;
	if (me == 0) {
		put(one[0]);
		must(shutdown(one[0], SHUT_WR) == 0);
	} else {
		get(one[1]);
		must(recv(one[1], &byte, 1, 0) == 0);
	}
}

/* More than there is room for. */
static void full(int me)
{
	for (int i = 0; i < 3; i++)
		must(me == 0 ? write(one[1], written, 3000) == 3000 : read(one[0], buffer, 3000) > 0);
	if (me == 0)
		close(one[1]);
	while (me && read(one[0], buffer, sizeof buffer) > 0)
		;
}

static void large(int me)
{
	struct iovec parts[2] = {{written, 100000}, {written, 50000}};
	ssize_t bytes = 0, some;
	if (me == 0) {
		must(writev(one[1], parts, 2) == 150000);
		return;
	}
	while (bytes < 150000 && (some = read(one[0], buffer, sizeof buffer)) > 0)
		bytes += some;
	must(bytes == 150000);
}

static void whole(int me)
{
	if (me == 0) {
		put(one[0]);
		put(one[0]);
	} else {
		must(recv(one[1], buffer, 2, MSG_WAITALL) == 2);
	}
}

/* Who finds nothing goes on. */
static void tries(int me)
{
	char byte;
	(void)me;
	if (read(one[0], &byte, 1) != 1)
		must(errno == EAGAIN);
}

static void units(int me)
{
	(void)me;
	take_event();
}

static void turns(int me)
{
	if (me == 0)
		give_event();
	else
		take_event();
}

/* The reader comes to what is closed already, or waits until then. */
static void late(int me)
{
	char byte;
	if (me == 0)
		close(one[1]);
	else
		must(read(one[0], &byte, 1) == 0);
}

static void many(int me)
{
	for (int i = 0; i < 2; i++)
		if (me == 0)
			give_event();
	if (me == 1)
		take_event();
}

static void alone(int me)
{
	int own[2];
	(void)me;
	must(pipe(own) == 0);
	put(own[1]);
	get(own[0]);
	close(own[0]);
	close(own[1]);
}

static void replaced(int me)
{
	char byte;
	if (me == 0)
		must(dup2(two[1], one[1]) == one[1]);
	else
		must(read(one[0], &byte, 1) == 0);
}

static void update(void (*take)(void), void (*give)(void))
{
	take();
	int before = value;
	give();
	take();
	value = before + 1;
	give();
}

static void take_pipe(void)
{
	get(one[0]);
}

static void give_pipe(void)
{
	put(one[1]);
}

static _Thread_local int opened = -1;
static int set, queue, memory;

static void take_flock(void)
{
	opened = open("/proc/self/exe", O_RDONLY);
	must(opened >= 0 && flock(opened, LOCK_EX) == 0);
}

static void give_flock(void)
{
	close(opened);
}

static void take_range(void)
{
	struct flock range = {.l_type = F_WRLCK, .l_len = 1};
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
	if (opened < 0)
		opened = open(path, O_RDWR);
	must(opened >= 0 && fcntl(opened, F_OFD_SETLKW, &range) == 0);
}

static void give_range(void)
{
	struct flock range = {.l_type = F_UNLCK, .l_len = 1};
	must(fcntl(opened, F_OFD_SETLK, &range) == 0);
}

static void change(unsigned short number, short by)
{
	struct sembuf change = {number, by, 0};
	must(semop(set, &change, 1) == 0);
}

static void make_set(void)
{
	set = semget(IPC_PRIVATE, 2, 0600);
	must(set >= 0);
}

static void take_semop(void)
{
	change(0, -1);
}

static void give_semop(void)
{
	change(0, 1);
}

static void make_free(void)
{
	make_set();
	give_semop();
}

static void remove_set(void)
{
	semctl(set, 0, IPC_RMID);
}

static void take_message(void)
{
	long message[2];
	must(msgrcv(queue, message, 1, 0, 0) == 1);
}

static void give_message(void)
{
	const long message[2] = {1, 0};
	must(msgsnd(queue, message, 1, 0) == 0);
}

static void make_queue(void)
{
	queue = msgget(IPC_PRIVATE, 0600);
	must(queue >= 0);
}

static void make_one_message(void)
{
	make_queue();
	give_message();
}

static void remove_queue(void)
{
	msgctl(queue, IPC_RMID, NULL);
}

static void make_range(void)
{
	memory = memfd_create("kernel_objects", 0);
	must(memory >= 0);
}

static int open_memory(void)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
	const int descriptor = open(path, O_RDWR);
	must(descriptor >= 0);
	return descriptor;
}

/* It adds one, and has this lock meanwhile. */
static void add_under(int descriptor, int command)
{
	struct flock range = {.l_type = F_WRLCK, .l_len = 1};
	int number = 0;
	must(command ? fcntl(descriptor, command, &range) == 0 : flock(descriptor, LOCK_EX) == 0);
	must(pread(descriptor, &number, sizeof number, 0) >= 0);
	number++;
	must(pwrite(descriptor, &number, sizeof number, 0) == sizeof number);
	range.l_type = F_UNLCK;
	must(command ? fcntl(descriptor, command, &range) == 0 : flock(descriptor, LOCK_UN) == 0);
}

static void read_number(void)
{
	must(pread(memory, &value, sizeof value, 0) == sizeof value);
}

static void lost_record(int me)
{
	(void)me;
	add_under(memory, F_SETLKW);
}

static void lost_range_one(int me)
{
	(void)me;
	add_under(memory, F_OFD_SETLKW);
}

static void lost_flock_one(int me)
{
	(void)me;
	add_under(memory, 0);
}

static void whole_range_two(int me)
{
	(void)me;
	add_under(open_memory(), F_OFD_SETLKW);
}

static void whole_flock_two(int me)
{
	(void)me;
	add_under(open_memory(), 0);
}

static void lost_flock(int me)
{
	(void)me;
	update(take_flock, give_flock);
}

static void lost_range(int me)
{
	(void)me;
	update(take_range, give_range);
}

static void lost_semop(int me)
{
	(void)me;
	update(take_semop, give_semop);
}

static void lost_queue(int me)
{
	(void)me;
	update(take_message, give_message);
}

static void hold(void (*take)(void), void (*give)(void))
{
	take();
	value++;
	give();
}

static void whole_flock(int me)
{
	(void)me;
	hold(take_flock, give_flock);
}

static void whole_range(int me)
{
	(void)me;
	hold(take_range, give_range);
}

static void whole_semop(int me)
{
	(void)me;
	hold(take_semop, give_semop);
}

/* Two semaphores at once, which two others give one after the other. */
static void both(int me)
{
	struct sembuf changes[] = {{0, -1, 0}, {1, -1, 0}};
	if (me == 0)
		must(semop(set, changes, 2) == 0);
	else
		change((unsigned short)(me - 1), 1);
}

/* Until it is 0 again. */
static void zero(int me)
{
	change(0, me == 0 ? 0 : -1);
}

static void removed(int me)
{
	struct sembuf change = {0, -1, 0};
	if (me == 0)
		must(semop(set, &change, 1) == 0 || errno == EIDRM || errno == EINVAL);
	else
		remove_set();
}

static void letters(int me)
{
	if (me == 0)
		give_message();
	else
		take_message();
}

static void types(int me)
{
	long message[2] = {me == 0 ? 2 : 1, 0};
	if (me < 2)
		must(msgsnd(queue, message, 1, 0) == 0);
	else
		must(msgrcv(queue, message, 1, 2, 0) == 1 && message[0] == 2);
}

static void tried(int me)
{
	struct sembuf change = {0, -1, IPC_NOWAIT};
	(void)me;
	must(semop(set, &change, 1) == 0 || errno == EAGAIN);
}

static void mutex_semop(int me)
{
	pthread_mutex_lock(&mutex);
	change(0, me == 0 ? -1 : 1);
	pthread_mutex_unlock(&mutex);
}

/* Each takes what the other one has. */
static void mutex_flock(int me)
{
	if (me == 0)
		take_flock();
	pthread_mutex_lock(&mutex);
	if (me == 1)
		take_flock();
	pthread_mutex_unlock(&mutex);
	give_flock();
}

static void lost_pipe(int me)
{
	(void)me;
	update(take_pipe, give_pipe);
}

static void lost_eventfd(int me)
{
	(void)me;
	update(take_event, give_event);
}

static void lost_socket(int me)
{
	(void)me;
	update(take_pipe, give_pipe);
}

static void mutex_pipe(int me)
{
	pthread_mutex_lock(&mutex);
	if (me == 0)
		get(one[0]);
	else
		put(one[1]);
	pthread_mutex_unlock(&mutex);
}

static void mutex_eventfd(int me)
{
	pthread_mutex_lock(&mutex);
	if (me == 0)
		take_event();
	else
		give_event();
	pthread_mutex_unlock(&mutex);
}

static void mutex_socket(int me)
{
	pthread_mutex_lock(&mutex);
	if (me == 0)
		get(one[0]);
	else
		put(one[1]);
	pthread_mutex_unlock(&mutex);
}

static void both_full(int me)
{
	int *out = me ? one : two, *in = me ? two : one;
	must(write(out[1], written, 4096) == 4096);
	must(write(out[1], written, 4096) == 4096);
	must(read(in[0], buffer, 8192) == 4096);
	must(read(in[0], buffer, 8192) == 4096);
}

static void lonely(int me)
{
	if (me == 0)
		put(one[1]);
	get(one[0]);
}

static void early(int me)
{
	char byte;
	if (me == 0) {
		put(one[1]);
		pthread_mutex_lock(&mutex);
		value = 1;
		pthread_mutex_unlock(&mutex);
	} else {
		must(read(one[0], &byte, 1) == 1);
		pthread_mutex_lock(&mutex);
		must(value == 1);
		pthread_mutex_unlock(&mutex);
	}
}

static const struct kind {
	const char *name;
	void (*make)(void), (*run)(int);
	int threads, sum;
	void (*remove)(void);
} kinds[] = {
    {"ping", make_pipes, ping, 2, 0, NULL},
    {"echo", make_pair, echo, 2, 0, NULL},
    {"end", make_pipes, end, 2, 0, NULL},
    {"shut", make_pair, shut, 2, 0, NULL},
    {"full", make_small, full, 2, 0, NULL},
    {"large", make_pipes, large, 2, 0, NULL},
    {"whole", make_pair, whole, 2, 0, NULL},
    {"tries", make_nonblocking, tries, 2, 0, NULL},
    {"units", make_units, units, 2, 0, NULL},
    {"turns", make_event, turns, 2, 0, NULL},
    {"late", make_pipes, late, 2, 0, NULL},
    {"many", make_event, many, 2, 0, NULL},
    {"alone", make_pipes, alone, 2, 0, NULL},
    {"replaced", make_pipes, replaced, 2, 0, NULL},
    {"lost_pipe", make_lock, lost_pipe, 2, 2, NULL},
    {"lost_eventfd", make_event_lock, lost_eventfd, 2, 2, NULL},
    {"lost_socket", make_socket_lock, lost_socket, 2, 2, NULL},
    {"mutex_pipe", make_pipes, mutex_pipe, 2, 0, NULL},
    {"mutex_eventfd", make_event, mutex_eventfd, 2, 0, NULL},
    {"mutex_socket", make_pair, mutex_socket, 2, 0, NULL},
    {"both_full", make_small, both_full, 2, 0, NULL},
    {"lonely", make_pipes, lonely, 2, 0, NULL},
    {"early", make_pipes, early, 2, 0, NULL},
    {"lost_flock", NULL, lost_flock, 2, 2, NULL},
    {"lost_range", make_range, lost_range, 2, 2, NULL},
    {"lost_record", make_range, lost_record, 2, 2, read_number},
    {"lost_range_one", make_range, lost_range_one, 2, 2, read_number},
    {"lost_flock_one", make_range, lost_flock_one, 2, 2, read_number},
    {"whole_range_two", make_range, whole_range_two, 2, 2, read_number},
    {"whole_flock_two", make_range, whole_flock_two, 2, 2, read_number},
    {"lost_semop", make_free, lost_semop, 2, 2, remove_set},
    {"lost_queue", make_one_message, lost_queue, 2, 2, remove_queue},
    {"whole_flock", NULL, whole_flock, 2, 2, NULL},
    {"whole_range", make_range, whole_range, 2, 2, NULL},
    {"whole_semop", make_free, whole_semop, 2, 2, remove_set},
    {"both", make_set, both, 3, 0, remove_set},
    {"zero", make_free, zero, 2, 0, remove_set},
    {"removed", make_set, removed, 2, 0, NULL},
    {"letters", make_queue, letters, 2, 0, remove_queue},
    {"types", make_queue, types, 3, 0, remove_queue},
    {"tried", make_free, tried, 2, 0, remove_set},
    {"mutex_semop", make_set, mutex_semop, 2, 0, remove_set},
    {"mutex_flock", NULL, mutex_flock, 2, 0, NULL},
};

static const struct kind *kind;

static void *run(void *number)
{
	kind->run((int)(long)number);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (argc == 2 && strcmp(argv[1], kinds[i].name) == 0)
			kind = &kinds[i];
	if (!kind)
		return 64;
	if (kind->make)
		kind->make();
	for (long i = 0; i < kind->threads; i++)
		must(pthread_create(&threads[i], NULL, run, (void *)i) == 0);
	for (int i = 0; i < kind->threads; i++)
		pthread_join(threads[i], NULL);
	if (kind->remove)
		kind->remove();
	must(!kind->sum || value == kind->sum);
	return 0;
}
