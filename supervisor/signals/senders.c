/* When the threads that stand for senders (handlers/arrive.c) are born: once the program could take what these send. */
#include "supervisor/process/kernel_objects.h"
#include "supervisor/signals/signals.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static uint64_t bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

void senders_begin(struct process *process)
{
	const struct arrivals *arrivals = &process->options.arrivals;
	process->senders = (struct senders){.length = arrivals->length};
	for (uint32_t i = 0; i < arrivals->length; i++)
		process->senders.at[i] = (struct sender){.kind = SENDER_OUTSIDE,
							 .armed = true,
							 .signal = arrivals->at[i].signal,
							 .own = arrivals->at[i].thread,
							 .receiver = NO_THREAD,
							 .thread = NO_THREAD};
}

void senders_name(const struct process *process, uint32_t thread, char name[SENDER_NAME])
{
	const struct sender *sender = &process->senders.at[process->threads[thread].sender - 1];
	if (sender->kind == SENDER_OUTSIDE)
		snprintf(name, SENDER_NAME, "SIG%s", sigabbrev_np(sender->signal));
	else
		snprintf(name, SENDER_NAME, "timer");
}

uint32_t senders_at(const struct process *process, int descriptor)
{
	for (uint32_t i = 0; i < process->senders.length; i++) {
		const struct sender *sender = &process->senders.at[i];
		if (sender->kind == SENDER_DESCRIPTOR &&
		    (sender->descriptor == descriptor ||
		     kernel_same_place(process, sender->descriptor, descriptor)))
			return i;
	}
	return SENDERS_MOST;
}

/* The n-th thread of the program's own, from 1; NO_THREAD: it isn't born yet. */
static uint32_t own_thread(const struct process *process, uint32_t n)
{
	for (uint32_t t = 0; t < process->threads_length; t++)
		if (!process->threads[t].sender && --n == 0)
			return t;
	return NO_THREAD;
}

/* Any thread of it: handlers are the process's. */
static const struct tracee *somebody(const struct process *process)
{
	for (uint32_t t = 0; t < process->threads_length; t++)
		if (process->threads[t].tracee && process->threads[t].tracee->life == TRACEE_STOPPED)
			return process->threads[t].tracee;
	return NULL;
}

bool senders_handled(const struct process *process, int signal)
{
	const struct tracee *tracee = somebody(process);
	return tracee && tracee_signals(tracee).caught & bit(signal);
}

bool senders_blocked(const struct process *process, uint32_t receiver, int signal)
{
	for (uint32_t t = 0; t < process->threads_length; t++) {
		const struct tracee *tracee = process->threads[t].tracee;
		if (tracee && (receiver == NO_THREAD || receiver == t) &&
		    !(tracee_signals(tracee).blocked & bit(signal)))
			return false;
	}
	return true;
}

/* Without a handler a signal would end the program, or come to nothing: neither is a matter of when. */
static bool is_due(const struct process *process, struct sender *sender)
{
	if (!sender->armed || sender->thread != NO_THREAD)
		return false;
	if (sender->kind == SENDER_DESCRIPTOR)
		return true;
	if (sender->own)
		sender->receiver = own_thread(process, sender->own);
	return (!sender->own || sender->receiver != NO_THREAD) &&
	       (senders_handled(process, sender->signal) ||
		senders_blocked(process, sender->receiver, sender->signal));
}

static bool bear(struct run *run, uint32_t i)
{
	struct process *process = run->process;
	struct model *model;
	const uint32_t number = model_block_add_thread(process->model);
	struct process_thread *born = number == NO_THREAD ? NULL : threads_add(process, NULL);
	if (!born)
		return run_fail(run, END_ERROR, STATUS_NO_MEMORY, "too many threads");
	model = process->model->model;
	model_thread_of(model, number, model_process(model, run->thread), model_parent(model, run->thread));
	born->sender = i + 1;
	born->call.op = (struct op){.kind = OP_THREAD_START, .object = number, .object2 = NO_OBJECT};
	process->senders.at[i].thread = number;
	if (!run->outcome->births++)
		run->outcome->created = number;
	return false;
}

bool senders_bear(struct run *run)
{
	struct process *process = run->process;
	for (uint32_t i = 0; i < process->senders.length; i++)
		if (is_due(process, &process->senders.at[i]) && bear(run, i))
			return true;
	return false;
}
