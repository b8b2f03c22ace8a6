/*
 * A process to be saved from outside: threads at all kinds of places, each with something of its own. It says by a file
 * "ready" in the folder named that they are there, and goes on when there is a file "go". Each thread checks then that it still
 * has what it had. Ends with the number of the first check that fails, else prints "fine".
 *
 * Arguments: the folder; how many further threads just wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { VECTOR, WAITER, LISTENER, SLEEPER, SIGNALLED, OWNER, READER, WRITER, CLOCK, KINDS };

static pthread_mutex_t held, robust, others = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t heard = PTHREAD_COND_INITIALIZER;
static sem_t gate;
static volatile int go;
static int placed, spoken, fine[KINDS + 1];
static __thread long own = 7;
static __thread volatile sig_atomic_t signal_on_stack;
static char stack[1 << 16];
static int reading, writing;

static void place(void)
{
	__atomic_add_fetch(&placed, 1, __ATOMIC_SEQ_CST);
}

/* In a loop of its own, with all of a vector register in use. */
static void keep_vector(void)
{
	uint64_t before[4] = {0x1111, 0x2222, 0x3333, 0x4444}, after[4] = {0};
	place();
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vmovdqu %1, %%ymm9\n1: cmpl $0, %2\nje 1b\nvmovdqu %%ymm9, %0"
				 : "=m"(after)
				 : "m"(before), "m"(go)
				 : "xmm9", "memory");
	else
		memcpy(after, before, sizeof after);
	fine[VECTOR] = memcmp(before, after, sizeof after) == 0;
}

static void on_signal(int signal)
{
	char here;
	(void)signal;
	signal_on_stack = &here >= stack && &here < stack + sizeof stack;
}

static void keep_signals(void)
{
	const stack_t mine = {.ss_sp = stack, .ss_size = sizeof stack};
	const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	const pid_t number = (pid_t)syscall(SYS_gettid);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigaltstack(&mine, NULL);
	sigaction(SIGUSR1, &action, NULL);
	place();
	while (sem_wait(&gate) != 0)
		continue;
	pthread_kill(pthread_self(), SIGUSR1);
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	fine[SIGNALLED] = signal_on_stack && sigismember(&set, SIGUSR2) && !sigismember(&set, SIGUSR1) &&
			  number == (pid_t)syscall(SYS_gettid);
}

static void wait_to_hear(void)
{
	pthread_mutex_lock(&others);
	place();
	while (!spoken)
		pthread_cond_wait(&heard, &others);
	pthread_mutex_unlock(&others);
	fine[LISTENER] = 1;
}

static void sleep_on(void)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	int all = 1;
	place();
	while (!go)
		all &= nanosleep(&pause, NULL) == 0;
	fine[SLEEPER] = all;
}

/* Hardly ever anywhere but in the function that reads the clock. */
static void read_clock(void)
{
	struct timespec now, last = {0};
	int all = 1;
	place();
	while (!go) {
		all &=
		    clock_gettime(CLOCK_MONOTONIC, &now) == 0 &&
		    (now.tv_sec > last.tv_sec || (now.tv_sec == last.tv_sec && now.tv_nsec >= last.tv_nsec));
		last = now;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	fine[CLOCK] = all && now.tv_sec - last.tv_sec < 60 && now.tv_sec >= last.tv_sec;
}

static void read_on(void)
{
	char bytes[2];
	place();
	while (sem_wait(&gate) != 0)
		continue;
	fine[READER] = read(reading, bytes, 2) == 2 && bytes[0] == 2 && bytes[1] == 1;
}

static void write_on(void)
{
	char bytes[8] = "";
	place();
	while (sem_wait(&gate) != 0)
		continue;
	fine[WRITER] = write(writing, "XY", 2) == 2 && lseek(writing, 0, SEEK_SET) == 0 &&
		       read(writing, bytes, sizeof bytes) == 6 && memcmp(bytes, "abXYef", 6) == 0;
}

static void *work(void *argument)
{
	const long kind = (long)argument;
	own = 100 + kind;
	switch (kind) {
	case VECTOR:
		keep_vector();
		break;
	case WAITER:
		place();
		fine[WAITER] = pthread_mutex_lock(&held) == 0 && pthread_mutex_unlock(&held) == 0;
		break;
	case LISTENER:
		wait_to_hear();
		break;
	case SLEEPER:
		sleep_on();
		break;
	case SIGNALLED:
		keep_signals();
		break;
	case OWNER:
		pthread_mutex_lock(&robust);
		place();
		while (sem_wait(&gate) != 0)
			continue;
		fine[OWNER] = 1;
		break;
	case READER:
		read_on();
		break;
	case WRITER:
		write_on();
		break;
	case CLOCK:
		read_clock();
		break;
	default:
		place();
		while (sem_wait(&gate) != 0)
			continue;
	}
	if (own != 100 + kind)
		fine[kind < KINDS ? kind : KINDS] = 0;
	return NULL;
}

/* Further down than the stack has ever been. */
static __attribute__((noinline)) int reach_down(void)
{
	volatile char deep[1 << 20];
	deep[0] = 1;
	deep[sizeof deep - 1] = 2;
	return deep[0] + deep[sizeof deep - 1] == 3;
}

static void make_mutexes(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&held, &attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	sem_init(&gate, 0, 0);
	pthread_mutex_lock(&held);
}

static void open_files(const char *program)
{
	char magic[4];
	reading = open(program, O_RDONLY);
	writing = open("written", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (reading < 0 || read(reading, magic, 4) != 4 || writing < 0 || write(writing, "abcdef", 6) != 6 ||
	    lseek(writing, 2, SEEK_SET) != 2)
		exit(90);
}

int main(int argc, char **argv)
{
	const long more = argc > 2 ? atol(argv[2]) : 0;
	pthread_t *threads = calloc((size_t)(KINDS + more), sizeof *threads);
	char *heap = sbrk(100000),
	     *mapped = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char folder[256], here[256];
	const struct timespec pause = {.tv_nsec = 1000000};
	char program[4096] = "";
	const pid_t process = getpid();
	if (!threads || readlink("/proc/self/exe", program, sizeof program - 1) < 0 || chdir(argv[1]) != 0 ||
	    !getcwd(folder, sizeof folder))
		return 91;
	open_files(program);
	make_mutexes();
	memset(heap, 'h', 100000);
	memset(mapped + 500000, 'm', 1000);
	own = 99;
	for (long i = 0; i < KINDS + more; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	while (__atomic_load_n(&placed, __ATOMIC_SEQ_CST) < KINDS + more)
		nanosleep(&pause, NULL);
	close(open("ready", O_WRONLY | O_CREAT, 0600));
	while (access("go", F_OK) != 0)
		nanosleep(&pause, NULL);
	go = 1;
	for (long i = 0; i < KINDS + more; i++)
		sem_post(&gate);
	if (pthread_mutex_unlock(&held) != 0)
		return 92;
	pthread_mutex_lock(&others);
	spoken = 1;
	pthread_cond_broadcast(&heard);
	pthread_mutex_unlock(&others);
	for (long i = 0; i < KINDS + more; i++)
		pthread_join(threads[i], NULL);
	if (pthread_create(&threads[0], NULL, work, (void *)(long)KINDS) != 0 || sem_post(&gate) != 0 ||
	    pthread_join(threads[0], NULL) != 0)
		return 93;
	if (own != 99 || pthread_mutex_lock(&robust) != EOWNERDEAD || getpid() != process)
		return 94;
	for (int i = 0; i < 100000; i++)
		if (heap[i] != 'h')
			return 95;
	if (sbrk(0) < (void *)(heap + 100000) || sbrk(4096) == (void *)-1 || mapped[500999] != 'm' ||
	    mapped[501000] || !getcwd(here, sizeof here) || strcmp(here, folder) != 0)
		return 96;
	if (!reach_down())
		return 97;
	for (int i = 0; i < KINDS; i++)
		if (!fine[i])
			return i + 1;
	return puts("fine") < 0;
}
