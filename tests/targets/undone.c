/*
 * What it had before its first thread it changes in each execution: a signal's handler, its stack for handlers, memory, which it unmaps in part, where it
 * reads a file and whether that waits, and which descriptors are open; one file another thread reads, and one both. It goes to the folder where it is. With an argument a second descriptor reads on
 * in its file, too.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	  4096
#define ALTERNATE (4 * PAGE)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *memory;	/* four pages */
static char *alternate; /* as many, after one that nobody may touch */
static char *readable;	/* of a file, a page; */
static char *both;	/* a page that may be written, and one that may not */
static int file, others, shared, doubled = -1;

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

static int is_alternate(const char *stack)
{
	stack_t found;
	check(sigaltstack(NULL, &found) == 0);
	return stack ? found.ss_sp == stack && found.ss_size == ALTERNATE && found.ss_flags == 0
		     : found.ss_flags == SS_DISABLE;
}

static void set_alternate(char *stack)
{
	const stack_t set = {.ss_sp = stack, .ss_size = ALTERNATE, .ss_flags = stack ? 0 : SS_DISABLE};
	check(sigaltstack(&set, NULL) == 0 && is_alternate(stack));
}

/* Others read it as well. */
static void map_shared(void)
{
	char *mapped = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, shared, 0);
	check(mapped != MAP_FAILED && madvise(mapped, PAGE, MADV_WILLNEED) == 0);
	check(memcmp(mapped + 1, "ELF", 3) == 0 && munmap(mapped, PAGE) == 0);
}

static void *work(void *reads)
{
	char bytes[4], stack[ALTERNATE];
	check(is_alternate(NULL));
	set_alternate(stack);
	check(pread(shared, bytes, 3, 1) == 3 && memcmp(bytes, "ELF", 3) == 0);
	if (reads)
		check(read(others, bytes, 4) == 4 && memcmp(bytes + 1, "ELF", 3) == 0);
	pthread_mutex_lock(&mutex);
	memory[0]++;
	pthread_mutex_unlock(&mutex);
	return NULL;
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

static void set_flags(int descriptor)
{
	const int flags = fcntl(descriptor, F_GETFL);
	check(fcntl(descriptor, F_GETFD) >= 0 && flags >= 0 && !(flags & O_NONBLOCK));
	check(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0);
	check(fcntl(descriptor, F_GETFL) == (flags | O_NONBLOCK));
	check(fcntl(descriptor, F_SETFL, flags) == 0 && fcntl(descriptor, F_GETFL) == flags);
}

/* What has been written, and now is. */
static void ask_output(void)
{
	struct stat before, after;
	char two[] = "tw", three[] = "thr";
	const struct iovec parts[] = {{two, 2}, {three, 3}};
	check(fstat(STDOUT_FILENO, &before) == 0 && write(STDOUT_FILENO, "four", 4) == 4);
	check(writev(STDERR_FILENO, parts, 2) == 5);
	check(fstat(STDERR_FILENO, &after) == 0 && after.st_size == before.st_size + 9 && after.st_blocks);
	check(lseek(STDOUT_FILENO, 0, SEEK_CUR) == after.st_size && fdatasync(STDOUT_FILENO) == 0);
}

static void stay_there(void)
{
	char folder[PATH_MAX];
	check(readlink(".", folder, sizeof folder) < 0 && getcwd(folder, sizeof folder) &&
	      chdir(folder) == 0 && chdir(".") == 0);
	check(prctl(PR_SET_NAME, "undone") == 0);
}

/* How it is scheduled, and where its memory and processors are. */
static void change_schedule(void)
{
	char byte;
	cpu_set_t all;
	const int nice = getpriority(PRIO_PROCESS, 0), nicer = nice < 19 ? nice + 1 : 19;
	const int online = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	check(setpriority(PRIO_PROCESS, 0, nice + 1) == 0 && getpriority(PRIO_PROCESS, 0) == nicer);
	check(sched_getaffinity(0, sizeof all, &all) == 0 && sched_setaffinity(0, sizeof all, &all) == 0);
	check(syscall(SYS_get_mempolicy, NULL, NULL, 0, NULL, 0) != 0 ||
	      syscall(SYS_set_mempolicy, MPOL_LOCAL, NULL, 0) == 0);
	check(online < 0 || (read(online, &byte, 1) == 1 && byte == '0' && close(online) == 0));
}

static void map_file(void)
{
	struct statx found;
	check(statx(file, "", AT_EMPTY_PATH, STATX_SIZE, &found) == 0 && found.stx_size > PAGE);
	char *mapped = mmap(NULL, PAGE + 1, PROT_READ, MAP_PRIVATE, file, 0);
	check(mapped != MAP_FAILED && memcmp(mapped + 1, "ELF", 3) == 0);
	check(munmap(mapped, PAGE + 1) == 0);
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, PAGE);
	check(mapped != MAP_FAILED);
	mapped[1]++;
}

/* What may only be read, and two kinds of memory at once. */
static void unmap_readable(void)
{
	check(memcmp(readable + 1, "ELF", 3) == 0 && both[0] == 1 && both[PAGE] == 2);
	both[0] = 3;
	check(munmap(readable, PAGE) == 0 && munmap(both, 2 * PAGE) == 0);
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
	sigset_t all;
	cpu_set_t before, after;
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER};
	/* A child that is gone by then leaves nothing behind. */
	const pid_t child = fork();
	if (child == 0)
		_exit(0);
	check(waitpid(child, NULL, 0) == child);
	sigaddset(&action.sa_mask, SIGHUP);
	sigaction(SIGUSR1, &action, NULL);
	memory = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(memory, 1, 4 * PAGE);
	alternate = mmap(NULL, ALTERNATE + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(mprotect(alternate, PAGE, PROT_NONE) == 0);
	set_alternate(alternate + PAGE);
	check(sched_getaffinity(0, sizeof before, &before) == 0);
	file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	readable = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0);
	both = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	both[0] = 1;
	both[PAGE] = 2;
	check(readable != MAP_FAILED && mprotect(both + PAGE, PAGE, PROT_READ) == 0);
	if (argc > 1)
		doubled = dup(file);
	sigfillset(&all);
	check(write(STDOUT_FILENO, "before", 6) == 6 && pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
	shared = open("/bin/true", O_RDONLY | O_CLOEXEC);
	others = open("/bin/sh", O_RDONLY | O_CLOEXEC);
	check(read(file, first, sizeof first) == 4);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, i ? &others : NULL);
	check(pthread_sigmask(SIG_BLOCK, NULL, &all) == 0 && sigismember(&all, SIGTRAP));
	check(sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&before, &after));
	change_handlers();
	stay_there();
	change_schedule();
	map_shared();
	set_flags(STDOUT_FILENO);
	isatty(STDOUT_FILENO);
	ask_output();
	if (doubled < 0) {
		set_flags(file);
		map_file();
	}
	read_file();
	check(memory[PAGE] == 1 && memory[3 * PAGE] == 1);
	memory[PAGE] = 2;
	check(munmap(memory + PAGE, 2 * PAGE) == 0);
	check(close(STDERR_FILENO) == 0 && close(-1) != 0);
	for (int i = 0; i < 2; i++)
		check(open("/bin/true", O_RDONLY | O_CLOEXEC) == STDERR_FILENO && close(STDERR_FILENO) == 0);
	check(open("/bin/true", O_RDONLY | O_CLOEXEC) == STDERR_FILENO &&
	      pread(STDERR_FILENO, first, 4, 0) == 4);
	pthread_mutex_lock(&mutex);
	memory[3 * PAGE]++;
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	check(memory[0] == 3 && memory[3 * PAGE] == 2);
	munmap(memory, PAGE);
	unmap_readable();
	check(is_alternate(alternate + PAGE));
	set_alternate(NULL);
	check(munmap(alternate, ALTERNATE + PAGE) == 0);
	check(close(STDOUT_FILENO) == 0);
	return 0;
}
