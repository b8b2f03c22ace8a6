#ifndef FMC_SUPERVISOR_CLI_WORKERS_LINK_H
#define FMC_SUPERVISOR_CLI_WORKERS_LINK_H

#include <fmc/supervisor/saved.h>
#include <fmc/tracer/status.h>

/*
 * Messages between two processes, over a stream socket. What can't be sent yet waits here: so neither end keeps
 * the other from reading what it has sent itself.
 */
struct link {
	int socket;   /* -1: none */
	bool foreign; /* what came in is no message: somebody else writes there, too */
	int out_to;   /* another descriptor that is sent to, either of any kind; -1: the socket */
	struct link_buffer {
		unsigned char *at;
		size_t begin, end, room; /* bytes from begin to end are there */
	} out, in;
};

/* A pair, the first end for the side that never waits. Closed by exec. False with errno. */
bool link_pair(struct link *ours, struct link *theirs);

/* For the end that waits, over two descriptors, which become the link's. */
void link_from(struct link *link, int in, int out);
void link_close(struct link *link);

/* Queue one message; false without memory. */
bool link_put(struct link *link, const struct saver *message);
bool link_pending(const struct link *link); /* something is left to be sent */

/* Send, or send and receive, what goes without waiting. STATUS_GONE when the other end is closed. */
enum status link_send(struct link *link);
enum status link_pump(struct link *link);

/* Take a message that has come in; valid until the next call of link_pump(). False if there is none, or what is there is foreign. */
bool link_take(struct link *link, struct loader *message);

/* For the end that waits: send all that is queued; wait for a message. False when the other end is gone. */
bool link_flush(struct link *link);
bool link_wait(struct link *link, struct loader *message);

#endif
