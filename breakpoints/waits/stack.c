#include "breakpoints/waits/inspector.h"
#include <stdlib.h>
#include <string.h>

/*
 * The stack of a snapshot's thread. Where call frame information ends (registers that aren't known, code without any,
 * damage), the next return address is looked for on the stack: a word that points after a call instruction.
 */

#define STEPS_MOST   256
#define WORDS_LOOKED 1024 /* on the stack for one return address */
#define GAPS_MOST    32	  /* that are bridged so */

struct climb {
	struct inspector *inspector;
	struct step at[STEPS_MOST];
	size_t length;
	size_t fresh; /* frames seen in this walk */
	struct unwound last;
	bool unsure;	/* it, or one before it, was found by looking for it */
	bool outermost; /* that one is */
	bool not_kept;	/* the stack goes on where it wasn't kept */
};

/* One more frame, to which the one before returns. */
static void put(struct climb *climb, const struct unwound *frame)
{
	struct step *step = &climb->at[climb->length];
	*step = (struct step){.pc = frame->pc, .stack = frame->stack, .is_return = frame->is_return};
	if (!climb->unsure) {
		step->registers = *frame;
		if (climb->length)
			step[-1].cfa = frame->stack;
	}
	climb->length++;
}

static bool visit(void *context, const struct unwound *frame)
{
	struct climb *climb = context;
	bool first = climb->fresh++ == 0;
	if (first && climb->length) { /* where the walk was taken up again: known already */
		climb->outermost = frame->caller == CALLER_NONE;
		return frame->caller == CALLER_TOLD;
	}
	/* Callers are further up, or there is damage; but who was interrupted may have been on another stack. */
	if (climb->length && frame->is_return && frame->stack && frame->stack <= climb->last.stack)
		return false;
	if (climb->length == STEPS_MOST)
		return false;
	put(climb, frame);
	climb->last = *frame;
	climb->outermost = frame->caller == CALLER_NONE;
	return frame->caller == CALLER_TOLD;
}

static enum status read_snapshot(void *context, uint64_t address, void *to, size_t size)
{
	return snapshot_read(context, address, to, size);
}

static bool is_code(const struct inspector *inspector, uint64_t address)
{
	const struct snapshot_mapping *mapping = mapping_of(inspector, address);
	return mapping && mapping->executable;
}

#define CALL_BYTES 7 /* the longest call instruction that compilers use */

/* The length that a call instruction's ModRM byte asks for after the opcode; 0: the byte says another instruction. */
static size_t indirect_length(uint8_t modrm)
{
	unsigned mode = modrm >> 6, base = modrm & 7;
	if ((modrm >> 3 & 7) != 2)
		return 0;
	if (mode == 3)
		return 1;
	size_t length = 1 + (base == 4) + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
	return length + (mode == 0 && base == 5 ? 4 : 0);
}

/* Do the bytes end with a call? *target takes where it leads, 0 if that isn't in the instruction. */
static bool ends_with_call(const uint8_t bytes[CALL_BYTES], uint64_t end, uint64_t *target)
{
	int32_t distance;
	*target = 0;
	if (bytes[CALL_BYTES - 5] == 0xe8) {
		memcpy(&distance, bytes + CALL_BYTES - 4, sizeof(distance));
		*target = end + (uint64_t)(int64_t)distance;
		return true;
	}
	for (size_t at = 0; at + 2 <= CALL_BYTES; at++)
		if (bytes[at] == 0xff && indirect_length(bytes[at + 1]) == CALL_BYTES - at - 1)
			return true;
	return false;
}

static bool is_return_address(struct inspector *inspector, uint64_t address, uint64_t *target)
{
	uint8_t bytes[CALL_BYTES];
	return is_code(inspector, address) &&
	       inspector_read(inspector, address - CALL_BYTES, bytes, sizeof(bytes)) &&
	       ends_with_call(bytes, address, target) && (*target == 0 || is_code(inspector, *target));
}

/* Where the function that covers the address begins, by its symbol; 0: unknown. */
static uint64_t function_start(struct inspector *inspector, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym sym;
	Dwfl_Module *module = places_dwfl_module(inspector->places, address);
	if (!module || !dwfl_module_addrinfo(module, address, &offset, &sym, NULL, NULL, NULL) ||
	    sym.st_size == 0)
		return 0;
	return address - offset;
}

static bool of_one_module(struct inspector *inspector, uint64_t a, uint64_t b)
{
	const struct modules *modules = &inspector->places->modules;
	return modules_find(modules, a) == modules_find(modules, b);
}

/*
 * Find a return address from the last frame's stack pointer on. One whose call leads to the function that stands there is
 * right; else the first one is taken whose call could have led there. A word that is a function's beginning is rather its
 * address, even if a call stands before it.
 */
static bool guess_caller(struct climb *climb, uint64_t *pc, uint64_t *stack)
{
	struct inspector *inspector = climb->inspector;
	uint64_t start = function_start(inspector, climb->last.pc), target, word, at = climb->last.stack;
	bool found = false;
	for (size_t i = 0; i < WORDS_LOOKED; i++, at += sizeof(word)) {
		if (!inspector_read(inspector, at, &word, sizeof(word))) {
			climb->not_kept = mapping_of(inspector, at) != NULL;
			break;
		}
		if (!is_return_address(inspector, word, &target))
			continue;
		bool proven = start && target == start;
		bool elsewhere = start && target && of_one_module(inspector, target, start);
		if (!proven && (found || elsewhere || function_start(inspector, word) == word))
			continue;
		*pc = word;
		*stack = at + sizeof(word);
		found = true;
		if (proven)
			break;
	}
	return found;
}

/* Code that was made at run time keeps frame pointers, if anything. */
static bool follow_frame_pointer(struct climb *climb, uint64_t *pc, uint64_t *stack)
{
	uint64_t pair[2], target;
	const struct unwound *last = &climb->last;
	if (modules_find(&climb->inspector->places->modules, last->pc) || last->rbp < last->stack ||
	    !inspector_read(climb->inspector, last->rbp, pair, sizeof(pair)) ||
	    !is_return_address(climb->inspector, pair[1], &target))
		return false;
	*pc = pair[1];
	*stack = last->rbp + sizeof(pair);
	climb->last.rbp = pair[0];
	return true;
}

static void walk_from(struct climb *climb, const struct user_regs_struct *regs, uint64_t pc, bool partial)
{
	struct unwinding unwinding = {.read = read_snapshot,
				      .context = climb->inspector->snapshot,
				      .regs = regs,
				      .pc = pc,
				      .partial = partial};
	climb->fresh = 0;
	places_unwind(climb->inspector->places, &unwinding, visit, climb);
}

/* Take up the walk at a caller of which that much is known. Registers that aren't are zero, and so is rbp then. */
static void walk_on(struct climb *climb)
{
	const struct unwound from = climb->last;
	const struct user_regs_struct regs = {.rsp = from.stack,
					      .rbx = from.rbx,
					      .rbp = from.rbp,
					      .r12 = from.r12,
					      .r13 = from.r13,
					      .r14 = from.r14,
					      .r15 = from.r15};
	walk_from(climb, &regs, from.pc - 1, from.rbp == 0);
}

static void bridge(struct climb *climb, bool *guessed)
{
	for (size_t gaps = 0; gaps < GAPS_MOST && climb->length < STEPS_MOST && !climb->outermost; gaps++) {
		uint64_t pc, stack, before = climb->last.stack;
		bool pointed = before && follow_frame_pointer(climb, &pc, &stack);
		if (!pointed && (before == 0 || !guess_caller(climb, &pc, &stack)))
			return;
		/* A function that has put nothing on the stack has saved no register either. */
		bool bare = stack == before + sizeof(uint64_t);
		if (!bare)
			climb->last = (struct unwound){.rbp = pointed ? climb->last.rbp : 0};
		climb->last.pc = pc;
		climb->last.stack = stack;
		climb->last.is_return = true;
		climb->unsure |= !bare && !pointed;
		put(climb, &climb->last);
		*guessed |= !bare && !pointed;
		walk_on(climb);
	}
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static bool make_frames(struct inspector *inspector, uint32_t thread)
{
	struct steps *steps = &inspector->steps[thread];
	struct inspected_thread *inspected = &inspector->inspection->threads[thread];
	inspected->frames = calloc(steps->length + 1, sizeof(*inspected->frames));
	if (!inspected->frames)
		return false;
	for (size_t i = 0; i < steps->length; i++) {
		struct place place;
		step_find(inspector->places, &steps->at[i], &place);
		inspected->frames[i] = (struct frame){.address = place.address,
						      .function = copy(place.function),
						      .file = copy(place.file),
						      .source = copy(place.source),
						      .line = place.line,
						      .module = copy(place.module),
						      .offset = place.offset};
	}
	inspected->frames_length = steps->length;
	inspected->cut = steps->cut;
	inspected->guessed = steps->guessed;
	return true;
}

bool stack_make(struct inspector *inspector, uint32_t thread)
{
	const struct snapshot_thread *standing = snapshot_thread(inspector->snapshot, thread);
	struct steps *steps = &inspector->steps[thread];
	struct climb *climb = malloc(sizeof(*climb));
	if (!climb)
		return false;
	climb->inspector = inspector;
	climb->length = 0;
	climb->outermost = climb->not_kept = climb->unsure = false;
	climb->last = (struct unwound){.pc = standing->regs.rip, .stack = standing->regs.rsp};
	walk_from(climb, &standing->regs, standing->regs.rip, standing->partial);
	if (climb->length == 0)
		put(climb, &climb->last);
	if (!climb->outermost)
		bridge(climb, &steps->guessed);
	steps->cut = climb->not_kept || climb->length == STEPS_MOST;
	steps->at = malloc(climb->length * sizeof(*steps->at));
	if (steps->at) {
		memcpy(steps->at, climb->at, climb->length * sizeof(*steps->at));
		steps->length = climb->length;
	}
	free(climb);
	return steps->at && make_frames(inspector, thread);
}
