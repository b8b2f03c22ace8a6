/* A network in which there are only fmc and what it starts. */
#include "supervisor/cli/session/own_network.h"
#include "supervisor/cli/output/say.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool write_file(const char *path, const char *text)
{
	const int file = open(path, O_WRONLY | O_CLOEXEC);
	const bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
	if (file >= 0)
		close(file);
	return good;
}

/* Each number is itself; whoever isn't privileged may say so of its own alone. */
static bool map_numbers(uid_t user, gid_t group)
{
	char users[48], groups[48];
	snprintf(users, sizeof users, "%u %u 1", user, user);
	snprintf(groups, sizeof groups, "%u %u 1", group, group);
	return write_file("/proc/self/uid_map", users) && write_file("/proc/self/setgroups", "deny") &&
	       write_file("/proc/self/gid_map", groups);
}

static bool leave_network(void)
{
	const uid_t user = geteuid();
	const gid_t group = getegid();
	if (unshare(CLONE_NEWNET) == 0)
		return true;
	return errno == EPERM && unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && map_numbers(user, group);
}

static bool raise_loopback(void)
{
	struct ifreq loopback = {.ifr_name = "lo"};
	const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool good = any >= 0 && ioctl(any, SIOCGIFFLAGS, &loopback) == 0;
	loopback.ifr_flags |= IFF_UP;
	good = good && ioctl(any, SIOCSIFFLAGS, &loopback) == 0;
	if (any >= 0)
		close(any);
	return good;
}

bool own_network_enter(const struct options *options)
{
	if (!options->own_network || (leave_network() && raise_loopback()))
		return true;
	say("--own-network: can't make one: %s", strerror(errno));
	return false;
}
