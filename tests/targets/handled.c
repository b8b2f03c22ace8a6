/*
 * handled CASE: signals that come while the thread works on memory.
 *
 *   lost     the handler and what it interrupts count, and both read first
 *   within   an instruction adds, between whose read and write another thread may read, but no handler comes
 *   local    the handler counts in a variable of the function that it interrupts
 *   masked   as lost, but it is blocked meanwhile
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static pthread_t main_thread;
static volatile int count, seen, *counted = &count;
static volatile int begun, ended, within;
static int zeros;

static void on_count(int signal)
{
	(void)signal;
	*counted = *counted + 1;
}

/* No instruction of the program's changes the count. */
static void on_zero(int signal)
{
	(void)signal;
	within = begun && !ended && read(zeros, (void *)&count, sizeof count) == (ssize_t)sizeof count;
}

static void *sends(void *unused)
{
	pthread_kill(main_thread, SIGUSR1);
	return unused;
}

static void *reads(void *unused)
{
	seen = count;
	pthread_kill(main_thread, SIGUSR1);
	return unused;
}

static void begin(pthread_t *thread, void (*handler)(int), void *(*start)(void *))
{
	const struct sigaction action = {.sa_handler = handler};
	main_thread = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(thread, NULL, start, NULL);
}

static void block(int how)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(how, &set, NULL);
}

static void lost(int masks)
{
	pthread_t thread;
	begin(&thread, on_count, sends);
	if (masks)
		block(SIG_BLOCK);
	count = count + 1;
	block(SIG_UNBLOCK);
	pthread_join(thread, NULL);
	assert(count == 2);
}

static void local(void)
{
	pthread_t thread;
	volatile int own = 0;
	counted = &own;
	begin(&thread, on_count, sends);
	own = own + 1;
	pthread_join(thread, NULL);
	assert(own == 2);
}

static void adds(void)
{
	pthread_t thread;
	zeros = open("/dev/zero", O_RDONLY);
	count = 5;
	begin(&thread, on_zero, reads);
	begun = 1;
	__asm__ volatile("addl $1, %0" : "+m"(count));
	ended = 1;
	pthread_join(thread, NULL);
	/* It has come before the instruction, or after it. */
	assert(!within || count <= 1);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	if (strcmp(argv[1], "lost") == 0 || strcmp(argv[1], "masked") == 0)
		lost(strcmp(argv[1], "masked") == 0);
	else if (strcmp(argv[1], "local") == 0)
		local();
	else if (strcmp(argv[1], "within") == 0)
		adds();
	else
		return 2;
	return 0;
}
