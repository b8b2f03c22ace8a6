/*
 * fifos [any] [process] [given] CASE: two threads, or two processes, open FIFOs by their names in the folder TMPDIR. Where the order matters one of the
 * orders aborts, but with `any`. given: they are there already.
 * meet: one reads what the other one writes; gone: what is left when the writer has closed its end before the reader's turn; both: one opens both ends; ordered: two FIFOs, one after the other; crossed: in opposite orders, which deadlocks; locked: with a lock that one of them needs before, as well;
 * early: a writer that doesn't wait finds no reader; ended: a reader that doesn't wait finds no writer; interrupted: by a signal, which one of them
 * sends before it comes; restarted: the same, by a handler that lets go on.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t *mutex;
static pthread_t first;
static int any;

static void must(int good)
{
	if (!good)
		abort();
}

/* What depends on who is first. */
static void matters(int good)
{
	must(good || any);
}

static int opened(const char *name, int flags)
{
	const int end = open(name, flags);
	must(end >= 0);
	return end;
}

static void put(int end)
{
	must(write(end, "x", 1) == 1);
}

static void get(int end, ssize_t bytes)
{
	char byte;
	must(read(end, &byte, 1) == bytes);
}

static void meet(int me)
{
	if (me)
		put(opened("a", O_WRONLY));
	else
		get(opened("a", O_RDONLY), 1);
}

static void gone(int me)
{
	if (me)
		must(close(opened("a", O_WRONLY)) == 0);
	else
		get(opened("a", O_RDONLY), 0);
}

static void both(int me)
{
	const int end = opened("a", me ? O_RDWR : O_RDONLY);
	if (me)
		must(write(end, "x", 1) == 1);
	else
		get(end, 1);
}

static void ordered(int me)
{
	const int one = opened("a", me ? O_WRONLY : O_RDONLY), other = opened("b", me ? O_RDONLY : O_WRONLY);
	if (me) {
		put(one);
		get(other, 1);
	} else {
		get(one, 1);
		put(other);
	}
}

static void crossed(int me)
{
	(void)opened(me ? "a" : "b", O_RDONLY);
	(void)opened(me ? "b" : "a", O_WRONLY);
}

static void locked(int me)
{
	must(pthread_mutex_lock(mutex) == 0);
	if (me)
		must(pthread_mutex_unlock(mutex) == 0);
	const int end = opened("a", me ? O_WRONLY : O_RDONLY);
	if (!me)
		must(pthread_mutex_unlock(mutex) == 0);
	must(end >= 0);
}

static void early(int me)
{
	if (!me)
		return get(opened("a", O_RDONLY), 1);
	int end = open("a", O_WRONLY | O_NONBLOCK);
	must(end >= 0 || errno == ENXIO);
	matters(end >= 0);
	put(end >= 0 ? end : opened("a", O_WRONLY));
}

static void ended(int me)
{
	char byte;
	if (me)
		return put(opened("a", O_WRONLY));
	const int end = opened("a", O_RDONLY | O_NONBLOCK);
	const ssize_t got = read(end, &byte, 1);
	matters(got == 0);
	if (got < 1)
		get(opened("a", O_RDWR), 1);
}

static void nothing(int signal)
{
	(void)signal;
}

static void interrupted(int me)
{
	if (me) {
		must(pthread_kill(first, SIGUSR1) == 0);
		return put(opened("a", O_WRONLY));
	}
	int end = open("a", O_RDONLY);
	must(end >= 0 || errno == EINTR);
	matters(end >= 0);
	get(end >= 0 ? end : opened("a", O_RDONLY), 1);
}

static void restarted(int me)
{
	if (me) {
		must(pthread_kill(first, SIGUSR1) == 0);
		return put(opened("a", O_WRONLY));
	}
	get(opened("a", O_RDONLY), 1);
}

static const struct {
	const char *name;
	void (*run)(int me);
} cases[] = {
    {"meet", meet},	      {"gone", gone},	    {"both", both},
    {"ordered", ordered},     {"crossed", crossed}, {"locked", locked},
    {"early", early},	      {"ended", ended},	    {"interrupted", interrupted},
    {"restarted", restarted},
};
static void (*run)(int me);

static void *start(void *me)
{
	run(me != NULL);
	return NULL;
}

static void in_threads(void)
{
	pthread_t second;
	must(pthread_create(&first, NULL, start, NULL) == 0 &&
	     pthread_create(&second, NULL, start, mutex) == 0);
	must(pthread_join(first, NULL) == 0 && pthread_join(second, NULL) == 0);
}

static void in_processes(void)
{
	int status;
	const pid_t child = fork();
	must(child >= 0);
	if (child == 0) {
		run(0);
		_exit(0);
	}
	run(1);
	must(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
	const char *folder = getenv("TMPDIR");
	int given = 0, process = 0;
	for (; argc > 2; argc--, argv++) {
		any |= strcmp(argv[1], "any") == 0;
		process |= strcmp(argv[1], "process") == 0;
		given |= strcmp(argv[1], "given") == 0;
	}
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (argc == 2 && strcmp(cases[i].name, argv[1]) == 0)
			run = cases[i].run;
	must(run && folder && chdir(folder) == 0);
	must(given || (mkfifo("a", 0600) == 0 && mkfifo("b", 0600) == 0));
	const struct sigaction action = {.sa_handler = nothing,
					 .sa_flags = run == restarted ? SA_RESTART : 0};
	must(sigaction(SIGUSR1, &action, NULL) == 0);
	mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t shared;
	must(mutex != MAP_FAILED && pthread_mutexattr_init(&shared) == 0 &&
	     pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == 0 &&
	     pthread_mutex_init(mutex, &shared) == 0);
	if (process)
		in_processes();
	else
		in_threads();
	must(given || (unlink("a") == 0 && unlink("b") == 0));
	return 0;
}
