/* A trap on the way of a thread: fmc's own, a function's, an instruction's, a loop's, or the program's. */
#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"
#include "supervisor/calls/calls.h"
#include "supervisor/lives/lives.h"
#include "supervisor/run/run.h"
#include "supervisor/uses/uses.h"

#include <fmc/breakpoints/marks.h>
#include <fmc/breakpoints/plugin.h>

#include <signal.h>

static enum status pass(struct run *run, const struct stop *stop, const struct call *call, bool *performed)
{
	struct process *process = run->process;
	if (call->unwatched)
		return process_pass_unwatched(process, run->thread, call, performed);
	if (call->answered)
		return process_pass_answered(process, run->thread, call, performed);
	if (call->releases)
		look_given_back(process, run->thread, call->entry, run->own_calls);
	if (call->instruction || call->user)
		return entries_step(process->entries, stop->tracee, stop->address, performed);
	*performed = true;
	return entries_pass(process->entries, stop->tracee, stop->address);
}

/* Where the trap stands for an instruction, it is performed here, unless something comes between that is told next. */
static bool pass_trap(struct run *run, const struct stop *stop, const struct call *call)
{
	bool performed;
	enum status status = pass(run, stop, call, &performed);
	if (status != STATUS_OK && status != STATUS_GONE)
		return run_fail(run, END_ERROR, status, "can't pass a trap");
	return performed && run_resume(run, 0);
}

/* Libraries may have come, or gone. */
static bool see_loaded(struct run *run)
{
	struct process *process = run->process;
	enum status status = entries_look_again(process->entries, process->target, process->threaded);
	if (status == STATUS_INTERRUPTED)
		return run_fail(run, END_INTERRUPTED, status, "interrupted");
	if (status != STATUS_OK)
		process_remark(process,
			       "libraries loaded later, at whose instructions no traps could be planted");
	look_again(process);
	return false;
}

/* Before an instruction that may be part of a loop that waits: true, the round is a yield; else it may be that the call waits. */
static bool come_again(struct run *run, struct call *call)
{
	struct process_thread *thread = run_self(run);
	retries_settle(run->process, thread);
	return !awaits_round(run->process, thread, call) && retries_repeat(run->process, thread, call);
}

bool run_on_trap(struct run *run, const struct stop *stop)
{
	struct process *process = run->process;
	struct call call;
	if (run_is_gadget(run, stop->address))
		return run->at_gadget = true;
	if (look_is_trap(process, stop->address))
		return look_hit(process, run->thread, stop, run->own_calls) && run_resume(run, 0);
	const uint32_t mark = entries_mark_at(process->entries, stop->address);
	if (mark < MARKS_MOST && marks_on_arrival(run, mark))
		return true;
	uint32_t loop = entries_loop_at(process->entries, stop->address);
	if (loop < LOOPS_MOST)
		return rounds_on_head(run, loop);
	/* A mark may be where there is another trap, which is next then. */
	if (mark < MARKS_MOST && !entries_is_trap(process->entries, stop->address)) {
		entries_pass_mark(process->entries, stop->tracee, mark);
		return run_resume(run, 0);
	}
	if (entries_pass_inside(process->entries, stop->tracee, stop->address))
		return run_resume(run, 0);
	if (!entries_is_trap(process->entries, stop->address))
		return run_resume(run, SIGTRAP); /* the program's own int3 */
	enum status status = entries_decode(process->entries, stop, &call);
	if (status == STATUS_GONE)
		return false;
	if (status != STATUS_OK)
		return run_fail(run, END_ERROR, status, "can't decode a call");
	if (call.asks)
		variables_note(process, call.object);
	if (call.loads && see_loaded(run))
		return true;
	if (call.op.kind == OP_OUTPUT && !outputs_leads(process, call.descriptor))
		call.op.kind = OP_NONE;
	if (call.instruction && process->options.scout && !run->own_calls)
		spaces_scout(process, run->thread, &call);
	bool visible = !call.libc_own && !run->own_calls && call.op.kind != OP_NONE;
	if (plugin_failure())
		return run_fail(run, END_UNSUPPORTED, STATUS_UNSUPPORTED, plugin_failure());
	if (visible && call.op.kind == OP_THREAD_CREATE && run_become_threaded(run))
		return true;
	if (visible && process->threaded)
		copies_join(run, &call);
	apart_at_once(process, run_self(run), &call);
	const bool access = (call.instruction && !call.releases) || call.compiled;
	if (visible && process->threaded && access && come_again(run, &call))
		return retries_stop(run, &call);
	if (visible && process->threaded)
		return run_stop_before(run, &call);
	return pass_trap(run, stop, &call);
}
