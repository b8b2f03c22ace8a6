/*
 * requests SOCKET CONNECTIONS REQUESTS TEXT: a client that keeps a server busy. Each connection to the unix socket sends TEXT, reads the whole reply,
 * and sends it again, until there have been so many requests in all. TEXT has its \r and \n as escapes; all replies are as long as the first one.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { QUIET_MS = 300, MOST_CONNECTIONS = 1000 };

static void require(bool good, const char *what)
{
	if (!good) {
		perror(what);
		exit(1);
	}
}

static size_t unescape(char *text)
{
	size_t length = 0;
	for (const char *at = text; *at; at++)
		if (*at == '\\' && (at[1] == 'r' || at[1] == 'n'))
			text[length++] = *++at == 'r' ? '\r' : '\n';
		else
			text[length++] = *at;
	return length;
}

static int connected(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	require(connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0, path);
	return descriptor;
}

static void ask(int descriptor, const char *text, size_t length)
{
	require(write(descriptor, text, length) == (ssize_t)length, "write");
}

/* How long a reply is: what has come when nothing more comes. */
static size_t reply_length(const char *path, const char *text, size_t length)
{
	char part[65536];
	struct pollfd one = {.fd = connected(path), .events = POLLIN};
	size_t all = 0;
	ask(one.fd, text, length);
	while (poll(&one, 1, all ? QUIET_MS : -1) > 0) {
		const ssize_t got = read(one.fd, part, sizeof part);
		require(got > 0, "read");
		all += (size_t)got;
	}
	close(one.fd);
	return all;
}

int main(int argc, char **argv)
{
	static size_t got[MOST_CONNECTIONS + 16];
	char part[65536];
	require(argc == 5, "requests SOCKET CONNECTIONS REQUESTS TEXT");
	const int connections = atoi(argv[2]);
	const long requests = atol(argv[3]);
	const size_t length = unescape(argv[4]), reply = reply_length(argv[1], argv[4], length);
	const int set = epoll_create1(0);
	require(connections > 0 && connections <= MOST_CONNECTIONS, "connections");
	for (int i = 0; i < connections; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.fd = connected(argv[1])};
		require(epoll_ctl(set, EPOLL_CTL_ADD, event.data.fd, &event) == 0, "epoll_ctl");
		ask(event.data.fd, argv[4], length);
	}
	for (long done = 0; done < requests;) {
		struct epoll_event event;
		if (epoll_wait(set, &event, 1, -1) < 1)
			continue;
		const int from = event.data.fd;
		const ssize_t bytes = read(from, part, sizeof part);
		require(bytes > 0 && from < MOST_CONNECTIONS + 16, "read");
		if ((got[from] += (size_t)bytes) < reply)
			continue;
		got[from] = 0;
		done++;
		ask(from, argv[4], length);
	}
	return 0;
}
