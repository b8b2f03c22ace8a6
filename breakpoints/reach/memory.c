#include "breakpoints/reach/reach.h"

#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

/* What is waited for is in memory that other processes have mapped, too. */

static const struct snapshot_mapping *mapping_of(const struct reached *reached, uint64_t address)
{
	for (size_t i = 0; i < snapshot_mappings(reached->snapshot); i++) {
		const struct snapshot_mapping *mapping = snapshot_mapping(reached->snapshot, i);
		if (mapping->low <= address && address < mapping->high)
			return mapping;
	}
	return NULL;
}

/* The shared memory in which it sleeps at a word that other processes can wake; NULL: it doesn't. */
static const struct snapshot_mapping *shared_word(const struct reached *reached)
{
	const struct snapshot_thread *thread = reached->thread;
	if (thread->syscall != SYS_futex || thread->arguments[1] & FUTEX_PRIVATE_FLAG)
		return NULL;
	const struct snapshot_mapping *mapping = mapping_of(reached, thread->arguments[0]);
	return mapping && mapping->shared && mapping->inode ? mapping : NULL;
}

static pid_t process_of(pid_t thread)
{
	char status[4096];
	return text_of(thread, "status", status, sizeof status) ? (pid_t)status_number(status, "Tgid") : 0;
}

/* All that have it, and whether threads have the same numbers for all of them. False without memory. */
static bool add_mappers(const struct reached *reached, const struct snapshot_mapping *mapping, bool *numbers)
{
	const struct shared_maps *maps = &reached->world->maps;
	const pid_t own = snapshot_pid(reached->snapshot);
	*numbers = same_namespace(own, own, "pid");
	for (size_t i = 0; i < maps->length; i++) {
		const struct shared_map *map = &maps->at[i];
		if (map->inode != mapping->inode || map->device != mapping->device)
			continue;
		if (!reach_add(reached, map->pid))
			return false;
		*numbers = *numbers && same_namespace(own, map->pid, "pid");
	}
	reached->wait->reach.own = true;
	return true;
}

struct opened {
	const struct reached *reached;
	bool memory;
};

static bool visit_opened(void *context, pid_t pid, int process, const char *name, mode_t mode)
{
	struct opened *opened = context;
	(void)process;
	(void)name;
	(void)mode;
	opened->memory = reach_add(opened->reached, pid);
	return opened->memory;
}

static bool ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), more = strlen(end);
	return length >= more && strcmp(text + length - more, end) == 0;
}

/*
 * Can nobody come who hasn't mapped it? A file with a name can be mapped by anybody, one without by who has it open: they are added. The
 * memory of System V's segments has numbers by which anybody finds it.
 */
static bool is_closed(const struct reached *reached, const struct snapshot_mapping *mapping, bool *memory)
{
	if (!mapping->path || !ends_with(mapping->path, " (deleted)") ||
	    strncmp(mapping->path, "/SYSV", 5) == 0)
		return false;
	if (strcmp(mapping->path, "/dev/zero (deleted)") == 0)
		return true;
	struct opened opened = {.reached = reached, .memory = true};
	const bool all = files_visit(mapping->path, visit_opened, &opened);
	*memory = opened.memory;
	return all;
}

static bool is_lock(enum wait_kind kind)
{
	return kind == WAIT_MUTEX || kind == WAIT_READ || kind == WAIT_WRITE;
}

/*
 * The thread that has it locked, where its number means the same to all: if that is none of any process that has the memory, it has
 * ended, and its number is another one's by now.
 */
static void find_holder(const struct reached *reached, const struct snapshot_mapping *mapping)
{
	struct wait *wait = reached->wait;
	struct reach *reach = &wait->reach;
	const pid_t process = process_of(wait->outsider);
	if (process && shared_maps_have(&reached->world->maps, mapping->device, mapping->inode, process)) {
		for (size_t i = 0; i < reach->length; i++)
			if (reach->at[i].pid == process)
				reach->at[0] = reach->at[i];
		reach->length = 1;
		reach->own = false;
		reach->thread = wait->outsider;
		reach->closed = true;
	} else if (!reached->world->maps.blind) {
		wait->outsider_dead = true;
	}
}

bool reach_memory(const struct reached *reached)
{
	struct wait *wait = reached->wait;
	struct shared_maps *maps = &reached->world->maps;
	const struct snapshot_mapping *mapping = shared_word(reached);
	bool numbers, memory = true;
	if (!mapping || reached->inspection->sharer != 0)
		return true;
	shared_maps_find(maps);
	if (!add_mappers(reached, mapping, &numbers))
		return false;
	/* What has an owner is left to that one, named or not: to unlock it is nobody else's right. */
	const bool owned = is_lock(wait->kind) && !wait->guessed && (wait->outsider || wait->holders_length);
	wait->reach.closed = !maps->blind && numbers && (owned || is_closed(reached, mapping, &memory));
	if (owned && wait->outsider && numbers)
		find_holder(reached, mapping);
	if (owned && wait->holders_length)
		wait->certain = wait->reach.closed && !wait->timed;
	return memory;
}
