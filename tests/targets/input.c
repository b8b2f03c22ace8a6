/* Two threads read the standard input piece by piece. Exits with 1 unless all of it came: 1000 lines of "line\n". */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t total, wrong;

static void *reader(void *unused)
{
	char piece[500];
	ssize_t got;
	do {
		pthread_mutex_lock(&lock);
		got = read(STDIN_FILENO, piece, sizeof piece);
		for (ssize_t i = 0; i < got; i++)
			wrong += piece[i] != "line\n"[(total + (size_t)i) % 5];
		total += got > 0 ? (size_t)got : 0;
		pthread_mutex_unlock(&lock);
	} while (got > 0);
	return unused;
}

int main(void)
{
	pthread_t other;
	pthread_create(&other, NULL, reader, NULL);
	reader(NULL);
	pthread_join(other, NULL);
	return wrong != 0 || total != 5000;
}
