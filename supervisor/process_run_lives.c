#include "supervisor/process_run.h"

#include <sched.h>
#include <sys/wait.h>

/* Births and deaths of threads, and processes that the target makes. */

bool run_on_clone(struct run *run, const struct stop *stop)
{
	struct process *process = run->process;
	if (run_become_threaded(run))
		return true;
	uint32_t number = model_block_add_thread(process->model);
	struct process_thread *born = number == NO_THREAD ? NULL : threads_add(process, stop->child);
	if (!born)
		return run_fail(run, END_ERROR, STATUS_NO_MEMORY, "too many threads");
	born->start_routine = run_self(run)->call.start_routine;
	born->tid_word = stop->child->clear_tid;
	if (run_self(run)->call.op.kind == OP_THREAD_CREATE && run_self(run)->call.op.arg)
		model_thread_detached(process->model->model, number);
	born->call.op = (struct op){.kind = OP_THREAD_START, .object = number, .object2 = NO_OBJECT};
	if (!run->outcome->births++)
		run->outcome->created = number;
	return run_resume(run, 0);
}

bool run_on_fork(struct run *run, const struct stop *stop)
{
	struct target *forked = target_forked(stop);
	process_remark(run->process, "child processes");
	if (forked) {
		const struct process_pilot *pilot = run->process->options.pilot;
		if (pilot)
			pilot->plant(pilot->context, forked, false);
		entries_unplant(run->process->entries, forked);
		target_let_go(forked);
	}
	return run_resume(run, 0);
}

static uint32_t alive(const struct process *process)
{
	uint32_t n = 0;
	for (uint32_t t = 0; t < process->threads_length; t++)
		n += process->threads[t].tracee != NULL;
	return n;
}

/* A thread is on its way out: follow it until joiners could see its end. */
bool run_on_exiting(struct run *run, const struct stop *stop)
{
	struct process *process = run->process;
	struct tracee *tracee = stop->tracee;
	struct stop death;
	if (WIFSIGNALED(stop->value)) {
		run_end_process(run, END_SIGNAL, WTERMSIG(stop->value));
		return true;
	}
	if (alive(process) == 1) {
		run_end_process(run, END_EXIT, WEXITSTATUS(stop->value));
		return true;
	}
	int64_t ran;
	if (run_is_behind_once(run, &ran)) {
		run_self(run)->exiting = true;
		run_self(run)->death = *stop;
		return run_stop_behind_once(run, &run_self(run)->call, ran);
	}
	if (run_resume(run, 0))
		return true;
	if (tracee->tid == target_pid(process->target)) {
		/* The leader stays a zombie until all others are gone, and is not reported before. */
		while (!tracee_is_zombie(tracee))
			sched_yield();
	} else {
		enum status status;
		do
			status = target_wait(process->target, tracee, -1, &death);
		while (status == STATUS_INTERRUPTED);
	}
	run_self(run)->tracee = NULL;
	uint32_t word = objects_find(process, CLASS_FUTEX, run_self(run)->tid_word);
	if (word != NO_OBJECT)
		model_futex_kernel_wake(process->model->model, word);
	run->outcome->kind = OUTCOME_EXITED;
	return true;
}

bool run_on_exited(struct run *run, const struct stop *stop)
{
	run_self(run)->tracee = NULL;
	if (WIFSIGNALED(stop->value))
		run_end_process(run, END_SIGNAL, WTERMSIG(stop->value));
	else
		run_end_process(run, END_EXIT, WEXITSTATUS(stop->value));
	return true;
}
