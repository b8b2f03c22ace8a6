/*
 * A server at rest: PATH [ticks] [patience MS]. Waits for clients at a Unix socket, tells each what its clock shows, in milliseconds since it began,
 * and ends when one sends `end`. It computes for as many rounds as one sends `busy N`, and says so before. With ticks a second thread sleeps for a second again and again, and says so; else it waits
 * for what the first one never sends. With patience the server gives up by itself when nobody has come for so long.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int never[2];

static long long milliseconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static void compute(long rounds)
{
	static volatile unsigned number = 1;
	for (long i = 0; i < rounds; i++)
		number = number * 1664525u + 1013904223u;
}

static void *tick(void *unused)
{
	for (int i = 1;; i++) {
		sleep(1);
		printf("tick %d\n", i);
	}
	return unused;
}

static void *wait_for_nothing(void *unused)
{
	char byte;
	(void)!read(never[0], &byte, 1);
	return unused;
}

int main(int argc, char **argv)
{
	const int patience = argc > 3 && strcmp(argv[2], "patience") == 0 ? atoi(argv[3]) : -1;
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	pthread_t other;
	if (argc < 2 || pipe(never) != 0)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(name.sun_path, sizeof name.sun_path, "%s", argv[1]);
	unlink(argv[1]);
	if (bind(listener, (struct sockaddr *)&name, sizeof name) != 0 || listen(listener, 5) != 0)
		return 2;
	pthread_create(&other, NULL, argc > 2 && strcmp(argv[2], "ticks") == 0 ? tick : wait_for_nothing,
		       NULL);
	const long long begin = milliseconds();
	printf("ready\n");
	for (;;) {
		struct pollfd wanted = {.fd = listener, .events = POLLIN};
		char request[24] = "", answer[32];
		if (poll(&wanted, 1, patience) == 0) {
			printf("nobody came within %lld ms\n", milliseconds() - begin);
			return 0;
		}
		int client = accept(listener, NULL, NULL);
		if (client < 0 || read(client, request, sizeof request - 1) <= 0)
			return 2;
		if (strncmp(request, "busy", 4) == 0) {
			(void)!write(client, "busy\n", 5);
			compute(atol(request + 5));
		}
		snprintf(answer, sizeof answer, "%lld\n", milliseconds() - begin);
		(void)!write(client, answer, strlen(answer));
		close(client);
		if (strncmp(request, "end", 3) == 0)
			return 0;
	}
}
