/*
 * passed CASE: mutexes that nobody else wants, in all the ways by which they come and go, up to a deadlock: a main thread that locks a mutex it has. For
 * tests/run-passed.sh.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#define ROUNDS 200

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t come = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int counted, turn;

static void count(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	counted++;
	pthread_mutex_unlock(mutex);
}

static void *plain(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		count(i % 3 ? &first : &second);
	return unused;
}

/* Hands over after each few rounds, so that others come between. */
static void *turns(void *number)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&first);
		while (turn != *(int *)number)
			pthread_cond_wait(&come, &first);
		turn = !turn;
		pthread_cond_broadcast(&come);
		pthread_mutex_unlock(&first);
		for (int k = 0; k < 10; k++)
			count(&second);
	}
	return NULL;
}

/* One object after the other at one place, of several kinds, and made without a call while the last one is held. */
static void *anew(void *unused)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	pthread_mutexattr_t attributes;
	for (int i = 0; i < 10; i++)
		count(&mutex);
	pthread_mutex_lock(&mutex);
	memcpy(&mutex, &first, sizeof mutex);
	for (int i = 0; i < 10; i++)
		count(&mutex);
	pthread_mutex_destroy(&mutex);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&mutex, &attributes);
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&mutex);
		count(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_destroy(&mutex);
	memcpy(&mutex, &first, sizeof mutex);
	for (int i = 0; i < 10; i++)
		count(&mutex);
	memcpy(&mutex, &recursive, sizeof mutex);
	for (int i = 0; i < 10; i++)
		count(&mutex);
	return unused;
}

static void make(void)
{
	for (int i = 0; i < 10; i++)
		count(&first);
}

static void *within_once(void *unused)
{
	count(&first);
	count(&second);
	pthread_once(&once, make);
	for (int i = 0; i < 10; i++)
		count(&second);
	return unused;
}

static void handle(int signal)
{
	(void)signal;
	for (int i = 0; i < 5; i++)
		count(&second);
}

/* A handler comes between, and so do calls that each have a place in the order of operations. */
static void *signals(void *unused)
{
	signal(SIGUSR1, handle);
	for (int i = 0; i < 5; i++) {
		plain(NULL);
		pthread_kill(pthread_self(), SIGUSR1);
		usleep(1000);
	}
	return unused;
}

static void *births(void *unused)
{
	for (int i = 0; i < 3; i++) {
		pthread_t born;
		plain(NULL);
		pthread_create(&born, NULL, plain, NULL);
		plain(NULL);
		pthread_join(born, NULL);
	}
	return unused;
}

static void *forks(void *unused)
{
	plain(NULL);
	const int before = counted;
	const pid_t child = fork();
	if (child == 0) {
		plain(NULL);
		_exit(counted == before + ROUNDS ? 3 : 4);
	}
	int status = 0;
	waitpid(child, &status, 0);
	if (WEXITSTATUS(status) != 3)
		abort();
	return plain(unused);
}

static void *of_c11(void *unused)
{
	mtx_t mutex;
	mtx_init(&mutex, mtx_plain);
	for (int i = 0; i < 10; i++) {
		mtx_lock(&mutex);
		count(&first);
		mtx_unlock(&mutex);
	}
	mtx_destroy(&mutex);
	return unused;
}

/* A timer that is off sends no signals. */
static void *disarms(void *unused)
{
	const struct itimerval off = {.it_value = {0}};
	alarm(0);
	setitimer(ITIMER_REAL, &off, NULL);
	return plain(unused);
}

/* Who yields lets others go on. */
static void *yields(void *unused)
{
	for (int i = 0; i < 10; i++) {
		plain(NULL);
		sched_yield();
		count(&first);
		count(&second);
		sched_yield();
		usleep(1000);
	}
	return unused;
}

/* Who yields twice while the other one waits has to let it go before: as soon as that can go on, which an unlock without a stop must not pass. */
static void *owes(void *number)
{
	count(&second);
	pthread_mutex_lock(&first);
	for (int i = 0; i < 4 && *(int *)number == 0; i++) {
		sched_yield();
		pthread_mutex_unlock(&first);
		pthread_mutex_lock(&first);
	}
	sched_yield();
	counted = 2 * counted + *(int *)number;
	pthread_mutex_unlock(&first);
	for (int i = 0; i < ROUNDS; i++)
		count(&second);
	return NULL;
}

/* Many mutexes: more than are known at a time. */
static void *many(void *unused)
{
	enum { MUTEXES = 300 };
	pthread_mutex_t *mutexes = calloc(MUTEXES, sizeof *mutexes);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < MUTEXES; i++)
			count(&mutexes[i]);
	free(mutexes);
	return unused;
}

/* One that another thread holds has to be waited for. */
static void *held(void *number)
{
	for (int i = 0; i < 20; i++)
		count(&second);
	pthread_mutex_lock(&first);
	for (int i = 0; i < 20; i++)
		count(&second);
	if (*(int *)number == 0)
		usleep(1000);
	pthread_mutex_unlock(&first);
	return NULL;
}

/* Polls without a yield: the other thread never gets to set it. */
static void *polls(void *number)
{
	int seen = 0;
	while (*(int *)number == 0 && !seen) {
		pthread_mutex_lock(&first);
		seen = turn;
		pthread_mutex_unlock(&first);
	}
	pthread_mutex_lock(&first);
	turn = 1;
	pthread_mutex_unlock(&first);
	return NULL;
}

/* Both ends of a connection by a name that the kernel chooses; reads and writes never wait. */
static void make_connection(int ends[2])
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	socklen_t size = sizeof name;
	const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	ends[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(listener, (struct sockaddr *)&name, sizeof name.sun_family);
	getsockname(listener, (struct sockaddr *)&name, &size);
	listen(listener, 1);
	if (connect(ends[0], (struct sockaddr *)&name, size) != 0)
		abort();
	ends[1] = accept(listener, NULL, NULL);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	close(listener);
}

/* By each of the calls that transfer, some bytes there and what there is of them back; the last time there are none. */
static int transfer(const int ends[2])
{
	char bytes[16] = "0123456789";
	struct iovec parts[2] = {{bytes, 3}, {bytes + 3, 4}};
	const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	int sum = 0;
	sum += (int)write(ends[0], bytes, 5) + (int)writev(ends[0], parts, 2);
	sum += (int)send(ends[0], bytes, 2, MSG_NOSIGNAL) + (int)sendmsg(ends[0], &message, MSG_DONTWAIT);
	sum += (int)recv(ends[1], bytes, 1, MSG_PEEK) + (int)recv(ends[1], bytes, 1, 0);
	sum += (int)readv(ends[1], parts, 2) + (int)read(ends[1], bytes, sizeof bytes);
	return sum + (int)read(ends[1], bytes, sizeof bytes);
}

static void *connects(void *unused)
{
	for (int i = 0; i < 3; i++) {
		int ends[2];
		make_connection(ends);
		for (int k = 0; k < 10; k++) {
			const int sum = transfer(ends);
			pthread_mutex_lock(&first);
			counted += sum;
			pthread_mutex_unlock(&first);
			count(&second);
		}
		close(ends[0]);
		/* The other end is gone. */
		signal(SIGPIPE, SIG_IGN);
		counted += (int)write(ends[1], "0", 1);
		close(ends[1]);
	}
	return unused;
}

/* A number that has led to a connection leads to a pipe of both threads then, and calls on that are operations. */
static void *replaces(void *number)
{
	static int pipes[2];
	int ends[2], sum = 0;
	char byte = 0;
	pthread_mutex_lock(&first);
	if (!pipes[1] && pipe(pipes) != 0)
		abort();
	pthread_mutex_unlock(&first);
	make_connection(ends);
	for (int i = 0; i < 5; i++)
		sum += transfer(ends);
	if (*(int *)number == 0)
		dup3(pipes[1], ends[0], 0);
	else
		dup2(pipes[0], ends[1]);
	for (int i = 0; i < 5; i++)
		sum += *(int *)number == 0 ? (int)write(ends[0], "0", 1) : (int)read(ends[1], &byte, 1);
	pthread_mutex_lock(&first);
	counted += sum;
	pthread_mutex_unlock(&first);
	return NULL;
}

/* A set that has been waited for before a descriptor of signals is put into it, in the place of another one: that has something to tell, so
 * that nobody else comes before. */
static void *sets(void *number)
{
	struct epoll_event event = {.events = EPOLLIN};
	sigset_t set;
	const int epoll = epoll_create1(0), counter = eventfd(1, EFD_NONBLOCK);
	int sum = 0;
	turn = turn || *(int *)number == 1;
	epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event);
	for (int i = 0; i < 3; i++)
		sum += epoll_wait(epoll, &event, 1, -1);
	if (*(int *)number == 0) {
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		pthread_kill(pthread_self(), SIGUSR1);
		const int signals = signalfd(-1, &set, SFD_NONBLOCK);
		sum += epoll_wait(epoll, &event, 1, -1);
		event.data.fd = signals;
		epoll_ctl(epoll, EPOLL_CTL_DEL, counter, NULL);
		epoll_ctl(epoll, EPOLL_CTL_ADD, signals, &event);
		for (int i = 0; i < 3; i++)
			sum += epoll_wait(epoll, &event, 1, -1);
		struct signalfd_siginfo signal;
		sum += read(signals, &signal, sizeof signal) == sizeof signal;
	}
	pthread_mutex_lock(&first);
	counted += sum + (*(int *)number == 0 && turn ? 1000 : 0);
	pthread_mutex_unlock(&first);
	return plain(NULL);
}

/* A set in which nothing is any more is looked at without waiting. */
static void *looks(void *number)
{
	struct epoll_event event = {.events = EPOLLIN};
	const int epoll = epoll_create1(0), counter = eventfd(1, EFD_NONBLOCK);
	epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event);
	int sum = epoll_wait(epoll, &event, 1, -1);
	epoll_ctl(epoll, EPOLL_CTL_DEL, counter, NULL);
	for (int i = 0; i < 2; i++)
		sum += epoll_wait(epoll, &event, 1, 0);
	pthread_mutex_lock(&first);
	counted += sum;
	pthread_mutex_unlock(&first);
	return plain(number);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*run)(void *);
	} cases[] = {{"plain", plain},	     {"turns", turns},	   {"anew", anew},
		     {"once", within_once},  {"signals", signals}, {"births", births},
		     {"forks", forks},	     {"c11", of_c11},	   {"yields", yields},
		     {"many", many},	     {"held", held},	   {"polls", polls},
		     {"owes", owes},	     {"disarms", disarms}, {"connects", connects},
		     {"replaces", replaces}, {"sets", sets},	   {"looks", looks}};
	static int numbers[2] = {0, 1};
	pthread_t threads[2];
	const char *wanted = argc > 1 ? argv[1] : "";
	void *(*run)(void *) = NULL;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (strcmp(cases[i].name, wanted) == 0)
			run = cases[i].run;
	if (!run)
		return 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", counted);
	fflush(stdout);
	pthread_mutex_lock(&first);
	pthread_mutex_lock(&first);
	return 0;
}
