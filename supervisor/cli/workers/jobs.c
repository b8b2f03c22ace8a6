/* Handing plans to workers, and taking what came of them. */
#include "supervisor/cli/workers/jobs.h"
#include "supervisor/cli/workers/worker.h"

#include <fmc/tracer/assert.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Plans that a worker has at a time: one runs, and the next needn't be waited for. */
#define AHEAD 2

/* How long to wait for workers, in milliseconds. */
#define MOMENT 200

/* A plan whose workers die so often isn't tried again. What a user's command starts may come and go. */
#define DEATHS	      3
#define DEATHS_LAUNCH 20

/* So many launched workers may end, one after the other, before they are ready. */
#define UNREADY 5

/*
 * A place for a plan:
 *
 *     free -jobs_put-> waits -hand_out-> runs -settle-> done -jobs_take-> free
 *                        ^----lose_worker---'
 *                      waits -run_here-> done, with a single job
 *
 * slot_enter() asserts that.
 */
struct slot {
	enum slot_state { SLOT_FREE = 0, SLOT_WAITS = 1, SLOT_RUNS = 2, SLOT_DONE = 4 } state;
	struct job job;
	struct session_time time;
	bool watched;
	struct job_part part;
	size_t worker;	 /* runs: which */
	uint64_t turn;	 /* runs: those of a worker are run in this order */
	unsigned deaths; /* of workers while they ran it */
};

static void slot_enter(struct slot *slot, enum slot_state state)
{
	static const enum slot_state before[] = {[SLOT_FREE] = SLOT_DONE,
						 [SLOT_WAITS] = SLOT_RUNS,
						 [SLOT_RUNS] = SLOT_WAITS,
						 [SLOT_DONE] = SLOT_RUNS | SLOT_WAITS};
	FMC_ASSERT(slot->state & before[state] || (slot->state == SLOT_FREE && state == SLOT_WAITS));
	slot->state = state;
}

struct jobs {
	unsigned count;
	bool here;	  /* in this process, one after the other */
	unsigned unready; /* launched workers that have ended one after the other before they were ready */
	struct session *session;
	struct watch watch; /* of the session's executions */
	struct states *states;
	bool prunes;
	bool watches; /* those that are put now */
	struct worker_setting setting;
	struct worker *workers;
	struct slot *slots;
	size_t slots_length;
	uint64_t turns;
	struct saver message; /* for use in between */
	struct trace trace;   /* the same */
	enum status status;   /* why nothing more can be run */
	char why[256];
};

void job_init(struct job *job)
{
	*job = (struct job){0};
	trace_init(&job->trace);
}

void job_release(struct job *job)
{
	trace_release(&job->trace);
	ending_release(&job->ending);
	free(job->uncontrolled);
	job->uncontrolled = NULL;
	free(job->report);
	job->report = NULL;
}

struct jobs *jobs_new(unsigned count, struct session *session, const struct launch *launch,
		      const struct options *options, const struct processors *processors,
		      char *const *modules, uint64_t deadline)
{
	struct jobs *jobs = calloc(1, sizeof *jobs);
	if (!jobs)
		return NULL;
	jobs->count = count;
	jobs->here = count == 1 && !options->launch;
	jobs->session = session;
	watch_init(&jobs->watch, session, options->granularity == GRANULARITY_MEMORY);
	/* Besides those that are with workers some may be done, and wait for their turn to be taken. */
	jobs->slots_length = jobs->here ? 1 : (size_t)count * 2 * AHEAD;
	jobs->slots = calloc(jobs->slots_length, sizeof *jobs->slots);
	jobs->workers = calloc(count, sizeof *jobs->workers);
	trace_init(&jobs->trace);
	jobs->setting =
	    (struct worker_setting){launch, options, processors, jobs->workers, count, deadline, modules};
	if (!jobs->slots || !jobs->workers) {
		jobs_free(jobs);
		return NULL;
	}
	for (size_t i = 0; i < jobs->slots_length; i++)
		job_init(&jobs->slots[i].job);
	return jobs;
}

void jobs_free(struct jobs *jobs)
{
	if (!jobs)
		return;
	for (size_t w = 0; jobs->workers && w < jobs->count; w++)
		worker_ask_to_end(&jobs->workers[w]);
	for (size_t w = 0; jobs->workers && w < jobs->count; w++)
		worker_stop(&jobs->workers[w], false);
	for (size_t i = 0; jobs->slots && i < jobs->slots_length; i++) {
		job_release(&jobs->slots[i].job);
		free((void *)(uintptr_t)jobs->slots[i].part.bytes);
	}
	watch_release(&jobs->watch);
	trace_release(&jobs->trace);
	saver_release(&jobs->message);
	free(jobs->workers);
	free(jobs->slots);
	free(jobs);
}

void jobs_watch(struct jobs *jobs, bool on)
{
	jobs->watches = on;
}

#define SLOTS_OUT (SLOT_WAITS | SLOT_RUNS | SLOT_DONE)

/* In one of these states. */
static size_t count_slots(const struct jobs *jobs, unsigned states)
{
	size_t count = 0;
	for (size_t i = 0; i < jobs->slots_length; i++)
		count += (jobs->slots[i].state & states) != 0;
	return count;
}

size_t jobs_out(const struct jobs *jobs)
{
	return count_slots(jobs, SLOTS_OUT);
}

void jobs_count_states(struct jobs *jobs, struct states *states, bool prunes)
{
	jobs->states = states;
	jobs->prunes = prunes;
}

bool jobs_room(const struct jobs *jobs)
{
	size_t most = jobs->here ? 1 : (size_t)jobs->count * AHEAD;
	return jobs_out(jobs) < jobs->slots_length && count_slots(jobs, SLOT_WAITS | SLOT_RUNS) < most;
}

static void fail(struct jobs *jobs, enum status status, const char *why)
{
	if (jobs->status)
		return;
	jobs->status = status;
	snprintf(jobs->why, sizeof jobs->why, "%s", why);
}

/* The slot with the lowest ticket in one of these states; NULL if none is. */
static struct slot *first_slot(const struct jobs *jobs, unsigned states)
{
	struct slot *first = NULL;
	for (size_t i = 0; i < jobs->slots_length; i++) {
		struct slot *slot = &jobs->slots[i];
		if (!(slot->state & states))
			continue;
		if (!first || slot->job.plan.ticket < first->job.plan.ticket)
			first = slot;
	}
	return first;
}

/* What a worker runs now; NULL: nothing. */
static struct slot *run_by(const struct jobs *jobs, size_t worker)
{
	struct slot *next = NULL;
	for (size_t i = 0; i < jobs->slots_length; i++) {
		struct slot *slot = &jobs->slots[i];
		if (slot->state == SLOT_RUNS && slot->worker == worker && (!next || slot->turn < next->turn))
			next = slot;
	}
	return next;
}

/* The worker with the least to do; `count` if all have enough. */
static size_t idlest(const struct jobs *jobs)
{
	size_t best = jobs->count, least = AHEAD;
	for (size_t w = 0; w < jobs->count; w++) {
		if (jobs->workers[w].orders >= least)
			continue;
		best = w;
		least = jobs->workers[w].orders;
	}
	return best;
}

/* Give a worker a plan; it is started if it isn't there. */
static void hand_to(struct jobs *jobs, size_t w, struct slot *slot)
{
	struct worker *worker = &jobs->workers[w];
	if (!worker->pid && !worker_start(worker, &jobs->setting, (unsigned)w)) {
		char why[128];
		snprintf(why, sizeof why, "can't make a process: %s", strerror(errno));
		fail(jobs, STATUS_SYSTEM, why);
		return;
	}
	jobs->message.length = 0;
	const struct order order = {slot->job.plan, slot->time, slot->watched, slot->part};
	order_save(&jobs->message, &order, worker, jobs->setting.options);
	if (!link_put(&worker->link, &jobs->message)) {
		fail(jobs, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
		return;
	}
	slot_enter(slot, SLOT_RUNS);
	slot->worker = w;
	slot->turn = jobs->turns++;
	worker->orders++;
	/* If it is gone that shows when it is listened to. */
	(void)link_send(&worker->link);
}

static void hand_out(struct jobs *jobs)
{
	struct slot *slot;
	size_t w;
	while (!jobs->status && (slot = first_slot(jobs, SLOT_WAITS)) && (w = idlest(jobs)) < jobs->count)
		hand_to(jobs, w, slot);
}

/* A worker has died: another one gets what it had. */
static void lose_worker(struct jobs *jobs, size_t w)
{
	struct slot *running = run_by(jobs, w);
	const bool launched = jobs->workers[w].launched, counts = !launched || jobs->workers[w].ready;
	worker_stop(&jobs->workers[w], true);
	if (!counts && ++jobs->unready == UNREADY)
		fail(jobs, STATUS_GONE,
		     "--launch: what it starts ends before fmc there has answered, or prints something else");
	if (counts && running && ++running->deaths == (launched ? DEATHS_LAUNCH : DEATHS))
		fail(jobs, STATUS_GONE,
		     launched ? "launched workers die: all of the last that ran one schedule did"
			      : "worker processes die: the last three that ran one schedule did");
	for (size_t i = 0; i < jobs->slots_length; i++)
		if (jobs->slots[i].state == SLOT_RUNS && jobs->slots[i].worker == w)
			slot_enter(&jobs->slots[i], SLOT_WAITS);
}

static struct slot *slot_of(struct jobs *jobs, size_t w, uint64_t ticket)
{
	for (size_t i = 0; i < jobs->slots_length; i++) {
		struct slot *slot = &jobs->slots[i];
		if (slot->state == SLOT_RUNS && slot->worker == w && slot->job.plan.ticket == ticket)
			return slot;
	}
	return NULL;
}

/* What a part has come to; false if it isn't what the worker was to search. */
static bool settle_part(struct jobs *jobs, size_t w, const struct answer *answer)
{
	struct slot *slot = slot_of(jobs, w, answer->ticket);
	if (!slot || !slot->part.bytes)
		return false;
	struct job *job = &slot->job;
	free(job->report);
	job->report = malloc(answer->report_length + 1);
	if (!job->report) {
		fail(jobs, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
		return true;
	}
	memcpy(job->report, answer->report, answer->report_length);
	job->report_length = answer->report_length;
	jobs->workers[w].orders--;
	slot_enter(slot, SLOT_DONE);
	return true;
}

/* What a worker has answered; false if that can't be. */
static bool settle(struct jobs *jobs, size_t w, struct loader *message)
{
	struct answer answer;
	if (!answer_load(message, jobs->setting.options, &answer, &jobs->trace))
		return false;
	if (answer.kind == ANSWER_READY) {
		jobs->workers[w].ready = true;
		jobs->unready = 0;
		return true;
	}
	if (answer.kind == ANSWER_REFUSED) {
		fail(jobs, answer.status, answer.why);
		return true;
	}
	if (answer.kind == ANSWER_PART)
		return settle_part(jobs, w, &answer);
	struct slot *slot = slot_of(jobs, w, answer.ticket);
	if (!slot) {
		free(answer.uncontrolled);
		ending_release(&answer.ending);
		return false;
	}
	jobs->workers[w].orders--;
	struct trace trace = slot->job.trace;
	slot->job.trace = jobs->trace;
	jobs->trace = trace;
	free(slot->job.uncontrolled);
	slot->job.uncontrolled = answer.uncontrolled;
	ending_release(&slot->job.ending);
	slot->job.ending = answer.ending;
	slot->job.took = answer.took;
	slot->job.watched = answer.watched;
	slot_enter(slot, SLOT_DONE);
	return true;
}

static void listen_to(struct jobs *jobs, size_t w)
{
	struct link *link = &jobs->workers[w].link;
	struct loader message;
	bool good = link_pump(link) == STATUS_OK;
	while (link_take(link, &message))
		good = settle(jobs, w, &message) && good;
	good = good && !link->foreign;
	if (!good && !jobs->status)
		lose_worker(jobs, w);
}

/* Send and receive. False if nothing has happened for a while. */
static bool attend(struct jobs *jobs)
{
	struct pollfd ends[jobs->count];
	for (size_t w = 0; w < jobs->count; w++) {
		const struct worker *worker = &jobs->workers[w];
		bool pending = worker->pid && link_pending(&worker->link);
		ends[w] = (struct pollfd){.fd = worker->pid ? worker->link.socket : -1,
					  .events = (short)(pending ? POLLIN | POLLOUT : POLLIN)};
	}
	if (poll(ends, jobs->count, MOMENT) <= 0)
		return false;
	for (size_t w = 0; w < jobs->count; w++)
		if (ends[w].revents)
			listen_to(jobs, w);
	hand_out(jobs);
	return true;
}

/* A free one becomes one that waits; a part's bytes are the slot's. */
static void put(struct jobs *jobs, const struct plan *plan, const struct job_part *part,
		const struct session_time *time)
{
	size_t i = 0;
	while (jobs->slots[i].state != SLOT_FREE)
		i++;
	struct slot *slot = &jobs->slots[i];
	slot_enter(slot, SLOT_WAITS);
	slot->job.plan = *plan;
	free(slot->job.report);
	slot->job.report = NULL;
	free((void *)(uintptr_t)slot->part.bytes);
	slot->part = *part;
	slot->time = *time;
	slot->watched = jobs->watches;
	slot->deaths = 0;
	if (!jobs->here)
		hand_out(jobs);
}

void jobs_put(struct jobs *jobs, const struct plan *plan, const struct session_time *time)
{
	put(jobs, plan, &(struct job_part){0}, time);
}

bool jobs_have_workers(const struct jobs *jobs)
{
	return !jobs->here;
}

bool jobs_put_part(struct jobs *jobs, uint64_t ticket, const struct job_part *part,
		   const struct session_time *time)
{
	struct job_part own = *part;
	void *bytes = malloc(part->length + 1);
	if (!bytes)
		return false;
	memcpy(bytes, part->bytes, part->length);
	own.bytes = bytes;
	put(jobs, &(struct plan){.ticket = ticket}, &own, time);
	return true;
}

/* With a single job its plan is run when it is asked for. */
static void run_here(struct jobs *jobs, struct slot *slot)
{
	struct session *session = jobs->session;
	session->deadline = session_time_deadline(&slot->time);
	session->states = jobs->states;
	session->prunes = jobs->prunes;
	/* The trace says how it went. */
	if (slot->watched)
		watch_execution(&jobs->watch, &slot->job.plan, &slot->job.trace, &slot->job.watched);
	else
		(void)session_search(session, &slot->job.plan, &slot->job.trace);
	session->states = NULL;
	slot->job.took = session->took;
	ending_release(&slot->job.ending);
	slot->job.ending = session->ending;
	session->ending = (struct ending){0};
	const char *uncontrolled = process_uncontrolled(session->process);
	free(slot->job.uncontrolled);
	slot->job.uncontrolled = uncontrolled && *uncontrolled ? strdup(uncontrolled) : NULL;
	slot_enter(slot, SLOT_DONE);
}

enum status jobs_take(struct jobs *jobs, bool in_order, struct job *job, char why[256])
{
	struct slot *slot;
	if (jobs->here)
		run_here(jobs, &jobs->slots[0]);
	while (slot = first_slot(jobs, in_order ? SLOTS_OUT : SLOT_DONE), !slot || slot->state != SLOT_DONE) {
		if (jobs->status) {
			snprintf(why, 256, "%s", jobs->why);
			return jobs->status;
		}
		if (!attend(jobs))
			return STATUS_TIMEOUT;
	}
	struct job swapped = *job;
	*job = slot->job;
	slot->job = swapped;
	slot_enter(slot, SLOT_FREE);
	return STATUS_OK;
}
