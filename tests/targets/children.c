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
 *   takers    two threads wait for a signal each, of two children, of which there may be one: by sigwait(), sigwaitinfo(), sigtimedwait() (takers_info,
 *             takers_timed), or a descriptor of signals (takers_read)
 *   taker_wait, taker_read, taker_poll    one of them and one child; the last one waits for the descriptor by poll() before it reads
 *   reapers   two threads wait for one child, by waitpid() and waitid(): the one that main() is gets it
 *   reaped    or either of them
 *   stores    after a child has been collected two threads say each that they come, and look whether the other one does (samples/store_buffer.c)
 *   collected the handler collects the child for which waitpid() waits
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
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

static sigset_t ends_of_children(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return set;
}

static void *take_by_wait(void *unused)
{
	const sigset_t set = ends_of_children();
	int got = 0;
	sigwait(&set, &got);
	return unused;
}

static void *take_by_info(void *unused)
{
	const sigset_t set = ends_of_children();
	siginfo_t about;
	sigwaitinfo(&set, &about);
	return unused;
}

static void *take_in_time(void *unused)
{
	const sigset_t set = ends_of_children();
	siginfo_t about;
	sigtimedwait(&set, &about, NULL);
	return unused;
}

static void *take_by_read(void *unused)
{
	const sigset_t set = ends_of_children();
	const int descriptor = signalfd(-1, &set, 0);
	struct signalfd_siginfo about;
	return read(descriptor, &about, sizeof about) == sizeof about ? unused : &lock;
}

static void *take_by_poll(void *unused)
{
	const sigset_t set = ends_of_children();
	struct pollfd asked = {.fd = signalfd(-1, &set, 0), .events = POLLIN};
	struct signalfd_siginfo about;
	return poll(&asked, 1, -1) == 1 && read(asked.fd, &about, sizeof about) == sizeof about ? unused
												: &lock;
}

static int take_one(void *(*taker)(void *))
{
	pthread_t thread;
	void *failed;
	(void)block();
	pthread_create(&thread, NULL, taker, NULL);
	child();
	pthread_join(thread, &failed);
	return failed != NULL;
}

static int taker_wait(void)
{
	return take_one(take_by_wait);
}

static int taker_read(void)
{
	return take_one(take_by_read);
}

static int taker_poll(void)
{
	return take_one(take_by_poll);
}

static int take(void *(*taker)(void *))
{
	pthread_t threads[2];
	(void)block();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, taker, NULL);
	for (int i = 0; i < 2; i++)
		child();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int takers(void)
{
	return take(take_by_wait);
}

static int takers_info(void)
{
	return take(take_by_info);
}

static int takers_timed(void)
{
	return take(take_in_time);
}

static int takers_read(void)
{
	return take(take_by_read);
}

static void *reap(void *reaped)
{
	siginfo_t about = {0};
	*(int *)reaped = waitid(P_ALL, 0, &about, WEXITED) == 0;
	return NULL;
}

/* How many of the two have got the child, and whether the first one has. */
static int reap_by_two(int *first)
{
	pthread_t thread;
	int other = 0;
	const pid_t pid = child();
	pthread_create(&thread, NULL, reap, &other);
	*first = waitpid(-1, NULL, 0) == pid;
	pthread_join(thread, NULL);
	return *first + other;
}

static int reapers(void)
{
	int first;
	return reap_by_two(&first) != 1 || !first;
}

static int reaped(void)
{
	int first;
	return reap_by_two(&first) != 1;
}

static volatile int comes[2], inside[2];

static void *visit(void *argument)
{
	const int me = argument != NULL;
	comes[me] = 1;
	if (!comes[1 - me])
		inside[me] = 1;
	return NULL;
}

static int stores(void)
{
	pthread_t threads[2];
	if (waitpid(child(), NULL, 0) < 0)
		return 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, visit, i ? &lock : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return inside[0] && inside[1];
}

static int collected(void)
{
	handle(on_end_all);
	const pid_t pid = child();
	if (waitpid(pid, NULL, 0) != pid)
		abort();
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {{"lock", takes_lock},
		     {"pause", pauses},
		     {"suspend", suspends},
		     {"await", awaits},
		     {"all", all},
		     {"broken", broken},
		     {"ignored", ignored},
		     {"twice", awaits_two},
		     {"cut", cut},
		     {"again", again},
		     {"takers", takers},
		     {"takers_info", takers_info},
		     {"takers_timed", takers_timed},
		     {"takers_read", takers_read},
		     {"taker_wait", taker_wait},
		     {"taker_read", taker_read},
		     {"taker_poll", taker_poll},
		     {"reapers", reapers},
		     {"reaped", reaped},
		     {"stores", stores},
		     {"collected", collected}};
	for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			return cases[i].run();
	return 64;
}
