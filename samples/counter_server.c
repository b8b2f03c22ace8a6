/*
 * A server that doesn't end by itself, to be driven (fmc-check(1), --drive): it counts for its clients, each of which has a thread. It
 * reads the count in one critical section and writes it in another, so an addition can get lost. The same program is the client:
 *
 *     fmc check --drive 'counter_server /tmp/socket 2' --before 'rm -f /tmp/socket' -- counter_server /tmp/socket
 *
 * Several connections are asked to add one at the same time; then one of them is asked for the count. Exit status 1: it is wrong.
 *
 * fmc-driven: tests/run-drive.sh
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MOST 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static int add(void)
{
	pthread_mutex_lock(&lock);
	int copy = count;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	count = copy + 1;
	pthread_mutex_unlock(&lock);
	return copy + 1;
}

static int look(void)
{
	pthread_mutex_lock(&lock);
	int copy = count;
	pthread_mutex_unlock(&lock);
	return copy;
}

/* A request is one character: + adds, ? asks. */
static void *serve(void *argument)
{
	int connection = (int)(long)argument;
	char request, answer[16];
	while (read(connection, &request, 1) == 1) {
		int length = snprintf(answer, sizeof answer, "%d\n", request == '+' ? add() : look());
		if (write(connection, answer, (size_t)length) != length)
			break;
	}
	close(connection);
	return NULL;
}

static int run_server(int listener)
{
	if (listen(listener, MOST) != 0) {
		perror("listen");
		return 2;
	}
	for (;;) {
		pthread_t thread;
		int connection = accept(listener, NULL, NULL);
		if (connection < 0 || pthread_create(&thread, NULL, serve, (void *)(long)connection) != 0)
			return 2;
		pthread_detach(thread);
	}
}

static int ask(int connection)
{
	char answer[16] = "";
	if (read(connection, answer, sizeof answer - 1) <= 0)
		exit(3);
	return atoi(answer);
}

static int run_client(const struct sockaddr_un *address, int clients)
{
	int connections[MOST];
	for (int i = 0; i < clients; i++) {
		connections[i] = socket(AF_UNIX, SOCK_STREAM, 0);
		if (connect(connections[i], (const struct sockaddr *)address, sizeof *address) != 0) {
			perror("connect");
			return 3;
		}
	}
	for (int i = 0; i < clients; i++)
		if (write(connections[i], "+", 1) != 1)
			return 3;
	for (int i = 0; i < clients; i++)
		ask(connections[i]);
	if (write(connections[0], "?", 1) != 1)
		return 3;
	int found = ask(connections[0]);
	printf("%d of %d additions were counted\n", found, clients);
	return found != clients;
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (argc < 2 || (argc > 2 && (atoi(argv[2]) < 1 || atoi(argv[2]) > MOST))) {
		fprintf(stderr, "counter_server SOCKET [CLIENTS]\n");
		return 2;
	}
	snprintf(address.sun_path, sizeof address.sun_path, "%s", argv[1]);
	if (argc > 2)
		return run_client(&address, atoi(argv[2]));
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listener, (const struct sockaddr *)&address, sizeof address) != 0) {
		perror(argv[1]);
		return 2;
	}
	return run_server(listener);
}
