/*
 * main leaves by pthread_exit() while others go on; whoever ends last ends the process, with a status made of who that was and of
 * what the threads did before. Each argument is what one thread does, main the last of them: `l` takes the lock, `p` posts, `w`
 * waits for a post, `t` tries to take the lock, `c` makes a thread that does nothing, `k` kills the process.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t posts;
static unsigned history = 1;
static char **deeds;
static __thread unsigned self;

static void note(unsigned what)
{
	history = history * 31 + what;
}

/* In the last thread. That nobody else is left orders it after all others, but the lock says so to who watches memory. */
static void tell(void)
{
	pthread_mutex_lock(&lock);
	note(self);
	_exit((int)(1 + history % 251));
}

static void *nothing(void *unused)
{
	self = 77;
	return unused;
}

static void spawn(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, nothing, NULL) == 0)
		pthread_detach(thread);
}

static void act(char deed)
{
	if (deed == 'l') {
		pthread_mutex_lock(&lock);
		note(self);
		pthread_mutex_unlock(&lock);
	} else if (deed == 't' && pthread_mutex_trylock(&lock) == 0) {
		note(100 + self);
		pthread_mutex_unlock(&lock);
	} else if (deed == 'p') {
		sem_post(&posts);
	} else if (deed == 'w') {
		sem_wait(&posts);
	} else if (deed == 'c') {
		spawn();
	} else if (deed == 'k') {
		kill(getpid(), SIGKILL);
	}
}

static void *work(void *number)
{
	self = (unsigned)(unsigned long)number;
	for (const char *deed = deeds[self]; *deed; deed++)
		act(*deed);
	return NULL;
}

int main(int argc, char **argv)
{
	deeds = argv + 1;
	sem_init(&posts, 0, 0);
	atexit(tell);
	for (int t = 0; t < argc - 2; t++) {
		pthread_t thread;
		pthread_create(&thread, NULL, work, (void *)(unsigned long)t);
		pthread_detach(thread);
	}
	if (argc > 1)
		work((void *)(unsigned long)(argc - 2));
	pthread_exit(NULL);
}
