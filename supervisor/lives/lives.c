#include "supervisor/lives/lives.h"
#include "supervisor/before/before.h"

#include <fmc/tracer/clock.h>

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define LEADER_END_NS UINT64_C(10000000000)

/* Births and deaths of threads, and processes that the target makes. */

bool lives_on_clone(struct run *run, const struct stop *stop)
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
	model_thread_of(process->model->model, number, model_process(process->model->model, run->thread),
			model_parent(process->model->model, run->thread));
	if (run_self(run)->call.op.kind == OP_THREAD_CREATE && run_self(run)->call.op.arg)
		model_thread_detached(process->model->model, number);
	born->call.op = (struct op){.kind = OP_THREAD_START, .object = number, .object2 = NO_OBJECT};
	if (!run->outcome->births++)
		run->outcome->created = number;
	return run_resume(run, 0);
}

bool lives_on_fork(struct run *run, const struct stop *stop)
{
	bool followed;
	const bool over = followed_fork(run, stop, &followed);
	if (over || followed)
		return over;
	struct target *forked = target_forked(stop);
	process_remark_copied(run->process, "child processes (--follow makes them part of the schedule)");
	run->process->has_children = true;
	run->process->sent |= UINT64_C(1) << (SIGCHLD - 1);
	if (forked) {
		const struct process_pilot *pilot = run->process->options.pilot;
		if (pilot)
			pilot->plant(pilot->context, forked, false);
		look_hide(run->process, forked);
		/* It may have been killed; it is let go anyhow. */
		(void)entries_unplant(run->process->entries, forked);
		target_let_go(forked);
	}
	return run_resume(run, 0);
}

/*
 * The leader stays a zombie until all others are gone, and its end isn't reported before: nothing but its state tells. It may
 * take its time in the kernel, but not for ever: true when it has been given up.
 */
static bool await_leader_end(struct run *run, const struct tracee *leader)
{
	const struct timespec pause = {.tv_nsec = 50000};
	const uint64_t deadline = clock_now() + LEADER_END_NS;
	while (!tracee_is_zombie(leader)) {
		if (tracer_interrupted())
			return run_fail(run, END_INTERRUPTED, STATUS_INTERRUPTED, "interrupted");
		if (clock_now() > deadline)
			return run_fail(run, END_ERROR, STATUS_TIMEOUT,
					"the main thread is on its way out and doesn't get to its end");
		nanosleep(&pause, NULL);
	}
	return false;
}

/* The death of any other thread is told. */
static bool await_thread_end(struct run *run, struct tracee *tracee)
{
	struct stop death;
	const enum status status = target_wait(run->process->target, tracee, -1, &death);
	return status == STATUS_INTERRUPTED && run_fail(run, END_INTERRUPTED, status, "interrupted");
}

/* A thread is on its way out: follow it until joiners could see its end. */
bool lives_on_exiting(struct run *run, const struct stop *stop)
{
	struct process *process = run->process;
	struct tracee *tracee = stop->tracee;
	const bool last = spaces_alive(process) == 1;
	if (WIFSIGNALED(stop->value) && (!last || !followed_outlived(process, WTERMSIG(stop->value)))) {
		run_end_process(run, END_SIGNAL, WTERMSIG(stop->value));
		return true;
	}
	if (last && followed_goes_on(process))
		return run_resume(run, 0) ||
		       followed_end(run, WIFSIGNALED(stop->value) ? 128 + WTERMSIG(stop->value)
								  : WEXITSTATUS(stop->value));
	if (last) {
		run_end_process(run, END_EXIT,
				process->space == 0 ? WEXITSTATUS(stop->value) : process->spaces[0].status);
		return true;
	}
	int64_t ran;
	if (run_is_after_once(run, &ran)) {
		run_self(run)->exiting = true;
		run_self(run)->death = *stop;
		return run_stop_after_once(run, &run_self(run)->call, ran);
	}
	if (run_resume(run, 0))
		return true;
	if (tracee->tid == target_pid(process->target) ? await_leader_end(run, tracee)
						       : await_thread_end(run, tracee))
		return true;
	run_self(run)->tracee = NULL;
	uint32_t word = objects_find(process, CLASS_FUTEX, run_self(run)->tid_word);
	if (word != NO_OBJECT)
		model_futex_kernel_wake(process->model->model, word);
	run->outcome->kind = OUTCOME_EXITED;
	return true;
}

bool lives_on_exited(struct run *run, const struct stop *stop)
{
	run_self(run)->tracee = NULL;
	if (WIFSIGNALED(stop->value))
		run_end_process(run, END_SIGNAL, WTERMSIG(stop->value));
	else
		run_end_process(run, END_EXIT, WEXITSTATUS(stop->value));
	return true;
}
