#ifndef FMC_SUPERVISOR_COLLECT_H
#define FMC_SUPERVISOR_COLLECT_H

#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/finding.h>
#include <fmc/supervisor/process.h>

/*
 * Make a finding of an execution at its end: what every thread does, holds and waits for, with its stack, the
 * names of all objects and the place of every transition.
 *
 * To be called from execution_watcher.end, while the threads that are left are stopped and alive; `finding`
 * has been initialised and is filled, also when the execution ended well (kind FINDING_NONE).
 *
 * STATUS_OK or STATUS_NO_MEMORY. What can't be found out (a process that is gone, no debug information) is
 * left empty.
 */
enum status collect_finding(struct finding *finding, struct process *process,
			    const struct execution *execution, const struct trace *trace);

/*
 * The name and the stack of one thread that is stopped and alive, into an empty report; a thread that hasn't started
 * has no stack. STATUS_OK or STATUS_NO_MEMORY.
 */
enum status collect_thread(struct thread_report *report, struct process *process,
			   const struct execution *execution, uint32_t thread);

#endif
