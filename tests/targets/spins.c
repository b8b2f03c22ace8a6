/*
 * One thread waits in a loop of its own for what another one does: the loop is the first argument. "fails": what it waits for comes
 * before what it needs. "alone": nobody ends the loop. "computes": two threads compute for long, and nobody waits.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int done;
static volatile unsigned rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;
static void (*wait_for_it)(void);

static void plain(void)
{
	while (!done)
		;
}

static void counter(void)
{
	while (!done)
		rounds++;
}

/* Its instructions are too short for a jump to take the place of one. */
static void tight(void)
{
	__asm__ volatile("1: movl (%0), %%eax\n testl %%eax, %%eax\n je 1b\n"
			 :
			 : "r"(&done)
			 : "eax", "cc", "memory");
}

/* A jump takes the place of two instructions, and every other round begins at the second. */
static void inside(void)
{
	__asm__ volatile("xorl %%ecx, %%ecx\n"
			 "1: movl %%ecx, %%edx\n"
			 "2: addl $1, %%edx\n"
			 "movl (%0), %%eax\n"
			 "testl %%eax, %%eax\n"
			 "jnz 3f\n"
			 "incl %%ecx\n"
			 "testl $1, %%ecx\n"
			 "jnz 1b\n"
			 "jmp 2b\n"
			 "3:\n"
			 :
			 : "r"(&done)
			 : "eax", "ecx", "edx", "cc", "memory");
}

/* The carry flag lives from one round to the next: who changes it makes the program die. */
static void flags(void)
{
	__asm__ volatile("xorl %%ecx, %%ecx\n"
			 "stc\n"
			 "1: movl %1, %%eax\n"
			 "adcl $0, %%ecx\n"
			 "stc\n"
			 "movl (%0), %%edx\n"
			 "leal -1(%%edx), %%edx\n"
			 "jrcxz 2f\n"
			 "incl %%edx\n"
			 "jnz 3f\n"
			 "stc\n"
			 "jmp 1b\n"
			 "2: ud2\n"
			 "3:\n"
			 :
			 : "r"(&done), "m"(rounds)
			 : "eax", "ecx", "edx", "cc", "memory");
}

static void thread_number(void)
{
	while (!done)
		syscall(SYS_gettid);
}

static void process_number(void)
{
	while (!done)
		getppid();
}

static void clocks(void)
{
	struct timespec now;
	while (!done)
		clock_gettime(CLOCK_MONOTONIC, &now);
}

static void cycles(void)
{
	while (!done)
		__builtin_ia32_rdtsc();
}

static __attribute__((noinline)) unsigned inner(unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n && !done; i++)
		sum += i ^ rounds;
	return sum;
}

static void nested(void)
{
	while (!done)
		rounds += inner(20 + rounds % 7);
}

static void on_signal(int signal)
{
	(void)signal;
	counter();
}

static void handler(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
}

static void *waits(void *unused)
{
	wait_for_it();
	pthread_mutex_lock(&lock);
	if (!value)
		abort();
	pthread_mutex_unlock(&lock);
	return unused;
}

static void set(void)
{
	pthread_mutex_lock(&lock);
	value = 1;
	pthread_mutex_unlock(&lock);
}

static void *sets(void *fails)
{
	if (!fails)
		set();
	done = 1;
	if (fails)
		set();
	return NULL;
}

static void *computes(void *seed)
{
	uint64_t x = (uintptr_t)seed;
	for (unsigned i = 0; i < 200000000; i++)
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
	pthread_mutex_lock(&lock);
	value += x != 0;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static const struct {
	const char *name;
	void (*wait)(void);
} loops[] = {{"plain", plain},	   {"counter", counter},      {"tight", tight},
	     {"flags", flags},	   {"gettid", thread_number}, {"clock", clocks},
	     {"cycles", cycles},   {"nested", nested},	      {"getppid", process_number},
	     {"handler", handler}, {"inside", inside}};

int main(int argc, char **argv)
{
	pthread_t a, b;
	const char *how = argc > 2 ? argv[2] : "";
	for (size_t i = 0; argc > 1 && i < sizeof loops / sizeof loops[0]; i++)
		if (strcmp(loops[i].name, argv[1]) == 0)
			wait_for_it = loops[i].wait;
	if (argc > 1 && strcmp(argv[1], "computes") == 0) {
		pthread_create(&a, NULL, computes, (void *)1);
		pthread_create(&b, NULL, computes, (void *)2);
	} else if (wait_for_it) {
		pthread_create(&a, NULL, waits, NULL);
		if (strcmp(how, "alone") != 0)
			pthread_create(&b, NULL, sets, strcmp(how, "fails") == 0 ? &value : NULL);
	} else {
		return 64;
	}
	pthread_join(a, NULL);
	if (strcmp(how, "alone") != 0)
		pthread_join(b, NULL);
	puts("end");
	return argc > 3 ? atoi(argv[3]) : 0;
}
