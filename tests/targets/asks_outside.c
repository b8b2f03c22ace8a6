/*
 * asks_outside WHAT: one thread goes round, after another one has ended, until there is what it asks for: by somebody outside of the program, or by nobody (the
 * last rows). Files are made in the working folder.
 */
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Descriptors, or numbers of System V. */
static int one = -1, other = -1;
static char byte;
static struct sockaddr_un name = {AF_UNIX, "socket"};

static void must(bool good)
{
	if (!good)
		abort();
}

static void make_fifo(void)
{
	must(mkfifo("fifo", 0600) == 0);
	one = open("fifo", O_RDONLY | O_NONBLOCK);
	must(one >= 0);
}

static bool read_one(void)
{
	return read(one, &byte, 1) == 1;
}

static bool poll_one(void)
{
	struct pollfd polled = {one, POLLIN, 0};
	return poll(&polled, 1, 0) > 0 && (polled.revents & POLLIN);
}

static bool select_one(void)
{
	fd_set set;
	struct timeval now = {0, 0};
	FD_ZERO(&set);
	FD_SET(one, &set);
	return select(one + 1, &set, NULL, NULL, &now) > 0;
}

static void make_epoll(void)
{
	struct epoll_event e = {EPOLLIN, {0}};
	make_fifo();
	other = epoll_create1(0);
	must(epoll_ctl(other, EPOLL_CTL_ADD, one, &e) == 0);
}

static bool epoll_other(void)
{
	struct epoll_event e;
	return epoll_wait(other, &e, 1, 0) > 0;
}

static bool asked(void)
{
	int n = 0;
	return ioctl(one, FIONREAD, &n) == 0 && n > 0;
}

static bool writer_opens(void)
{
	int f = open("fifo", O_WRONLY | O_NONBLOCK);
	return f >= 0;
}

static void only_fifo(void)
{
	must(mkfifo("fifo", 0600) == 0);
}

static void make_dgram(void)
{
	one = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	must(bind(one, (void *)&name, sizeof name) == 0);
}

static bool recv_one(void)
{
	return recv(one, &byte, 1, MSG_DONTWAIT) >= 0;
}

static void make_listener(void)
{
	one = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	must(bind(one, (void *)&name, sizeof name) == 0 && listen(one, 1) == 0);
}

static bool accept_one(void)
{
	return accept(one, NULL, NULL) >= 0;
}

static void nothing(void)
{
}

static bool connects(void)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	bool good = connect(s, (void *)&name, sizeof name) == 0;
	close(s);
	return good;
}

static void make_sem(void)
{
	one = semget(ftok(".", 1), 1, IPC_CREAT | 0600);
	must(one >= 0);
}

static bool take_sem(void)
{
	struct sembuf b = {0, -1, IPC_NOWAIT};
	return semop(one, &b, 1) == 0;
}

static bool ask_sem(void)
{
	return semctl(one, 0, GETVAL) > 0;
}

static bool get_sem(void)
{
	return semget(ftok(".", 2), 1, 0600) >= 0;
}

static void make_msg(void)
{
	one = msgget(ftok(".", 1), IPC_CREAT | 0600);
	must(one >= 0);
}

static bool take_msg(void)
{
	long m[2];
	return msgrcv(one, m, 8, 0, IPC_NOWAIT) >= 0;
}

static void make_mq(void)
{
	struct mq_attr a = {.mq_maxmsg = 1, .mq_msgsize = 1};
	one = mq_open("/fmc-asks", O_CREAT | O_RDWR | O_NONBLOCK, 0600, &a);
	must(one >= 0);
}

static bool take_mq(void)
{
	return mq_receive(one, &byte, 1, NULL) >= 0;
}

static bool ask_mq(void)
{
	struct mq_attr a;
	return mq_getattr(one, &a) == 0 && a.mq_curmsgs > 0;
}

static bool stat_it(void)
{
	struct stat s;
	return stat("file", &s) == 0;
}

static bool access_it(void)
{
	return access("file", F_OK) == 0;
}

static bool open_it(void)
{
	return open("file", O_RDONLY) >= 0;
}

static void make_file(void)
{
	one = open("file", O_CREAT | O_RDWR, 0600);
	must(one >= 0);
}

static bool excl_it(void)
{
	return open("file", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
}

static bool gone_it(void)
{
	return access("file", F_OK) != 0;
}

static void make_dir(void)
{
	must(mkdir("file", 0700) == 0);
}

static bool mkdir_it(void)
{
	return mkdir("file", 0700) == 0;
}

static bool unlink_it(void)
{
	return unlink("file") == 0;
}

static bool rename_it(void)
{
	return rename("file", "other") == 0;
}

static bool link_it(void)
{
	return link("file", "other") == 0;
}

static bool readlink_it(void)
{
	char b[9];
	return readlink("file", b, 9) > 0;
}

static bool grows(void)
{
	struct stat s;
	return fstat(one, &s) == 0 && s.st_size > 0;
}

static bool seeks(void)
{
	return lseek(one, 0, SEEK_END) > 0;
}

static bool pread_it(void)
{
	return pread(one, &byte, 1, 0) == 1;
}

static void make_lock(void)
{
	make_file();
	other = open("file", O_RDWR);
	must(flock(other, LOCK_EX) == 0);
}

static bool flock_it(void)
{
	return flock(one, LOCK_EX | LOCK_NB) == 0;
}

static bool lock_it(void)
{
	struct flock l = {.l_type = F_WRLCK};
	bool had = fcntl(one, F_GETLK, &l) == 0 && l.l_type != F_UNLCK;
	return had;
}

static void make_notify(void)
{
	one = inotify_init1(IN_NONBLOCK);
	must(inotify_add_watch(one, ".", IN_CREATE) >= 0);
}

static bool notify_it(void)
{
	char b[999];
	return read(one, b, sizeof b) > 0;
}

static void make_signals(void)
{
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	sigprocmask(SIG_BLOCK, &s, NULL);
	one = signalfd(-1, &s, SFD_NONBLOCK);
}

static bool signal_it(void)
{
	struct signalfd_siginfo i;
	return read(one, &i, sizeof i) > 0;
}

static bool pending_it(void)
{
	sigset_t s;
	return sigpending(&s) == 0 && sigismember(&s, SIGUSR1);
}

static bool kill_it(void)
{
	return kill(getppid(), 0) != 0;
}

static bool getdents_it(void)
{
	static char b[1024];
	int d = open(".", O_RDONLY | O_DIRECTORY);
	long n = syscall(SYS_getdents64, d, b, sizeof b);
	close(d);
	return n > 9999;
}

/* Of these nobody else has anything. */
static void make_pipe(void)
{
	int e[2];
	must(pipe2(e, O_NONBLOCK) == 0);
	one = e[0];
	other = e[1];
}

static void make_event(void)
{
	one = eventfd(0, EFD_NONBLOCK);
}

static bool event_it(void)
{
	uint64_t n;
	return read(one, &n, 8) == 8;
}

static void make_pair(void)
{
	int e[2];
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, e) == 0);
	one = e[0];
	other = e[1];
}

static void make_sem_private(void)
{
	one = semget(IPC_PRIVATE, 1, 0600);
}

/* Memory that others may have as well. */
static volatile int *word;

static void map(int file, int protection)
{
	must(file >= 0);
	word = mmap(NULL, sizeof *word, protection, MAP_SHARED, file, 0);
	must(word != MAP_FAILED);
}

static int shared_file(void)
{
	const int file = open("file", O_CREAT | O_RDWR, 0600);
	must(file >= 0 && ftruncate(file, sizeof *word) == 0);
	return file;
}

static void make_shared_file(void)
{
	map(shared_file(), PROT_READ | PROT_WRITE);
}

static void make_shared_to_read(void)
{
	map(shared_file(), PROT_READ);
}

static void make_shared_gone(void)
{
	make_shared_file();
	must(unlink("file") == 0);
}

static void make_shared_own(void)
{
	const int segment = shmget(IPC_PRIVATE, sizeof *word, 0600);
	must(segment >= 0);
	word = shmat(segment, NULL, 0);
	must(word != (void *)-1 && shmctl(segment, IPC_RMID, NULL) == 0);
}

static sem_t *semaphore;

static char own[32];

static void open_semaphore(void)
{
	snprintf(own, sizeof own, "/asks_outside-%d", getppid());
	sem_unlink(own);
	semaphore = sem_open(own, O_CREAT | O_EXCL, 0600, 0);
	must(semaphore != SEM_FAILED);
}

static void open_own_semaphore(void)
{
	open_semaphore();
	must(sem_unlink(own) == 0);
}

static bool take_semaphore(void)
{
	return sem_trywait(semaphore) == 0;
}

static bool wait_semaphore(void)
{
	return sem_wait(semaphore) == 0;
}

/* At which somebody else is to come. */
static pthread_barrier_t *barrier;

static void map_barrier(void)
{
	pthread_barrierattr_t shared;
	const int file = open("file", O_CREAT | O_RDWR, 0600);
	must(file >= 0 && ftruncate(file, sizeof *barrier) == 0);
	barrier = mmap(NULL, sizeof *barrier, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	must(barrier != MAP_FAILED);
	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	must(pthread_barrier_init(barrier, &shared, 2) == 0);
}

static void map_own_barrier(void)
{
	map_barrier();
	must(unlink("file") == 0);
}

static bool meet(void)
{
	pthread_barrier_wait(barrier);
	return true;
}

static bool is_set(void)
{
	return *word != 0;
}

static bool never(void)
{
	return false;
}

static bool writes(void)
{
	int f = open("file", O_CREAT | O_WRONLY | O_TRUNC, 0600);
	must(write(f, "", 1) == 1);
	close(f);
	unlink("file");
	return false;
}

static bool pid_it(void)
{
	return getpid() == 1;
}

static bool parent_it(void)
{
	static pid_t parent;
	parent = parent ? parent : getppid();
	return getppid() != parent;
}

static time_t began;

static void make_time(void)
{
	began = time(NULL);
}

static bool time_it(void)
{
	return time(NULL) > began + 1000;
}

static const struct {
	const char *name;
	void (*make)(void);
	bool (*ask)(void);
} cases[] = {
    {"fifo", make_fifo, read_one},
    {"fifo-poll", make_fifo, poll_one},
    {"fifo-select", make_fifo, select_one},
    {"fifo-epoll", make_epoll, epoll_other},
    {"fifo-ioctl", make_fifo, asked},
    {"fifo-open", only_fifo, writer_opens},
    {"datagram", make_dgram, recv_one},
    {"datagram-read", make_dgram, read_one},
    {"datagram-poll", make_dgram, poll_one},
    {"accept", make_listener, accept_one},
    {"connect", nothing, connects},
    {"semop", make_sem, take_sem},
    {"semctl", make_sem, ask_sem},
    {"semget", nothing, get_sem},
    {"msgrcv", make_msg, take_msg},
    {"mq", make_mq, take_mq},
    {"mq-attr", make_mq, ask_mq},
    {"mq-poll", make_mq, poll_one},
    {"stat", nothing, stat_it},
    {"access", nothing, access_it},
    {"open", nothing, open_it},
    {"gone", make_file, gone_it},
    {"exclusive", make_file, excl_it},
    {"mkdir", make_dir, mkdir_it},
    {"unlink", nothing, unlink_it},
    {"rename", nothing, rename_it},
    {"link", nothing, link_it},
    {"readlink", nothing, readlink_it},
    {"grows", make_file, grows},
    {"seek", make_file, seeks},
    {"read", make_file, read_one},
    {"pread", make_file, pread_it},
    {"flock", make_lock, flock_it},
    {"getlk", make_file, lock_it},
    {"inotify", make_notify, notify_it},
    {"signalfd", make_signals, signal_it},
    {"sigpending", make_signals, pending_it},
    {"kill", nothing, kill_it},
    {"getdents", nothing, getdents_it},
    {"getppid", nothing, parent_it},
    {"time", make_time, time_it},
    {"shared-file", make_shared_file, is_set},
    {"shared-to-read", make_shared_to_read, is_set},
    {"semaphore", open_semaphore, take_semaphore},
    {"own-semaphore", open_own_semaphore, take_semaphore},
    {"semaphore-wait", open_semaphore, wait_semaphore},
    {"own-semaphore-wait", open_own_semaphore, wait_semaphore},
    {"barrier", map_barrier, meet},
    {"own-barrier", map_own_barrier, meet},
    {"own-shared-file", make_shared_gone, is_set},
    {"own-shared", make_shared_own, is_set},
    {"own-pipe", make_pipe, read_one},
    {"own-pipe-poll", make_pipe, poll_one},
    {"own-event", make_event, event_it},
    {"own-pair", make_pair, recv_one},
    {"own-sem", make_sem_private, take_sem},
    {"never", nothing, never},
    {"writes", nothing, writes},
    {"pid", nothing, pid_it},
};
static void *rest(void *unused)
{
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
		if (strcmp(argv[1], cases[i].name) != 0)
			continue;
		cases[i].make();
		pthread_create(&thread, NULL, rest, NULL);
		pthread_join(thread, NULL);
		while (!cases[i].ask())
			sched_yield();
		return 0;
	}
	return 2;
}
