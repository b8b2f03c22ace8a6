/* The life of a process machine. */
#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"
#include "supervisor/drive/drive.h"
#include "supervisor/handlers/handlers.h"
#include "supervisor/perform/perform.h"
#include "supervisor/process/kernel_objects.h"
#include "supervisor/run/run.h"
#include "supervisor/signals/signals.h"
#include "supervisor/starts/starts.h"
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fmc/supervisor/waking.h>
#include <fmc/tracer/answers.h>
#include <fmc/tracer/kept_files.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static enum status prepare(void *context, struct target *target, struct tracee *tracee)
{
	struct process *process = context;
	enum status status = entries_plant_first(process->entries, target);
	/* What processes inherit may lead to the same, by any number. */
	if (process->options.follow && (status == STATUS_OK || status == STATUS_NOT_FOUND) &&
	    target_watch_transfers(tracee, true) != STATUS_OK)
		return STATUS_UNSUPPORTED;
	if (!process->options.program.image)
		look_reserve(process, target);
	/* Without a thread library threads are still seen as the kernel makes them. */
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static void rewind_output(struct process *process)
{
	const struct output_mark nothing = {0, 0};
	kept_output_rewind(process, beginning_known(process) ? process->beginning.output : nothing);
}

static void process_finish(struct machine *machine)
{
	struct process *process = process_of(machine);
	look_end(process);
	memory_forget(process);
	drive_end(process);
	kernel_release_fifos(process);
	spaces_finish(process);
	files_put_back(process);
	file_turns_end(process);
	for (uint32_t t = 0; t < process->threads_length; t++)
		process->threads[t].tracee = NULL;
}

static void start_target(struct process *process, struct outcome *first)
{
	char why[256];
	process_finish(&process->machine);
	memset(first, 0, sizeof *first);
	first->created = NO_THREAD;
	process->threaded = false;
	process->controlled = false;
	process->signalled = false;
	process->sent = 0;
	senders_begin(process);
	process->disturbed = process->has_children = false;
	process->has_common = false;
	process->has_channels = process->watches_channels = process->options.follow;
	process->looked_for_channels = process->watches_standard = false;
	sets_forget(process);
	channels_forget_all(&process->uses);
	time_begin(process);
	files_begin(process);
	process->hope_lost = process->tries_others = process->watches_asks = false;
	process->going = false;
	if (process->ahead)
		ahead_begin(process);
	process->known = loops_length(process->loops);
	process->shared_known = shared_length(process->shared);
	process->has_learned = false;
	process->kernel_length = 0;
	process->counting = (struct heads){0};
	process->transitions = 0;
	process->ran_last = NO_THREAD;
	process->uncontrolled[0] = 0;
	process->strayed = false;
	process->unwatched.length = 0;
	files_tell(process);
	process->threads_length = 0;
	objects_clear(process);
	file_turns_begin(process);
	if (!drive_begin(process, why))
		return run_failed(first, END_UNSUPPORTED, STATUS_UNSUPPORTED, why);
	if (bring_up_restore(process, first))
		return;
	enum status status = origin_start(process->origin, &process->target);
	if (status != STATUS_OK)
		return run_failed(first, status == STATUS_INTERRUPTED ? END_INTERRUPTED : END_ERROR, status,
				  "can't start an execution");
	memory_begin(process);
	process_tell_unanswered(process);
	mappings_begin(process);
	rewind_output(process);
	process_watch_target(process, process->target);
	if (process->options.program.image)
		return bring_up_start(process, first);
	uint32_t number = model_block_add_thread(process->model);
	struct tracee *tracee = target_tracee(process->target, 0);
	if (process->options.follow && spaces_add(process, process->target, 0, NO_THREAD) == NO_SPACE)
		return run_failed(first, END_ERROR, STATUS_NO_MEMORY, "out of memory");
	if (number == NO_THREAD || !threads_add(process, tracee))
		return run_failed(first, END_ERROR, STATUS_NO_MEMORY, "out of memory");
	if (beginning_known(process))
		return beginning_restore(process, number, first);
	if (!marks_plant(process, tracee, first))
		return;
	if (process->options.follow)
		rounds_plant(process, tracee);
	status = process_go(process, number, 0);
	if (status != STATUS_OK)
		return run_failed(first, END_ERROR, status, "can't resume the first thread");
	run_to_operation(process, number, first);
}

static void process_start(struct machine *machine, struct model_block *model, struct outcome *first)
{
	struct process *process = process_of(machine);
	process->model = model;
	start_target(process, first);
	if (beginning_keep(process, first)) {
		model_block_clear(model);
		start_target(process, first);
	}
}

static void process_observe(struct machine *machine, uint32_t thread, const struct op *op,
			    struct observation *seen)
{
	struct process *process = process_of(machine);
	spaces_enter(process, thread);
	if (op->kind == OP_POLL) {
		*seen = (struct observation){outside_try_poll(process, thread, op), 0};
		return;
	}
	if (op_is_tried(op->kind)) {
		*seen = (struct observation){kernel_try(process, thread), 0};
		if (op->kind == OP_CONNECTION_OPEN && kernel_call_is_refused(process, thread))
			seen->word = TRIED_FAILS;
		if (seen->word != TRIED_GOES)
			outside_tries(process, thread, op);
		return;
	}
	/* Others may have the objects elsewhere. */
	if (process->spaces_length > 1) {
		objects_point(process, op->object, process->threads[thread].call.object);
		objects_point(process, op->object2, process->threads[thread].call.object2);
	}
	/* Of a word that isn't there the kernel will tell: it is 0. */
	memset(seen, 0, sizeof *seen);
	if (op->object < process->objects_length)
		(void)target_read(process->target, process->objects[op->object].address, &seen->word,
				  sizeof seen->word);
	if (op->object2 < process->objects_length)
		(void)target_read(process->target, process->objects[op->object2].address, &seen->word2,
				  sizeof seen->word2);
}

static bool process_ready(struct machine *machine, uint32_t thread, const struct op *op)
{
	spaces_enter(process_of(machine), thread);
	return op->flags & OP_AWAITS ? awaits_changed(process_of(machine), thread)
				     : outside_ready(process_of(machine), thread, op);
}

static void process_go_round(struct machine *machine)
{
	asks_watch(process_of(machine));
}

static void process_aim(struct machine *machine, uint32_t thread, struct op *op)
{
	spaces_enter(process_of(machine), thread);
	takes_aim(process_of(machine), thread, op);
}

static bool process_digest(struct machine *machine, uint64_t digest[2])
{
	struct process *process = process_of(machine);
	uint64_t bytes;
	if (!spaces_digest(process, digest) || !kernel_digest(process, &bytes))
		return false;
	digest[1] ^= bytes;
	for (uint32_t t = 0; t < process->threads_length; t++)
		digest[0] ^= stores_digest(&process->threads[t].stores) * (2 * (uint64_t)t + 1);
	return true;
}

static enum hope process_await(struct machine *machine, int64_t until)
{
	return outside_await(process_of(machine), until);
}

static int64_t process_now(const struct machine *machine)
{
	const struct process *process = (const struct process *)machine;
	return time_now(process);
}

static bool process_follows(const struct machine *machine)
{
	return target_follows_time(((const struct process *)machine)->target);
}

static void process_children(struct machine *machine, const uint64_t *before)
{
	children_let_end(process_of(machine), before);
}

static uint64_t process_children_held(struct machine *machine)
{
	return children_hold(process_of(machine));
}

/* The client of a program that listens may begin. */
static void hear_listen(struct process *process, uint32_t thread, const struct op *op)
{
	const struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(process->threads[thread].tracee) : NULL;
	if (op->kind == OP_CONNECTION_LISTEN && regs && regs->orig_rax == SYS_listen)
		drive_listens(process);
}

static void process_transition(struct machine *machine, uint32_t thread, const struct op *op, int32_t choice,
			       const struct effect *effect, struct outcome *outcome)
{
	struct process *process = process_of(machine);
	if (ahead_pass(process, thread, effect, outcome))
		return;
	spaces_enter(process, thread);
	look_turn(process, thread);
	rounds_begin(process, thread);
	const bool is_told = op_is_told(op->kind);
	kernel_settle_fifos(process, thread);
	/* Who opens a FIFO has it already, as fmc has asked. */
	if (is_told && op->kind != OP_FIFO_OPEN)
		kernel_verify(process, op);
	hear_listen(process, thread, op);
	process_perform(machine, thread, op, choice, effect, outcome);
	outcome->said_valid = is_told && kernel_ask(process, op, &outcome->said);
	if (process->signalled || process_is_disturbed(process))
		held_handle(process, thread, outcome);
	signals_settle(process);
	spaces_enter(process, thread);
	drive_look(process);
	(void)drive_gives_up(process, outcome);
}

static bool process_judge(struct machine *machine, const struct trace *trace, struct outcome *outcome)
{
	return drive_judge(process_of(machine), trace, outcome);
}

static const struct machine_ops process_ops = {
    .start = process_start,
    .observe = process_observe,
    .perform = process_transition,
    .let_ahead = ahead_let,
    .ahead = ahead_thread,
    .sleep = process_sleep,
    .ready = process_ready,
    .aim = process_aim,
    .await = process_await,
    .go_round = process_go_round,
    .now = process_now,
    .follows = process_follows,
    .children = process_children,
    .children_held = process_children_held,
    .digest = process_digest,
    .state = process_state,
    .identity = process_identity,
    .judge = process_judge,
    .finish = process_finish,
};

struct process *process_new(const struct process_options *options, enum status *status, char why[256])
{
	struct process *process;
	process = calloc(1, sizeof *process);
	*status = STATUS_NO_MEMORY;
	snprintf(why, 256, "out of memory");
	if (!process)
		return NULL;
	process->machine.ops = &process_ops;
	process->options = *options;
	process->options.program.keeps_numbers = true;
	process->loops = options->loops ? options->loops : &process->own_loops;
	process->shared = options->shared ? options->shared : &process->own_shared;
	process->capture = process->printed = process->locks_turn = process->files_turn = -1;
	process->find_places = options->places;
	process->names_objects = waking_wants_names(options->waking);
	if (options->ahead)
		process->ahead = calloc(1, sizeof *process->ahead);
	if ((process->ahead || !options->ahead) && binaries_begin(process) && kept_output_open(process) &&
	    files_keep(process) && drive_open(process, why))
		*status = origin_new(&process->options.program, options->origin, prepare, process,
				     &process->origin, why);
	if (*status != STATUS_OK) {
		process_free(process);
		return NULL;
	}
	return process;
}

void process_free(struct process *process)
{
	if (!process)
		return;
	process_finish(&process->machine);
	target_kill(process->beginning.lent);
	bring_up_forget(process);
	look_release(process);
	memory_release(process);
	drive_close(process);
	origin_free(process->origin);
	kept_files_free(process->options.program.kept_files);
	binaries_release(process);
	kept_output_close(process);
	variables_free(process);
	channels_free_uses(&process->uses);
	sets_forget(process);
	selection_release(&process->selection);
	free(process->tried);
	if (process->ahead)
		passes_free(process->ahead->passes);
	free(process->ahead);
	free(process->threads);
	free(process->objects);
	free(process->slots);
	free(process->files);
	kernel_names_release(process);
	spaces_release(process);
	free(process);
}

struct machine *process_machine(struct process *process)
{
	return &process->machine;
}
