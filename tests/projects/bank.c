/*
 * Two threads move money between two accounts. As "ordered" they take the locks in one order, as "opposite" in two orders, which deadlocks
 * under few schedules; "skips" and "fails" end as tests do that can't run or have failed.
 */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int accounts[2] = {10, 10};

static void *move(void *from)
{
	int first = from != NULL;
	pthread_mutex_lock(&locks[first]);
	pthread_mutex_lock(&locks[1 - first]);
	accounts[first]--;
	accounts[1 - first]++;
	pthread_mutex_unlock(&locks[1 - first]);
	pthread_mutex_unlock(&locks[first]);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	pthread_t threads[2];
	(void)argc;
	pthread_create(&threads[0], NULL, move, NULL);
	pthread_create(&threads[1], NULL, move, strcmp(name, "opposite") == 0 ? &accounts : NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return strcmp(name, "skips") == 0 ? 77 : strcmp(name, "fails") == 0 || accounts[0] + accounts[1] != 20;
}
