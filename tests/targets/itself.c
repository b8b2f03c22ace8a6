/* itself: each thread asks what its process is, and how it is scheduled and limited. Exit 1: they aren't told the same. For tests/run-engine.sh. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

struct told {
	int priority, policy, least, most;
	struct sched_param parameters;
	struct rlimit files, processor;
	unsigned users[4];
	struct utsname system;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct told first;

static void *ask(void *unused)
{
	struct told told;
	memset(&told, 0, sizeof told);
	told.priority = getpriority(PRIO_PROCESS, 0);
	told.policy = sched_getscheduler(0);
	told.least = sched_get_priority_min(SCHED_FIFO);
	told.most = sched_get_priority_max(SCHED_FIFO);
	sched_getparam(0, &told.parameters);
	getrlimit(RLIMIT_NOFILE, &told.files);
	getrlimit(RLIMIT_CPU, &told.processor);
	told.users[0] = getuid();
	told.users[1] = geteuid();
	told.users[2] = getgid();
	told.users[3] = getegid();
	uname(&told.system);
	pthread_mutex_lock(&mutex);
	if (!first.most)
		first = told;
	const int same = memcmp(&first, &told, sizeof told) == 0;
	pthread_mutex_unlock(&mutex);
	return same ? unused : &mutex;
}

int main(void)
{
	pthread_t threads[2];
	void *wrong = NULL, *result;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, ask, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &result);
		wrong = result ? result : wrong;
	}
	return wrong != NULL;
}
