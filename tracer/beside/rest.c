/* What the processes beside a target do, as far as it can be seen without disturbing them. */
#include "tracer/beside/state.h"

#include <fmc/tracer/activity.h>
#include <fmc/tracer/array.h>
#include <fmc/tracer/call_traits.h>

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FUTEX_TIME 3 /* which argument is the time-out of those that wait */

struct family {
	pid_t *at;
	size_t length, room;
};

/* The children of one thread. */
static bool add_children(struct family *family, pid_t pid, pid_t tid)
{
	char path[64];
	int child;
	bool good = true;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)tid);
	FILE *file = fopen(path, "re");
	while (file && good && fscanf(file, "%d", &child) == 1)
		if ((good = ARRAY_GROW(family->at, family->length, family->room)))
			family->at[family->length++] = child;
	if (file)
		fclose(file);
	return good;
}

/* Does its wait end by itself? */
static bool ends(const struct activity *task)
{
	const struct call_traits *traits = call_traits(task->syscall);
	switch ((enum call_awaits)traits->awaits) {
	case AWAITS_WORD:
		return task->arguments[FUTEX_TIME] != 0;
	case AWAITS_TIME:
	case AWAITS_TURN:
	case AWAITS_LOCK: /* anybody may hold it */
	case AWAITS_NOTHING:
		return true;
	default:
		return call_has_time_out(task->syscall, task->arguments);
	}
}

/* It may have set a clock for itself. */
static bool awaits_alarm(pid_t pid)
{
	char path[40], line[256];
	unsigned long long caught = 0;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file) && sscanf(line, "SigCgt: %llx", &caught) != 1)
		;
	if (file)
		fclose(file);
	return caught >> (SIGALRM - 1) & 1;
}

static enum beside_rest rest_of(const struct activity *task)
{
	if (!task->state || strchr("ZX", task->state))
		return BESIDE_WAITS;
	/* Who waits for a disk goes on by itself; and who is about to be put on a processor is R before its call is over. */
	if (!task->asleep || strchr("DR", task->state))
		return BESIDE_RUNS;
	return ends(task) ? BESIDE_SLEEPS : BESIDE_WAITS;
}

/* One process: what its threads do, and its children into the family. */
static enum beside_rest look_at(struct family *family, pid_t pid, uint64_t *turns)
{
	struct activity *tasks;
	size_t length;
	enum beside_rest rest = BESIDE_WAITS;
	if (activity_read(pid, &tasks, &length) != STATUS_OK)
		return BESIDE_WAITS; /* gone */
	for (size_t i = 0; i < length; i++) {
		const enum beside_rest its = rest_of(&tasks[i]);
		rest = its < rest ? its : rest;
		*turns += tasks[i].runs + (uint64_t)tasks[i].tid;
		if (!add_children(family, pid, tasks[i].tid))
			rest = BESIDE_RUNS;
	}
	free(tasks);
	return rest;
}

enum beside_rest beside_rest(struct beside *beside, pid_t peer, uint64_t *turns)
{
	struct family family = {0};
	if (!peer && asleep_still(beside)) {
		*turns = beside->turns;
		return BESIDE_SLEEPS;
	}
	enum beside_rest rest =
	    add_children(&family, beside->keeper, beside->keeper) ? BESIDE_WAITS : BESIDE_RUNS;
	*turns = 0;
	for (size_t i = 0; i < family.length && rest != BESIDE_RUNS; i++) {
		const enum beside_rest its = look_at(&family, family.at[i], turns);
		rest = its < rest ? its : rest;
	}
	for (size_t i = 0; i < family.length && rest == BESIDE_WAITS; i++)
		if (!peer || awaits_alarm(family.at[i]) ||
		    !beside_leads_to(family.at[i], peer, family.at, family.length))
			rest = BESIDE_SLEEPS;
	if (rest == BESIDE_RUNS)
		asleep_forget(beside);
	else if (!peer)
		asleep_keep(beside, family.at, family.length, *turns);
	free(family.at);
	return rest;
}
