/* Processes that threads of another one wait for: looked at, and put together with it. */
#include "supervisor/diagnosis/account_others.h"
#include "supervisor/execution/standstill.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/call_traits.h>

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* So many others are looked at, at most: each is stopped for that. */
#define MOST_OTHERS 24

static struct inspection *inspection_of(struct account *account, size_t i)
{
	return i == 0 ? &account->inspection : &account->others[i - 1].inspection;
}

static struct snapshot *snapshot_of(const struct account *account, size_t i)
{
	return i == 0 ? account->snapshot : account->others[i - 1].snapshot;
}

/* The process of this number, counted from the account's own on; SIZE_MAX: it hasn't been looked at. */
static size_t find(const struct account *account, pid_t pid)
{
	for (size_t i = 0; i <= account->others_length; i++)
		if (snapshot_pid(snapshot_of(account, i)) == pid)
			return i;
	return SIZE_MAX;
}

/* Of a thread that sleeps: does it go on without anybody that fmc would find? */
static bool goes_on(const struct activity *thread)
{
	switch (call_traits(thread->syscall)->awaits) {
	case AWAITS_TIME:
	case AWAITS_POLLED:
	case AWAITS_SELECTED:
	case AWAITS_SET:
	case AWAITS_SIGNAL:
		return true;
	default:
		return thread->syscall == SYS_accept || thread->syscall == SYS_accept4;
	}
}

/* Nobody needs to be stopped to see that. */
static bool moves(pid_t pid)
{
	struct activity *list;
	size_t length;
	bool any = pid == getpid() || activity_read(pid, &list, &length) != STATUS_OK;
	if (any)
		return true;
	for (size_t i = 0; i < length && !any; i++)
		any = list[i].state == 'R' || (list[i].asleep && goes_on(&list[i]));
	free(list);
	return any;
}

/* One that may not be looked at, though it is there, is marked; it is found as one that hasn't been looked at then. */
static enum status look_at(struct account *account, struct reaching *reaching)
{
	char why[256];
	struct standstill settled;
	struct account_process process = {.pid = reaching->pid};
	const enum status status =
	    snapshot_take(reaching->pid, inspection_prepare, NULL, &process.snapshot, why);
	reaching->hidden = status == STATUS_DENIED;
	if (status)
		return status == STATUS_NO_MEMORY || status == STATUS_INTERRUPTED ? status : STATUS_OK;
	if (!ARRAY_ONE_MORE(account->others, account->others_length)) {
		snapshot_free(process.snapshot);
		return STATUS_NO_MEMORY;
	}
	standstill_begin(&settled, process.snapshot);
	process.settled = settled.list;
	process.settled_length = settled.length;
	process.handlers = activity_handlers(process.pid);
	process.frozen = activity_frozen(process.pid);
	memcpy(process.name, reaching->name, sizeof process.name);
	account->others[account->others_length++] = process;
	return inspection_make(process.snapshot, &account->others[account->others_length - 1].inspection);
}

/* Is it worth to look at who could end this wait? Not if one of them goes on that could. */
static bool is_worth(const struct account *account, const struct wait *wait)
{
	if (wait->reach.length == 0 || wait->timed)
		return false;
	for (size_t i = 0; i < wait->reach.length && !wait->reach.thread; i++)
		if (find(account, wait->reach.at[i].pid) == SIZE_MAX && moves(wait->reach.at[i].pid))
			return false;
	return true;
}

static enum status follow_wait(struct account *account, struct wait *wait)
{
	enum status status = STATUS_OK;
	if (!is_worth(account, wait))
		return STATUS_OK;
	/* Looking at one moves the array of the others, not what the waits point to. */
	const struct reach reach = wait->reach;
	for (size_t i = 0; i < reach.length && status == STATUS_OK; i++)
		if (find(account, reach.at[i].pid) == SIZE_MAX && account->others_length < MOST_OTHERS)
			status = look_at(account, &reach.at[i]);
	return status;
}

static enum status follow_all(struct account *account)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i <= account->others_length && status == STATUS_OK; i++) {
		struct inspected_thread *threads = inspection_of(account, i)->threads;
		const size_t length = inspection_of(account, i)->length;
		for (size_t t = 0; t < length && status == STATUS_OK; t++)
			status = follow_wait(account, &threads[t].wait);
	}
	return status;
}

/* While all sleep: nobody of them can give away an end of a pipe then, say. What may not be looked at stays known. */
static enum status look_again(struct account *account)
{
	const size_t length = account->others_length + 1;
	struct looked *looked = calloc(length, sizeof *looked);
	if (!looked)
		return STATUS_NO_MEMORY;
	for (size_t i = 0; i < length; i++)
		looked[i] = (struct looked){snapshot_of(account, i), inspection_of(account, i)};
	const enum status status = inspections_reach(looked, length);
	free(looked);
	return status;
}

static uint32_t first_of(struct account *account, size_t process)
{
	uint32_t first = 0;
	for (size_t i = 0; i < process; i++)
		first += (uint32_t)inspection_of(account, i)->length;
	return first;
}

/* All threads of a process but `except`; or only that of a number, if it isn't 0. */
static bool add_threads(struct account *account, size_t process, pid_t tid, uint32_t except,
			struct wait *wait)
{
	const uint32_t first = first_of(account, process);
	const size_t length = inspection_of(account, process)->length;
	for (uint32_t t = 0; t < length; t++) {
		const bool wanted = tid == 0 || snapshot_thread(snapshot_of(account, process), t)->tid == tid;
		if (!wanted || first + t == except)
			continue;
		if (!ARRAY_ONE_MORE(wait->holders, wait->holders_length))
			return false;
		wait->holders[wait->holders_length++] = first + t;
	}
	return true;
}

/* Holders of a wait that others reach: the threads of those. */
static bool join_reach(struct account *account, size_t process, uint32_t self, struct wait *wait)
{
	const struct reach *reach = &wait->reach;
	bool all = true;
	for (size_t i = 0; i < reach->length; i++) {
		const size_t other = find(account, reach->at[i].pid);
		all = all && other != SIZE_MAX;
		if (other != SIZE_MAX && !add_threads(account, other, reach->thread, self, wait))
			return false;
	}
	if (reach->own && !reach->thread && !add_threads(account, process, 0, self, wait))
		return false;
	wait->reach.followed = all && (reach->thread == 0 || wait->holders_length > 0);
	wait->certain = wait->reach.followed && reach->closed && !wait->timed && !wait->guessed;
	return true;
}

static bool join_wait(struct account *account, size_t process, uint32_t self, struct wait *wait)
{
	const struct wait alone = *wait;
	const uint32_t first = first_of(account, process);
	wait->holders = NULL;
	wait->holders_length = 0;
	if (alone.reach.length && !alone.holders_length)
		return join_reach(account, process, self, wait);
	for (size_t i = 0; i < alone.holders_length; i++) {
		if (!ARRAY_ONE_MORE(wait->holders, wait->holders_length))
			return false;
		wait->holders[wait->holders_length++] = first + alone.holders[i];
	}
	/* One that one of its own threads holds others know of, but don't end. */
	if (alone.holders_length)
		wait->reach.length = 0;
	return true;
}

static enum status join(struct account *account)
{
	struct inspection *all = &account->all;
	const uint32_t length = first_of(account, account->others_length + 1);
	all->threads = calloc(length + 1, sizeof *all->threads);
	if (!all->threads)
		return STATUS_NO_MEMORY;
	for (size_t i = 0; i <= account->others_length; i++)
		for (size_t t = 0; t < inspection_of(account, i)->length; t++) {
			struct inspected_thread *thread = &all->threads[all->length];
			*thread = inspection_of(account, i)->threads[t];
			const bool good = join_wait(account, i, (uint32_t)all->length, &thread->wait);
			all->length++;
			if (!good)
				return STATUS_NO_MEMORY;
		}
	return STATUS_OK;
}

/* Marks are lost when it is looked again. */
static void mark_hidden(struct inspection *inspection, const pid_t *hidden, size_t length)
{
	for (size_t t = 0; t < inspection->length; t++) {
		struct reach *reach = &inspection->threads[t].wait.reach;
		for (size_t i = 0; i < reach->length; i++)
			for (size_t k = 0; k < length; k++)
				reach->at[i].hidden |= reach->at[i].pid == hidden[k];
	}
}

static bool collect_hidden(struct account *account, pid_t **hidden, size_t *length)
{
	for (size_t i = 0; i <= account->others_length; i++)
		for (size_t t = 0; t < inspection_of(account, i)->length; t++) {
			const struct reach *reach = &inspection_of(account, i)->threads[t].wait.reach;
			for (size_t k = 0; k < reach->length; k++) {
				if (!reach->at[k].hidden)
					continue;
				if (!ARRAY_ONE_MORE(*hidden, *length))
					return false;
				(*hidden)[(*length)++] = reach->at[k].pid;
			}
		}
	return true;
}

enum status others_follow(struct account *account)
{
	pid_t *hidden = NULL;
	size_t length = 0;
	enum status status = follow_all(account);
	if (status || account->others_length == 0)
		return status;
	status = collect_hidden(account, &hidden, &length) ? look_again(account) : STATUS_NO_MEMORY;
	for (size_t i = 0; status == STATUS_OK && i <= account->others_length; i++)
		mark_hidden(inspection_of(account, i), hidden, length);
	free(hidden);
	return status == STATUS_OK ? join(account) : status;
}

bool others_describe(struct account *account)
{
	struct situation *situation = &account->situation;
	struct other_process *others = calloc(account->others_length + 1, sizeof *others);
	if (!others)
		return false;
	for (size_t i = 0; i < account->others_length; i++) {
		const struct account_process *process = &account->others[i];
		others[i] = (struct other_process){.pid = process->pid,
						   .name = process->name,
						   .first = first_of(account, i + 1),
						   .length = (uint32_t)process->inspection.length,
						   .handlers = process->handlers,
						   .newcomers = process->newcomers,
						   .frozen = process->frozen};
	}
	free((void *)(uintptr_t)situation->others);
	situation->others = others;
	situation->others_length = account->others_length;
	return true;
}

void others_settled(struct account *account, bool *awake, bool *newcomers)
{
	for (size_t i = 0; i < account->others_length; i++) {
		struct account_process *process = &account->others[i];
		const struct standstill settled = {process->settled, process->settled_length};
		standstill_end(&settled, process->snapshot, &process->inspection,
			       awake + first_of(account, i + 1), &process->newcomers);
		*newcomers = *newcomers || process->newcomers;
	}
}

void others_release(struct account *account)
{
	for (size_t t = 0; t < account->all.length; t++)
		free(account->all.threads[t].wait.holders);
	free(account->all.threads);
	for (size_t i = 0; i < account->others_length; i++) {
		free(account->others[i].settled);
		inspection_release(&account->others[i].inspection);
		snapshot_free(account->others[i].snapshot);
	}
	free(account->others);
	free((void *)(uintptr_t)account->situation.others);
}
