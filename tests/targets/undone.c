/*
 * What it had before its first thread it changes in each execution: a signal's handler, memory, which it unmaps in part, where it reads a file, and which
 * descriptors are open. With an argument a second descriptor reads on there, too.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *memory; /* four pages */
static int file, doubled = -1;

static void check(int holds)
{
	if (!holds)
		abort();
}

static void *handler_of(int signal)
{
	struct sigaction action;
	check(sigaction(signal, NULL, &action) == 0);
	return (void *)action.sa_handler;
}

static void handle(int signal)
{
	(void)signal;
}

static void *work(void *unused)
{
	pthread_mutex_lock(&mutex);
	memory[0]++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void change_handlers(void)
{
	const struct sigaction ignores = {.sa_handler = SIG_IGN, .sa_flags = SA_RESTART};
	struct sigaction before;
	check(handler_of(SIGUSR1) == (void *)handle && handler_of(SIGUSR2) == (void *)SIG_DFL);
	check(sigaction(SIGUSR1, &ignores, &before) == 0 && before.sa_handler == handle);
	check(before.sa_flags & SA_NODEFER && sigismember(&before.sa_mask, SIGHUP));
	check(handler_of(SIGUSR1) == (void *)SIG_IGN);
	check(sigaction(SIGKILL, &ignores, NULL) != 0 && sigaction(SIGKILL, NULL, &before) == 0);
}

static void read_file(void)
{
	char bytes[4];
	check(read(file, bytes, sizeof bytes) == 4 && lseek(file, 0, SEEK_CUR) == 8);
	check(doubled < 0 || lseek(doubled, 0, SEEK_CUR) == 8);
	check(lseek(file, -7, SEEK_CUR) == 1 && read(file, bytes, 3) == 3 && memcmp(bytes, "ELF", 3) == 0);
	check(pread(file, bytes, 3, 1) == 3 && memcmp(bytes, "ELF", 3) == 0 && close(file) == 0);
}

int main(int argc, char **argv)
{
	char first[4];
	(void)argv;
	pthread_t threads[2];
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER};
	sigaddset(&action.sa_mask, SIGHUP);
	sigaction(SIGUSR1, &action, NULL);
	memory = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(memory, 1, 4 * PAGE);
	file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (argc > 1)
		doubled = dup(file);
	check(read(file, first, sizeof first) == 4);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	change_handlers();
	read_file();
	check(memory[PAGE] == 1 && memory[3 * PAGE] == 1);
	memory[PAGE] = 2;
	check(munmap(memory + PAGE, 2 * PAGE) == 0);
	pthread_mutex_lock(&mutex);
	memory[3 * PAGE]++;
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	check(memory[0] == 3 && memory[3 * PAGE] == 2);
	munmap(memory, PAGE);
	check(close(STDOUT_FILENO) == 0);
	return 0;
}
