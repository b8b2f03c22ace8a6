/* Whether a process is frozen: its threads look asleep then, whatever has happened to what they wait for. */
#include <fmc/tracer/activity.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hierarchy of control groups: the second version's, or that of the first which freezes. */
struct hierarchy {
	bool second;
	char group[PATH_MAX]; /* the process's, from the hierarchy's root on */
};

/* One line of /proc/PID/cgroup: "0::/group" or "7:freezer,pids:/group". False: it is about something else. */
static bool parse_group(char *line, struct hierarchy *hierarchy)
{
	char *controllers = strchr(line, ':');
	char *group = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!group)
		return false;
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	hierarchy->second = controllers[1] == '\0';
	snprintf(hierarchy->group, sizeof hierarchy->group, "%s", group);
	return hierarchy->second || strstr(controllers, "freezer");
}

/*
 * One line of mountinfo: "36 35 98:0 /root /mounted options [fields] - type source options". Is the hierarchy mounted there, so
 * that the group can be seen? *file takes where its state is.
 */
static bool parse_mount(const char *line, const struct hierarchy *hierarchy, char file[PATH_MAX])
{
	char root[PATH_MAX], place[PATH_MAX], type[64], options[512];
	const char *rest = strstr(line, " - ");
	if (!rest || sscanf(line, "%*d %*d %*s %4095s %4095s", root, place) != 2 ||
	    sscanf(rest, " - %63s %*s %511s", type, options) != 2 ||
	    strcmp(type, hierarchy->second ? "cgroup2" : "cgroup") != 0 ||
	    (!hierarchy->second && !strstr(options, "freezer")))
		return false;
	const size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(hierarchy->group, root, length) != 0)
		return false;
	return snprintf(file, PATH_MAX, "%s%s/%s", place, hierarchy->group + length,
			hierarchy->second ? "cgroup.events" : "freezer.state") < PATH_MAX;
}

static bool find_file(const struct hierarchy *hierarchy, char file[PATH_MAX])
{
	char *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	while (mounts && !found && getline(&line, &room, mounts) > 0)
		found = parse_mount(line, hierarchy, file);
	if (mounts)
		fclose(mounts);
	free(line);
	return found;
}

static bool says_frozen(const char *path)
{
	char line[64];
	bool frozen = false;
	FILE *file = fopen(path, "re");
	while (file && !frozen && fgets(line, sizeof line, file))
		frozen = strcmp(line, "frozen 1\n") == 0 || strcmp(line, "FROZEN\n") == 0 ||
			 strcmp(line, "FREEZING\n") == 0;
	if (file)
		fclose(file);
	return frozen;
}

bool activity_frozen(pid_t pid)
{
	struct hierarchy hierarchy;
	char path[PATH_MAX], *line = NULL;
	size_t room = 0;
	bool frozen = false;
	snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
	FILE *groups = fopen(path, "re");
	while (groups && !frozen && getline(&line, &room, groups) > 0)
		frozen = parse_group(line, &hierarchy) && find_file(&hierarchy, path) && says_frozen(path);
	if (groups)
		fclose(groups);
	free(line);
	return frozen;
}
