/* Waiting for the client: until it waits, and for how long nothing happens. */
#include "supervisor/drive/state.h"

#include <fmc/tracer/clock.h>

#include <time.h>

#define MS UINT64_C(1000000)

/* A client that computes for longer is left alone until it waits the next time. */
#define SETTLES	    (2000 * MS)
#define FIRST_PAUSE 20000
#define MOST_PAUSE  1000000

enum beside_rest drive_rest(struct process *process)
{
	struct drive *drive = process->drive;
	uint64_t turns;
	const enum beside_rest rest = beside_rest(drive->beside, 0, &turns);
	if (rest == BESIDE_RUNS || turns != drive->turns) {
		drive->since = 0;
		drive->ticks = 0;
	}
	drive->turns = turns;
	drive->rest = rest;
	return rest;
}

void drive_settle(struct process *process)
{
	struct drive *drive = process->drive;
	const uint64_t begin = clock_now(), until = begin + (drive->busy ? 0 : SETTLES);
	long pause = FIRST_PAUSE;
	enum beside_rest rest;
	bool waited = false;
	while ((rest = drive_rest(process)) == BESIDE_RUNS && clock_now() < until) {
		nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
		pause = pause < MOST_PAUSE ? 2 * pause : pause;
		waited = true;
	}
	/* To see that it waits takes some time, too, which isn't the client's. */
	drive->computed += waited ? clock_now() - begin : 0;
	drive->busy = rest == BESIDE_RUNS;
	if (drive->busy)
		process_remark(process, "a client that computed while the program went on");
}

bool drive_stop_pending(const struct process *process)
{
	const struct drive *drive = process->drive;
	const struct tracee *to =
	    drive->told_thread < process->threads_length ? process->threads[drive->told_thread].tracee : NULL;
	return to && tracee_signals(to).pending >> (drive->setting->stop - 1) & 1;
}

void drive_hear_stop(struct process *process)
{
	struct drive *drive = process->drive;
	if (!drive->told || drive_stop_pending(process))
		return;
	drive->told = false;
	process->disturbed = drive->was_disturbed;
}
