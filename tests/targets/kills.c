/*
 * kills CASE: a process ends another one by a signal. Exit status 1: what it finds then isn't what POSIX says.
 *
 *   waits      the other one waits for ever: SIGTERM
 *   kill       SIGKILL, which nobody can block
 *   counts     it counts in memory that both share, twice below a lock, and may be ended before, between or after: the count is 0, 1 or 2; exit
 *              status: 10 more than that
 *   holds      it may be ended while it holds a lock, for which its parent waits after that
 *   robust     the same, of a lock that tells of it
 *   handles    it gets a handler for the signal first thing, but may be ended before: exit status 1 then
 *   locks      its handler takes a lock, which it may hold
 *   pauses     it waits by pause() unless its handler has run: it may have run right before that
 *   threads    it has two threads, one of which holds what the other waits for
 *   leaves     it ends by itself, whatever its second thread is about to do, which counts; exit status: 10 more than the count
 *   cuts       it is ended, whatever its second thread is about to do; the same
 *   group      by its process group
 *   both       the same of two, of which one ignores the signal
 *   self       the same of one and itself, which handles it
 *   several    the same of two, of which one handles it, and ends by itself
 *   pidfd      by a descriptor of it
 *   gone       it has ended by itself, and has been waited for or not
 *   replaced   it has become another program by then
 *   child      it ends its parent, the first process of all
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
	pthread_mutex_t lock, robust;
	int count;
};

static struct shared *shared;
static int ends[2];

static void make(pthread_mutex_t *mutex, int robust)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, robust);
	pthread_mutex_init(mutex, &attributes);
}

static void wait_for_ever(void)
{
	char byte;
	_exit(read(ends[0], &byte, 1) == 1);
}

static pid_t waiting_child(void)
{
	const pid_t pid = fork();
	if (pid == 0)
		wait_for_ever();
	return pid;
}

/* Did the signal end it? */
static int was_ended(pid_t pid, int signal)
{
	int status;
	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

static int waits(void)
{
	const pid_t pid = waiting_child();
	return kill(pid, SIGTERM) != 0 || !was_ended(pid, SIGTERM);
}

static int kill_it(void)
{
	const pid_t pid = waiting_child();
	return kill(pid, SIGKILL) != 0 || !was_ended(pid, SIGKILL);
}

static void count_once(void)
{
	pthread_mutex_lock(&shared->lock);
	shared->count++;
	pthread_mutex_unlock(&shared->lock);
}

static int counts(void)
{
	const pid_t pid = fork();
	if (pid == 0) {
		count_once();
		count_once();
		wait_for_ever();
	}
	/* It isn't ended while it has the lock. */
	pthread_mutex_lock(&shared->lock);
	kill(pid, SIGTERM);
	const int ended = was_ended(pid, SIGTERM);
	pthread_mutex_unlock(&shared->lock);
	return ended ? 10 + shared->count : 1;
}

static int holds(void)
{
	const pid_t pid = fork();
	if (pid == 0) {
		count_once();
		wait_for_ever();
	}
	kill(pid, SIGTERM);
	const int ended = was_ended(pid, SIGTERM);
	pthread_mutex_lock(&shared->lock);
	return !ended;
}

static int robust(void)
{
	const pid_t pid = fork();
	if (pid == 0) {
		pthread_mutex_lock(&shared->robust);
		pthread_mutex_unlock(&shared->robust);
		wait_for_ever();
	}
	kill(pid, SIGTERM);
	const int ended = was_ended(pid, SIGTERM), error = pthread_mutex_lock(&shared->robust);
	return !ended || (error && error != EOWNERDEAD);
}

static void on_term(int signal)
{
	(void)signal;
	_exit(0);
}

static int handles(void)
{
	const pid_t pid = fork();
	int status;
	if (pid == 0) {
		signal(SIGTERM, on_term);
		count_once();
		wait_for_ever();
	}
	kill(pid, SIGTERM);
	return waitpid(pid, &status, 0) != pid || !WIFEXITED(status);
}

static volatile sig_atomic_t handled;

static void on_user(int signal)
{
	(void)signal;
	handled = 1;
}

static void on_user_count(int signal)
{
	(void)signal;
	count_once();
}

static int locks(void)
{
	signal(SIGUSR1, on_user_count);
	const pid_t pid = fork();
	int status;
	if (pid == 0) {
		count_once();
		_exit(0);
	}
	kill(pid, SIGUSR1);
	return waitpid(pid, &status, 0) != pid || status != 0;
}

static int pauses(void)
{
	signal(SIGUSR1, on_user);
	const pid_t pid = fork();
	int status;
	if (pid == 0) {
		count_once();
		if (!handled)
			pause();
		_exit(0);
	}
	kill(pid, SIGUSR1);
	return waitpid(pid, &status, 0) != pid || status != 0;
}

static void *take(void *unused)
{
	count_once();
	return unused;
}

static int threads(void)
{
	const pid_t pid = fork();
	pthread_t thread;
	if (pid == 0) {
		pthread_mutex_lock(&shared->lock);
		pthread_create(&thread, NULL, take, NULL);
		wait_for_ever();
	}
	return kill(pid, SIGTERM) != 0 || !was_ended(pid, SIGTERM);
}

static int leaves(void)
{
	const pid_t pid = fork();
	pthread_t thread;
	if (pid == 0) {
		pthread_create(&thread, NULL, take, NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return 10 + shared->count;
}

static int cuts(void)
{
	const pid_t pid = fork();
	pthread_t thread;
	if (pid == 0) {
		pthread_create(&thread, NULL, take, NULL);
		wait_for_ever();
	}
	return kill(pid, SIGTERM) == 0 && was_ended(pid, SIGTERM) ? 10 + shared->count : 1;
}

static int group(void)
{
	const pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		wait_for_ever();
	}
	setpgid(pid, pid);
	return kill(-pid, SIGHUP) != 0 || !was_ended(pid, SIGHUP);
}

static int both(void)
{
	const pid_t first = waiting_child();
	setpgid(first, first);
	signal(SIGTERM, SIG_IGN);
	const pid_t second = waiting_child();
	setpgid(second, first);
	return kill(-first, SIGTERM) != 0 || !was_ended(first, SIGTERM) || kill(second, SIGKILL) != 0 ||
	       !was_ended(second, SIGKILL);
}

static void on_own(int signal)
{
	shared->count += signal == SIGTERM;
}

static int self(void)
{
	setpgid(0, 0);
	const pid_t pid = waiting_child();
	signal(SIGTERM, on_own);
	return kill(0, SIGTERM) != 0 || !was_ended(pid, SIGTERM) || shared->count != 1;
}

static void on_term_late(int signal)
{
	(void)signal;
	_exit(3);
}

static int several(void)
{
	int status;
	const pid_t first = waiting_child();
	setpgid(first, first);
	signal(SIGTERM, on_term_late);
	const pid_t second = waiting_child();
	setpgid(second, first);
	return kill(-first, SIGTERM) != 0 || !was_ended(first, SIGTERM) ||
	       waitpid(second, &status, 0) != second || !WIFEXITED(status) || WEXITSTATUS(status) != 3;
}

static int pidfd(void)
{
	const pid_t pid = waiting_child();
	const int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
	return syscall(SYS_pidfd_send_signal, descriptor, SIGTERM, NULL, 0) != 0 || !was_ended(pid, SIGTERM);
}

static int gone(void)
{
	const pid_t pid = fork();
	siginfo_t info;
	if (pid == 0)
		_exit(3);
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 || kill(pid, SIGTERM) != 0)
		return 1;
	if (waitid(P_PID, (id_t)pid, &info, WEXITED) != 0 || info.si_status != 3)
		return 1;
	return kill(pid, SIGTERM) == 0 || errno != ESRCH;
}

static int replaced(void)
{
	const pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[0], 0);
		execl("/bin/cat", "cat", NULL);
		_exit(1);
	}
	return kill(pid, SIGTERM) != 0 || !was_ended(pid, SIGTERM);
}

static int child(void)
{
	const pid_t parent = getpid();
	if (fork() == 0) {
		kill(parent, SIGTERM);
		_exit(0);
	}
	wait_for_ever();
	return 1;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {{"waits", waits},	 {"kill", kill_it},    {"counts", counts},     {"holds", holds},
		     {"robust", robust}, {"handles", handles}, {"threads", threads},   {"group", group},
		     {"pidfd", pidfd},	 {"gone", gone},       {"replaced", replaced}, {"child", child},
		     {"leaves", leaves}, {"cuts", cuts},       {"both", both},	       {"self", self},
		     {"locks", locks},	 {"pauses", pauses},   {"several", several}};
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || pipe(ends) != 0)
		return 2;
	make(&shared->lock, PTHREAD_MUTEX_STALLED);
	make(&shared->robust, PTHREAD_MUTEX_ROBUST);
	for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			return cases[i].run();
	return 2;
}
