/* Signals at every place where a thread can be: argv[1] names the case; prints what came of it, exit status 0. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int handled, awake;
static sem_t posted, never, ready;
static int channel[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t sleeper;

static void on_signal(int signal)
{
	(void)signal;
	handled++;
}

static void on_signal_post(int signal)
{
	(void)signal;
	handled++;
	sem_post(&posted);
}

static void on_signal_write(int signal)
{
	(void)signal;
	handled++;
	if (write(channel[1], "x", 1) != 1)
		abort();
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	sigaction(signal, &action, NULL);
}

/* Run `body` in a thread, and signal that thread until it has come back from where it sleeps. */
static void signal_sleeper(void *(*body)(void *))
{
	pthread_create(&sleeper, NULL, body, NULL);
	sem_wait(&ready);
	while (!awake) {
		pthread_kill(sleeper, SIGUSR1);
		sched_yield();
	}
	pthread_join(sleeper, NULL);
	puts("woken");
}

static void *in_nanosleep(void *unused)
{
	struct timespec time = {.tv_sec = 1000000}, left;
	sem_post(&ready);
	/* Where nothing but time could end the sleep, it may have passed. */
	if (nanosleep(&time, &left) != 0 && errno != EINTR)
		abort();
	awake = 1;
	return unused;
}

static void *in_sem(void *unused)
{
	sem_post(&ready);
	if (sem_wait(&never) == 0 || errno != EINTR)
		abort();
	awake = 1;
	return unused;
}

static void *in_read(void *unused)
{
	char byte;
	sem_post(&ready);
	if (read(channel[0], &byte, 1) != -1 || errno != EINTR)
		abort();
	awake = 1;
	return unused;
}

static void *in_pause(void *unused)
{
	sem_post(&ready);
	if (pause() != -1 || errno != EINTR)
		abort();
	awake = 1;
	return unused;
}

/* A condition wait goes on after the handler: the handler's word ends it. */
static void *in_cond(void *unused)
{
	pthread_mutex_lock(&lock);
	sem_post(&ready);
	while (!handled)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void signal_in_cond(void)
{
	pthread_create(&sleeper, NULL, in_cond, NULL);
	sem_wait(&ready);
	pthread_mutex_lock(&lock);
	pthread_kill(sleeper, SIGUSR1);
	pthread_mutex_unlock(&lock);
	while (!handled)
		sched_yield();
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(sleeper, NULL);
	puts("handled during a condition wait");
}

static void *in_mutex(void *unused)
{
	sem_post(&ready);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

/* The thread blocks in a lock, and the handler has to run there, before the lock is free. */
static void signal_in_mutex(void)
{
	pthread_mutex_lock(&lock);
	pthread_create(&sleeper, NULL, in_mutex, NULL);
	sem_wait(&ready);
	pthread_kill(sleeper, SIGUSR1);
	while (!handled)
		sched_yield();
	pthread_mutex_unlock(&lock);
	pthread_join(sleeper, NULL);
	puts("handled while it waited for a lock");
}

static void *wait_for_signal(void *set)
{
	int signal = 0;
	for (int i = 0; i < 3; i++)
		if (sigwait(set, &signal) == 0 && signal == SIGUSR1)
			sem_post(&posted);
	return NULL;
}

static void sigwait_thread(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&sleeper, NULL, wait_for_signal, &set);
	for (int i = 0; i < 3; i++) {
		kill(getpid(), SIGUSR1);
		sem_wait(&posted);
	}
	pthread_join(sleeper, NULL);
	puts("three signals waited for");
}

static void *kill_main(void *main_thread)
{
	pthread_kill(*(pthread_t *)main_thread, SIGUSR1);
	return NULL;
}

static void suspend_loop(void)
{
	pthread_t self = pthread_self();
	sigset_t set, old;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	pthread_create(&sleeper, NULL, kill_main, &self);
	while (!handled)
		sigsuspend(&old);
	pthread_join(sleeper, NULL);
	puts("suspended until a signal");
}

static void *post_wait(void *unused)
{
	sem_wait(&posted);
	return unused;
}

static void handler_posts(void)
{
	handle(SIGUSR2, on_signal_post, SA_RESTART);
	pthread_create(&sleeper, NULL, post_wait, NULL);
	raise(SIGUSR2);
	kill(getpid(), SIGUSR2);
	pthread_join(sleeper, NULL);
	printf("%d posts\n", handled);
}

static void *read_byte(void *unused)
{
	char byte = 0;
	if (read(channel[0], &byte, 1) == 1)
		sem_post(&posted);
	return unused;
}

static void handler_writes(void)
{
	handle(SIGUSR2, on_signal_write, SA_RESTART);
	pthread_create(&sleeper, NULL, read_byte, NULL);
	kill(getpid(), SIGUSR2);
	sem_wait(&posted);
	pthread_join(sleeper, NULL);
	printf("%d writes\n", handled);
}

static void interval_timer(void)
{
	struct itimerval timer = {.it_interval = {.tv_usec = 3000}, .it_value = {.tv_usec = 3000}};
	handle(SIGALRM, on_signal, SA_RESTART);
	pthread_create(&sleeper, NULL, post_wait, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (handled < 3)
		pause();
	memset(&timer, 0, sizeof timer);
	setitimer(ITIMER_REAL, &timer, NULL);
	sem_post(&posted);
	pthread_join(sleeper, NULL);
	puts("three alarms");
}

static void timer_thread(union sigval value)
{
	sem_post(value.sival_ptr);
}

static void posix_timer(void)
{
	timer_t timer;
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_ptr = &posted};
	struct itimerspec time = {.it_value.tv_nsec = 2000000};
	event.sigev_notify_function = timer_thread;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
		abort();
	timer_settime(timer, 0, &time, NULL);
	sem_wait(&posted);
	timer_delete(timer);
	puts("timer thread");
}

/* A child continues us when we have stopped. */
static void stop_and_continue(void)
{
	pid_t self = getpid();
	pthread_create(&sleeper, NULL, post_wait, NULL);
	pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 50; i++) {
			usleep(20000);
			kill(self, SIGCONT);
		}
		_exit(0);
	}
	kill(self, SIGSTOP);
	sem_post(&posted);
	pthread_join(sleeper, NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	puts("stopped and continued");
}

static void *write_broken(void *unused)
{
	close(channel[0]);
	if (write(channel[1], "x", 1) != -1)
		abort();
	return unused;
}

static void broken_pipe(void)
{
	pthread_create(&sleeper, NULL, write_broken, NULL);
	pthread_join(sleeper, NULL);
	puts("EPIPE");
}

static void ignored_pipe(void)
{
	handle(SIGPIPE, SIG_IGN, 0);
	broken_pipe();
}

static void sleep_nano(void)
{
	signal_sleeper(in_nanosleep);
}

static void sleep_sem(void)
{
	signal_sleeper(in_sem);
}

static void sleep_read(void)
{
	signal_sleeper(in_read);
}

static void sleep_pause(void)
{
	signal_sleeper(in_pause);
}

static pthread_t main_thread;
static pid_t killer;
static int asks[2], answers[2];

static void on_signal_lock(int signal)
{
	(void)signal;
	pthread_mutex_lock(&lock);
	handled++;
	pthread_mutex_unlock(&lock);
}

static void mask(int how, int signal)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, signal);
	pthread_sigmask(how, &set, NULL);
}

static void *signal_main(void *unused)
{
	pthread_kill(main_thread, SIGUSR1);
	return unused;
}

/* Another process sends it, while the main thread is held. */
static void *let_signal_main(void *unused)
{
	char byte = 0;
	mask(SIG_BLOCK, SIGUSR1);
	if (write(asks[1], &byte, 1) != 1 || read(answers[0], &byte, 1) != 1)
		abort();
	return unused;
}

/* The signal can come before the lock is taken or after it has been given back, not between. */
static void lock_while_signalled(void *(*body)(void *))
{
	main_thread = pthread_self();
	handle(SIGUSR1, on_signal_lock, 0);
	pthread_create(&sleeper, NULL, body, NULL);
	pthread_mutex_lock(&lock);
	mask(SIG_BLOCK, SIGUSR1);
	pthread_mutex_unlock(&lock);
	mask(SIG_UNBLOCK, SIGUSR1);
	pthread_join(sleeper, NULL);
	printf("%d handled\n", handled);
}

static void print_trap_mask(const char *who)
{
	struct sigaction action;
	sigset_t set;
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	sigaction(SIGTRAP, NULL, &action);
	printf("%s: SIGTRAP %s, %s\n", who, sigismember(&set, SIGTRAP) ? "blocked" : "open",
	       action.sa_handler == on_signal ? "handled" : "not handled");
}

static void *lock_with_mask(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	print_trap_mask("thread");
	return unused;
}

/* What fmc's traps need doesn't show in the program. */
static void block_all(void)
{
	sigset_t all, before;
	sigfillset(&all);
	handle(SIGTRAP, on_signal, 0);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_create(&sleeper, NULL, lock_with_mask, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_join(sleeper, NULL);
	print_trap_mask("main");
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		print_trap_mask("child");
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	print_trap_mask("main");
}

static void on_end(int signal)
{
	static const char text[] = "handled\n";
	(void)signal;
	if (write(STDOUT_FILENO, text, sizeof text - 1) > 0)
		_exit(5);
}

static void *read_input(void *unused)
{
	char byte;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return unused;
}

/* Wait for a signal from outside, the main thread held by fmc. */
static void wait_for_end(void)
{
	pthread_create(&sleeper, NULL, read_input, NULL);
	puts("up");
	fflush(stdout);
	sem_wait(&never);
}

static void handle_end(void)
{
	handle(SIGTERM, on_end, 0);
	handle(SIGHUP, on_end, 0);
	wait_for_end();
}

static void *wait_then_post(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!awake)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	sem_wait(&posted);
	return unused;
}

/* The signal comes to who has been woken, and hasn't taken the lock yet. */
static void about_to_relock(void)
{
	handle(SIGUSR1, on_signal_post, SA_RESTART);
	pthread_create(&sleeper, NULL, wait_then_post, NULL);
	pthread_mutex_lock(&lock);
	awake = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_kill(sleeper, SIGUSR1);
	pthread_join(sleeper, NULL);
	printf("%d handled\n", handled);
}

static pthread_barrier_t both;

static void *meet_then_post(void *unused)
{
	pthread_barrier_wait(&both);
	sem_wait(&posted);
	return unused;
}

/* The signal comes to who may leave the barrier. */
static void about_to_leave(void)
{
	handle(SIGUSR1, on_signal_post, SA_RESTART);
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&sleeper, NULL, meet_then_post, NULL);
	pthread_barrier_wait(&both);
	pthread_kill(sleeper, SIGUSR1);
	pthread_join(sleeper, NULL);
	printf("%d handled\n", handled);
}

static atomic_int word;

static void *wait_at_word(void *unused)
{
	while (!word)
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return unused;
}

/* The handler has operations of its own, while its thread sleeps. */
static void asleep_at_word(void)
{
	handle(SIGUSR1, on_signal_post, SA_RESTART);
	pthread_create(&sleeper, NULL, wait_at_word, NULL);
	sem_post(&ready);
	pthread_kill(sleeper, SIGUSR1);
	sem_wait(&posted);
	word = 1;
	syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
	pthread_join(sleeper, NULL);
	printf("%d handled\n", handled);
}

static pthread_rwlock_t guarded;

static void *write_guarded(void *unused)
{
	pthread_rwlock_wrlock(&guarded);
	pthread_rwlock_unlock(&guarded);
	return unused;
}

/* The same, while its thread stands in the queue of those who go before readers. */
static void queued_at_lock(void)
{
	pthread_rwlockattr_t kind;
	pthread_rwlockattr_init(&kind);
	pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&guarded, &kind);
	handle(SIGUSR1, on_signal_post, SA_RESTART);
	pthread_rwlock_rdlock(&guarded);
	pthread_create(&sleeper, NULL, write_guarded, NULL);
	sem_post(&ready);
	pthread_kill(sleeper, SIGUSR1);
	sem_wait(&posted);
	pthread_rwlock_unlock(&guarded);
	pthread_join(sleeper, NULL);
	printf("%d handled\n", handled);
}

static void about_to_lock(void)
{
	lock_while_signalled(signal_main);
}

static void about_to_lock_outside(void)
{
	char byte;
	if (pipe(asks) != 0 || pipe(answers) != 0)
		abort();
	killer = fork();
	if (killer == 0) {
		if (read(asks[0], &byte, 1) == 1)
			kill(getppid(), SIGUSR1);
		_exit(write(answers[1], &byte, 1) != 1);
	}
	lock_while_signalled(let_signal_main);
	waitpid(killer, NULL, 0);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"nanosleep", sleep_nano},
    {"sem", sleep_sem},
    {"read", sleep_read},
    {"pause", sleep_pause},
    {"cond", signal_in_cond},
    {"mutex", signal_in_mutex},
    {"sigwait", sigwait_thread},
    {"sigsuspend", suspend_loop},
    {"post", handler_posts},
    {"write", handler_writes},
    {"itimer", interval_timer},
    {"timer", posix_timer},
    {"stop", stop_and_continue},
    {"sigpipe", broken_pipe},
    {"epipe", ignored_pipe},
    {"block_all", block_all},
    {"end", wait_for_end},
    {"handle_end", handle_end},
    {"about_to_lock", about_to_lock},
    {"about_to_lock_outside", about_to_lock_outside},
    {"about_to_relock", about_to_relock},
    {"about_to_leave", about_to_leave},
    {"asleep_at_word", asleep_at_word},
    {"queued_at_lock", queued_at_lock},
};

int main(int argc, char **argv)
{
	sem_init(&posted, 0, 0);
	sem_init(&never, 0, 0);
	sem_init(&ready, 0, 0);
	handle(SIGUSR1, on_signal, 0);
	if (pipe(channel) != 0)
		return 2;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	return 2;
}
