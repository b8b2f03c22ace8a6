/*
 * A program with all sorts of things going on, which checks itself: counters under mutexes, a condition variable, a
 * semaphore, threads that come and go, timers, queued signals, calls that a stop would cut short. On 'q' from its standard
 * input it ends, says "right" or what was wrong, and exits with 0 or 1. 'f': makes a child that does some locking and exits,
 * and says how that went. 'x': replaces itself by itself. 'e': exits in the middle. With an argument it doesn't mind
 * calls that are cut short.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COUNTERS 3
#define WORKERS	 2

static pthread_mutex_t locks[COUNTERS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
					  PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static sem_t finished;
static long counters[COUNTERS], done[WORKERS], strokes[2], ball;
static atomic_long alarms, cut_short, queued, arrived, wrong;
static atomic_bool over, silent, sender_gone;
static int bell;

static void pause_us(long us)
{
	nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

static void *work(void *number)
{
	const long n = (long)number;
	while (!over) {
		for (int i = 0; i < COUNTERS; i++) {
			pthread_mutex_lock(&locks[i]);
			counters[i]++;
			pthread_mutex_unlock(&locks[i]);
			done[n]++;
		}
		pause_us(100);
	}
	return NULL;
}

static void *play(void *number)
{
	const long n = (long)number;
	pthread_mutex_lock(&table);
	while (!over) {
		while (ball != n && !over)
			pthread_cond_wait(&turn, &table);
		if (over)
			break;
		strokes[n]++;
		ball = !n;
		pthread_cond_signal(&turn);
		pthread_mutex_unlock(&table);
		pause_us(200);
		pthread_mutex_lock(&table);
	}
	pthread_cond_broadcast(&turn);
	pthread_mutex_unlock(&table);
	return NULL;
}

/* epoll_wait() isn't begun again by the kernel. */
static void *listen_to(void *timeout)
{
	struct epoll_event event = {.events = EPOLLIN};
	const int set = epoll_create1(0);
	epoll_ctl(set, EPOLL_CTL_ADD, bell, &event);
	while (!over) {
		const int got = epoll_wait(set, &event, 1, (int)(long)timeout);
		cut_short += got < 0;
	}
	close(set);
	return NULL;
}

static void *finish(void *unused)
{
	sem_post(&finished);
	return unused;
}

static void *make_threads(void *unused)
{
	while (!over) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, finish, NULL) != 0 || sem_wait(&finished) != 0 ||
		    pthread_join(thread, NULL) != 0)
			wrong++;
		pause_us(1000);
	}
	return unused;
}

static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
}

static void on_queued(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	wrong += info->si_value.sival_int != arrived;
	arrived++;
}

/* The next one goes when the last has arrived. */
static void *send_signals(void *main_thread)
{
	while (!over && !silent) {
		const union sigval value = {.sival_int = (int)queued};
		queued++;
		if (pthread_sigqueue(*(pthread_t *)main_thread, SIGRTMIN, value) != 0)
			wrong++;
		while (arrived != queued && !over)
			pause_us(200);
	}
	sender_gone = true;
	return NULL;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	sigaction(SIGALRM, &action, NULL);
	action = (struct sigaction){.sa_sigaction = on_queued, .sa_flags = SA_RESTART | SA_SIGINFO};
	sigaction(SIGRTMIN, &action, NULL);
}

static void set_timer(long us)
{
	setitimer(ITIMER_REAL, &(struct itimerval){{0, us}, {0, us}}, NULL);
}

static void make_child(void)
{
	int status = -1;
	const pid_t child = fork();
	if (child == 0) {
		pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
		for (int i = 0; i < 1000; i++)
			if (pthread_mutex_lock(&own) || pthread_mutex_unlock(&own))
				_exit(1);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		wrong++;
	printf("child %d\n", status);
	fflush(stdout);
}

/* Signals that are under way would end the new program. */
static void replace(char **argv)
{
	set_timer(0);
	silent = true;
	while (!sender_gone)
		pause_us(200);
	execv("/proc/self/exe", argv);
	wrong++;
}

static void obey(char **argv)
{
	char order = 0;
	while (read(0, &order, 1) == 1 && order != 'q') {
		if (order == 'f')
			make_child();
		if (order == 'x')
			replace(argv);
		if (order == 'e')
			exit(7);
	}
}

static bool right(bool patient)
{
	long counted = 0, worked = 0;
	for (int i = 0; i < COUNTERS; i++)
		counted += counters[i];
	for (int i = 0; i < WORKERS; i++)
		worked += done[i];
	const long lead = strokes[0] - strokes[1];
	return counted == worked && (lead == 0 || lead == 1) && (patient || cut_short == 0) && wrong == 0 &&
	       arrived == queued;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS + 6], self = pthread_self();
	sigset_t ours;
	int n = 0;
	const bool patient = argc > 1;
	sem_init(&finished, 0, 0);
	bell = eventfd(0, 0);
	catch_signals();
	sigemptyset(&ours);
	sigaddset(&ours, SIGALRM);
	sigaddset(&ours, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &ours, NULL);
	for (long i = 0; i < WORKERS; i++)
		pthread_create(&threads[n++], NULL, work, (void *)i);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[n++], NULL, play, (void *)i);
	pthread_create(&threads[n++], NULL, listen_to, (void *)20);
	pthread_create(&threads[n++], NULL, listen_to, (void *)-1);
	pthread_create(&threads[n++], NULL, make_threads, NULL);
	pthread_create(&threads[n++], NULL, send_signals, &self);
	pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
	set_timer(2000);
	printf("ready\n");
	fflush(stdout);
	obey(argv);
	set_timer(0);
	over = true;
	eventfd_write(bell, 1);
	pthread_mutex_lock(&table);
	pthread_cond_broadcast(&turn);
	pthread_mutex_unlock(&table);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%s: %ld counted, %ld and %ld strokes, %ld cut short, %ld of %ld signals, %ld wrong\n",
	       right(patient) ? "right" : "wrong", counters[0], strokes[0], strokes[1], (long)cut_short,
	       (long)arrived, (long)queued, (long)wrong);
	return !right(patient);
}
