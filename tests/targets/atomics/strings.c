/* libc's string functions beside an atomic instruction. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
static atomic_int n;
static char from[300], to[300];
static void *work(void *unused)
{
	n++;
	for (size_t i = 0; i < sizeof from; i += 37) {
		strncpy(to, from, i);
		assert(strncmp(to, from, i) == 0 && memchr(from, 0, sizeof from));
		assert(strchr(from, 'y') == NULL && strrchr(from, 'x') && strspn(from, "x") == strlen(from));
		memmove(to + 1, to, i);
		memset(to, 0, sizeof to);
		strncat(to, from, 3);
	}
	return unused;
}
int main(void)
{
	pthread_t thread;
	memset(from, 'x', sizeof from - 1);
	pthread_create(&thread, NULL, work, NULL);
	n++;
	pthread_join(thread, NULL);
	assert(n == 2);
	return 0;
}
