/*
 * A program whose threads wait in every way there is, each named after its way; "holder" holds what they want. Writes a line
 * when all of them sleep, then stays so until it is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, timed = PTHREAD_MUTEX_INITIALIZER,
		       dead = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive, errorcheck, robust, inherit, *shared;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER, read_by_two = PTHREAD_RWLOCK_INITIALIZER;
static struct {
	pthread_mutex_t lock;
	pthread_cond_t ready;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
static struct {
	pthread_mutex_t lock;
	pthread_cond_t ready;
} again = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
static sem_t items;
static pthread_barrier_t meeting;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int word = 7, empty_pipe[2], full_pipe[2], pair[2], connection[2];
static char file[] = "/tmp/fmc-waits.XXXXXX";
static pthread_t holder;
static sem_t held;
static atomic_int number; /* of the thread created last, once it is about to sleep */
#ifdef __GLIBC__
#define LOCK_WORD 0 /* where a mutex is slept at */
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t polite;
static pthread_mutex_t ceiling;
#else
#define LOCK_WORD 4
#endif

static void about_to_sleep(const char *name)
{
	prctl(PR_SET_NAME, name);
	atomic_store(&number, (int)syscall(SYS_gettid));
}

static struct timespec hours(void)
{
	struct timespec time;
	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_sec += 36000;
	return time;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void make_mutex(pthread_mutex_t *mutex, int type, int is_robust, int protocol, int is_shared)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setrobust(&attributes, is_robust);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutexattr_setpshared(&attributes, is_shared);
	if (pthread_mutex_init(mutex, &attributes) != 0)
		fail("mutex");
}

#ifdef __GLIBC__
/* A thread without real-time scheduling is refused the first time that it meets a ceiling, and not again. */
static void lock_with_ceiling(pthread_mutex_t *mutex)
{
	if (pthread_mutex_lock(mutex) != 0 && pthread_mutex_lock(mutex) != 0)
		fail("ceiling");
}
#endif

static void *hold(void *unused)
{
	for (int i = 0; i < 3; i++)
		pthread_mutex_lock(&recursive);
	pthread_mutex_t *all[] = {&normal, &timed, &errorcheck, &robust, &inherit, shared};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		pthread_mutex_lock(all[i]);
#ifdef __GLIBC__
	pthread_mutex_lock(&adaptive);
	lock_with_ceiling(&ceiling);
	pthread_rwlock_rdlock(&polite);
#endif
	pthread_rwlock_wrlock(&written);
	pthread_rwlock_rdlock(&read_by_two);
	flockfile(stderr);
	about_to_sleep("holder");
	sem_post(&held);
	for (;;)
		pause();
	return unused;
}

static void *lock_and_end(void *mutex)
{
	pthread_mutex_lock(mutex);
	return NULL;
}

static void initialise(void)
{
	about_to_sleep("initialises");
	for (;;)
		pause();
}

/* Functions with arrays of such a size have frame pointers; a look doesn't get those registers from a wait with a time-out. */
__attribute__((noinline)) static int nested(int depth)
{
	char room[100 * depth + 100];
	memset(room, depth, sizeof(room));
	int result =
	    depth ? nested(depth - 1) : epoll_wait(epoll_create1(0), &(struct epoll_event){0}, 1, 36000000);
	return result + room[depth];
}

static void *run_once(void *unused)
{
	pthread_once(&once, initialise);
	return unused;
}

#define WAYS(X)                                                                                              \
	X(normal, pthread_mutex_lock(&normal))                                                               \
	X(recursive, pthread_mutex_lock(&recursive))                                                         \
	X(errorcheck, pthread_mutex_lock(&errorcheck))                                                       \
	X(robust, pthread_mutex_lock(&robust))                                                               \
	X(inherit, pthread_mutex_lock(&inherit))                                                             \
	X(shared, pthread_mutex_lock(shared))                                                                \
	X(dead, pthread_mutex_lock(&dead))                                                                   \
	X(timed, pthread_mutex_timedlock(&timed, &(struct timespec){hours().tv_sec, 0}))                     \
	X(cond, (pthread_mutex_lock(&pool.lock), pthread_cond_wait(&pool.ready, &pool.lock)))                \
	X(cond_timed,                                                                                        \
	  (pthread_mutex_lock(&pool.lock),                                                                   \
	   pthread_cond_timedwait(&pool.ready, &pool.lock, &(struct timespec){hours().tv_sec, 0})))          \
	X(relock, (pthread_mutex_lock(&again.lock), pthread_cond_wait(&again.ready, &again.lock)))           \
	X(semaphore, sem_wait(&items))                                                                       \
	X(sem_timed, sem_timedwait(&items, &(struct timespec){hours().tv_sec, 0}))                           \
	X(read_lock, pthread_rwlock_rdlock(&written))                                                        \
	X(write_lock, pthread_rwlock_wrlock(&read_by_two))                                                   \
	X(second_write, pthread_rwlock_wrlock(&read_by_two))                                                 \
	X(after_write, pthread_rwlock_wrlock(&written))                                                      \
	X(barrier, pthread_barrier_wait(&meeting))                                                           \
	X(barrier2, pthread_barrier_wait(&meeting))                                                          \
	X(join, pthread_join(holder, NULL))                                                                  \
	X(once, pthread_once(&once, initialise))                                                             \
	X(futex, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 7, NULL))                                     \
	X(stream, fputs("never", stderr))                                                                    \
	X(pipe_read, read(empty_pipe[0], &(char){0}, 1))                                                     \
	X(pipe_write, write(full_pipe[1], "x", 1))                                                           \
	X(pair, read(pair[0], &(char){0}, 1))                                                                \
	X(tcp, recv(connection[0], &(char){0}, 1, 0))                                                        \
	X(flock, flock(open(file, O_RDWR), LOCK_EX))                                                         \
	X(sleep, nanosleep(&(struct timespec){36000, 0}, NULL))                                              \
	X(poll, poll(&(struct pollfd){empty_pipe[0], POLLIN, 0}, 1, -1))                                     \
	X(epoll, epoll_wait(epoll_create1(0), &(struct epoll_event){0}, 1, -1))                              \
	X(nested, nested(3))                                                                                 \
	X(child, waitpid(-1, NULL, 0))                                                                       \
	X(sigwait, sigwait(&(sigset_t){0}, &(int){0}))                                                       \
	X(event, read(eventfd(0, 0), &(uint64_t){0}, sizeof(uint64_t)))
#ifdef __GLIBC__
#define MORE_WAYS(X)                                                                                         \
	X(adaptive, pthread_mutex_lock(&adaptive))                                                           \
	X(ceiling, pthread_mutex_setprioceiling(&ceiling, 9, &(int){0}))                                     \
	X(polite_write, pthread_rwlock_wrlock(&polite))                                                      \
	X(polite_read, pthread_rwlock_rdlock(&polite))
#else
#define MORE_WAYS(X)
#endif

#define FUNCTION(name, call)                                                                                 \
	static void *wait_##name(void *unused)                                                               \
	{                                                                                                    \
		about_to_sleep(#name);                                                                       \
		long result = (long)(call);                                                                  \
		fprintf(stdout, "%s came back: %ld\n", #name, result);                                       \
		exit(1);                                                                                     \
		return unused;                                                                               \
	}
WAYS(FUNCTION)
MORE_WAYS(FUNCTION)

/* A thread that is asleep and has said that it is about to be so. */
static void until_asleep(void)
{
	char path[64], text[512], state = 0;
	int tid;
	while ((tid = atomic_load(&number)) == 0)
		sched_yield();
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	while (state != 'S') {
		int fd = open(path, O_RDONLY);
		ssize_t length = read(fd, text, sizeof(text) - 1);
		close(fd);
		if (length <= 0)
			fail("stat");
		text[length] = 0;
		state = strrchr(text, ')')[2];
	}
}

static pthread_t start(void *(*run)(void *))
{
	pthread_t thread;
	pthread_attr_t attributes;
	atomic_store(&number, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	if (pthread_create(&thread, &attributes, run, NULL) != 0)
		fail("thread");
	until_asleep();
	return thread;
}

/* Let the thread that waits at `again` be woken, but not get its mutex; the main thread has it. */
static void wake_without_lock(int tid)
{
	char path[64], text[512];
	unsigned long address = 0;
	long call = 0;
	pthread_mutex_lock(&again.lock);
	pthread_cond_signal(&again.ready);
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	while (call != SYS_futex || address != (unsigned long)&again.lock + LOCK_WORD) {
		int fd = open(path, O_RDONLY);
		ssize_t length = read(fd, text, sizeof(text) - 1);
		close(fd);
		text[length > 0 ? length : 0] = 0;
		if (sscanf(text, "%ld %lx", &call, &address) != 2)
			call = 0;
	}
}

static void make_mutexes(void)
{
	make_mutex(&recursive, PTHREAD_MUTEX_RECURSIVE, 0, 0, 0);
	make_mutex(&errorcheck, PTHREAD_MUTEX_ERRORCHECK, 0, 0, 0);
	make_mutex(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, 0, 0);
	make_mutex(&inherit, PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_INHERIT, 0);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	make_mutex(shared, PTHREAD_MUTEX_NORMAL, 0, 0, PTHREAD_PROCESS_SHARED);
#ifdef __GLIBC__
	make_mutex(&ceiling, PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_PROTECT, 0);
	pthread_rwlockattr_t attributes;
	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&polite, &attributes);
#endif
}

static void make_connection(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof(address);
	int listening = socket(AF_INET, SOCK_STREAM, 0);
	connection[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listening, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(listening, 1) != 0 ||
	    getsockname(listening, (struct sockaddr *)&address, &length) != 0 ||
	    connect(connection[0], (struct sockaddr *)&address, sizeof(address)) != 0)
		fail("socket");
	connection[1] = accept(listening, NULL, NULL);
	close(listening);
}

static void make_descriptors(void)
{
	static char page[4096];
	if (pipe(empty_pipe) != 0 || pipe(full_pipe) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		fail("pipe");
	fcntl(full_pipe[1], F_SETFL, O_NONBLOCK);
	while (write(full_pipe[1], page, sizeof(page)) > 0)
		;
	fcntl(full_pipe[1], F_SETFL, 0);
	make_connection();
	int fd = mkstemp(file);
	if (fd < 0 || flock(fd, LOCK_EX) != 0)
		fail(file);
}

int main(void)
{
	pthread_t ended;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	make_mutexes();
	make_descriptors();
	sem_init(&items, 0, 0);
	sem_init(&held, 0, 0);
	pthread_barrier_init(&meeting, NULL, 3);
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int fd = 0; fd < 64; fd++)
			close(fd);
		for (;;)
			pause();
	}
	pthread_create(&ended, NULL, lock_and_end, &dead);
	pthread_join(ended, NULL);
	pthread_rwlock_rdlock(&read_by_two);
	holder = start(hold);
	sem_wait(&held);
	start(run_once);
#define START(name, call)                                                                                    \
	start(wait_##name);                                                                                  \
	if (strcmp(#name, "relock") == 0)                                                                    \
		wake_without_lock(atomic_load(&number));
	WAYS(START)
	MORE_WAYS(START)
	unlink(file);
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
