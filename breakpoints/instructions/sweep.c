#include "breakpoints/instructions/sweep.h"
#include "breakpoints/instructions/functions.h"
#include "breakpoints/instructions/marks.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/target.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct known {
	struct function function;
	bool wanted;	 /* by the visitor */
	bool whole;	 /* it can be decoded from its beginning to its end */
	bool everywhere; /* control may come to places in it that no direct jump leads to */
};

struct sweep {
	const struct sweep_visitor *visitor;
	struct stretches code;
	struct known *known; /* the functions */
	size_t known_length;
	uint64_t *due; /* addresses outside of all functions that control flow leads to */
	size_t due_length;
	struct left_out *left_out;
	size_t left_out_length;
	bool failed;	  /* no memory */
	bool interrupted; /* the rest isn't wanted any more */
};

/* Look whether fmc is to end once in so many instructions between functions. */
#define LOOK_EVERY 65536

static bool goes_on(struct sweep *sweep)
{
	sweep->interrupted = sweep->interrupted || tracer_interrupted();
	return !sweep->interrupted;
}

static uint8_t *mark_at(const struct sweep *sweep, uint64_t address)
{
	const struct stretch *stretch = stretch_at(&sweep->code, address);
	return stretch ? &stretch->marks[address - stretch->low] : NULL;
}

static void leave_out(struct sweep *sweep, uint64_t low, uint64_t high, bool is_function)
{
	const struct stretch *stretch = stretch_at(&sweep->code, low);
	if (!stretch || !ARRAY_DOUBLE(sweep->left_out, sweep->left_out_length)) {
		sweep->failed |= stretch != NULL;
		return;
	}
	sweep->left_out[sweep->left_out_length++] =
	    (struct left_out){low, high, stretch->code + (low - stretch->low), is_function};
}

/* The instructions from `at` up to `end`, one after the other, as far as they can be told. */
struct walk {
	const struct stretch *stretch;
	uint64_t at, end;
	struct instruction instruction;
};

static struct walk walk_of(const struct stretch *stretch, uint64_t low, uint64_t high)
{
	return (struct walk){.stretch = stretch, .at = low, .end = high};
}

static bool walk_next(struct walk *walk)
{
	const struct stretch *stretch = walk->stretch;
	if (walk->at >= walk->end || !instruction_parse(stretch->code + (walk->at - stretch->low),
							walk->end - walk->at, walk->at, &walk->instruction))
		return false;
	walk->at += walk->instruction.length;
	return true;
}

static uint8_t *walk_marks(const struct walk *walk)
{
	return walk->stretch->marks + (walk->instruction.address - walk->stretch->low);
}

/* The code of a function with a known end; NULL if it isn't that, or nothing of this module's. */
static const struct stretch *code_of(const struct sweep *sweep, const struct function *function)
{
	const struct stretch *stretch = stretch_at(&sweep->code, function->low);
	bool within =
	    stretch && function->high > function->low && function->high - stretch->low <= stretch->size;
	return within ? stretch : NULL;
}

static bool has_target(enum flow flow)
{
	return flow == FLOW_CALL || flow == FLOW_BRANCH || flow == FLOW_JUMP;
}

static bool goes_nowhere_on(enum flow flow)
{
	return flow == FLOW_JUMP || flow == FLOW_INDIRECT || flow == FLOW_END;
}

/* What is to be kept of it, so that it needn't be decoded again. All that is covered is marked so by now. */
static uint8_t mark_target(const struct sweep *sweep, enum flow flow, uint64_t target)
{
	uint8_t *mark = has_target(flow) ? mark_at(sweep, target) : NULL;
	const bool leads = mark && !(*mark & COVERED);
	if (mark)
		*mark |= TARGET;
	return (uint8_t)(START | (leads ? LEADS : 0) | (goes_nowhere_on(flow) ? ENDS : 0));
}

static void mark_instruction(const struct walk *walk, uint8_t what)
{
	uint8_t *marks = walk_marks(walk);
	marks[0] |= what;
	for (uint8_t i = 1; i < walk->instruction.length; i++)
		marks[i] |= INSIDE;
}

static void unmark(const struct stretch *stretch, uint64_t low, uint64_t high, uint8_t what)
{
	for (uint64_t at = low; at < high; at++)
		stretch->marks[at - stretch->low] &= (uint8_t)~what;
}

static bool is_wanted(const struct sweep *sweep, const struct stretch *stretch,
		      const struct function *function)
{
	return !sweep->visitor->wants || sweep->visitor->wants(stretch->code + (function->low - stretch->low),
							       function->high - function->low);
}

/* Is there anything to look for? Where there isn't, no mark is made, nor looked at. */
static bool choose_functions(struct sweep *sweep)
{
	bool some = !sweep->visitor->wants;
	for (size_t i = 0; i < sweep->known_length && goes_on(sweep); i++) {
		struct known *known = &sweep->known[i];
		const struct stretch *stretch = code_of(sweep, &known->function);
		known->wanted = stretch && is_wanted(sweep, stretch, &known->function);
		some |= known->wanted;
	}
	return goes_on(sweep) && some;
}

static void cover_function(struct sweep *sweep, const struct known *known)
{
	const struct function *function = &known->function;
	const struct stretch *stretch = code_of(sweep, function);
	/* There are no other marks yet. */
	if (stretch)
		memset(stretch->marks + (function->low - stretch->low), COVERED,
		       function->high - function->low);
}

/* Mark what would be true if the function is what it seems to be. */
static void mark_function(struct sweep *sweep, struct known *known)
{
	const struct function *function = &known->function;
	const struct stretch *stretch = code_of(sweep, function);
	if (!known->wanted)
		return;
	struct walk walk = walk_of(stretch, function->low, function->high);
	known->everywhere = function->landing_pads;
	while (walk_next(&walk)) {
		uint64_t target = 0;
		const enum flow flow = instruction_flow(&walk.instruction, &target);
		mark_instruction(&walk, mark_target(sweep, flow, target));
		known->everywhere |= flow == FLOW_INDIRECT;
	}
	known->whole = walk.at == function->high;
	if (!known->whole)
		unmark(stretch, function->low, function->high, DECODED | INSIDE);
}

/* Code outside of all functions is followed later. */
static void follow_later(struct sweep *sweep, uint64_t address)
{
	uint8_t *mark = mark_at(sweep, address);
	if (!mark || *mark & (COVERED | SURE))
		return;
	if (!ARRAY_DOUBLE(sweep->due, sweep->due_length)) {
		sweep->failed = true;
		return;
	}
	sweep->due[sweep->due_length++] = address;
}

/* True: it doesn't go on after the instruction. */
static bool follow_flow(struct sweep *sweep, const struct instruction *instruction)
{
	uint64_t target;
	enum flow flow = instruction_flow(instruction, &target);
	if (has_target(flow))
		follow_later(sweep, target);
	return goes_nowhere_on(flow);
}

static void follow_targets(struct sweep *sweep, const struct stretch *stretch, uint64_t low, uint64_t high)
{
	struct walk walk = walk_of(stretch, low, high);
	if (walk_next(&walk))
		(void)follow_flow(sweep, &walk.instruction);
}

/* A whole function whose marks nobody disputes: they say where its instructions begin. */
static void reach_instructions(struct sweep *sweep, const struct stretch *stretch, const struct known *known)
{
	bool reached = true;
	for (uint64_t at = known->function.low; at < known->function.high; at++) {
		uint8_t *mark = &stretch->marks[at - stretch->low];
		if (!(*mark & START))
			continue;
		reached |= known->everywhere || *mark & TARGET;
		if (!reached)
			continue;
		*mark |= SURE;
		if (*mark & LEADS)
			follow_targets(sweep, stretch, at, known->function.high);
		reached = !(*mark & ENDS);
	}
}

static void make_sure(struct sweep *sweep, const struct known *known)
{
	const struct function *function = &known->function;
	const struct stretch *stretch = code_of(sweep, function);
	if (!stretch) {
		if (!sweep->visitor->wants)
			follow_later(sweep, function->low);
		return;
	}
	if (!known->wanted)
		return;
	if (!known->whole || marks_disputed(stretch, function->low, function->high)) {
		leave_out(sweep, function->low, function->high, true);
		return;
	}
	reach_instructions(sweep, stretch, known);
}

/* What begins at an address outside of all functions, up to where that is known again. */
static void follow(struct sweep *sweep, uint64_t address)
{
	const struct stretch *stretch = stretch_at(&sweep->code, address);
	struct walk walk = walk_of(stretch, address, stretch->low + stretch->size);
	while (walk.at < walk.end) {
		uint8_t mark = stretch->marks[walk.at - stretch->low];
		if (mark & (COVERED | SURE))
			return;
		if (mark & INSIDE || !walk_next(&walk)) {
			leave_out(sweep, address, walk.at, true);
			return;
		}
		mark_instruction(&walk, START | SURE);
		if (follow_flow(sweep, &walk.instruction))
			return;
	}
}

static bool is_padding(const struct instruction *instruction)
{
	uint8_t opcode = instruction->code[instruction->opcode];
	if (instruction->map == MAP_0F)
		return opcode == 0x1f;
	return instruction->map == MAP_ONE && (opcode == 0x90 || opcode == 0xcc || opcode == 0x00);
}

/* Hardly anything of it can't be decoded, which isn't so with data. */
static bool looks_like_code(struct sweep *sweep, const struct stretch *stretch, uint64_t low, uint64_t high)
{
	size_t good = 0, bad = 0;
	struct walk walk = walk_of(stretch, low, high);
	while (walk.at < walk.end) {
		if ((good + bad) % LOOK_EVERY == 0 && !goes_on(sweep))
			return false;
		bool told = walk_next(&walk);
		good += told && !is_padding(&walk.instruction);
		bad += !told;
		walk.at += !told;
	}
	return good > 50 * bad;
}

/* Executable bytes that neither belong to a function nor were led to. */
static void find_gaps(struct sweep *sweep, const struct stretch *stretch)
{
	for (size_t from = 0, to; from < stretch->size; from = to) {
		for (to = from; to < stretch->size && !mark_is_known(stretch->marks[to]);)
			to++;
		if (to > from && looks_like_code(sweep, stretch, stretch->low + from, stretch->low + to))
			leave_out(sweep, stretch->low + from, stretch->low + to, false);
		to = marks_known_from(stretch, to + (to == from));
	}
}

static void sweep_functions(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->known_length; i++)
		cover_function(sweep, &sweep->known[i]);
	for (size_t i = 0; i < sweep->known_length && goes_on(sweep); i++)
		mark_function(sweep, &sweep->known[i]);
	for (size_t i = 0; i < sweep->known_length && goes_on(sweep); i++)
		make_sure(sweep, &sweep->known[i]);
	while (sweep->due_length > 0 && goes_on(sweep))
		follow(sweep, sweep->due[--sweep->due_length]);
	for (size_t i = 0; i < sweep->code.length && sweep->visitor->left_out && goes_on(sweep); i++)
		find_gaps(sweep, &sweep->code.at[i]);
}

/* From there on, the next that is anything at all: of most modules hardly anything is. */
static size_t next_marked(const struct stretch *stretch, size_t i)
{
	uint64_t marks;
	while (i + sizeof marks <= stretch->size && i % LOOK_EVERY) {
		memcpy(&marks, stretch->marks + i, sizeof marks);
		if (marks & SURE * UINT64_C(0x0101010101010101))
			break;
		i += sizeof marks - i % sizeof marks;
	}
	return i;
}

static void visit_stretch(struct sweep *sweep, const struct stretch *stretch)
{
	struct instruction instruction;
	for (size_t i = 0; i < stretch->size && (i % LOOK_EVERY || goes_on(sweep));
	     i = next_marked(stretch, i + 1))
		if (stretch->marks[i] & SURE &&
		    instruction_parse(stretch->code + i, stretch->size - i, stretch->low + i, &instruction))
			sweep->visitor->instruction(sweep->visitor->context, &instruction);
}

static void visit(struct sweep *sweep)
{
	const struct sweep_visitor *visitor = sweep->visitor;
	for (size_t i = 0; i < sweep->code.length; i++)
		visit_stretch(sweep, &sweep->code.at[i]);
	for (size_t i = 0; visitor->left_out && i < sweep->left_out_length && goes_on(sweep); i++)
		visitor->left_out(visitor->context, &sweep->left_out[i]);
}

static enum status find_functions(struct sweep *sweep, const struct module *module)
{
	struct functions functions;
	enum status status = functions_find(&functions, module);
	sweep->known = calloc(functions.length + 1, sizeof(*sweep->known));
	if (!sweep->known)
		status = STATUS_NO_MEMORY;
	for (size_t i = 0; status == STATUS_OK && i < functions.length; i++)
		sweep->known[sweep->known_length++].function = functions.at[i];
	functions_release(&functions);
	return status;
}

static void release(struct sweep *sweep)
{
	stretches_release(&sweep->code);
	free(sweep->due);
	free(sweep->left_out);
	free(sweep->known);
}

enum status sweep_module(const struct module *module, const struct sweep_visitor *visitor)
{
	struct sweep sweep = {.visitor = visitor};
	enum status status = find_functions(&sweep, module);
	int fd = status == STATUS_OK ? module_open(module) : -1;
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (status == STATUS_OK && !elf)
		status = STATUS_NOT_FOUND;
	if (status == STATUS_OK) {
		sweep.failed = !stretches_find(&sweep.code, elf, module->bias);
		if (choose_functions(&sweep)) {
			sweep_functions(&sweep);
			visit(&sweep);
		}
		status = sweep.interrupted ? STATUS_INTERRUPTED : sweep.failed ? STATUS_NO_MEMORY : STATUS_OK;
	}
	release(&sweep);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return status;
}
