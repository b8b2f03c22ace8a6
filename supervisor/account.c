#include <fmc/account.h>
#include <fmc/activity.h>
#include <fmc/clock.h>

#include <stdlib.h>
#include <time.h>

/* Looks until one shows threads that stay where they are. */
#define MOST_LOOKS 3
/* A thread that is to run into its system call again is waited for so long, in steps. */
#define SETTLE_STEPS   100
#define SETTLE_STEP_NS 2000000
/* So long a thread that runs is watched. */
#define HOT_NS 100000000

/* A signal that ends it early does no harm. */
static void pause_ns(uint64_t ns)
{
	nanosleep(&(struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)},
		  NULL);
}

static enum status describe(struct account *account)
{
	const struct subject *subject = account->subject;
	size_t n = account->inspection.length;
	char *states = calloc(n + 1, sizeof *states);
	pid_t *tids = calloc(n + 1, sizeof *tids);
	account->situation = (struct situation){.inspection = &account->inspection,
						.states = states,
						.tids = tids,
						.handlers = subject_is_core(subject) ||
							    activity_handlers(subject_pid(subject)),
						.signal = subject_signal(subject),
						.signalled = (uint32_t)n};
	if (!states || !tids)
		return STATUS_NO_MEMORY;
	for (size_t i = 0; i < n; i++) {
		states[i] = subject_thread(subject, i)->state;
		tids[i] = subject_thread(subject, i)->tid;
		if (tids[i] == subject_signalled(subject) && tids[i] != 0)
			account->situation.signalled = (uint32_t)i;
	}
	return diagnosis_make(&account->situation, &account->diagnosis);
}

/* Everything that follows from a subject, which becomes the account's. */
static enum status think(struct subject *subject, struct account **account, char why[256])
{
	enum status status = STATUS_NO_MEMORY;
	struct account *a = calloc(1, sizeof *a);
	if (a) {
		a->subject = subject;
		status = inspection_make(subject, &a->inspection);
	}
	if (a && status == STATUS_OK)
		status = describe(a);
	if (status == STATUS_OK) {
		*account = a;
		return STATUS_OK;
	}
	snprintf(why, 256, "%s", status_text(status));
	if (!a)
		subject_free(subject);
	account_free(a);
	return status;
}

enum status account_look(pid_t pid, struct account **account, char why[256])
{
	struct subject *subject;
	*account = NULL;
	enum status status = subject_attach(pid, inspection_prepare, NULL, &subject, why);
	return status ? status : think(subject, account, why);
}

enum status account_core(const char *path, const char *program, struct account **account, char why[256])
{
	struct subject *subject;
	*account = NULL;
	enum status status = subject_core(path, program, &subject, why);
	return status ? status : think(subject, account, why);
}

void account_free(struct account *account)
{
	if (!account)
		return;
	diagnosis_release(&account->diagnosis);
	free((void *)(uintptr_t)account->situation.states);
	free((void *)(uintptr_t)account->situation.tids);
	inspection_release(&account->inspection);
	subject_free(account->subject);
	free(account);
}

enum status account_moved(struct account *account, const struct movement *movement, uint64_t interval_ns)
{
	struct diagnosis again;
	account->situation.movement = movement;
	account->situation.interval_ns = interval_ns;
	enum status status = diagnosis_make(&account->situation, &again);
	account->situation.movement = NULL;
	account->situation.interval_ns = 0;
	if (status)
		return status;
	diagnosis_release(&account->diagnosis);
	account->diagnosis = again;
	return STATUS_OK;
}

/* Is what is told of this thread told as certain? Of some causes it is told that nobody at all goes on. */
static bool relied_on(const struct account *account, uint32_t thread)
{
	for (size_t i = 0; i < account->diagnosis.length; i++) {
		const struct cause *cause = &account->diagnosis.causes[i];
		if (!cause->certain || cause->kind == CAUSE_STOPPED)
			continue;
		if (cause->kind == CAUSE_NOBODY_LEFT || cause->kind == CAUSE_EMPTY_QUEUE)
			return true;
		for (size_t k = 0; k < cause->length; k++)
			if (cause->threads[k] == thread)
				return true;
	}
	return false;
}

/* Every thread that matters sleeps in the system call in which it was. *settling: one is about to. */
static bool stands(const struct account *account, const struct activity *list, size_t length, bool *settling)
{
	for (uint32_t t = 0; t < account->inspection.length; t++) {
		const struct subject_thread *before = subject_thread(account->subject, t);
		if (before->state == 'Z' || before->state == 'X' || !relied_on(account, t))
			continue;
		const struct activity *now = activity_find(list, length, before->tid);
		if (!now)
			return false;
		if (now->state == 'R' || now->state == 't') {
			*settling = true;
			return false;
		}
		if (now->syscall >= 0 &&
		    (now->syscall != before->syscall || now->arguments[0] != before->arguments[0]))
			return false;
	}
	return true;
}

/* Does everybody who matters stay where it was? */
static bool confirm(const struct account *account)
{
	for (int step = 0; step < SETTLE_STEPS; step++) {
		struct activity *list;
		size_t length;
		bool settling = false;
		if (activity_read(subject_pid(account->subject), &list, &length) != STATUS_OK)
			return false;
		bool good = stands(account, list, length, &settling);
		free(list);
		if (good || !settling)
			return good;
		pause_ns(SETTLE_STEP_NS);
	}
	return false;
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
		pid_t tid = subject_thread(account->subject, i)->tid;
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
	pid_t pid = subject_pid(account->subject);
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

/* It is not as it seemed: whoever moves may change it. */
static void doubt(struct account *account)
{
	for (size_t i = 0; i < account->diagnosis.length; i++)
		if (account->diagnosis.causes[i].kind != CAUSE_STOPPED)
			account->diagnosis.causes[i].certain = false;
}

enum status account_attach(pid_t pid, struct account **account, char why[256])
{
	bool sure = false;
	*account = NULL;
	for (int look = 0; look < MOST_LOOKS && !sure; look++) {
		account_free(*account);
		enum status status = account_look(pid, account, why);
		if (status)
			return status;
		sure = !diagnosis_certain(&(*account)->diagnosis) || confirm(*account);
	}
	enum status status = anybody_runs(*account) ? watch_runners(*account) : STATUS_OK;
	if (status) {
		snprintf(why, 256, "%s", status_text(status));
		account_free(*account);
		*account = NULL;
	} else if (!sure) {
		doubt(*account);
	}
	return status;
}
