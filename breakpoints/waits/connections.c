#include "breakpoints/waits/descriptors.h"
#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* Sockets: what they are connected to. */

#define TCP_LISTENING 10 /* as /proc/net/tcp numbers states */

/* One line of /proc/net/tcp and its kin. */
struct line {
	char local[33], remote[33]; /* hexadecimal, as the kernel writes them */
	unsigned local_port, remote_port, state;
	unsigned unsent; /* bytes that the other end hasn't acknowledged */
	uint64_t inode;
};

static bool parse(const char *text, struct line *line)
{
	return sscanf(text, " %*d: %32[0-9A-F]:%X %32[0-9A-F]:%X %X %X:%*X %*s %*s %*s %*s %" SCNu64,
		      line->local, &line->local_port, line->remote, &line->remote_port, &line->state,
		      &line->unsent, &line->inode) == 7;
}

/* The kernel writes the 32-bit words of an address as numbers of this machine. */
static void address_text(const char *hex, unsigned port, char *text, size_t room)
{
	uint32_t words[4];
	char name[INET6_ADDRSTRLEN] = "?";
	bool wide = strlen(hex) == 32;
	for (size_t i = 0; i < (wide ? 4 : 1); i++)
		sscanf(hex + 8 * i, "%8" SCNx32, &words[i]);
	inet_ntop(wide ? AF_INET6 : AF_INET, words, name, sizeof(name));
	snprintf(text, room, wide ? "[%s]:%u" : "%s:%u", name, port);
}

static FILE *open_table(pid_t pid, const char *table)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)pid, table);
	return fopen(path, "re");
}

static bool of_inode(const struct line *line, const void *context)
{
	return line->inode == *(const uint64_t *)context;
}

static bool is_peer(const struct line *line, const void *context)
{
	const struct line *other = context;
	return line->local_port == other->remote_port && line->remote_port == other->local_port &&
	       strcmp(line->local, other->remote) == 0 && strcmp(line->remote, other->local) == 0;
}

static bool find_line(pid_t pid, const char *table, bool (*wanted)(const struct line *, const void *),
		      const void *context, struct line *line)
{
	char text[512];
	bool found = false;
	FILE *file = open_table(pid, table);
	while (file && !found && fgets(text, sizeof(text), file))
		found = parse(text, line) && wanted(line, context);
	if (file)
		fclose(file);
	return found;
}

static bool find_internet(pid_t pid, const char *table, uint64_t inode, struct connection *connection)
{
	struct line line, peer;
	char address[80];
	if (!find_line(pid, table, of_inode, &inode, &line))
		return false;
	bool listening = strncmp(table, "tcp", 3) == 0 && line.state == TCP_LISTENING;
	bool bound = listening || line.remote_port == 0;
	address_text(bound ? line.local : line.remote, bound ? line.local_port : line.remote_port, address,
		     sizeof(address));
	snprintf(connection->text, sizeof(connection->text), "%s %s",
		 listening ? "listening at"
		 : bound   ? "at"
			   : "to",
		 address);
	if (bound || !find_line(pid, table, is_peer, &line, &peer))
		return true;
	connection->peer = peer.inode;
	connection->under_way = line.unsent || peer.unsent;
	connection->open = strncmp(table, "udp", 3) == 0;
	return true;
}

/* Of a socket in the file system: "Num RefCount Protocol Flags Type St Inode Path". */
static bool find_local(pid_t pid, uint64_t inode, struct connection *connection)
{
	char text[512], path[108];
	uint64_t number;
	bool found = false;
	FILE *file = open_table(pid, "unix");
	while (file && !found && fgets(text, sizeof(text), file)) {
		path[0] = 0;
		found = sscanf(text, "%*s %*s %*s %*s %*s %*s %" SCNu64 " %107s", &number, path) >= 1 &&
			number == inode;
	}
	if (file)
		fclose(file);
	if (found && path[0])
		snprintf(connection->text, sizeof(connection->text), "at %s", path);
	return found;
}

static bool same_network(pid_t pid)
{
	char path[64];
	struct stat theirs, ours;
	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	return stat(path, &theirs) == 0 && stat("/proc/self/ns/net", &ours) == 0 &&
	       theirs.st_ino == ours.st_ino;
}

static uint64_t peer_in(const struct nlmsghdr *header)
{
	const char *at = (const char *)NLMSG_DATA(header) + NLMSG_ALIGN(sizeof(struct unix_diag_msg));
	const char *end = (const char *)header + header->nlmsg_len;
	while (at + sizeof(struct nlattr) <= end) {
		struct nlattr attribute;
		uint32_t peer;
		memcpy(&attribute, at, sizeof(attribute));
		if (attribute.nla_len < sizeof(attribute) || at + attribute.nla_len > end)
			break;
		if (attribute.nla_type == UNIX_DIAG_PEER &&
		    attribute.nla_len >= sizeof(attribute) + sizeof(peer)) {
			memcpy(&peer, at + sizeof(attribute), sizeof(peer));
			return peer;
		}
		at += NLA_ALIGN(attribute.nla_len);
	}
	return 0;
}

/* The other end of a local socket is told by the kernel's socket monitoring only. */
static uint64_t local_peer(uint64_t inode)
{
	struct {
		struct nlmsghdr header;
		struct unix_diag_req request;
	} question = {.header = {.nlmsg_len = sizeof(question),
				 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
				 .nlmsg_flags = NLM_F_REQUEST},
		      .request = {.sdiag_family = AF_UNIX,
				  .udiag_states = UINT32_MAX,
				  .udiag_ino = (uint32_t)inode,
				  .udiag_show = UDIAG_SHOW_PEER,
				  .udiag_cookie = {UINT32_MAX, UINT32_MAX}}};
	_Alignas(struct nlmsghdr) char answer[1024];
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	ssize_t length = -1;
	if (fd >= 0 && send(fd, &question, sizeof(question), 0) == (ssize_t)sizeof(question))
		length = recv(fd, answer, sizeof(answer), 0);
	if (fd >= 0)
		close(fd);
	const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
	if (length < (ssize_t)NLMSG_LENGTH(sizeof(struct unix_diag_msg)) ||
	    header->nlmsg_len > (size_t)length || header->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return 0;
	return peer_in(header);
}

void connection_find(pid_t pid, uint64_t inode, struct connection *connection)
{
	static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6"};
	*connection = (struct connection){0};
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (find_internet(pid, tables[i], inode, connection))
			return;
	if (find_local(pid, inode, connection) && same_network(pid))
		connection->peer = local_peer(inode);
}

/* The option is read through a descriptor of the same socket, which doesn't change it. */
bool socket_times_out(pid_t pid, int fd, bool writes)
{
	struct timeval time = {.tv_sec = 1};
	socklen_t length = sizeof(time);
	int process = (int)syscall(SYS_pidfd_open, pid, 0);
	int own = process >= 0 ? (int)syscall(SYS_pidfd_getfd, process, fd, 0) : -1;
	bool known =
	    own >= 0 && getsockopt(own, SOL_SOCKET, writes ? SO_SNDTIMEO : SO_RCVTIMEO, &time, &length) == 0;
	if (own >= 0)
		close(own);
	if (process >= 0)
		close(process);
	return !known || time.tv_sec || time.tv_usec;
}
