#include "breakpoints/reach/reach.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/pid_namespace.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Which processes have mapped which files so that what one writes the others read. */

static bool add_line(struct shared_maps *maps, pid_t pid, const char *line)
{
	unsigned major, minor;
	uint64_t inode;
	char rights[5];
	if (sscanf(line, "%*x-%*x %4s %*x %x:%x %" SCNu64, rights, &major, &minor, &inode) != 4 ||
	    rights[3] != 's' || inode == 0 || shared_maps_have(maps, makedev(major, minor), inode, pid))
		return true;
	if (!ARRAY_GROW(maps->at, maps->length, maps->room))
		return false;
	maps->at[maps->length++] =
	    (struct shared_map){.device = makedev(major, minor), .inode = inode, .pid = pid};
	return true;
}

static FILE *open_maps(pid_t pid)
{
	char folder[32], part[32], path[80];
	snprintf(folder, sizeof folder, "/proc/%d", (int)pid);
	const int process = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process < 0)
		return NULL;
	living_part(process, part);
	close(process);
	snprintf(path, sizeof path, "/proc/%d/%smaps", (int)pid, part);
	return fopen(path, "re");
}

static void look_through(struct shared_maps *maps, pid_t pid)
{
	char *line = NULL;
	size_t room = 0;
	FILE *file = open_maps(pid);
	if (!file) {
		maps->blind |= hides(pid, errno);
		return;
	}
	while (getline(&line, &room, file) > 0)
		maps->blind |= !add_line(maps, pid, line);
	free(line);
	fclose(file);
}

static void look_at_all(struct shared_maps *maps)
{
	DIR *processes = opendir("/proc");
	maps->blind = !processes || !proc_shows_all();
	for (struct dirent *entry; processes && (entry = readdir(processes));)
		if (isdigit((unsigned char)entry->d_name[0]))
			look_through(maps, (pid_t)atoi(entry->d_name));
	if (processes)
		closedir(processes);
}

void shared_maps_find(struct shared_maps *maps)
{
	if (maps->known)
		return;
	maps->blind = true;
	for (int round = 0; round < MOST_ROUNDS && maps->blind; round++)
		look_at_all(maps);
	maps->known = true;
}

void shared_maps_release(struct shared_maps *maps)
{
	free(maps->at);
	*maps = (struct shared_maps){0};
}

bool shared_maps_have(const struct shared_maps *maps, uint64_t device, uint64_t inode, pid_t pid)
{
	/* Those of one process stand together, the newest last. */
	for (size_t i = maps->length; i > 0; i--)
		if (maps->at[i - 1].pid == pid && maps->at[i - 1].inode == inode &&
		    maps->at[i - 1].device == device)
			return true;
	return false;
}
