/* Processes that meet in the kernel, or become other programs, one case each: between CASE. See tests/run-between.sh. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
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
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *self;
static char bytes[1 << 17], c;

static int collect(pid_t child)
{
	int status;
	if (waitpid(child, &status, 0) != child)
		return 99;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

/* The parent waits for its child before it reads what that has to say. */
static int full(void)
{
	int ends[2];
	if (pipe(ends) != 0)
		return 1;
	const pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		_exit(write(ends[1], bytes, sizeof bytes) != sizeof bytes);
	}
	close(ends[1]);
	return collect(child);
}

/* Who reads has the other end itself: there is no end of the file. */
static int endless(void)
{
	int ends[2];
	if (pipe(ends) != 0)
		return 1;
	const pid_t child = fork();
	if (child == 0)
		_exit(write(ends[1], "x", 1) != 1);
	while (read(ends[0], &c, 1) == 1)
		;
	return collect(child);
}

/* The same, done well: the child's end is the end. */
static int ended(void)
{
	int ends[2], length = 0;
	if (pipe(ends) != 0)
		return 1;
	const pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		_exit(write(ends[1], "x", 1) != 1);
	}
	close(ends[1]);
	while (read(ends[0], &c, 1) == 1)
		length++;
	assert(length == 1);
	return collect(child);
}

/* Nothing is said, and the end comes with the child's. */
static int silent(void)
{
	int ends[2];
	if (pipe(ends) != 0)
		return 1;
	const pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		_exit(0);
	}
	close(ends[1]);
	return read(ends[0], &c, 1) == 0 ? collect(child) : 2;
}

/* Each waits for the other's first word. */
static int pipes(void)
{
	int to[2], from[2];
	if (pipe(to) != 0 || pipe(from) != 0)
		return 1;
	const pid_t child = fork();
	if (child == 0)
		_exit(read(to[0], &c, 1) != 1 || write(from[1], "x", 1) != 1);
	if (read(from[0], &c, 1) != 1 || write(to[1], "x", 1) != 1)
		return 1;
	return collect(child);
}

static int sockets(void)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 1;
	const pid_t child = fork();
	if (child == 0) {
		close(pair[0]);
		_exit(read(pair[1], &c, 1) != 1 || write(pair[1], "x", 1) != 1);
	}
	close(pair[1]);
	if (read(pair[0], &c, 1) != 1 || write(pair[0], "x", 1) != 1)
		return 1;
	return collect(child);
}

static int events(void)
{
	const int to = eventfd(0, 0), from = eventfd(0, 0);
	const pid_t child = fork();
	eventfd_t number;
	if (child == 0)
		_exit(eventfd_read(to, &number) || eventfd_write(from, 1));
	if (eventfd_read(from, &number) || eventfd_write(to, 1))
		return 1;
	return collect(child);
}

/* Both locks, in one order here and in the other there. */
static int locks(void)
{
	char name[32];
	const int files[] = {memfd_create("one", 0), memfd_create("other", 0)};
	const pid_t child = fork();
	if (child == 0) {
		int own[2];
		for (int i = 0; i < 2; i++) {
			snprintf(name, sizeof name, "/proc/self/fd/%d", files[i]);
			own[i] = open(name, O_RDWR);
		}
		_exit(flock(own[1], LOCK_EX) || flock(own[0], LOCK_EX));
	}
	if (flock(files[0], LOCK_EX) || flock(files[1], LOCK_EX) || flock(files[1], LOCK_UN) ||
	    flock(files[0], LOCK_UN))
		return 1;
	return collect(child);
}

static int change(int set, int number, int by)
{
	struct sembuf change = {.sem_num = (unsigned short)number, .sem_op = (short)by};
	return semop(set, &change, 1);
}

/* The child's end gives back what it has taken. */
static int undone(void)
{
	struct sembuf take = {.sem_op = -1, .sem_flg = SEM_UNDO};
	const int set = semget(IPC_PRIVATE, 1, 0600);
	change(set, 0, 1);
	const pid_t child = fork();
	if (child == 0)
		_exit(semop(set, &take, 1));
	const int failed = collect(child) || change(set, 0, -1);
	semctl(set, 0, IPC_RMID);
	return failed;
}

static int semaphores(void)
{
	const int set = semget(IPC_PRIVATE, 2, 0600);
	change(set, 0, 1);
	change(set, 1, 1);
	const pid_t child = fork();
	if (child == 0)
		_exit(change(set, 1, -1) || change(set, 0, -1) || change(set, 0, 1) || change(set, 1, 1));
	if (change(set, 0, -1) || change(set, 1, -1) || change(set, 1, 1) || change(set, 0, 1))
		return 1;
	const int status = collect(child);
	return semctl(set, 0, IPC_RMID) || status;
}

static int messages(void)
{
	const int queue = msgget(IPC_PRIVATE, 0600);
	struct {
		long type;
		char text;
	} message = {.type = 1};
	const pid_t child = fork();
	if (child == 0) {
		msgrcv(queue, &message, 1, 1, 0);
		message.type = 2;
		_exit(msgsnd(queue, &message, 1, 0));
	}
	msgrcv(queue, &message, 1, 2, 0);
	message.type = 1;
	msgsnd(queue, &message, 1, 0);
	return collect(child);
}

/* Two locks in memory of a file that is handed on. */
static pthread_mutex_t *map(int file)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

static int make_locks(void)
{
	pthread_mutexattr_t attributes;
	const int file = memfd_create("locks", 0);
	if (ftruncate(file, 4096) != 0)
		exit(1);
	pthread_mutex_t *both = map(file);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&both[0], &attributes);
	pthread_mutex_init(&both[1], &attributes);
	return file;
}

static int take(pthread_mutex_t *both, int first)
{
	pthread_mutex_lock(&both[first]);
	pthread_mutex_lock(&both[!first]);
	pthread_mutex_unlock(&both[!first]);
	return pthread_mutex_unlock(&both[first]);
}

/* What a child becomes: the locks in the other order. */
static int other(const char *file)
{
	return take(map(atoi(file)), 1);
}

static void become(int file)
{
	char number[16];
	snprintf(number, sizeof number, "%d", file);
	execl(self, self, "other", number, NULL);
	_exit(9);
}

static int becomes(void)
{
	const int file = make_locks();
	const pid_t child = fork();
	if (child == 0)
		become(file);
	return take(map(file), 0) || collect(child);
}

static int vforks(void)
{
	const int file = make_locks();
	const pid_t child = vfork();
	if (child == 0)
		become(file);
	return take(map(file), 0) || collect(child);
}

static int spawns(void)
{
	pid_t child;
	const int file = make_locks();
	char number[16], *arguments[] = {(char *)self, "other", number, NULL};
	snprintf(number, sizeof number, "%d", file);
	if (posix_spawn(&child, self, NULL, NULL, arguments, environ) != 0)
		return 9;
	return take(map(file), 0) || collect(child);
}

/* What isn't there is told as without fmc. */
static int absent(void)
{
	pid_t child;
	char *arguments[] = {(char *)self, NULL};
	return posix_spawn(&child, "/nonexistent", NULL, NULL, arguments, environ) == 0;
}

static int shell(void)
{
	return system("exit 5") == 5 << 8 ? 0 : 1;
}

static int said(void)
{
	char line[8] = "";
	FILE *child = popen("echo said", "r");
	if (!child || !fgets(line, sizeof line, child) || strcmp(line, "said\n") != 0)
		return 1;
	return pclose(child);
}

static int heard(void)
{
	FILE *child = popen("read line; test \"$line\" = heard", "w");
	return !child || fputs("heard\n", child) < 0 ? 1 : pclose(child) != 0;
}

/* The program itself is another one soon. */
static int begins(void)
{
	execl(self, self, "becomes", NULL);
	return 9;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {{"full", full},	     {"endless", endless}, {"ended", ended},
		     {"silent", silent},     {"pipes", pipes},	   {"sockets", sockets},
		     {"events", events},     {"locks", locks},	   {"semaphores", semaphores},
		     {"messages", messages}, {"becomes", becomes}, {"vforks", vforks},
		     {"spawns", spawns},     {"absent", absent},   {"shell", shell},
		     {"said", said},	     {"heard", heard},	   {"begins", begins},
		     {"undone", undone}};
	self = argv[0];
	if (argc == 3 && strcmp(argv[1], "other") == 0)
		return other(argv[2]);
	for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			return cases[i].run();
	return 64;
}
