/*
 * A server and its client in one program, over a connection to 127.0.0.1. The client holds the lock of the log while it asks; the server
 * writes into the log before it answers. Each waits for the other: a deadlock in every order. With the argument `after` the server
 * answers first, which is right.
 *
 * fmc-options: --strategy optimal --granularity sync
 * fmc-verdict: deadlock
 * fmc-message: T1 waits for connection 2, T2 waits for log_lock held by T1
 * fmc-options: --strategy optimal --granularity sync
 * fmc-args: after
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-executions: 16
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sockaddr_in address;
static int listener, lines, after;

static void write_log(void)
{
	pthread_mutex_lock(&log_lock);
	lines++;
	pthread_mutex_unlock(&log_lock);
}

static void *serve(void *unused)
{
	int client = accept(listener, NULL, NULL);
	char question;

	if (read(client, &question, 1) != 1)
		perror("read");
	if (!after)
		write_log();
	if (write(client, "!", 1) != 1)
		perror("write");
	if (after)
		write_log();
	return unused;
}

static int ask(void)
{
	int server = socket(AF_INET, SOCK_STREAM, 0);
	char answer = 0;

	if (connect(server, (struct sockaddr *)&address, sizeof address) != 0)
		perror("connect");
	pthread_mutex_lock(&log_lock);
	if (write(server, "?", 1) != 1 || read(server, &answer, 1) != 1)
		perror("ask");
	lines++;
	pthread_mutex_unlock(&log_lock);
	return answer == '!' ? 0 : 1;
}

int main(int argc, char **argv)
{
	socklen_t size = sizeof address;
	pthread_t server;

	(void)argv;
	after = argc > 1;
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) != 0)
		return 2;
	pthread_create(&server, NULL, serve, NULL);
	if (ask() != 0)
		return 1;
	pthread_join(server, NULL);
	return lines != 2;
}
