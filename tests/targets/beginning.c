/*
 * Does much before its first thread: reads half of a file (first argument), keeps its process number (and the kernel's
 * own, which it prints), holds a recursive mutex, leaves output in a buffer. Then all of that has to be as it was left. Second argument: what else
 * it does ("pipe", "code", "child": what copies of it have as well; "write", "shared", "alarm": what they would share or lack).
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t held;
static int ends[2];
static int (*made)(void);
static volatile sig_atomic_t signals;

static void on_signal(int signal)
{
	(void)signal;
	signals++;
}

static void *work(void *unused)
{
	(void)unused;
	assert(pthread_mutex_trylock(&held) != 0);
	return NULL;
}

static void do_more(const char *what)
{
	static const unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3}; /* mov $42, %eax; ret */
	char name[] = "/tmp/beginning-XXXXXX";
	if (strcmp(what, "pipe") == 0) {
		assert(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
	} else if (strcmp(what, "code") == 0) {
		void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert(page != MAP_FAILED);
		memcpy(page, code, sizeof code);
		memcpy(&made, &page, sizeof made);
	} else if (strcmp(what, "write") == 0) {
		assert(mkstemp(name) >= 0);
		unlink(name);
	} else if (strcmp(what, "shared") == 0) {
		assert(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) !=
		       MAP_FAILED);
	} else if (strcmp(what, "child") == 0) {
		pid_t child = fork();
		if (child == 0)
			_exit(0);
		assert(waitpid(child, NULL, 0) == child);
	} else if (strcmp(what, "alarm") == 0) {
		alarm(1000);
	}
}

static void expect_more(void)
{
	char byte = 0;
	if (made)
		assert(made() == 42);
	if (ends[1] == 0)
		return;
	close(ends[1]);
	assert(read(ends[0], &byte, 1) == 1 && byte == 'x' && read(ends[0], &byte, 1) == 0);
}

int main(int argc, char **argv)
{
	char first[8], second[8], kernels[16] = "";
	pthread_mutexattr_t recursive;
	pthread_t thread;
	pid_t number = getpid();
	int file = open(argv[1], O_RDONLY);

	assert(readlink("/proc/self", kernels, sizeof kernels - 1) > 0);
	assert(file >= 0 && read(file, first, sizeof first) == sizeof first);
	signal(SIGUSR1, on_signal);
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&held, &recursive);
	pthread_mutex_lock(&held);
	printf("begins, %.8s, ", first);
	if (argc > 2)
		do_more(argv[2]);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	expect_more();
	assert(pthread_mutex_lock(&held) == 0 && pthread_mutex_unlock(&held) == 0);
	assert(pthread_mutex_unlock(&held) == 0 && pthread_mutex_unlock(&held) != 0);
	assert(getpid() == number && gettid() == number);
	assert(kill(number, SIGUSR1) == 0 && signals == 1);
	assert(pthread_kill(pthread_self(), SIGUSR1) == 0 && signals == 2);
	assert(raise(SIGUSR1) == 0 && signals == 3);
	assert(read(file, second, sizeof second) == sizeof second &&
	       memcmp(first, second, sizeof first) != 0);
	printf("ends, %.8s, %s\n", second, kernels);
	return 0;
}
