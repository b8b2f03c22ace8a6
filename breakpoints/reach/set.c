#include "breakpoints/reach/reach.h"

#include "breakpoints/waits/inspector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/syscall.h>

/* Sets of semaphores of System V. The kernel keeps who has changed one last: of one that is used as a lock, its holder. */

#define MOST_OPERATIONS 64

union semun {
	int val;
};

static int control(int set, int number, int command)
{
	return semctl(set, number, command, (union semun){0});
}

/* The first operation that can't be done now; number -1: there is none, or it can't be told. */
static struct sembuf blocked(const struct reached *reached, int set)
{
	const uint64_t *arguments = reached->thread->arguments;
	struct sembuf one, none = {.sem_num = (unsigned short)-1};
	for (uint64_t i = 0; i < arguments[2] && i < MOST_OPERATIONS; i++) {
		if (snapshot_read(reached->snapshot, arguments[1] + i * sizeof one, &one, sizeof one) !=
		    STATUS_OK)
			return none;
		const int value = control(set, one.sem_num, GETVAL);
		if (value < 0)
			return none;
		if (one.sem_op == 0 ? value > 0 : value + one.sem_op < 0)
			return one;
	}
	return none;
}

static bool name_it(struct wait *wait, const struct sembuf *operation, int set, int value)
{
	char text[80];
	snprintf(text, sizeof text, "semaphore %u of set %d", (unsigned)operation->sem_num, set);
	free(wait->name);
	wait->name = strdup(text);
	wait->kind = WAIT_SEMAPHORE;
	wait->count = (uint32_t)value;
	wait_say(wait, "value %d, of System V", value);
	return wait->name != NULL;
}

/* Anybody may change it: that never is all. */
bool reach_set(const struct reached *reached)
{
	const int set = (int)reached->thread->arguments[0];
	if (!same_namespace(snapshot_pid(reached->snapshot), gettid(), "ipc"))
		return true;
	const struct sembuf operation = blocked(reached, set);
	if (operation.sem_num == (unsigned short)-1)
		return true;
	if (!name_it(reached->wait, &operation, set, control(set, operation.sem_num, GETVAL)))
		return false;
	const int last = control(set, operation.sem_num, GETPID);
	/* Who waits for what it has taken last itself is no holder: others give that to it. */
	return last <= 0 || last == snapshot_pid(reached->snapshot) || reach_add(reached, last);
}
