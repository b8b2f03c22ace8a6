/*
 * Main takes the log away as soon as it has asked the worker to stop, not when the worker has stopped. The
 * log is unmapped rather than freed, so that its use afterwards is certain to crash.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: crash
 * fmc-message: SIGSEGV \(accessing address 0x7
 *
 * fmc-options: --strategy cb:2
 * fmc-verdict: crash
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

struct log {
	int lines;
};

static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static bool stop;
static struct log *messages;

static void *work(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&state_lock);
	bool stopped = stop;
	pthread_mutex_unlock(&state_lock);
	if (stopped)
		return NULL;
	pthread_mutex_lock(&log_lock);
	messages->lines++;
	pthread_mutex_unlock(&log_lock);
	return NULL;
}

int main(void)
{
	pthread_t worker;

	messages = mmap(NULL, sizeof *messages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (messages == MAP_FAILED)
		return 1;
	pthread_create(&worker, NULL, work, NULL);
	pthread_mutex_lock(&state_lock);
	stop = true;
	pthread_mutex_unlock(&state_lock);
	munmap(messages, sizeof *messages); /* too early: belongs after the join */
	pthread_join(worker, NULL);
	return 0;
}
