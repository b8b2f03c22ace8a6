/*
 * Two processes that hang together, or only seem to, as the argument says. The second one is the first one's child, as a rule, and is killed
 * when that ends. What has to come first (locks that both hold) is told through a pipe that is closed then.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int down[2], up[2]; /* from the first process to its child, and back */
static const char *folder;

static void check(bool good)
{
	if (!good)
		_exit(9);
}

/* True in the child. */
static pid_t make_child(void)
{
	const pid_t parent = getpid(), child = fork();
	check(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "second");
		check(getppid() == parent);
	}
	return child;
}

static void make_pipes(void)
{
	check(pipe(down) == 0 && pipe(up) == 0);
}

/* Each has its own ends only. */
static pid_t make_pair(void)
{
	make_pipes();
	const pid_t child = make_child();
	close(child ? down[0] : down[1]);
	close(child ? up[1] : up[0]);
	return child;
}

static void take(int fd)
{
	char byte;
	(void)!read(fd, &byte, 1);
}

static void fill(int fd)
{
	static const char bytes[4096];
	while (write(fd, bytes, sizeof bytes) > 0)
		;
}

/* Both read what the other would write. */
static void read_both(void)
{
	const pid_t child = make_pair();
	take(child ? up[0] : down[0]);
}

static void write_both(void)
{
	const pid_t child = make_pair();
	fill(child ? down[1] : up[1]);
}

/* The child reads until the end of what its parent writes, who waits for it with that end still open. */
static void wait_for_reader(void)
{
	const pid_t child = make_pair();
	if (child == 0)
		take(down[0]);
	waitpid(child, NULL, 0);
}

/* The same, any child; and both have the end that is written to. */
static void wait_for_own_reader(void)
{
	make_pipes();
	const pid_t child = make_child();
	if (child == 0)
		take(down[0]);
	wait(NULL);
}

/* The parent has closed it: only the reader itself keeps it open. */
static void keep_own_end(void)
{
	make_pipes();
	const pid_t child = make_child();
	if (child == 0)
		take(down[0]);
	close(down[1]);
	waitpid(child, NULL, 0);
}

/* Three in a circle. */
static void read_three(void)
{
	int third[2];
	make_pipes();
	check(pipe(third) == 0);
	if (make_child() == 0) {
		if (make_child() == 0) { /* reads `third`, writes `up` */
			close(third[1]), close(up[0]), close(down[0]), close(down[1]);
			take(third[0]);
			_exit(0);
		} /* reads `down`, writes `third` */
		close(down[1]), close(third[0]), close(up[0]), close(up[1]);
		take(down[0]);
		_exit(0);
	}
	close(down[0]), close(up[1]), close(third[0]), close(third[1]);
	take(up[0]);
}

static void receive_both(int type)
{
	int pair[2];
	check(socketpair(AF_UNIX, type, 0, pair) == 0);
	const pid_t child = make_child();
	close(pair[child ? 0 : 1]);
	take(pair[child ? 1 : 0]);
}

/* A listener and a client of it. */
static void receive_connected(int family)
{
	struct sockaddr_un local = {.sun_family = AF_UNIX};
	struct sockaddr_in loopback = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	snprintf(local.sun_path, sizeof local.sun_path, "%s/socket", folder);
	struct sockaddr *address =
	    family == AF_UNIX ? (struct sockaddr *)&local : (struct sockaddr *)&loopback;
	socklen_t length = family == AF_UNIX ? sizeof local : sizeof loopback;
	const int listener = socket(family, SOCK_STREAM, 0);
	check(bind(listener, address, length) == 0 && listen(listener, 1) == 0);
	check(getsockname(listener, address, &length) == 0);
	const pid_t child = make_child();
	if (child == 0) {
		close(listener);
		const int own = socket(family, SOCK_STREAM, 0);
		check(connect(own, address, length) == 0);
		take(own);
		return;
	}
	const int accepted = accept(listener, NULL, NULL);
	close(listener);
	take(accepted);
}

/* Each says that it has locked what it holds, and waits for the other to have said so. */
static void meet(pid_t child)
{
	check(write(child ? down[1] : up[1], "", 1) == 1);
	take(child ? up[0] : down[0]);
	close(child ? down[1] : up[1]);
	close(child ? up[0] : down[0]);
}

static int open_in(const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return open(path, O_RDWR | O_CREAT, 0600);
}

static void lock_file(int fd, int command)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	check(command ? fcntl(fd, command, &all) == 0 : flock(fd, LOCK_EX) == 0);
}

/* 0: flock */
static void cross_files(int command)
{
	const pid_t child = make_pair();
	const int own = open_in(child ? "a" : "b"), other = open_in(child ? "b" : "a");
	lock_file(own, command);
	meet(child);
	lock_file(other, command);
}

/* The kernel finds circles of such locks alone. */
static void wait_for_locker(void)
{
	const pid_t child = make_pair();
	const int file = open_in("a");
	if (child)
		lock_file(file, F_SETLKW);
	meet(child);
	if (child)
		waitpid(child, NULL, 0);
	else
		lock_file(file, F_SETLKW);
}

struct shared {
	pthread_mutex_t mutexes[2];
	pthread_cond_t cond;
	sem_t sem;
};

static struct shared *share(int fd)
{
	struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
				     fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;
	check(shared != MAP_FAILED);
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	for (int i = 0; i < 2; i++)
		pthread_mutex_init(&shared->mutexes[i], &mutex);
	pthread_cond_init(&shared->cond, &cond);
	sem_init(&shared->sem, 1, 0);
	return shared;
}

static int open_shared(bool named)
{
	const int fd = open_in("shared");
	char path[256];
	check(ftruncate(fd, sizeof(struct shared)) == 0);
	snprintf(path, sizeof path, "%s/shared", folder);
	if (!named)
		unlink(path);
	return fd;
}

static void cross_mutexes(struct shared *shared)
{
	const pid_t child = make_pair();
	pthread_mutex_lock(&shared->mutexes[child == 0]);
	meet(child);
	pthread_mutex_lock(&shared->mutexes[child != 0]);
}

static void die_with_mutex(void)
{
	struct shared *shared = share(-1);
	const pid_t child = make_child();
	if (child == 0) {
		pthread_mutex_lock(&shared->mutexes[0]);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pthread_mutex_lock(&shared->mutexes[0]);
}

static void lose_signal(void)
{
	struct shared *shared = share(-1);
	make_child();
	pthread_mutex_lock(&shared->mutexes[0]);
	for (;;)
		pthread_cond_wait(&shared->cond, &shared->mutexes[0]);
}

static void lose_post(struct shared *shared)
{
	make_child();
	sem_wait(&shared->sem);
}

static void change(int set, unsigned short number, short by)
{
	check(semop(set, &(struct sembuf){.sem_num = number, .sem_op = by}, 1) == 0);
}

static void cross_sets(void)
{
	const int set = semget(IPC_PRIVATE, 2, 0600);
	check(set >= 0);
	const pid_t child = make_pair();
	if (child) {
		change(set, 0, 1);
		change(set, 1, 1);
		change(set, 0, -1);
		check(write(down[1], "", 1) == 1);
		take(up[0]);
	} else {
		take(down[0]);
		change(set, 1, -1);
		check(write(up[1], "", 1) == 1);
	}
	close(child ? down[1] : up[1]);
	close(child ? up[0] : down[0]);
	/* The set goes with the parent's end, which the script sees to by its number. */
	if (child)
		printf("%d\n", set);
	fflush(stdout);
	change(set, child ? 1 : 0, -1);
}

static void open_fifos(void)
{
	char paths[2][256];
	for (int i = 0; i < 2; i++) {
		snprintf(paths[i], sizeof paths[i], "%s/fifo%d", folder, i);
		check(mkfifo(paths[i], 0600) == 0);
	}
	const pid_t child = make_child();
	const int reads = open(paths[child ? 0 : 1], O_RDONLY);
	const int writes = open(paths[child ? 1 : 0], O_WRONLY);
	(void)reads;
	(void)writes;
}

/* Both wait for somebody else to write to one FIFO. */
static void open_one_fifo(void)
{
	char path[256];
	snprintf(path, sizeof path, "%s/fifo0", folder);
	check(mkfifo(path, 0600) == 0);
	make_child();
	take(open(path, O_RDONLY));
}

/* Both have their ends of two FIFOs, and read. */
static void read_fifos(void)
{
	char paths[2][256];
	for (int i = 0; i < 2; i++) {
		snprintf(paths[i], sizeof paths[i], "%s/fifo%d", folder, i);
		check(mkfifo(paths[i], 0600) == 0);
	}
	const pid_t child = make_child();
	const int first = open(paths[0], child ? O_RDONLY : O_WRONLY);
	const int second = open(paths[1], child ? O_WRONLY : O_RDONLY);
	take(child ? first : second);
}

static void wait_for_stopped(void)
{
	const pid_t child = make_child();
	if (child == 0)
		for (;;)
			raise(SIGSTOP);
	waitpid(child, NULL, 0);
}

/* From here on nothing is wrong. */

static void *play(void *unused)
{
	char byte = 0;
	const int from = *(int *)unused, to = ((int *)unused)[1];
	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	return NULL;
}

static void rally(void)
{
	const pid_t child = make_pair();
	int ends[2] = {child ? up[0] : down[0], child ? down[1] : up[1]};
	if (child)
		check(write(ends[1], "", 1) == 1);
	play(ends);
}

/* A server waits for what its client says, which waits for its user. */
static void serve_idle(void)
{
	int pair[2];
	check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	const pid_t child = make_child();
	close(pair[child ? 0 : 1]);
	if (child)
		take(pair[1]);
	else
		take(0);
}

static void *receive(void *fd)
{
	take(*(int *)fd);
	return NULL;
}

/* The same, and a thread of the client waits for the server's answers meanwhile. */
static void serve_threads(void)
{
	int pair[2];
	pthread_t thread;
	check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	const pid_t child = make_child();
	close(pair[child ? 0 : 1]);
	if (child == 0) {
		check(pthread_create(&thread, NULL, receive, &pair[0]) == 0);
		take(0);
	}
	take(pair[1]);
}

/* A parent waits for a child that works on a file, and sleeps in between. */
static void wait_for_work(void)
{
	const pid_t child = make_child();
	if (child == 0) {
		const int file = open_in("work");
		for (;;) {
			check(pwrite(file, "work", 4, 0) == 4);
			usleep(100);
		}
	}
	waitpid(child, NULL, 0);
}

/* Workers that nobody gives work: anybody may, who knows its name. */
static void wait_for_named(void)
{
	struct shared *shared = share(open_shared(true));
	lose_post(shared);
}

static void on_signal(int number)
{
	(void)number;
}

/* As a deadlock, but a handler could end it. */
static void read_handled(void)
{
	signal(SIGUSR1, on_signal);
	read_both();
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"read", read_both},
    {"write", write_both},
    {"wait", wait_for_reader},
    {"wait-own", wait_for_own_reader},
    {"keep-own", keep_own_end},
    {"three", read_three},
    {"locker", wait_for_locker},
    {"dead", die_with_mutex},
    {"cond", lose_signal},
    {"sets", cross_sets},
    {"open-fifos", open_fifos},
    {"fifos", read_fifos},
    {"readers", open_one_fifo},
    {"stopped", wait_for_stopped},
    {"rally", rally},
    {"idle", serve_idle},
    {"idle-threads", serve_threads},
    {"work", wait_for_work},
    {"named", wait_for_named},
    {"handled", read_handled},
};

static bool run_other(const char *name)
{
	if (strcmp(name, "stream") == 0)
		receive_both(SOCK_STREAM);
	else if (strcmp(name, "datagram") == 0)
		receive_both(SOCK_DGRAM);
	else if (strcmp(name, "unix") == 0)
		receive_connected(AF_UNIX);
	else if (strcmp(name, "tcp") == 0)
		receive_connected(AF_INET);
	else if (strcmp(name, "flock") == 0)
		cross_files(0);
	else if (strcmp(name, "ofd") == 0)
		cross_files(F_OFD_SETLKW);
	else if (strcmp(name, "mutex") == 0)
		cross_mutexes(share(-1));
	else if (strcmp(name, "mutex-file") == 0)
		cross_mutexes(share(open_shared(true)));
	else if (strcmp(name, "sem") == 0)
		lose_post(share(-1));
	else if (strcmp(name, "sem-unlinked") == 0)
		lose_post(share(open_shared(false)));
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	check(argc > 2);
	folder = argv[2];
	if (run_other(argv[1]))
		return 0;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	return 0;
}
