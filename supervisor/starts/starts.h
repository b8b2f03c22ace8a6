#ifndef FMC_SUPERVISOR_STARTS_STARTS_H
#define FMC_SUPERVISOR_STARTS_STARTS_H

#include "supervisor/process/process.h"

/* process->output has room for so much of what the program writes. */
#define OUTPUT_MAX (64 * 1024)

/* The machine that is a real process: process.c, what it tells of itself about.c. And how executions begin. */

/*
 * kept_output.c: files in memory for what the program writes, if it is to be kept; false, or closed all the same, where there are none. What a
 * stretch of an execution has written: printed, then the rest, from `from` on.
 */
struct kept_output {
	struct output_mark from;
	char *bytes;
	size_t printed, rest;
};
bool kept_output_open(struct process *process);
void kept_output_close(struct process *process);
void kept_output_rewind(const struct process *process, struct output_mark mark);
/* False without memory; else bytes are to be freed. */
bool kept_output_take(const struct process *process, struct output_mark from, struct kept_output *kept);
/* In the place of all that has been written since kept->from. */
void kept_output_put_back(const struct process *process, const struct kept_output *kept);

/*
 * files.c: all that an execution changes of files is kept from now on, where the options say so; false: no memory. Put back; tell what can't be
 * (process_remark); has the present execution changed any?
 */
bool files_keep(struct process *process);
void files_put_back(struct process *process);
void files_tell(struct process *process);
bool files_changed(const struct process *process);

/*
 * beginning.c. keep: the first operation has been reached: if executions can start here, process->target is taken for
 * that and the execution has to be started again. restore: process->target was started there.
 */
bool beginning_keep(struct process *process, const struct outcome *first);
bool beginning_known(const struct process *process);
/*
 * Where they can't because files have been changed: want: one process that has come there is wanted; is it there? take: it is the caller's, and
 * process->beginning.apart tells what it has open; NULL: it isn't there.
 */
bool beginning_want(struct process *process);
struct target *beginning_take(struct process *process);
void beginning_restore(struct process *process, uint32_t thread, struct outcome *first);

/*
 * bring_up.c: process->target has been started from a saved image, and is brought to where every thread stands before an
 * operation, known to the model. False: *first says what went wrong, or that it has ended.
 */
bool bring_up_make(struct process *process, struct outcome *first);

/* bring_up_keep.c: the same, and kept. bring_up_restore() starts it there, where that is known; false: it isn't. */
void bring_up_start(struct process *process, struct outcome *first);
bool bring_up_restore(struct process *process, struct outcome *first);
void bring_up_forget(struct process *process);

/* state.c: as machine_ops.state and machine_ops.identity. */
bool process_state(struct machine *machine, uint64_t digest[2]);
uint64_t process_identity(const struct machine *machine, uint32_t object);

#endif
