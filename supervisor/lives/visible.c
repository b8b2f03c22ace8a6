/* Operations become visible: traps are planted at all of them. */
#include "supervisor/accesses/accesses.h"
#include "supervisor/lives/lives.h"
#include "supervisor/signals/signals.h"

#include <fmc/breakpoints/plugin.h>

bool run_become_visible(struct run *run)
{
	if (run->process->threaded)
		return false;
	run->process->threaded = true;
	signals_settle(run->process);
	run->process->controlled = !run->process->strayed && !run->process->signalled &&
				   !run->process->has_common && !run->process->has_children;
	enum status status = entries_plant_all(run->process->entries, run->process->target);
	if (status == STATUS_INTERRUPTED)
		return run_fail(run, END_INTERRUPTED, status, "interrupted");
	if (status != STATUS_OK && status != STATUS_NOT_FOUND)
		return run_fail(run, END_ERROR, status, "can't plant traps");
	if (run_self(run)->tracee && run->process->ahead)
		ahead_plant(run->process, run_self(run)->tracee);
	if (run_self(run)->tracee) {
		marks_restore(run->process, run_self(run)->tracee);
		/* Inside of a fork() no call can be injected: they were there before, and the traps have been put over them. */
		if (run->process->options.follow)
			rounds_show(run->process, run->process->target);
		else
			rounds_plant(run->process, run_self(run)->tracee);
	}
	char text[160];
	if (user_functions_missing(run->process, text)) {
		plugin_blame("the program has none of its functions: %s", text);
		return run_fail(run, END_UNSUPPORTED, STATUS_UNSUPPORTED, plugin_failure());
	}
	entries_lost_atomics(run->process->entries, text);
	if (*text)
		process_remark(run->process, text);
	return false;
}

bool run_become_threaded(struct run *run)
{
	if (run_become_visible(run))
		return true;
	look_begin(run->process);
	return false;
}
