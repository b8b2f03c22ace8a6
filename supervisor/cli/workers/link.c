/* Messages over a socket: four bytes that say how long it is, four that are made from these, then the message. */
#include "supervisor/cli/workers/link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD 8

/* Of the second four bytes: a greeting of a remote shell is no length. */
#define MARK UINT32_C(0x636d6601)

/* Received at a time. */
#define CHUNK 65536

bool link_pair(struct link *ours, struct link *theirs)
{
	int ends[2];
	*ours = *theirs = (struct link){.socket = -1, .out_to = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	ours->socket = ends[0];
	theirs->socket = ends[1];
	return fcntl(ours->socket, F_SETFL, O_NONBLOCK) == 0;
}

void link_from(struct link *link, int in, int out)
{
	*link = (struct link){.socket = in, .out_to = out};
}

void link_close(struct link *link)
{
	if (link->socket >= 0)
		close(link->socket);
	if (link->out_to >= 0)
		close(link->out_to);
	free(link->out.at);
	free(link->in.at);
	*link = (struct link){.socket = -1, .out_to = -1};
}

/* Make room after the end, after moving what is there to the beginning. */
static bool reserve(struct link_buffer *buffer, size_t more)
{
	size_t length = buffer->end - buffer->begin;
	if (buffer->begin > 0 && length > 0)
		memmove(buffer->at, buffer->at + buffer->begin, length);
	buffer->begin = 0;
	buffer->end = length;
	if (buffer->room - length >= more)
		return true;
	size_t room = 2 * (length + more);
	unsigned char *at = realloc(buffer->at, room);
	if (!at)
		return false;
	buffer->at = at;
	buffer->room = room;
	return true;
}

bool link_put(struct link *link, const struct saver *message)
{
	uint32_t length = (uint32_t)message->length;
	struct link_buffer *out = &link->out;
	if (message->failed || length != message->length || !reserve(out, HEAD + message->length))
		return false;
	const uint32_t head[] = {length, length ^ MARK};
	memcpy(out->at + out->end, head, HEAD);
	memcpy(out->at + out->end + HEAD, message->at, length);
	out->end += HEAD + message->length;
	return true;
}

bool link_pending(const struct link *link)
{
	return link->out.begin < link->out.end;
}

/* May the call be made again? */
static bool again(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

enum status link_send(struct link *link)
{
	struct link_buffer *out = &link->out;
	while (link_pending(link)) {
		const void *from = out->at + out->begin;
		const size_t length = out->end - out->begin;
		ssize_t sent = link->out_to < 0 ? send(link->socket, from, length, MSG_NOSIGNAL)
						: write(link->out_to, from, length);
		if (sent < 0)
			return again() ? STATUS_OK : STATUS_GONE;
		out->begin += (size_t)sent;
	}
	return STATUS_OK;
}

static enum status receive_some(struct link *link)
{
	struct link_buffer *in = &link->in;
	if (!reserve(in, CHUNK))
		return STATUS_NO_MEMORY;
	ssize_t got = read(link->socket, in->at + in->end, CHUNK);
	if (got < 0)
		return again() ? STATUS_OK : STATUS_GONE;
	in->end += (size_t)got;
	return got == 0 ? STATUS_GONE : STATUS_OK;
}

enum status link_pump(struct link *link)
{
	enum status sent = link_send(link), received = receive_some(link);
	return received ? received : sent;
}

bool link_take(struct link *link, struct loader *message)
{
	struct link_buffer *in = &link->in;
	uint32_t head[2], length;
	if (in->end - in->begin < HEAD)
		return false;
	memcpy(head, in->at + in->begin, HEAD);
	length = head[0];
	link->foreign = head[1] != (length ^ MARK);
	if (link->foreign)
		return false;
	if (in->end - in->begin - HEAD < length)
		return false;
	*message = (struct loader){in->at + in->begin + HEAD, length, false};
	in->begin += HEAD + length;
	return true;
}

bool link_flush(struct link *link)
{
	while (link_pending(link))
		if (link_send(link) != STATUS_OK)
			return false;
	return true;
}

bool link_wait(struct link *link, struct loader *message)
{
	while (!link_take(link, message))
		if (link->foreign || receive_some(link) != STATUS_OK)
			return false;
	return true;
}
