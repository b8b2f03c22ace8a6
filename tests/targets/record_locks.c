/*
 * record_locks CASE [ORDER]: processes that lock parts of files for themselves (fcntl(2)), each its own part and then that of the next one.
 * What each got for the second, 0 or an error number, is printed. See tests/run-followed.sh.
 *
 *   cross    two files and two processes
 *   bytes    the same of two bytes of one file
 *   circle   three files and three processes
 *   upgrade  both read the same, and then want to write it
 *   threads  as cross, and the first process's second lock is another thread's, which doesn't count
 *   retry    as cross, and who is refused lets go and takes them in the other order
 *   again    as cross, and who is refused lets go and tries again in the same order, as often as it takes
 *   keep     the same, and doesn't let go
 *   open     as cross, with locks of open files, of which the kernel refuses none
 *   last     both have a locked file (flock(2)) that was opened once; the second one's other thread closes it, and the first one does so and then
 *            waits for the lock by another descriptor, which it gets when both have
 *   last_range  the same by a lock of an open file (F_OFD_SETLK)
 *   kept     as last, but the second one doesn't close it before it has had another lock, which the first one holds
 *   closed   the first one closes another descriptor of the file that it has locked; the second one tries to lock it
 *
 * By ORDER the kernel sees one order without fmc: the process of that number is the last one to want its second lock, when all others wait
 * for theirs; from as many as there are processes on they run one after the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 3 };

struct shared {
	int results[MOST];
	pid_t pids[MOST];
	bool holds[MOST], done[MOST];
};

static volatile struct shared *shared;

static int processes = 2, order = -1, own;
static int files[MOST];
static bool bytes, upgrade, threads, retry, again, keep, open_files, closed, last, range, kept;

static int set(int who, int command, short type)
{
	struct flock part = {.l_type = type, .l_whence = SEEK_SET, .l_start = bytes ? who : 0, .l_len = 1};
	return fcntl(files[bytes || upgrade ? 0 : who], command, &part) == 0 ? 0 : errno;
}

static int lock(int who, short type)
{
	return set(who, open_files ? F_OFD_SETLKW : F_SETLKW, type);
}

/* Does the kernel say that the process waits for a lock? */
static bool waits(pid_t pid)
{
	FILE *locks = fopen("/proc/locks", "r");
	char line[160];
	bool found = false;
	int other;
	while (locks && !found && fgets(line, sizeof line, locks))
		found = sscanf(line, "%*d: -> POSIX ADVISORY %*s %d", &other) == 1 && other == pid;
	if (locks)
		fclose(locks);
	return found;
}

static int place(int who)
{
	return (who - order - 1 + processes) % processes;
}

static void await_turn(void)
{
	if (order < 0 || order >= processes)
		return;
	shared->holds[own] = true;
	for (int i = 0; i < processes; i++)
		while (!shared->holds[i] || (place(i) < place(own) && !waits(shared->pids[i])))
			sched_yield();
}

static void await_others(void)
{
	for (int i = 0; order >= processes && i < own; i++)
		while (!shared->done[i])
			sched_yield();
}

static void *second(void *unused)
{
	const int next = (own + 1) % processes;
	await_turn();
	shared->results[own] = lock(next, F_WRLCK);
	if (shared->results[own] == EDEADLK && retry) {
		lock(own, F_UNLCK);
		if ((shared->results[own] = lock(next, F_WRLCK)) == 0)
			shared->results[own] = lock(own, F_WRLCK);
	}
	while (shared->results[own] == EDEADLK && (again || keep)) {
		if (again) {
			lock(own, F_UNLCK);
			lock(own, F_WRLCK);
		}
		shared->results[own] = lock(next, F_WRLCK);
	}
	return unused;
}

static void lock_both(void)
{
	pthread_t thread;
	if (lock(own, upgrade ? F_RDLCK : F_WRLCK) != 0)
		abort();
	if (threads && own == 0) {
		pthread_create(&thread, NULL, second, NULL);
		pthread_join(thread, NULL);
	} else {
		second(NULL);
	}
	lock(own, F_UNLCK);
	if (shared->results[own] == 0)
		lock((own + 1) % processes, F_UNLCK);
}

static void close_other(void)
{
	const int other = dup(files[0]);
	if (own == 1) {
		shared->results[own] = set(0, F_SETLK, F_WRLCK);
		return;
	}
	if (lock(0, F_WRLCK) != 0)
		abort();
	close(other);
}

/* A lock of what has been opened, not of the process. */
static int lock_opened(int file, bool waits)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	if (range)
		return fcntl(file, waits ? F_OFD_SETLKW : F_OFD_SETLK, &all);
	return flock(file, waits ? LOCK_EX : LOCK_EX | LOCK_NB);
}

static int open_again(int file)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	return open(path, O_RDWR);
}

static void *close_first(void *unused)
{
	(void)unused;
	close(files[0]);
	return NULL;
}

static void close_last(void)
{
	pthread_t thread;
	if (own == 1) {
		if (kept && lock_opened(open_again(files[1]), true) != 0)
			abort();
		pthread_create(&thread, NULL, close_first, NULL);
		pthread_join(thread, NULL);
		return;
	}
	const int again_opened = open_again(files[0]), held = kept ? open_again(files[1]) : -1;
	if (kept && lock_opened(held, true) != 0)
		abort();
	close(files[0]);
	shared->results[own] = lock_opened(again_opened, true);
}

static void act(void)
{
	for (int i = 0; open_files && i < processes; i++) {
		char path[32];
		snprintf(path, sizeof path, "/proc/self/fd/%d", files[i]);
		files[i] = open(path, O_RDWR);
	}
	shared->pids[own] = getpid();
	await_others();
	if (closed)
		close_other();
	else if (last)
		close_last();
	else
		lock_both();
	shared->done[own] = true;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	bytes = strcmp(how, "bytes") == 0;
	upgrade = strcmp(how, "upgrade") == 0;
	threads = strcmp(how, "threads") == 0;
	retry = strcmp(how, "retry") == 0;
	again = strcmp(how, "again") == 0;
	keep = strcmp(how, "keep") == 0;
	open_files = strcmp(how, "open") == 0;
	closed = strcmp(how, "closed") == 0;
	range = strcmp(how, "last_range") == 0;
	kept = strcmp(how, "kept") == 0;
	last = range || kept || strcmp(how, "last") == 0;
	processes = strcmp(how, "circle") == 0 ? 3 : 2;
	order = argc > 2 ? atoi(argv[2]) : -1;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < processes; i++)
		files[i] = memfd_create("record_locks", 0);
	if (last && lock_opened(files[0], false) != 0)
		abort();
	for (int i = 1; i < processes; i++)
		if (fork() == 0) {
			own = i;
			act();
			_exit(0);
		}
	act();
	for (int i = 1; i < processes; i++)
		wait(NULL);
	for (int i = 0; i < processes; i++)
		printf("%d%c", shared->results[i], i + 1 < processes ? ' ' : '\n');
	return 0;
}
