#include "breakpoints/reach/reach.h"
#include "breakpoints/waits/descriptors.h"

#include <string.h>
#include <sys/syscall.h>

/* Pipes, FIFOs and sockets: who has what is at their other ends. */

/* Which ends of a socket or pipe. */
enum end_kind { END_ANY, END_READING, END_WRITING };

static bool is_of_kind(bool reads, bool writes, enum end_kind kind)
{
	return kind == END_ANY || (kind == END_READING ? reads : writes);
}

/* False without memory. *found: somebody has one. */
static bool add_ends(const struct reached *reached, uint64_t inode, enum end_kind kind, bool *found)
{
	struct ends *ends = &reached->world->ends;
	*found = false;
	ends_find(ends);
	for (size_t i = ends_first(ends, inode); i < ends->length && ends->at[i].inode == inode; i++) {
		if (!is_of_kind(ends->at[i].reads, ends->at[i].writes, kind))
			continue;
		*found = true;
		if (!reach_add(reached, ends->at[i].pid))
			return false;
	}
	return true;
}

static pid_t pid_of(const struct reached *reached)
{
	return snapshot_pid(reached->snapshot);
}

static enum end_kind other_end(const struct reached *reached)
{
	return reached->wait->writes ? END_READING : END_WRITING;
}

bool reach_pipe(const struct reached *reached)
{
	char link[256];
	bool found;
	uint64_t pipe = 0;
	if (descriptor_link(pid_of(reached), reached->wait->descriptor, link))
		pipe = descriptor_inode(link, "pipe");
	if (!pipe)
		return reach_fifo(reached);
	if (!add_ends(reached, pipe, other_end(reached), &found))
		return false;
	reached->wait->reach.closed = found && !reached->world->ends.blind;
	return true;
}

/* Who shares this end of it may shut the connection down, as may this process's own threads. */
bool reach_socket(const struct reached *reached)
{
	char link[256];
	bool found, shared;
	struct connection connection;
	uint64_t own = 0;
	if (descriptor_link(pid_of(reached), reached->wait->descriptor, link))
		own = descriptor_inode(link, "socket");
	if (!own)
		return true;
	connection_find(pid_of(reached), own, &connection);
	if (!connection.peer)
		return true;
	if (!add_ends(reached, connection.peer, END_ANY, &found))
		return false;
	const size_t far = reached->wait->reach.length;
	if (!add_ends(reached, own, END_ANY, &shared))
		return false;
	for (size_t i = far; i < reached->wait->reach.length; i++)
		reached->wait->reach.at[i].near = true;
	reached->wait->reach.closed =
	    found && !reached->world->ends.blind && !connection.under_way && !connection.open;
	return true;
}

struct fifo {
	const struct reached *reached;
	bool memory;
};

static bool visit_fifo(void *context, pid_t pid, int process, const char *name, mode_t mode)
{
	struct fifo *fifo = context;
	(void)process;
	(void)name;
	if (is_of_kind(mode & S_IRUSR, mode & S_IWUSR, other_end(fifo->reached)))
		fifo->memory = reach_add(fifo->reached, pid) && fifo->memory;
	return fifo->memory;
}

/* Who can open its file may write to it, too: that never is all. */
bool reach_fifo(const struct reached *reached)
{
	char link[256];
	struct fifo fifo = {.reached = reached, .memory = true};
	if (descriptor_link(pid_of(reached), reached->wait->descriptor, link) && link[0] == '/')
		files_visit(link, visit_fifo, &fifo);
	return fifo.memory;
}
