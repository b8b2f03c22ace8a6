#include "supervisor/diagnosis/account_others.h"
#include "supervisor/execution/standstill.h"
#include <fmc/supervisor/account.h>
#include <fmc/tracer/activity.h>
#include <fmc/tracer/clock.h>

#include <stdlib.h>
#include <time.h>

/* Looks until one shows threads that stay where they are. */
#define MOST_LOOKS 3
/* So long a thread that runs is watched. */
#define HOT_NS 100000000

/* A signal that ends it early does no harm. */
static void pause_ns(uint64_t ns)
{
	nanosleep(&(struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)},
		  NULL);
}

/* Of each thread of a process, the first of which is number `first` of the situation. */
static void describe_threads(const struct snapshot *snapshot, uint32_t first, char *states, pid_t *tids)
{
	for (size_t i = 0; i < snapshot_threads(snapshot); i++) {
		states[first + i] = snapshot_thread(snapshot, i)->state;
		tids[first + i] = snapshot_thread(snapshot, i)->tid;
	}
}

static enum status describe(struct account *account)
{
	const struct snapshot *snapshot = account->snapshot;
	const struct inspection *inspection = account->others_length ? &account->all : &account->inspection;
	size_t n = inspection->length;
	char *states = calloc(n + 1, sizeof *states);
	pid_t *tids = calloc(n + 1, sizeof *tids);
	account->situation = (struct situation){
	    .inspection = inspection,
	    .states = states,
	    .tids = tids,
	    .frozen = !snapshot_is_core(snapshot) && activity_frozen(snapshot_pid(snapshot)),
	    .handlers = snapshot_is_core(snapshot) || activity_handlers(snapshot_pid(snapshot)),
	    .signal = snapshot_signal(snapshot),
	    .signalled = (uint32_t)n};
	if (!states || !tids || !others_describe(account))
		return STATUS_NO_MEMORY;
	describe_threads(snapshot, 0, states, tids);
	for (size_t i = 0; i < account->others_length; i++)
		describe_threads(account->others[i].snapshot, account->situation.others[i].first, states,
				 tids);
	for (size_t i = 0; i < account->inspection.length; i++) {
		if (tids[i] == snapshot_signalled(snapshot) && tids[i] != 0)
			account->situation.signalled = (uint32_t)i;
	}
	return diagnosis_make(&account->situation, &account->diagnosis);
}

/* Everything that follows from a snapshot, which becomes the account's. */
static enum status think(struct snapshot *snapshot, struct account **account, char why[256])
{
	enum status status = STATUS_NO_MEMORY;
	struct account *a = calloc(1, sizeof *a);
	if (a) {
		a->snapshot = snapshot;
		if (!snapshot_is_core(snapshot)) {
			struct standstill settled;
			standstill_begin(&settled, snapshot);
			a->settled = settled.list;
			a->settled_length = settled.length;
		}
		status = inspection_make(snapshot, &a->inspection);
	}
	if (a && status == STATUS_OK && !snapshot_is_core(snapshot))
		status = others_follow(a);
	if (a && status == STATUS_OK)
		status = describe(a);
	if (status == STATUS_OK) {
		*account = a;
		return STATUS_OK;
	}
	snprintf(why, 256, "%s", status_text(status));
	if (!a)
		snapshot_free(snapshot);
	account_free(a);
	return status;
}

enum status account_look(pid_t pid, struct account **account, char why[256])
{
	struct snapshot *snapshot;
	*account = NULL;
	enum status status = snapshot_take(pid, inspection_prepare, NULL, &snapshot, why);
	return status ? status : think(snapshot, account, why);
}

enum status account_core(const char *path, const char *program, struct account **account, char why[256])
{
	struct snapshot *snapshot;
	*account = NULL;
	enum status status = snapshot_of_core(path, program, &snapshot, why);
	return status ? status : think(snapshot, account, why);
}

void account_free(struct account *account)
{
	if (!account)
		return;
	diagnosis_release(&account->diagnosis);
	others_release(account);
	free((void *)(uintptr_t)account->situation.states);
	free((void *)(uintptr_t)account->situation.tids);
	free((void *)(uintptr_t)account->situation.awake);
	free(account->settled);
	inspection_release(&account->inspection);
	snapshot_free(account->snapshot);
	free(account);
}

static enum status think_again(struct account *account)
{
	struct diagnosis again;
	enum status status = diagnosis_make(&account->situation, &again);
	if (status)
		return status;
	diagnosis_release(&account->diagnosis);
	account->diagnosis = again;
	return STATUS_OK;
}

enum status account_moved(struct account *account, const struct movement *movement, uint64_t interval_ns)
{
	account->situation.movement = movement;
	account->situation.interval_ns = interval_ns;
	enum status status = think_again(account);
	account->situation.movement = NULL;
	account->situation.interval_ns = 0;
	return status;
}

/* Does it say of threads that they are stuck, perhaps? */
static bool says_stuck(const struct cause *cause)
{
	switch (cause->kind) {
	case CAUSE_DEADLOCK:
	case CAUSE_SELF:
	case CAUSE_OWNER_DEAD:
	case CAUSE_EMPTY_QUEUE:
	case CAUSE_NOBODY_LEFT:
		return true;
	default:
		return false;
	}
}

/* Of some causes it is told that nobody at all goes on, not only those whom they name. */
static bool is_about(const struct cause *cause, uint32_t thread)
{
	if (cause->kind == CAUSE_NOBODY_LEFT || cause->kind == CAUSE_EMPTY_QUEUE)
		return true;
	for (size_t i = 0; i < cause->length; i++)
		if (cause->threads[i] == thread)
			return true;
	return false;
}

static bool is_refuted(const struct account *account, const struct cause *cause, const bool *awake,
		       bool newcomers)
{
	bool refuted = newcomers && (cause->kind == CAUSE_NOBODY_LEFT || cause->kind == CAUSE_EMPTY_QUEUE);
	for (uint32_t t = 0; t < account->situation.inspection->length && !refuted; t++)
		refuted = awake[t] && is_about(cause, t);
	return refuted;
}

static bool any_stuck(const struct account *account)
{
	bool any = false;
	for (size_t i = 0; i < account->diagnosis.length; i++)
		any = any || says_stuck(&account->diagnosis.causes[i]);
	return any;
}

static bool all_hold(const struct account *account, const bool *awake, bool newcomers)
{
	bool hold = true;
	for (size_t i = 0; i < account->diagnosis.length; i++)
		hold = hold && (!says_stuck(&account->diagnosis.causes[i]) ||
				!is_refuted(account, &account->diagnosis.causes[i], awake, newcomers));
	return hold;
}

enum status account_confirm(struct account *account, bool *sure)
{
	*sure = true;
	if (snapshot_is_core(account->snapshot) || account->situation.awake || !any_stuck(account))
		return STATUS_OK;
	bool *awake = calloc(account->situation.inspection->length + 1, sizeof *awake), newcomers,
	     more = false;
	if (!awake)
		return STATUS_NO_MEMORY;
	const struct standstill settled = {account->settled, account->settled_length};
	standstill_end(&settled, account->snapshot, &account->inspection, awake, &newcomers);
	others_settled(account, awake, &more);
	*sure = all_hold(account, awake, newcomers || more);
	if (*sure) {
		free(awake);
		return STATUS_OK;
	}
	account->situation.awake = awake;
	account->situation.newcomers = newcomers;
	return others_describe(account) ? think_again(account) : STATUS_NO_MEMORY;
}

static bool anybody_runs(const struct account *account)
{
	for (size_t i = 0; i < account->inspection.length; i++)
		if (account->inspection.threads[i].wait.kind == WAIT_NOTHING ||
		    account->inspection.threads[i].wait.kind == WAIT_SPIN)
			return true;
	return false;
}

struct movement *account_compare(const struct account *account, const struct activity *before,
				 size_t before_length, const struct activity *after, size_t after_length)
{
	struct movement *movement = calloc(account->inspection.length + 1, sizeof *movement);
	for (size_t i = 0; movement && i < account->inspection.length; i++) {
		pid_t tid = snapshot_thread(account->snapshot, i)->tid;
		const struct activity *a = activity_find(before, before_length, tid);
		const struct activity *b = activity_find(after, after_length, tid);
		movement[i].moved =
		    !a || !b || a->runs != b->runs || a->cpu_ns != b->cpu_ns || a->state != b->state;
		if (!a || !b || b->cpu_ns < a->cpu_ns || b->queued_ns < a->queued_ns)
			continue;
		movement[i].cpu_ns = b->cpu_ns - a->cpu_ns;
		movement[i].ready_ns = movement[i].cpu_ns + b->queued_ns - a->queued_ns;
	}
	return movement;
}

/* Give those that run the time to show how much. */
static enum status watch_runners(struct account *account)
{
	pid_t pid = snapshot_pid(account->snapshot);
	struct activity *before, *after = NULL;
	size_t before_length, after_length = 0;
	if (activity_read(pid, &before, &before_length) != STATUS_OK)
		return STATUS_OK;
	uint64_t begin = clock_now();
	pause_ns(HOT_NS);
	uint64_t interval = clock_now() - begin;
	enum status status = STATUS_OK;
	if (activity_read(pid, &after, &after_length) == STATUS_OK) {
		struct movement *movement =
		    account_compare(account, before, before_length, after, after_length);
		status = movement ? account_moved(account, movement, interval) : STATUS_NO_MEMORY;
		free(movement);
	}
	free(before);
	free(after);
	return status;
}

enum status account_attach(pid_t pid, struct account **account, char why[256])
{
	bool sure = false;
	enum status status = STATUS_OK;
	*account = NULL;
	for (int look = 0; look < MOST_LOOKS && !sure && status == STATUS_OK; look++) {
		account_free(*account);
		status = account_look(pid, account, why);
		if (status)
			return status;
		status = account_confirm(*account, &sure);
	}
	if (status == STATUS_OK && anybody_runs(*account))
		status = watch_runners(*account);
	if (status) {
		snprintf(why, 256, "%s", status_text(status));
		account_free(*account);
		*account = NULL;
	}
	return status;
}
