#include "breakpoints/names/naming.h"
#include "breakpoints/stubs/slot.h"
#include "breakpoints/symbols/places.h"
#include "breakpoints/unwind/unwind.h"
#include <stdlib.h>

/* Stacks of fmc's own targets, which may stand at its traps and in its copies of instructions. */

static enum status read_target(void *context, uint64_t address, void *to, size_t size)
{
	return target_read(context, address, to, size);
}

struct walk {
	uint64_t *frames;
	size_t length, room;
};

static bool visit_frame(void *context, const struct unwound *frame)
{
	struct walk *walk = context;
	if (walk->length == walk->room)
		return false;
	walk->frames[walk->length++] = frame->pc;
	return true;
}

/* Is there a trap of fmc's? One that is in the file, too, is the program's own or padding. */
static bool is_planted(struct places *places, const struct target *target, uint64_t address)
{
	uint8_t byte;
	return target_read(target, address, &byte, 1) == STATUS_OK && byte == TRAP_INSTRUCTION &&
	       places_file_byte(places, address) >= 0 &&
	       places_file_byte(places, address) != TRAP_INSTRUCTION;
}

/*
 * Where a thread stands for the unwinder. Stopped by a planted trap: before the instruction that the trap
 * replaces. In a displaced copy: before or after the original. Else where it is.
 */
static uint64_t original_pc(struct places *places, const struct tracee *tracee, uint64_t pc)
{
	if (modules_find(&places->modules, pc))
		return is_planted(places, tracee->target, pc - 1) ? pc - 1 : pc;
	struct slot slot;
	uint64_t address = pc / SLOT_BYTES * SLOT_BYTES;
	if (target_read(tracee->target, address, &slot, sizeof(slot)) != STATUS_OK)
		return pc;
	if (!modules_find(&places->modules, slot.entry) || slot.length > 15)
		return pc;
	return pc <= address + DOOR_BYTES ? slot.entry : slot.entry + slot.length;
}

static void unwind(struct places *places, struct tracee *tracee, const struct user_regs_struct *regs,
		   unwound_visitor *visit, void *context)
{
	struct unwinding unwinding = {.read = read_target,
				      .context = tracee->target,
				      .regs = regs,
				      .pc = original_pc(places, tracee, regs->rip)};
	places_unwind(places, &unwinding, visit, context);
}

size_t places_stack(struct places *places, struct tracee *tracee, uint64_t frames[], size_t room)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs || room == 0 || !places->dwfl)
		return 0;
	struct walk walk = {.frames = frames, .room = room};
	unwind(places, tracee, regs, visit_frame, &walk);
	if (walk.length == 0)
		frames[walk.length++] = original_pc(places, tracee, regs->rip);
	return walk.length;
}

#define STEPS_MOST 64

struct climb {
	struct places *places;
	struct steps *steps;
	bool unsure; /* the frame before has told nothing of its caller */
};

static bool visit_step(void *context, const struct unwound *frame)
{
	struct climb *climb = context;
	struct steps *steps = climb->steps;
	struct step *step = &steps->at[steps->length];
	struct place place;
	if (steps->length == STEPS_MOST)
		return false;
	*step = (struct step){.pc = frame->pc, .stack = frame->stack, .is_return = frame->is_return};
	step_find(climb->places, step, &place);
	if (!climb->unsure) {
		step->registers = *frame;
		if (steps->length)
			step[-1].cfa = frame->stack;
	}
	climb->unsure |= frame->caller == CALLER_UNTOLD;
	steps->length++;
	return true;
}

struct steps tracee_steps(struct places *places, struct tracee *tracee)
{
	struct steps steps = {.at = calloc(STEPS_MOST, sizeof(*steps.at))};
	const struct user_regs_struct *regs = tracee_regs(tracee);
	struct climb climb = {.places = places, .steps = &steps};
	if (steps.at && regs)
		unwind(places, tracee, regs, visit_step, &climb);
	return steps;
}
