/* What a process machine tells of itself. */
#include "supervisor/lives/lives.h"
#include "supervisor/starts/starts.h"

#include <fmc/supervisor/waking.h>

void process_find_places(struct process *process, bool on)
{
	process->find_places = on;
}

enum origin_kind process_origin(const struct process *process)
{
	return origin_kind(process->origin);
}

void process_missing(const struct process *process, char text[160])
{
	*text = '\0';
	if (process->threaded)
		user_functions_missing(process, text);
}

const char *process_mangled(const struct process *process, size_t i)
{
	return process->threaded ? entries_mangled(process->entries, i) : NULL;
}

bool process_compiled(const struct process *process, char uncompiled[PROCESS_UNCOMPILED])
{
	*uncompiled = '\0';
	if (!process->threaded || !entries_compiled(process->entries))
		return false;
	entries_uncompiled(process->entries, uncompiled, PROCESS_UNCOMPILED);
	return true;
}

uint32_t process_spin_ms(const struct process *process)
{
	return process->options.spin_ms;
}

bool process_threaded(const struct process *process)
{
	return process->threaded;
}

struct target *process_target(struct process *process)
{
	return process->target;
}

struct tracee *process_tracee(struct process *process, uint32_t thread)
{
	return process->target && thread < process->threads_length ? process->threads[thread].tracee : NULL;
}

const struct call *process_call(const struct process *process, uint32_t thread)
{
	return &process->threads[thread].call;
}

const struct performed *process_performed(const struct process *process)
{
	return &process->performed;
}

const struct entries *process_entries(const struct process *process)
{
	return process->binaries[0].entries;
}

uint64_t process_object(const struct process *process, uint32_t object)
{
	return object < process->objects_length ? process->objects[object].address : 0;
}

uint64_t process_start_routine(const struct process *process, uint32_t thread)
{
	return thread < process->threads_length ? process->threads[thread].start_routine : 0;
}

struct places *process_places(struct process *process)
{
	return process->binaries[0].places;
}

const struct loops *process_loops(const struct process *process)
{
	return process->loops;
}

const struct shared *process_shared(const struct process *process)
{
	return process->shared;
}

struct knowledge process_knows(const struct process *process)
{
	return (struct knowledge){loops_length(process->loops), shared_length(process->shared)};
}

uint32_t process_learned(const struct process *process)
{
	const struct knowledge now = process_knows(process);
	return now.loops + now.shared;
}

struct knowledge process_knew(const struct process *process)
{
	return (struct knowledge){process->known, process->shared_known};
}

uint64_t process_passed(const struct process *process)
{
	return process->ahead ? process->ahead->told : 0;
}

uint64_t process_passed_calls(const struct process *process)
{
	const struct ahead *ahead = process->ahead;
	return ahead && ahead->passes ? ahead->passes->transfers : 0;
}

bool process_spins(const struct process *process, uint32_t thread)
{
	const struct process_thread *self = &process->threads[thread];
	return thread < process->threads_length && self->spinning && !self->at_head;
}

bool process_in_syscall(const struct process *process, uint32_t thread)
{
	const struct call *call = &process->threads[thread].call;
	return !call->entry && (call->return_address || call->op.kind == OP_SYSCALL);
}

bool process_waking_idle(const struct process *process, char name[WAKING_NAME])
{
	return process->options.waking && waking_idle(process->options.waking, process->waking_used, name);
}

const char *process_uncontrolled(const struct process *process)
{
	return process->uncontrolled;
}
