/* Programs of several processes, one a case: followed CASE. See tests/run-followed.sh. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
	pthread_mutex_t first, second;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	pthread_rwlock_t rwlock;
	sem_t sem;
	int count;
	bool done;
};

static struct shared *shared;
static pthread_mutex_t own_first = PTHREAD_MUTEX_INITIALIZER, own_second = PTHREAD_MUTEX_INITIALIZER;

static void make(struct shared *s)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;
	pthread_barrierattr_t barrier;
	pthread_rwlockattr_t rwlock;
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_barrierattr_init(&barrier);
	pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
	pthread_rwlockattr_init(&rwlock);
	pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&s->first, &mutex);
	pthread_mutex_init(&s->second, &mutex);
	pthread_cond_init(&s->cond, &cond);
	pthread_barrier_init(&s->barrier, &barrier, 2);
	pthread_rwlock_init(&s->rwlock, &rwlock);
	sem_init(&s->sem, 1, 0);
}

static void both(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(one);
	pthread_mutex_lock(other);
	if (shared)
		shared->count++;
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
}

static int collect(pid_t child)
{
	int status;
	if (waitpid(child, &status, 0) != child)
		return 99;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

/* Both locks, in one order here and in the other there. */
static int orders(void)
{
	const pid_t child = fork();
	if (child == 0) {
		both(&shared->second, &shared->first);
		_exit(0);
	}
	both(&shared->first, &shared->second);
	return collect(child);
}

/* The same, of locks that each process has for itself. */
static int private_locks(void)
{
	const pid_t child = fork();
	if (child == 0) {
		both(&own_second, &own_first);
		exit(0);
	}
	both(&own_first, &own_second);
	return collect(child);
}

/* The child finds the memory elsewhere. */
static int elsewhere(void)
{
	char name[32];
	snprintf(name, sizeof name, "/fmc-followed-%d", getppid());
	const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	shm_unlink(name);
	if (file < 0 || ftruncate(file, 4096) != 0)
		return 1;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	make(shared);
	const pid_t child = fork();
	if (child == 0) {
		munmap(shared, 4096);
		shared = mmap((void *)0x100000000, 4096, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
		both(&shared->second, &shared->first);
		_exit(0);
	}
	both(&shared->first, &shared->second);
	return collect(child);
}

static void add(void)
{
	pthread_mutex_lock(&shared->first);
	const int copy = shared->count;
	pthread_mutex_unlock(&shared->first);
	pthread_mutex_lock(&shared->first);
	shared->count = copy + 1;
	pthread_mutex_unlock(&shared->first);
}

/* An addition that is done in two critical sections. */
static int lost(void)
{
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			add();
			exit(0);
		}
	while (wait(NULL) > 0)
		;
	assert(shared->count == 2);
	return 0;
}

static int added(void)
{
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			pthread_mutex_lock(&shared->first);
			shared->count++;
			pthread_mutex_unlock(&shared->first);
			exit(0);
		}
	while (wait(NULL) > 0)
		;
	assert(shared->count == 2);
	return 0;
}

/* Waits for a child that waits for what it holds. */
static int waits(void)
{
	const pid_t child = fork();
	if (child == 0) {
		pthread_mutex_lock(&shared->first);
		_exit(0);
	}
	pthread_mutex_lock(&shared->first);
	return collect(child);
}

/* The one that is signalled may not be there yet. */
static int wakeup(void)
{
	const pid_t child = fork();
	if (child == 0) {
		pthread_mutex_lock(&shared->first);
		pthread_cond_wait(&shared->cond, &shared->first);
		pthread_mutex_unlock(&shared->first);
		_exit(0);
	}
	pthread_mutex_lock(&shared->first);
	pthread_cond_signal(&shared->cond);
	pthread_mutex_unlock(&shared->first);
	return collect(child);
}

/* It crashes if the parent was first. */
static int crash(void)
{
	const pid_t child = fork();
	if (child == 0) {
		pthread_mutex_lock(&shared->first);
		if (shared->count)
			*(volatile int *)0 = 1;
		pthread_mutex_unlock(&shared->first);
		_exit(0);
	}
	pthread_mutex_lock(&shared->first);
	shared->count = 1;
	pthread_mutex_unlock(&shared->first);
	collect(child);
	return 0;
}

/* The child outlives its parent, and fails. */
static int orphan(void)
{
	if (fork() == 0) {
		sem_wait(&shared->sem);
		assert(shared->count == 0);
		_exit(0);
	}
	shared->count = 1;
	sem_post(&shared->sem);
	return 0;
}

static void *wait_for_ever(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&own_first);
	return NULL;
}

/* A child ends with a thread that waits in it, and has a child of its own. */
static int family(void)
{
	const pid_t child = fork();
	if (child == 0) {
		pthread_t thread;
		const pid_t grandchild = fork();
		if (grandchild == 0) {
			sem_post(&shared->sem);
			exit(5);
		}
		pthread_mutex_lock(&own_first);
		pthread_create(&thread, NULL, wait_for_ever, NULL);
		exit(collect(grandchild) + 2);
	}
	sem_wait(&shared->sem);
	return collect(child) == 7 ? 0 : 1;
}

/* Everything that can be shared, in order. */
static int kinds(void)
{
	const pid_t child = fork();
	if (child == 0) {
		sem_wait(&shared->sem);
		pthread_barrier_wait(&shared->barrier);
		pthread_rwlock_rdlock(&shared->rwlock);
		pthread_rwlock_unlock(&shared->rwlock);
		pthread_mutex_lock(&shared->first);
		while (!shared->done)
			pthread_cond_wait(&shared->cond, &shared->first);
		pthread_mutex_unlock(&shared->first);
		_exit(0);
	}
	pthread_rwlock_wrlock(&shared->rwlock);
	sem_post(&shared->sem);
	pthread_rwlock_unlock(&shared->rwlock);
	pthread_barrier_wait(&shared->barrier);
	pthread_mutex_lock(&shared->first);
	shared->done = true;
	pthread_cond_signal(&shared->cond);
	pthread_mutex_unlock(&shared->first);
	return collect(child);
}

/* What each process calls itself and the other is the same in both. */
static int numbers(void)
{
	const pid_t parent = getpid(), child = fork();
	if (child == 0) {
		shared->count = getpid();
		sem_post(&shared->sem);
		exit(getppid() == parent ? 0 : 1);
	}
	sem_wait(&shared->sem);
	const int status = shared->count == child ? 0 : 2;
	siginfo_t info = {.si_pid = 0};
	if (waitid(P_PID, (id_t)child, &info, WEXITED) != 0 || info.si_pid != child)
		return 3;
	return status + info.si_status;
}

static volatile sig_atomic_t ended;

static void on_child(int signal)
{
	(void)signal;
	ended++;
}

/* The signal comes with the child's end. */
static int signalled(void)
{
	signal(SIGCHLD, on_child);
	const pid_t child = fork();
	if (child == 0)
		_exit(0);
	collect(child);
	return ended != 1;
}

/* A child that waits for ever is ended. */
static int killed(void)
{
	const pid_t child = fork();
	if (child == 0) {
		sem_wait(&shared->sem);
		_exit(0);
	}
	kill(child, SIGTERM);
	return collect(child) == 98 ? 0 : 1;
}

/* A child is stopped, and goes on. */
static int paused(void)
{
	const pid_t child = fork();
	if (child == 0)
		_exit(0);
	kill(child, SIGSTOP);
	kill(child, SIGCONT);
	return collect(child);
}

/* Another program takes a child's place. */
static int replaced(void)
{
	const pid_t child = fork();
	if (child == 0) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	return collect(child);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {{"orders", orders},       {"private", private_locks}, {"elsewhere", elsewhere},
		     {"lost", lost},	       {"added", added},	   {"waits", waits},
		     {"wakeup", wakeup},       {"crash", crash},	   {"orphan", orphan},
		     {"family", family},       {"kinds", kinds},	   {"numbers", numbers},
		     {"signalled", signalled}, {"killed", killed},	   {"paused", paused},
		     {"replaced", replaced}};
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	make(shared);
	for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			return cases[i].run();
	return 64;
}
