/* Sockets of this machine. */
#include "supervisor/cli/commands/listen.h"

#include <fmc/tracer/target.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A signal that asks fmc to end may come right before poll(); so often one looks again. */
#define LOOK_MS 500

static bool open_path(struct listener *listener, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return false;
	}
	strcpy(address.sun_path, path);
	listener->descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener->descriptor < 0)
		return false;
	mode_t before = umask(0177);
	int bound = bind(listener->descriptor, (const struct sockaddr *)&address, sizeof address);
	umask(before);
	if (bound == 0)
		listener->path = path;
	return bound == 0;
}

static bool open_port(struct listener *listener, uint16_t port)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof address;
	int on = 1;
	listener->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener->descriptor < 0)
		return false;
	setsockopt(listener->descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(listener->descriptor, (const struct sockaddr *)&address, sizeof address) < 0 ||
	    getsockname(listener->descriptor, (struct sockaddr *)&address, &length) < 0)
		return false;
	snprintf(listener->name, sizeof listener->name, "127.0.0.1:%u", ntohs(address.sin_port));
	return true;
}

bool listener_open(struct listener *listener, const char *path, uint16_t port, char why[512])
{
	*listener = (struct listener){.descriptor = -1};
	if (path)
		snprintf(listener->name, sizeof listener->name, "%s", path);
	bool open = path ? open_path(listener, path) : open_port(listener, port);
	if (open && listen(listener->descriptor, 1) == 0)
		return true;
	if (path)
		snprintf(why, 512, "%.400s: %m", path);
	else
		snprintf(why, 512, "port %u: %m", port);
	listener_close(listener);
	return false;
}

int listener_accept(struct listener *listener)
{
	struct pollfd poll_for = {.fd = listener->descriptor, .events = POLLIN};
	int on = 1;
	while (!tracer_interrupted()) {
		if (poll(&poll_for, 1, LOOK_MS) <= 0)
			continue;
		int client = accept4(listener->descriptor, NULL, NULL, SOCK_CLOEXEC);
		if (client < 0)
			continue;
		/* Packets are short, and each waits for the one before. */
		if (!listener->path)
			setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		return client;
	}
	return -1;
}

void listener_close(struct listener *listener)
{
	if (listener->path)
		unlink(listener->path);
	if (listener->name[0] && listener->descriptor >= 0)
		close(listener->descriptor);
	*listener = (struct listener){.descriptor = -1};
}
