/*
 * goes_round CASE [PATH]: main goes round until a flag is set. thread: by another thread, once it could read from the FIFO of this name, to which somebody outside
 * of the program may write at any time. child: by a child process that has the memory as well, and may be as late. never: by nobody.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *path;
static _Atomic int *flag;

static void *receive(void *unused)
{
	char byte;
	const int fifo = path ? open(path, O_RDONLY) : -1;
	if (fifo >= 0 && read(fifo, &byte, 1) == 1)
		*flag = 1;
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc < 2)
		return 2;
	flag = mmap(NULL, sizeof *flag, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (flag == MAP_FAILED)
		return 2;
	path = strcmp(argv[1], "thread") == 0 ? argv[2] : NULL;
	if (strcmp(argv[1], "child") == 0 && fork() == 0) {
		pause();
		*flag = 1;
		_exit(0);
	}
	pthread_create(&thread, NULL, receive, NULL);
	while (!*flag)
		sched_yield();
	pthread_join(thread, NULL);
	return 0;
}
