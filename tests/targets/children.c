/*
 * children CASE: processes whose parent is told of their ends by SIGCHLD, and of closed pipes by SIGPIPE.
 *
 *   lock      the handler takes the lock that it may interrupt the holder of
 *   pause     the parent looks whether the child has ended, and then waits for the signal
 *   twice     it waits for two signals of two children, of which there may be one
 *   cut       it waits for the first of two children, and the end of the second one cuts that short
 *   again     the same with a handler after which the wait goes on
 *   suspend   the same without a moment between
 *   await     it waits for the signal, which is blocked, and collects the child
 *   all       the handler collects all that there are
 *   broken    the parent writes to a pipe that the child may have left by then
 *   ignored   the same, and it is told of that by an error
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t ended;

static void on_end(int signal)
{
	(void)signal;
	ended++;
}

static void on_end_lock(int signal)
{
	(void)signal;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static void on_end_all(int signal)
{
	(void)signal;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		ended++;
}

static void handle(void (*handler)(int))
{
	const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigaction(SIGCHLD, &action, NULL);
}

static sigset_t block(void)
{
	sigset_t set, before;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &before);
	return before;
}

static pid_t child(void)
{
	const pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	return pid;
}

static int takes_lock(void)
{
	handle(on_end_lock);
	const pid_t pid = child();
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return waitpid(pid, NULL, 0) != pid;
}

static int pauses(void)
{
	handle(on_end);
	const pid_t pid = child();
	if (!ended)
		pause();
	return waitpid(pid, NULL, 0) != pid;
}

static int suspends(void)
{
	const sigset_t before = block();
	handle(on_end);
	const pid_t pid = child();
	while (!ended)
		sigsuspend(&before);
	return waitpid(pid, NULL, 0) != pid;
}

static int awaits(void)
{
	sigset_t set;
	int got = 0;
	(void)block();
	const pid_t pid = child();
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigwait(&set, &got);
	return waitpid(pid, NULL, WNOHANG) != pid;
}

static int awaits_two(void)
{
	sigset_t set;
	int got = 0;
	(void)block();
	child();
	child();
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (int i = 0; i < 2; i++)
		sigwait(&set, &got);
	return 0;
}

static int is_cut(int flags)
{
	const struct sigaction action = {.sa_handler = on_end, .sa_flags = flags};
	sigaction(SIGCHLD, &action, NULL);
	const pid_t first = child();
	child();
	return waitpid(first, NULL, 0) != first;
}

static int cut(void)
{
	return is_cut(0);
}

static int again(void)
{
	return is_cut(SA_RESTART);
}

static int all(void)
{
	const sigset_t before = block();
	handle(on_end_all);
	child();
	child();
	while (ended < 2)
		sigsuspend(&before);
	return 0;
}

static int writes(int ignores)
{
	int ends[2];
	if (pipe(ends))
		return 1;
	if (ignores)
		signal(SIGPIPE, SIG_IGN);
	const pid_t pid = fork();
	if (pid == 0) {
		close(ends[1]);
		_exit(0);
	}
	close(ends[0]);
	const ssize_t done = write(ends[1], "x", 1);
	const int good = done == 1 || (ignores && errno == EPIPE);
	return waitpid(pid, NULL, 0) != pid || !good;
}

static int broken(void)
{
	return writes(0);
}

static int ignored(void)
{
	return writes(1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {{"lock", takes_lock}, {"pause", pauses},  {"suspend", suspends}, {"await", awaits},
		     {"all", all},	   {"broken", broken}, {"ignored", ignored},  {"twice", awaits_two},
		     {"cut", cut},	   {"again", again}};
	for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			return cases[i].run();
	return 64;
}
