/* A thread comes back from the routine of a pthread_once: on to what it was really stopped at. */
#include "supervisor/before/before.h"
#include "supervisor/lives/lives.h"
#include "supervisor/run/run.h"

/* The function that has run the routine wakes those that wait for it. They do so in the model. */
static bool wakes_the_others(const struct process_thread *thread, const struct call *call)
{
	return call->op.kind == OP_FUTEX_WAKE && call->object == thread->once[thread->once_length];
}

void run_behind_once(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	struct process_thread *self = run_self(&run);
	const struct call call = self->after;
	outcome->kind = OUTCOME_FAILED;
	process_note(process, wakes_the_others(self, &call) ? MANNER_RETURN : MANNER_STAY, 0);
	if (self->exiting) {
		process_note_other(process, "the thread exits from within a pthread_once");
		lives_on_exiting(&run, &self->death);
	} else if (wakes_the_others(self, &call)) {
		tracee_skip_syscall(self->tracee, 0);
		if (!run_resume(&run, 0))
			run_to_operation(process, thread, outcome);
	} else {
		run_stop_before(&run, &call);
	}
}
