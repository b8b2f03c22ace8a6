/*
 * signalled: threads that send each other signals all the time, and count in the memory mapped from descriptor 3 whether
 * each arrives once, as it was sent, and interrupts what it has to and nothing else.
 */
#include "signalled.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

/* So many may be under way; the kernel queues more. */
#define AHEAD 8

static struct signalled *report;
static int nothing[2], epoll;
static _Atomic int handled;

static void on_value(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_code != SI_QUEUE || info->si_pid != getpid() ||
	    info->si_value.sival_int != report->queued)
		report->misread++;
	report->queued++;
}

static void on_interrupt(int signal)
{
	(void)signal;
	handled++;
}

static void on_tick(int signal)
{
	(void)signal;
	report->ticks++;
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	sigaction(signal, &action, NULL);
}

/* Takes signals while it computes. */
static void *computing(void *argument)
{
	while (!report->stop)
		;
	return argument;
}

/* Each interrupt of the wait is from a handler that has run since the last one. */
static void *waiting(void *argument)
{
	struct epoll_event event;
	while (!report->stop) {
		const int before = handled;
		const int result = epoll_wait(epoll, &event, 1, -1);
		if (result != -1 || errno != EINTR || handled == before)
			report->unfounded++;
		report->interrupts++;
	}
	return argument;
}

static void *interrupting(void *argument)
{
	const pthread_t *waiter = argument;
	while (!report->stop) {
		const int before = handled;
		pthread_kill(*waiter, SIGUSR1);
		while (handled == before && !report->stop)
			usleep(100);
	}
	return NULL;
}

/* The timer's handler lets the read go on. */
static void *reading(void *argument)
{
	char byte;
	sigset_t tick;
	sigemptyset(&tick);
	sigaddset(&tick, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &tick, NULL);
	if (read(nothing[0], &byte, 1) != 1)
		report->ended++;
	return argument;
}

static int set_up(void)
{
	struct sigaction value = {.sa_sigaction = on_value, .sa_flags = SA_SIGINFO | SA_RESTART};
	report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
	sigaction(SIGRTMIN + 1, &value, NULL);
	handle(SIGUSR1, on_interrupt, 0);
	handle(SIGALRM, on_tick, SA_RESTART);
	epoll = epoll_create1(0);
	return report == MAP_FAILED || pipe(nothing);
}

int main(void)
{
	pthread_t threads[4];
	sigset_t own;
	if (set_up()) {
		perror("signalled");
		return 1;
	}
	/* Each kind of signal has one taker. */
	sigemptyset(&own);
	sigaddset(&own, SIGRTMIN + 1);
	sigaddset(&own, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &own, NULL);
	pthread_create(&threads[0], NULL, waiting, NULL);
	pthread_create(&threads[1], NULL, interrupting, &threads[0]);
	pthread_create(&threads[2], NULL, reading, NULL);
	sigdelset(&own, SIGRTMIN + 1);
	pthread_sigmask(SIG_SETMASK, &own, NULL);
	pthread_create(&threads[3], NULL, computing, NULL);
	sigaddset(&own, SIGRTMIN + 1);
	pthread_sigmask(SIG_SETMASK, &own, NULL);
	const struct itimerval timer = {{.tv_usec = 2000}, {.tv_usec = 2000}};
	setitimer(ITIMER_REAL, &timer, NULL);
	for (long sent = 0; !report->stop;) {
		if (sent - report->queued < AHEAD &&
		    sigqueue(getpid(), SIGRTMIN + 1, (union sigval){(int)sent}) == 0)
			sent++;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){{0}, {0}}, NULL);
	/* It may just have been about to wait. */
	while (pthread_tryjoin_np(threads[0], NULL) == EBUSY)
		pthread_kill(threads[0], SIGUSR1);
	if (write(nothing[1], "x", 1) != 1)
		return 1;
	for (int i = 1; i < 4; i++)
		pthread_join(threads[i], NULL);
	return report->misread || report->unfounded || report->ended;
}
