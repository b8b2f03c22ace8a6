/* Which two sockets are a pair, and whose: unix_diag, sock_diag(7). */
#include "supervisor/process/kernel_objects.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct question {
	struct nlmsghdr head;
	struct unix_diag_req what;
};

/* The number is 32 bits wide there. */
static uint64_t find_peer(const void *answer, ssize_t length)
{
	const struct nlmsghdr *head = answer;
	if (length < (ssize_t)NLMSG_LENGTH(sizeof(struct unix_diag_msg)) ||
	    head->nlmsg_type != SOCK_DIAG_BY_FAMILY || !NLMSG_OK(head, (size_t)length))
		return 0;
	const struct unix_diag_msg *message = NLMSG_DATA(head);
	const struct rtattr *attribute = (const struct rtattr *)(message + 1);
	unsigned left = head->nlmsg_len - (unsigned)NLMSG_LENGTH(sizeof *message);
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
		uint32_t peer;
		if (attribute->rta_type != UNIX_DIAG_PEER || RTA_PAYLOAD(attribute) < sizeof peer)
			continue;
		memcpy(&peer, RTA_DATA(attribute), sizeof peer);
		return peer;
	}
	return 0;
}

static uint64_t ask_peer(uint64_t socket_number)
{
	const struct question question = {
	    .head = {.nlmsg_len = sizeof question,
		     .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		     .nlmsg_flags = NLM_F_REQUEST},
	    .what = {.sdiag_family = AF_UNIX,
		     .udiag_states = UINT32_MAX,
		     .udiag_ino = (uint32_t)socket_number,
		     .udiag_show = UDIAG_SHOW_PEER,
		     .udiag_cookie = {UINT32_MAX, UINT32_MAX}},
	};
	_Alignas(struct nlmsghdr) char answer[1024];
	const int link = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (link < 0)
		return 0;
	const bool asked = send(link, &question, sizeof question, 0) == (ssize_t)sizeof question;
	const ssize_t length = asked ? recv(link, answer, sizeof answer, 0) : -1;
	close(link);
	return find_peer(answer, length);
}

uint64_t kernel_peer(struct process *process, uint64_t socket_number)
{
	struct uses *uses = &process->uses;
	for (uint32_t i = 0; i < uses->pairs_length; i++) {
		if (uses->pairs[i].one == socket_number)
			return uses->pairs[i].other;
		if (uses->pairs[i].other == socket_number)
			return uses->pairs[i].one;
	}
	/* That there is none is worth knowing as well. Where there is no room another one is forgotten. */
	const uint32_t room = sizeof uses->pairs / sizeof uses->pairs[0];
	const uint32_t at = uses->pairs_length < room ? uses->pairs_length++ : (uint32_t)socket_number % room;
	uses->pairs[at].one = socket_number;
	uses->pairs[at].other = ask_peer(socket_number);
	return uses->pairs[at].other;
}

/* One of those that are followed, be it over by now. */
static bool is_process(const struct process *process, pid_t pid)
{
	for (size_t i = 0; i < process->spaces_length; i++)
		if (target_pid(process->spaces[i].target) == pid)
			return true;
	return false;
}

bool kernel_made_pair(const struct process *process, int descriptor)
{
	struct sockaddr_un name;
	struct ucred maker;
	socklen_t length = sizeof name, size = sizeof maker;
	const int copy = kernel_duplicate(process, descriptor);
	const bool made = copy >= 0 && getpeername(copy, (struct sockaddr *)&name, &length) == 0 &&
			  name.sun_family == AF_UNIX && length <= sizeof name.sun_family &&
			  getsockopt(copy, SOL_SOCKET, SO_PEERCRED, &maker, &size) == 0 &&
			  is_process(process, maker.pid);
	if (copy >= 0)
		close(copy);
	return made;
}
