/* System calls on sockets that have a name, or whose other end has one, as operations on what leads from one to the other. */
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/children.h>

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * Both ends of a connection are one object, by the numbers of its two names; so are all those who connect to one address and who listens
 * there; and so is what is sent to one address without a connection. A name's number is its port, or a digest of its path: two
 * addresses of one machine with the same port are taken for one, which costs executions and hides none. So it is with all
 * connections to one path, of which one end has no name.
 */
union name {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
	struct sockaddr_un local;
	struct sockaddr_storage room;
};

enum what { WHAT_LISTENER = 1, WHAT_CONNECTION, WHAT_DATAGRAMS };

static uint64_t mix(uint64_t digest, uint64_t value)
{
	return (digest ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t number_of(const union name *name, socklen_t size)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);
	if (size < sizeof name->any.sa_family)
		return 0;
	if (name->any.sa_family == AF_INET)
		return ntohs(name->four.sin_port);
	if (name->any.sa_family == AF_INET6)
		return ntohs(name->six.sin6_port);
	if (name->any.sa_family != AF_UNIX || size <= offsetof(struct sockaddr_un, sun_path))
		return 0;
	/* Of a path the zero at its end may be counted or not. */
	const char *path = name->local.sun_path;
	const size_t length = size - offsetof(struct sockaddr_un, sun_path);
	for (size_t i = 0; i < length && (i == 0 || path[i] || !path[0]); i++)
		digest = mix(digest, (unsigned char)path[i]);
	return digest;
}

static bool is_near(const union name *name)
{
	switch (name->any.sa_family) {
	case AF_INET:
		return ntohl(name->four.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET ||
		       name->four.sin_addr.s_addr == htonl(INADDR_ANY);
	case AF_INET6:
		return IN6_IS_ADDR_LOOPBACK(&name->six.sin6_addr) ||
		       IN6_IS_ADDR_UNSPECIFIED(&name->six.sin6_addr);
	default:
		return name->any.sa_family == AF_UNIX;
	}
}

static bool is_process(pid_t pid, const void *context)
{
	return pid == *(const pid_t *)context;
}

/* `copy` is fmc's own. */
static bool ask_copy(const struct process *process, int copy, struct socket_ends *ends)
{
	union name own = {0}, peer = {0};
	struct ucred who = {0};
	int listens = 0;
	socklen_t size = sizeof own, peer_size = sizeof peer, int_size = sizeof(int), type_size = sizeof(int);
	socklen_t who_size = sizeof who;
	*ends = (struct socket_ends){0};
	const bool found = getsockname(copy, &own.any, &size) == 0 &&
			   getsockopt(copy, SOL_SOCKET, SO_TYPE, &ends->type, &type_size) == 0 &&
			   getsockopt(copy, SOL_SOCKET, SO_ACCEPTCONN, &listens, &int_size) == 0;
	ends->connected = getpeername(copy, &peer.any, &peer_size) == 0;
	ends->inside = own.any.sa_family == AF_UNIX &&
		       getsockopt(copy, SOL_SOCKET, SO_PEERCRED, &who, &who_size) == 0 &&
		       uses_any_process(process, is_process, &who.pid);
	ends->listens = listens;
	ends->own = number_of(&own, size);
	ends->peer = ends->connected ? number_of(&peer, peer_size) : 0;
	ends->near = is_near(&own) && (!ends->connected || is_near(&peer));
	return found && (own.any.sa_family == AF_INET || own.any.sa_family == AF_INET6 ||
			 own.any.sa_family == AF_UNIX);
}

static bool ask(const struct process *process, int descriptor, struct socket_ends *ends)
{
	const int copy = kernel_duplicate(process, descriptor);
	const bool found = copy >= 0 && ask_copy(process, copy, ends);
	if (copy >= 0)
		close(copy);
	return found;
}

/* Calls on connections are operations. Who is run once, or has a client that isn't followed, has others at the other end. */
static bool are_followed(const struct process *process)
{
	return process->options.outside_ms && (!process->drive || process->options.follow) &&
	       !spaces_unfollowed(process) && !origin_advanced(process->origin) &&
	       !process->options.program.image;
}

/*
 * Where connections aren't followed what is asked of one serves to tell it from others. Of two ends that are connected it stays the same, and
 * each call on one needs it.
 */
static bool look(struct process *process, int descriptor, uint64_t socket, struct socket_ends *ends)
{
	const bool kept = socket && !are_followed(process);
	struct uses *uses = &process->uses;
	const size_t at = socket % (sizeof uses->connected / sizeof uses->connected[0]);
	if (kept && uses->connected[at].socket == socket) {
		*ends = uses->connected[at].ends;
		return true;
	}
	const bool found = ask(process, descriptor, ends);
	if (kept && found && ends->connected && !ends->listens &&
	    (ends->type == SOCK_STREAM || ends->type == SOCK_SEQPACKET)) {
		uses->connected[at].socket = socket;
		uses->connected[at].ends = *ends;
	}
	return found;
}

/* A socket of this name, which isn't the one that asks for it. */
struct wanted {
	const struct process *process;
	int but;
	bool listens; /* it is one that does */
	uint64_t number;
	bool found;
};

static bool look_for(struct target *target, int descriptor, int copy, void *context)
{
	struct wanted *wanted = context;
	struct socket_ends ends;
	const bool itself = target == wanted->process->target && descriptor == wanted->but;
	wanted->found = !itself && copy >= 0 && ask_copy(wanted->process, copy, &ends) &&
			ends.own == wanted->number && (ends.listens || !wanted->listens);
	return !wanted->found;
}

static bool has_other_end(const struct process *process, int descriptor, uint64_t number)
{
	struct wanted wanted = {.process = process, .but = descriptor, .number = number};
	(void)kernel_all_descriptors(process, look_for, &wanted);
	return wanted.found;
}

static uint64_t id_of(enum what what, uint64_t one, uint64_t other)
{
	const uint64_t less = one < other ? one : other, more = one < other ? other : one;
	return mix(mix(mix(UINT64_C(0xcbf29ce484222325), what), less), more);
}

/* The address that the call is given. */
static bool read_name(const struct process *process, const struct kernel_call *call, union name *name)
{
	*name = (union name){0};
	return call->name_size <= sizeof *name &&
	       target_read(process->target, call->name, name, call->name_size) == STATUS_OK;
}

/*
 * To the address in the call, or this becomes the socket's name. False: nobody else can notice. A path is a file's name, and who makes it makes
 * that (names.c).
 */
static bool set_address(const struct process *process, const struct socket_ends *ends, enum what what,
			struct kernel_call *call)
{
	union name name;
	if (!read_name(process, call, &name) ||
	    (call->kind == OP_CONNECTION_LISTEN && name.any.sa_family == AF_UNIX && name.local.sun_path[0]))
		return false;
	const uint64_t number = number_of(&name, call->name_size);
	call->id = id_of(what, number, 0);
	call->can_be_operation = call->can_be_operation && ends->near && is_near(&name);
	return number != 0;
}

/* The same of what waits for who is there, who is to be one of the program's. */
static bool set_addressed(const struct process *process, const struct socket_ends *ends, enum what what,
			  struct kernel_call *call)
{
	union name name;
	const bool addressed = set_address(process, ends, what, call);
	call->can_be_operation = addressed && call->can_be_operation && read_name(process, call, &name) &&
				 has_other_end(process, call->descriptor, number_of(&name, call->name_size));
	return addressed;
}

/* Whose other end was the program's is the program's alone when that is closed. */
static bool set_connected(struct process *process, const struct socket_ends *ends, struct kernel_call *call)
{
	call->id = id_of(WHAT_CONNECTION, ends->own, ends->peer);
	call->can_be_operation =
	    call->can_be_operation &&
	    (ends->inside || kernel_find(process, CLASS_CONNECTION, call->id) != NO_OBJECT ||
	     (ends->near && ends->peer != 0 && has_other_end(process, call->descriptor, ends->peer)));
	return ends->connected;
}

static bool set_own(const struct socket_ends *ends, enum what what, struct kernel_call *call)
{
	call->id = id_of(what, ends->own, 0);
	call->can_be_operation &= ends->near;
	return ends->own != 0;
}

static bool set_sent(struct process *process, const struct socket_ends *ends, struct kernel_call *call)
{
	if (ends->type == SOCK_STREAM || ends->type == SOCK_SEQPACKET)
		return set_connected(process, ends, call);
	if (call->name)
		return set_addressed(process, ends, WHAT_DATAGRAMS, call);
	call->id = id_of(WHAT_DATAGRAMS, ends->peer, 0);
	call->can_be_operation =
	    call->can_be_operation && ends->near && has_other_end(process, call->descriptor, ends->peer);
	return ends->connected;
}

static bool set_object(struct process *process, const struct socket_ends *ends, struct kernel_call *call)
{
	const bool streams = ends->type == SOCK_STREAM || ends->type == SOCK_SEQPACKET;
	switch (call->kind) {
	case OP_CONNECTION_OPEN:
		return streams && set_address(process, ends, WHAT_LISTENER, call);
	case OP_CONNECTION_LISTEN:
		return streams && (call->name ? set_address(process, ends, WHAT_LISTENER, call)
					      : set_own(ends, WHAT_LISTENER, call));
	case OP_CONNECTION_ACCEPT:
		return set_own(ends, WHAT_LISTENER, call);
	case OP_CONNECTION_SEND:
		return set_sent(process, ends, call);
	default:
		if (ends->listens)
			return set_own(ends, WHAT_LISTENER, call);
		return streams ? set_connected(process, ends, call) : set_own(ends, WHAT_DATAGRAMS, call);
	}
}

bool kernel_call_is_refused(const struct process *process, uint32_t thread)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	union name name;
	if (!regs)
		return false;
	const struct kernel_call call = {.name = regs->rsi, .name_size = (uint32_t)regs->rdx};
	if (!read_name(process, &call, &name))
		return false;
	struct wanted wanted = {
	    .process = process, .but = -1, .listens = true, .number = number_of(&name, call.name_size)};
	(void)kernel_all_descriptors(process, look_for, &wanted);
	return !wanted.found;
}

bool kernel_call_has_name(struct process *process, int descriptor, uint64_t socket)
{
	struct socket_ends ends;
	return look(process, descriptor, socket, &ends) && (ends.own != 0 || ends.peer != 0);
}

bool kernel_call_is_outside(struct process *process, int descriptor)
{
	struct kernel_end end;
	struct socket_ends ends;
	/* Without a name it may be one of a pair. */
	if (are_followed(process) || !kernel_look(process, descriptor, &end) || end.class != CLASS_SOCKET ||
	    !look(process, descriptor, end.id, &ends) || (ends.own == 0 && ends.peer == 0) ||
	    ends.type != SOCK_STREAM || !ends.connected || ends.listens)
		return false;
	kernel_look_closer(process, descriptor, &end);
	return !end.blocking;
}

bool kernel_call_decode_connection(struct process *process, enum op_kind kind, struct kernel_call *call)
{
	struct socket_ends ends;
	const uint64_t socket = call->id;
	call->class = CLASS_CONNECTION;
	call->kind = kind;
	call->sender = 0;
	call->can_be_operation = call->can_be_operation && are_followed(process);
	return look(process, call->descriptor, socket, &ends) && set_object(process, &ends, call);
}
