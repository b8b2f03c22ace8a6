/*
 * Shared memory, semaphores and queues of System V that the program has made for itself (IPC_PRIVATE). The kernel keeps them until somebody
 * removes them, and has room for 32,000 by default: an execution that is killed can't, and thousands of executions would leave so many
 * that the program gets ENOSPC. They go with the process.
 */
#include "tracer/tracee/tracee.h"

#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>

struct made {
	long call; /* that made it */
	int id;
};

bool made_make_room(struct target *target)
{
	struct made *made = realloc(target->made, (target->made_length + 1) * sizeof *made);
	if (made)
		target->made = made;
	return made;
}

void made_add(struct target *target, long call, int id)
{
	target->made[target->made_length++] = (struct made){call, id};
}

void made_remove(struct target *target)
{
	for (size_t i = 0; i < target->made_length; i++) {
		const struct made *made = &target->made[i];
		/* Where the program has removed it the kernel gives the number to no other for a long time. */
		if (made->call == SYS_semget)
			(void)semctl(made->id, 0, IPC_RMID);
		else if (made->call == SYS_msgget)
			(void)msgctl(made->id, IPC_RMID, NULL);
		else
			(void)shmctl(made->id, IPC_RMID, NULL);
	}
	target->made_length = 0;
}
