/*
 * Programs to be driven. driven KIND SOCKET: a server of this kind; driven ask SOCKET: a client, which ends well when it has got an answer.
 *
 *     lost      a thread of its own answers, and doesn't look whether there is something to do before it waits for the word: it may never hear it
 *     deaf      ignores SIGTERM
 *     late      says so, then answers whoever comes, from a socket that it listens at from the beginning
 *     leaves    goes to the background
 *     quiet     never listens
 *     ends      answers once, and exits
 *     notes     writes to SOCKET.notes how many have asked, and reads there at its beginning how many had
 *     ticks     answers nobody, and looks at the time now and then
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t comes = PTHREAD_COND_INITIALIZER;
static int waiting = -1;
static const char *path;

static void answer(int connection)
{
	char byte;
	if (read(connection, &byte, 1) == 1 && write(connection, "!", 1) != 1)
		exit(4);
	close(connection);
}

static void *answer_later(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&comes, &lock);
		int connection = waiting;
		pthread_mutex_unlock(&lock);
		answer(connection);
	}
	return NULL;
}

static void hand_on(int connection)
{
	pthread_mutex_lock(&lock);
	waiting = connection;
	pthread_cond_signal(&comes);
	pthread_mutex_unlock(&lock);
}

static void *tick(void *unused)
{
	for (;;)
		usleep(1000);
	return unused;
}

static void note(void)
{
	char name[200];
	int notes = 0;
	snprintf(name, sizeof name, "%s.notes", path);
	FILE *file = fopen(name, "r");
	if (file && fscanf(file, "%d", &notes) != 1)
		notes = 0;
	if (file)
		fclose(file);
	file = fopen(name, "w");
	if (!file || fprintf(file, "%d\n", notes + 1) < 0 || fclose(file) != 0)
		exit(4);
}

static int serve(const char *kind, int listener)
{
	pthread_t thread;
	if (listen(listener, 4) != 0)
		return 3;
	if (strcmp(kind, "lost") == 0)
		pthread_create(&thread, NULL, answer_later, NULL);
	if (strcmp(kind, "ticks") == 0)
		pthread_create(&thread, NULL, tick, NULL);
	if (strcmp(kind, "late") == 0) {
		sleep(1);
		puts("may come");
		fflush(stdout);
	}
	for (;;) {
		int connection = accept(listener, NULL, NULL);
		if (strcmp(kind, "lost") == 0)
			hand_on(connection);
		else if (strcmp(kind, "ticks") != 0)
			answer(connection);
		if (strcmp(kind, "notes") == 0)
			note();
		if (strcmp(kind, "ends") == 0)
			return 0;
	}
}

static int ask(const struct sockaddr_un *address)
{
	char byte;
	int connection = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(connection, (const struct sockaddr *)address, sizeof *address) != 0) {
		perror("connect");
		return 3;
	}
	if (write(connection, "?", 1) != 1 || read(connection, &byte, 1) != 1)
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (argc != 3)
		return 2;
	path = argv[2];
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (strcmp(argv[1], "ask") == 0)
		return ask(&address);
	if (strcmp(argv[1], "deaf") == 0)
		signal(SIGTERM, SIG_IGN);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (strcmp(argv[1], "leaves") == 0 && daemon(1, 1) != 0)
		return 3;
	if (strcmp(argv[1], "quiet") == 0)
		return (int)read(STDIN_FILENO, &address, 1) + pause();
	if (bind(listener, (const struct sockaddr *)&address, sizeof address) != 0) {
		perror(path);
		return 3;
	}
	return serve(argv[1], listener);
}
