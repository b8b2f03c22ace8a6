/*
 * kernel_locks CASE: two threads take two locks that are objects of the kernel, in the same order, so that nothing fails; fmc doesn't switch
 * threads at them. Or, as "output", "file" and "alone", they use such objects and don't wait for each other.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2][2];
static const char *program;
static const char byte = 'x';

static void must(int good)
{
	if (!good)
		abort();
}

static void take_token(int lock)
{
	char token;
	must(read(ends[lock][0], &token, 1) == 1);
}

static void give_token(int lock)
{
	must(write(ends[lock][1], &byte, 1) == 1);
}

static void make_pipe(int lock)
{
	must(pipe(ends[lock]) == 0);
	give_token(lock);
}

static void make_pair(int lock)
{
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[lock]) == 0);
	give_token(lock);
}

static void take_event(int lock)
{
	eventfd_t value;
	must(eventfd_read(ends[lock][0], &value) == 0);
}

static void give_event(int lock)
{
	must(eventfd_write(ends[lock][0], 1) == 0);
}

static void make_event(int lock)
{
	ends[lock][0] = eventfd(1, EFD_SEMAPHORE);
	must(ends[lock][0] >= 0);
}

static void change_semaphore(int lock, short by)
{
	struct sembuf change = {.sem_op = by};
	must(semop(ends[lock][0], &change, 1) == 0);
}

static void take_semaphore(int lock)
{
	change_semaphore(lock, -1);
}

static void give_semaphore(int lock)
{
	change_semaphore(lock, 1);
}

static void make_semaphore(int lock)
{
	ends[lock][0] = semget(IPC_PRIVATE, 1, 0600);
	must(ends[lock][0] >= 0);
	give_semaphore(lock);
}

static void remove_semaphore(int lock)
{
	semctl(ends[lock][0], 0, IPC_RMID);
}

static void take_message(int lock)
{
	long message[2];
	must(msgrcv(ends[lock][0], message, 1, 0, 0) == 1);
}

static void give_message(int lock)
{
	const long message[2] = {1, 0};
	must(msgsnd(ends[lock][0], message, 1, 0) == 0);
}

static void make_message(int lock)
{
	ends[lock][0] = msgget(IPC_PRIVATE, 0600);
	must(ends[lock][0] >= 0);
	give_message(lock);
}

static void remove_message(int lock)
{
	msgctl(ends[lock][0], IPC_RMID, NULL);
}

/* Each thread opens the file anew: a lock belongs to what has been opened. */
static _Thread_local int opened[2];

static void take_file(int lock)
{
	opened[lock] = open(lock ? "/etc/passwd" : program, O_RDONLY);
	must(opened[lock] >= 0 && flock(opened[lock], LOCK_EX) == 0);
}

static void give_file(int lock)
{
	close(opened[lock]);
}

static void lock_range(int lock, short type)
{
	struct flock range = {.l_type = type, .l_start = lock, .l_len = 1};
	must(fcntl(ends[0][0], F_OFD_SETLKW, &range) == 0);
}

static void take_range(int lock)
{
	lock_range(lock, F_RDLCK);
}

static void give_range(int lock)
{
	lock_range(lock, F_UNLCK);
}

static void make_range(int lock)
{
	if (!lock)
		ends[0][0] = open(program, O_RDONLY);
}

static void nothing(int lock)
{
	(void)lock;
}

static void print(int lock)
{
	printf("%d\n", lock);
	fflush(stdout);
}

static void read_file(int lock)
{
	char text[64];
	int file = open(lock ? "/etc/passwd" : program, O_RDONLY);
	must(file >= 0 && read(file, text, sizeof text) > 0);
	close(file);
}

static void use_own_pipe(int lock)
{
	int own[2];
	char token;
	must(pipe(own) == 0 && write(own[1], &byte, 1) == 1 && read(own[0], &token, 1) == 1);
	close(own[0]);
	close(own[1]);
	(void)lock;
}

static const struct kind {
	const char *name;
	void (*make)(int), (*take)(int), (*give)(int), (*remove)(int);
} kinds[] = {
    {"pipe", make_pipe, take_token, give_token, nothing},
    {"socketpair", make_pair, take_token, give_token, nothing},
    {"eventfd", make_event, take_event, give_event, nothing},
    {"semop", make_semaphore, take_semaphore, give_semaphore, remove_semaphore},
    {"msgrcv", make_message, take_message, give_message, remove_message},
    {"flock", nothing, take_file, give_file, nothing},
    {"fcntl", make_range, take_range, give_range, nothing},
    {"output", nothing, print, nothing, nothing},
    {"file", nothing, read_file, nothing, nothing},
    {"alone", nothing, use_own_pipe, nothing, nothing},
};

static const struct kind *kind;

static void *take_both(void *unused)
{
	kind->take(0);
	kind->take(1);
	kind->give(1);
	kind->give(0);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	program = argv[0];
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (argc == 2 && strcmp(argv[1], kinds[i].name) == 0)
			kind = &kinds[i];
	if (!kind)
		return 64;
	for (int i = 0; i < 2; i++)
		kind->make(i);
	for (int i = 0; i < 2; i++)
		must(pthread_create(&threads[i], NULL, take_both, NULL) == 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		kind->remove(i);
	return 0;
}
