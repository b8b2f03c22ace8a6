#ifndef FMC_SUPERVISOR_ACCESSES_ACCESSES_H
#define FMC_SUPERVISOR_ACCESSES_ACCESSES_H

#include "supervisor/way/way.h"

/* Instructions that access memory, as operations, and loops: those that wait for memory, and those that go on for long. */

/* retries.c: a yield takes the place of this stop before an atomic instruction. */
bool retries_stop(struct run *run, const struct call *call);

/*
 * retries.c, by supervisor/execution/retries.h. before, after: the thread performs the atomic instruction that it has pending. repeat: has
 * it come to this one in a round that has changed nothing, or for so long that it may be waiting? yield: perform the yield that stands
 * for the round.
 */
void retries_forget(struct process_thread *thread);
void retries_before(struct process *process, struct process_thread *thread);
/* It is performed on the way to the next operation; whether it has changed its object is seen there. */
void retries_leave_open(struct process_thread *thread);
/* True: the object is as it was. */
bool retries_after(struct process *process, struct process_thread *thread);
/* The thread has called sched_yield(), which a round may do that changes nothing. */
void retries_call_yield(struct process_thread *thread);
void retries_break(struct process_thread *thread);
void retries_settle(const struct process *process, struct process_thread *thread);
bool retries_repeat(const struct process *process, struct process_thread *thread, const struct call *call);
void retries_yield(struct process *process, struct process_thread *thread);
/* What instructions depend on, memory and flags left aside. */
void retries_note_registers(const struct user_regs_struct *regs, uint64_t into[RETRY_REGISTERS]);

/*
 * called.c: what the call reads before which the thread stands (call.calls), where that is all that it does and goes by; and a digest of it, 0: that isn't known. True
 * of the third: the thread has been let run, from before the call to where that returns, by steps.
 */
uint64_t called_find(const struct process *process, const struct process_thread *thread,
		     const struct call *call, struct called *called);
bool called_run(const struct process *process, const struct process_thread *thread, const struct call *call);

/*
 * awaits.c: the thread stands before this instruction. Is it in a round of a loop that changes nothing, as long as memory is what it was
 * in the round before? At the last access of such a round the call becomes one that waits for others to change that, and at the first
 * one it says whether the thread has just gone such a round (OP_VAIN). changed: has it, for a thread that waits so, whoever has done it?
 */
bool awaits_round(struct process *process, struct process_thread *thread, struct call *call);
bool awaits_changed(const struct process *process, uint32_t thread);

/*
 * apart.c: an instruction whose access is made of several operations (call.apart, call.whole_bytes). goes_on: is the pending one not the
 * last? perform: do it, the thread stays where it is; what is pending then. before, after: the
 * last one, the instruction is about to be performed, and finds what it has read; it has been, or couldn't be. begun: is the pending one
 * not the first? stores: and others may have seen some of what the instruction writes? anew: the thread comes to the instruction again. at_once:
 * where there can't be parts, there are none.
 */
enum apart_done {
	APART_DONE,
	APART_NOT,  /* the instruction is to be performed at once */
	APART_CAME, /* something else has come, and is told next */
};
bool apart_goes_on(const struct call *call);
enum apart_done apart_perform(struct process *process, struct process_thread *thread, struct call *next);
void apart_before(struct process *process, struct process_thread *thread, struct apart *found);
void apart_after(struct process *process, const struct process_thread *thread, const struct apart *found,
		 bool performed);
bool apart_begun(const struct call *call);
bool apart_stores(const struct call *call);
void apart_anew(struct call *call);
void apart_at_once(struct process *process, const struct process_thread *thread, struct call *call);
/* Could a handler of the program's run in the middle of it, or in the middle of a round? Of a child that ends one does where there is one for that. */
bool apart_interrupted(const struct process *process, const struct process_thread *thread);

/* rounds.c: it has come to the head of loop i. */
bool rounds_on_head(struct run *run, uint32_t i);

/*
 * rounds.c: threads are preempted at the heads of loops that are known. rounds_plant: `tracee` is stopped, operations are
 * visible, or the program begins. rounds_show: traps have been put over what was planted in this target, which is put back. rounds_begin: before a transition of the thread.
 */
void rounds_plant(struct process *process, struct tracee *tracee);
void rounds_show(struct process *process, struct target *target);
void rounds_begin(struct process *process, uint32_t thread);

/*
 * marks.c. plant: a target stands at its beginning; false: what is wrong is in *first. restore: code has been written since. on_mark: the
 * thread has come to mark i; true: the way has ended.
 */
bool marks_plant(struct process *process, struct tracee *tracee, struct outcome *first);
void marks_restore(struct process *process, struct tracee *tracee);
bool marks_on_arrival(struct run *run, uint32_t i);

/* copies.c: the call may be the second half of what the thread has told of in two. */
void copies_join(struct run *run, struct call *call);

#endif
