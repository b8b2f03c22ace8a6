/*
 * KIND [FILE]: takes a lock as often as something says that on a machine left to itself is another each time, and aborts. What it
 * is of itself, it also has to find by that: a child's parent, its own files in /proc, its limits.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned times;

static void *take(void *unused)
{
	for (unsigned i = 0; i < times; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static unsigned from_file(const char *path)
{
	unsigned bytes[8];
	int file = open(path, O_RDONLY);
	assert(file >= 0 && read(file, bytes, sizeof bytes) == sizeof bytes && close(file) == 0);
	return bytes[0] ^ bytes[7];
}

/* All that the file says. */
static unsigned contents(const char *path)
{
	unsigned char bytes[512];
	unsigned word = 0;
	const int file = open(path, O_RDONLY);
	const ssize_t length = file < 0 ? -1 : read(file, bytes, sizeof bytes);
	assert(length > 0 && close(file) == 0);
	for (ssize_t i = 0; i < length; i++)
		word = word * 31 + bytes[i];
	return word;
}

/* A file that has one more line each time. */
static unsigned appended(const char *path)
{
	char byte;
	unsigned lines = 0;
	FILE *file = fopen(path, "a+");
	assert(file && fprintf(file, "again\n") > 0 && fflush(file) == 0);
	rewind(file);
	while (fread(&byte, 1, 1, file) == 1)
		lines += byte == '\n';
	fclose(file);
	return lines;
}

/* When a file was changed that it has just written; the file itself is asked, or what has its name. */
static unsigned changed(const char *path, int itself)
{
	struct stat file;
	const int written = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert(written >= 0 && write(written, "x", 1) == 1);
	assert(itself ? fstat(written, &file) == 0 : stat(path, &file) == 0);
	close(written);
	return (unsigned)file.st_mtim.tv_nsec >> 10 ^ (unsigned)file.st_mtim.tv_sec;
}

static void expect_to_be(pid_t number)
{
	char path[64], name[64] = "";
	struct rlimit limit;
	snprintf(path, sizeof path, "/proc/%d/task/%d/comm", number, number);
	FILE *file = fopen(path, "r");
	assert(file && fgets(name, sizeof name, file) && strcmp(name, "differs\n") == 0);
	fclose(file);
	assert(readlink("/proc/self/exe", name, sizeof name) > 0);
	snprintf(path, sizeof path, "/proc/%d/exe", number);
	assert(readlink(path, name, sizeof name) > 0);
	assert(prlimit(number, RLIMIT_CORE, NULL, &limit) == 0 && kill(number, 0) == 0);
	assert(getpriority(PRIO_PROCESS, (id_t)number) != -1 || errno == 0);
	assert(getsid(number) == getsid(0) && getpgid(number) == getpgrp());
}

static __attribute__((noinline)) unsigned long now(void)
{
	unsigned low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return low | (unsigned long)high << 32;
}

/* What a program asks the processor itself. */
static unsigned from_processor(const char *kind)
{
	unsigned low = 0, high = 0, ticks;
	unsigned long number = 0;
	unsigned short part = 0;
	if (strcmp(kind, "ticks, many") == 0)
		for (unsigned i = 0; i < 60000; i++)
			low = (unsigned)now();
	else if (strcmp(kind, "moment") == 0)
		for (const unsigned long start = now(); now() - start < 1000000;)
			number += 3;
	else if (strcmp(kind, "ticks") == 0)
		number = now();
	else if (strcmp(kind, "ticks and processor") == 0)
		__asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(ticks));
	else if (strcmp(kind, "chance") == 0)
		__asm__ volatile("rdrand %k0\nrdrand %w1" : "+&r"(number), "+&r"(part) : : "cc");
	else
		__asm__ volatile("movq $-1, %%r9\nrdseed %%r9\nmovq %%r9, %0" : "=r"(number) : : "cc", "r9");
	return low ^ high ^ (unsigned)(number ^ number >> 32) ^ part;
}

/* Nobody else has this number, and the child knows its parent by it. */
static void expect_to_be_known(pid_t number)
{
	int status;
	const pid_t child = fork();
	if (child == 0)
		_exit(getppid() != number || kill(number, 0) != 0 || getpid() == number);
	assert(child != number && waitpid(child, &status, 0) == child && status == 0);
}

static void *own_number(void *number)
{
	*(pid_t *)number = gettid();
	return NULL;
}

/* The names in a folder. */
static unsigned names(const char *path)
{
	unsigned word = 0;
	DIR *folder = opendir(path);
	assert(folder);
	for (const struct dirent *entry; (entry = readdir(folder));)
		word = word * 31 + (unsigned)atoi(entry->d_name);
	closedir(folder);
	return word;
}

/* The number that the kernel has for a pipe. */
static unsigned numbered(void)
{
	char path[32], name[32] = "";
	unsigned number = 0;
	int ends[2];
	assert(pipe(ends) == 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
	assert(readlink(path, name, sizeof name - 1) > 0 && sscanf(name, "pipe:[%u]", &number) == 1);
	return number;
}

static unsigned from_kernel(void)
{
	char name[32] = "";
	assert(readlink("/proc/self", name, sizeof name - 1) > 0);
	return (unsigned)atoi(name);
}

static void *glance(void *unused)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		/* Nothing is made of it, but that it is in a register at the next operation. */
		register unsigned long word __asm__("rbx") = from_kernel();
		__asm__ volatile("" : "+r"(word));
		pthread_mutex_unlock(&lock);
		__asm__ volatile("" : : "r"(word));
	}
	return unused;
}

/* And here that it is in a variable, and nowhere else. */
static volatile unsigned kept;

static void *keep(void *unused)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		kept = from_kernel();
		__asm__ volatile("xorl %%esi, %%esi\nxorl %%edx, %%edx" : : : "rsi", "rdx");
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static unsigned choose(const char *kind, const char *path)
{
	pthread_t thread;
	pid_t number;
	if (strcmp(kind, "process") == 0) {
		expect_to_be(getpid());
		expect_to_be_known(getpid());
		return (unsigned)getpid();
	}
	if (strcmp(kind, "parent") == 0)
		return (unsigned)getppid();
	if (strcmp(kind, "thread") == 0) {
		pthread_create(&thread, NULL, own_number, &number);
		pthread_join(thread, NULL);
		return (unsigned)number;
	}
	/* The kernel's own name for it, which fmc doesn't touch. */
	if (strcmp(kind, "kernel") == 0)
		return from_kernel();
	if (strcmp(kind, "names") == 0)
		return names(path);
	if (strcmp(kind, "pipe") == 0)
		return numbered();
	if (strcmp(kind, "glance") == 0 || strcmp(kind, "keep") == 0) {
		pthread_create(&thread, NULL, *kind == 'g' ? glance : keep, NULL);
		pthread_join(thread, NULL);
		return 1;
	}
	if (strcmp(kind, "second") == 0)
		return (unsigned)time(NULL);
	if (strcmp(kind, "processor") == 0)
		return from_processor(path);
	if (strcmp(kind, "changed") == 0)
		return changed(path, 0);
	if (strcmp(kind, "changed itself") == 0)
		return changed(path, 1);
	if (strcmp(kind, "contents") == 0)
		return contents(path);
	return strcmp(kind, "file") == 0 ? from_file(path) : appended(path);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	const unsigned word = choose(argc > 1 ? argv[1] : "process", argc > 2 ? argv[2] : "");
	for (unsigned i = 0; i < 32; i += 4)
		times ^= word >> i & 15;
	pthread_create(&thread, NULL, take, NULL);
	pthread_join(thread, NULL);
	abort();
}
