/*
 * tries HOW LOCK [process]: two threads, or two processes, and locks that are objects of the kernel. Files are made in the folder TMPDIR.
 *
 *   back   each takes its own lock and tries to get the other one's; refused, it gives its own back and tries again: in step they do so for ever
 *   yield  the same, and whoever is refused lets others go on before it tries again
 *   shrink the same, and every refusal takes something off what is left of tries: they come to an end
 *   barge  one takes its lock, looks at a flag, lets others go on and gives it back, until the flag is set; the other one sets it once it has the same
 *          lock. It waits for that in the kernel: no order lasts for ever
 *   hog    the same, and the first one gives the lock back only to take it at once: still the other one gets it
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2][2];
static _Thread_local int opened[2] = {-1, -1};
static const char *const names[] = {"first", "second"};
static const char *const taken[] = {"first.taken", "second.taken"};
static bool processes;

static void must(bool good)
{
	if (!good)
		abort();
}

static bool refused(void)
{
	must(errno == EAGAIN || errno == EACCES || errno == EEXIST || errno == ENOENT || errno == ENOMSG);
	return false;
}

static void make_pipe(int lock)
{
	must(pipe2(ends[lock], O_NONBLOCK) == 0 && write(ends[lock][1], "", 1) == 1);
}

static bool take_byte(int lock, bool waits)
{
	char byte;
	if (waits)
		fcntl(ends[lock][0], F_SETFL, 0);
	return read(ends[lock][0], &byte, 1) == 1 || refused();
}

static void give_byte(int lock)
{
	must(write(ends[lock][1], "", 1) == 1);
}

static void make_pair(int lock)
{
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[lock]) == 0 && write(ends[lock][1], "", 1) == 1);
}

static bool receive(int lock, bool waits)
{
	char byte;
	return recv(ends[lock][0], &byte, 1, waits ? 0 : MSG_DONTWAIT) == 1 || refused();
}

static void make_event(int lock)
{
	ends[lock][0] = ends[lock][1] = eventfd(1, EFD_NONBLOCK | EFD_SEMAPHORE);
	must(ends[lock][0] >= 0);
}

static bool take_event(int lock, bool waits)
{
	uint64_t number;
	if (waits)
		fcntl(ends[lock][0], F_SETFL, 0);
	return read(ends[lock][0], &number, sizeof number) == sizeof number || refused();
}

static void give_event(int lock)
{
	const uint64_t one = 1;
	must(write(ends[lock][0], &one, sizeof one) == sizeof one);
}

static bool change(int lock, short by, bool waits)
{
	struct sembuf change = {
	    .sem_num = (unsigned short)lock, .sem_op = by, .sem_flg = waits ? 0 : IPC_NOWAIT};
	return semop(ends[0][0], &change, 1) == 0 || refused();
}

static void give_semaphore(int lock)
{
	must(change(lock, 1, false));
}

/* Both in one set. */
static void make_semaphore(int lock)
{
	if (!lock)
		ends[0][0] = semget(IPC_PRIVATE, 2, 0600);
	give_semaphore(lock);
}

static bool take_semaphore(int lock, bool waits)
{
	return change(lock, -1, waits);
}

static void remove_semaphore(int lock)
{
	if (!lock)
		semctl(ends[0][0], 0, IPC_RMID);
}

static void give_message(int lock)
{
	const long message[2] = {1, 0};
	must(msgsnd(ends[lock][0], message, 1, 0) == 0);
}

static void make_message(int lock)
{
	ends[lock][0] = msgget(IPC_PRIVATE, 0600);
	give_message(lock);
}

static bool take_message(int lock, bool waits)
{
	long message[2];
	return msgrcv(ends[lock][0], message, 1, 0, waits ? 0 : IPC_NOWAIT) == 1 || refused();
}

static void remove_message(int lock)
{
	msgctl(ends[lock][0], IPC_RMID, NULL);
}

static void give_letter(int lock)
{
	must(mq_send(ends[lock][0], "", 1, 0) == 0);
}

static void make_letter(int lock)
{
	struct mq_attr about = {.mq_maxmsg = 1, .mq_msgsize = 1};
	char name[48];
	snprintf(name, sizeof name, "/fmc-tries-%d-%d", getpid(), lock);
	ends[lock][0] = mq_open(name, O_CREAT | O_EXCL | O_RDWR | O_NONBLOCK, 0600, &about);
	must(ends[lock][0] >= 0 && mq_unlink(name) == 0);
	give_letter(lock);
}

static bool take_letter(int lock, bool waits)
{
	char letter;
	if (waits)
		mq_setattr(ends[lock][0], &(struct mq_attr){.mq_flags = 0}, NULL);
	return mq_receive(ends[lock][0], &letter, 1, NULL) == 1 || refused();
}

static void make_file(int lock)
{
	ends[lock][0] = open(names[lock], O_CREAT | O_RDWR, 0600);
	must(ends[lock][0] >= 0);
}

static void remove_file(int lock)
{
	unlink(names[lock]);
}

static int open_file(int lock)
{
	if (opened[lock] < 0)
		opened[lock] = open(names[lock], O_RDWR);
	must(opened[lock] >= 0);
	return opened[lock];
}

static bool take_whole(int lock, bool waits)
{
	return flock(open_file(lock), LOCK_EX | (waits ? 0 : LOCK_NB)) == 0 || refused();
}

static void give_whole(int lock)
{
	must(flock(open_file(lock), LOCK_UN) == 0);
}

static bool take_range(int lock, bool waits)
{
	struct flock range = {.l_type = F_WRLCK, .l_len = 1};
	const int command = processes ? waits ? F_SETLKW : F_SETLK : waits ? F_OFD_SETLKW : F_OFD_SETLK;
	return fcntl(open_file(lock), command, &range) == 0 || refused();
}

static void give_range(int lock)
{
	struct flock range = {.l_type = F_UNLCK, .l_len = 1};
	must(fcntl(open_file(lock), processes ? F_SETLK : F_OFD_SETLK, &range) == 0);
}

static void nothing(int lock)
{
	(void)lock;
}

static bool take_exclusive(int lock, bool waits)
{
	const int file = open(names[lock], O_CREAT | O_EXCL | O_WRONLY, 0600);
	(void)waits;
	return file >= 0 ? close(file) == 0 : refused();
}

static bool take_link(int lock, bool waits)
{
	(void)waits;
	return link(names[lock], taken[lock]) == 0 || refused();
}

static void give_link(int lock)
{
	must(unlink(taken[lock]) == 0);
}

static bool take_folder(int lock, bool waits)
{
	(void)waits;
	return mkdir(names[lock], 0700) == 0 || refused();
}

static void give_folder(int lock)
{
	must(rmdir(names[lock]) == 0);
}

static bool take_name(int lock, bool waits)
{
	(void)waits;
	return rename(names[lock], taken[lock]) == 0 || refused();
}

static void give_name(int lock)
{
	must(rename(taken[lock], names[lock]) == 0);
}

/* What each has of its own goes where nothing is. */
static const char *own(int lock)
{
	static _Thread_local char name[2][48];
	snprintf(name[lock], sizeof name[lock], "%s.%d", names[lock], processes ? getpid() : gettid());
	return name[lock];
}

static bool place_name(int lock, bool waits)
{
	const int file = open(own(lock), O_CREAT | O_WRONLY, 0600);
	(void)waits;
	must(file >= 0 && close(file) == 0);
	return renameat2(AT_FDCWD, own(lock), AT_FDCWD, taken[lock], RENAME_NOREPLACE) == 0 || refused();
}

static bool take_shared(int lock, bool waits)
{
	const int file = shm_open(lock ? "/fmc-tries-1" : "/fmc-tries-0", O_CREAT | O_EXCL | O_RDWR, 0600);
	(void)waits;
	return file >= 0 ? close(file) == 0 : refused();
}

static void give_shared(int lock)
{
	must(shm_unlink(lock ? "/fmc-tries-1" : "/fmc-tries-0") == 0);
}

static const struct kind {
	const char *name;
	void (*make)(int);
	bool (*take)(int, bool);
	void (*give)(int), (*remove)(int);
} kinds[] = {
    {"pipe", make_pipe, take_byte, give_byte, nothing},
    {"pair", make_pair, receive, give_byte, nothing},
    {"eventfd", make_event, take_event, give_event, nothing},
    {"semop", make_semaphore, take_semaphore, give_semaphore, remove_semaphore},
    {"msgrcv", make_message, take_message, give_message, remove_message},
    {"mq", make_letter, take_letter, give_letter, nothing},
    {"flock", make_file, take_whole, give_whole, remove_file},
    {"fcntl", make_file, take_range, give_range, remove_file},
    {"exclusive", nothing, take_exclusive, remove_file, nothing},
    {"link", make_file, take_link, give_link, remove_file},
    {"mkdir", nothing, take_folder, give_folder, nothing},
    {"rename", make_file, take_name, give_name, remove_file},
    {"noreplace", nothing, place_name, give_link, nothing},
    {"shm", nothing, take_shared, give_shared, nothing},
};

static const struct kind *kind;
static const char *how;
static volatile int *flag;

/* Is there to be another try? */
static bool goes_on(int *left)
{
	if (strcmp(how, "yield") == 0)
		sched_yield();
	return strcmp(how, "shrink") != 0 || (*left)-- > 0;
}

static void go_back(int me)
{
	int left = 2;
	for (;;) {
		const bool has = kind->take(me, false);
		if (has && kind->take(!me, false))
			break;
		if (has)
			kind->give(me);
		if (!goes_on(&left))
			return;
	}
	kind->give(!me);
	kind->give(me);
}

static void barge(int me)
{
	for (int seen = 0; !seen && !me;) {
		must(kind->take(0, true));
		seen = *flag;
		if (strcmp(how, "barge") == 0)
			sched_yield();
		kind->give(0);
		if (strcmp(how, "hog") == 0)
			sched_yield();
	}
	if (me) {
		must(kind->take(0, true));
		*flag = 1;
		kind->give(0);
	}
}

static void *act(void *argument)
{
	const int me = argument != NULL;
	if (strcmp(how, "barge") == 0 || strcmp(how, "hog") == 0)
		barge(me);
	else
		go_back(me);
	return NULL;
}

static void run_processes(void)
{
	int status;
	const pid_t child = fork();
	must(child >= 0);
	act(child ? NULL : ends);
	if (!child)
		_exit(0);
	must(waitpid(child, &status, 0) == child && status == 0);
}

static void run_threads(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		must(pthread_create(&threads[i], NULL, act, i ? threads : NULL) == 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *folder = getenv("TMPDIR");
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (argc > 2 && strcmp(argv[2], kinds[i].name) == 0)
			kind = &kinds[i];
	if (!kind || (folder && chdir(folder) != 0))
		return 64;
	how = argv[1];
	processes = argc > 3;
	flag = mmap(NULL, sizeof *flag, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(flag != MAP_FAILED);
	for (int i = 0; i < 2; i++)
		kind->make(i);
	if (processes)
		run_processes();
	else
		run_threads();
	for (int i = 0; i < 2; i++)
		kind->remove(i);
	return 0;
}
