/* Nobody in the program goes on: what is to come of its client, and of it. */
#include "supervisor/drive/state.h"

#include <fmc/tracer/children.h>
#include <fmc/tracer/clock.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MS UINT64_C(1000000)

/* So long nothing has happened when it is said that nothing will. The longest is for a client that may wait for others. */
#define LISTENS_IN (10 * 1000 * MS) /* the program stands still, and hasn't listened */
#define NEVER	   (1000 * MS)	    /* client and program wait for each other */
#define FOR_OTHERS (30 * 1000 * MS)
#define ENDS_IN	   (1000 * MS) /* after the signal that ends it */

/* Time of the program's own costs nothing where nobody awaits it; so many ends of sleeps and time-outs in which nothing else happens are for ever. */
#define MOST_TICKS 3000

#define PAUSE 1000000 /* nanoseconds between two looks at a client that computes */

/* Has it been so for this long? */
static bool for_so_long(struct drive *drive, uint64_t time)
{
	const uint64_t now = clock_now();
	if (!drive->since)
		drive->since = now;
	return now - drive->since >= time;
}

/* Does it wait for the program, and for nobody else? */
static bool awaits_program(const struct process *process)
{
	struct drive *drive = process->drive;
	uint64_t turns;
	return !drive->busy && !target_descendants(process->target) &&
	       beside_rest(drive->beside, target_pid(process->target), &turns) == BESIDE_WAITS &&
	       turns == drive->turns;
}

/* The client runs, or waits. */
static enum drive_hope idle_beside(struct process *process, bool timed)
{
	struct drive *drive = process->drive;
	drive_look(process);
	if (drive->stage != DRIVE_RUNS)
		return DRIVE_AGAIN;
	/* How long it computes depends on the machine. The program's clocks stand still meanwhile, else they would be another each time. */
	if (drive->rest == BESIDE_RUNS && !tracer_interrupted()) {
		nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
		drive->computed += PAUSE;
		return DRIVE_AGAIN;
	}
	if (for_so_long(drive, FOR_OTHERS)) {
		snprintf(drive->failure, sizeof drive->failure,
			 "the client and the program wait, and nothing has happened for %d s",
			 (int)(FOR_OTHERS / MS / 1000));
		return DRIVE_FAILED;
	}
	if (timed && awaits_program(process)) {
		drive->hopeless = ++drive->ticks > MOST_TICKS;
		return DRIVE_NEVER;
	}
	return !timed && for_so_long(drive, NEVER) && awaits_program(process) ? DRIVE_NEVER : DRIVE_MORE;
}

/*
 * To the first thread that doesn't block it, as the kernel does where all wait. To nobody in particular every one of them would seem to
 * wake by it.
 */
static void tell_program(struct process *process)
{
	struct drive *drive = process->drive;
	const int stop = drive->setting->stop;
	const struct tracee *to = NULL;
	for (uint32_t t = 0; t < process->threads_length && !to; t++) {
		const struct tracee *tracee = process->threads[t].tracee;
		if (!tracee || tracee_signals(tracee).blocked >> (stop - 1) & 1)
			continue;
		to = tracee;
		drive->told_thread = t;
	}
	drive->told = true;
	drive->was_disturbed = process->disturbed;
	process->disturbed = true;
	target_send(process->target, to, stop);
}

/* Nobody has to do with the program any more: it is to end. What the client's end has brought is heard first. */
static enum drive_hope send_stop(struct process *process)
{
	struct drive *drive = process->drive;
	if (drive->quiet++ == 0)
		return DRIVE_MORE;
	drive->stage = DRIVE_STOPPED;
	drive->since = 0;
	drive->ticks = 0;
	if (drive->setting->stop && drive->setting->stop != SIGKILL)
		tell_program(process);
	return DRIVE_AGAIN;
}

/* Can the signal not have been noticed by anybody? */
static bool is_deaf(const struct process *process)
{
	const struct drive *drive = process->drive;
	const struct tracee *to = process->threads[drive->told_thread].tracee;
	return drive_stop_pending(process) ||
	       (to && tracee_signals(to).ignored >> (drive->setting->stop - 1) & 1);
}

/* By now it is to have ended. */
static enum drive_hope goes_on(struct drive *drive)
{
	const int stop = drive->setting->stop;
	const char *name = stop ? sigabbrev_np(stop) : NULL;
	if (stop)
		snprintf(
		    drive->failure, sizeof drive->failure,
		    "the client has ended, and the program goes on after SIG%s: give another signal, --stop "
		    "KILL for instance",
		    name ? name : "?");
	else
		snprintf(drive->failure, sizeof drive->failure,
			 "the client has ended, and the program doesn't end by itself: give a signal (--stop "
			 "TERM)");
	return DRIVE_FAILED;
}

static enum drive_hope idle_stopped(struct process *process, bool timed)
{
	struct drive *drive = process->drive;
	const int stop = drive->setting->stop;
	/* It is over, which drive_judge() says. */
	if (stop == SIGKILL)
		return DRIVE_NEVER;
	if (timed)
		return ++drive->ticks > MOST_TICKS ? goes_on(drive) : DRIVE_NEVER;
	if (!for_so_long(drive, ENDS_IN) || target_descendants(process->target))
		return DRIVE_MORE;
	return stop && !is_deaf(process) ? DRIVE_NEVER : goes_on(drive);
}

static enum drive_hope idle_awaited(struct process *process)
{
	struct drive *drive = process->drive;
	drive_look(process);
	if (drive->stage != DRIVE_AWAITED)
		return DRIVE_AGAIN;
	if (drive->together && together_program_is_over(process)) {
		snprintf(drive->failure, sizeof drive->failure,
			 "the program ended before its client could be started");
		return DRIVE_FAILED;
	}
	if (!for_so_long(drive, LISTENS_IN))
		return DRIVE_MORE;
	snprintf(drive->failure, sizeof drive->failure,
		 drive->has_ready ? "the program waits, and hasn't printed what --ready looks for in %d s"
				  : "the program waits, and hasn't listened at a socket in %d s: say by "
				    "--ready what it prints when the client may come",
		 (int)(LISTENS_IN / MS / 1000));
	return DRIVE_FAILED;
}

enum drive_hope drive_idle(struct process *process, bool timed)
{
	struct drive *drive = process->drive;
	if (!drive)
		return DRIVE_NOTHING;
	if (drive->failure[0])
		return DRIVE_FAILED;
	/* What the client does then is up to the schedule. */
	if (drive->together && drive->stage != DRIVE_AWAITED)
		return DRIVE_NOTHING;
	/* How long is waited is said here. */
	time_heard(process);
	switch (drive->stage) {
	case DRIVE_AWAITED:
		return idle_awaited(process);
	case DRIVE_RUNS:
		return idle_beside(process, timed);
	case DRIVE_ENDED:
		return send_stop(process);
	case DRIVE_STOPPED:
		return idle_stopped(process, timed);
	}
	return DRIVE_NOTHING;
}
