/* Functions that give memory back or out, and are called too often for traps. */
#include "breakpoints/sampler/gates.h"
#include "breakpoints/traps/state.h"

#include <stdlib.h>
#include <string.h>

#define GATE_CODE (RELEASE_JUMP - 1 + 15) /* bytes of a function's beginning that matter */

void gates_forget(struct releases *releases)
{
	for (size_t i = 0; i < releases->length; i++) {
		struct release *release = &releases->at[i];
		for (size_t k = 0; k < 2; k++) {
			free(release->gates[k]);
			release->gates[k] = NULL;
		}
		release->gate = NULL;
	}
}

void releases_take_room(struct releases *releases, struct stub_room *room)
{
	const struct displacement anywhere = {0};
	gates_forget(releases);
	releases->has_backs = room->length > 0;
	for (size_t k = 0; k < 2 && releases->has_backs; k++) {
		uint64_t at = 0;
		releases->has_backs =
		    stub_room_take(room, room->at[0].low, &anywhere, 0, GATE_BACK_BYTES, &at);
		gate_back_encode(&releases->backs[k], at, k > 0);
	}
}

/* The function's beginning without fmc's other traps. False: there are some. */
static bool read_code(const struct release *release, const struct releases_plan *plan,
		      uint8_t code[GATE_CODE])
{
	uint8_t original[GATE_CODE];
	if (target_read(plan->target, release->address, code, GATE_CODE) != STATUS_OK)
		return false;
	memcpy(original, code, GATE_CODE);
	entries_hide(plan->entries, release->address, original, GATE_CODE);
	return memcmp(original, code, GATE_CODE) == 0;
}

/* Does its code go back to where the jump is? What isn't known to be a function's may do so. */
static bool is_entered(const struct release *release, const struct releases_plan *plan,
		       struct displacer *displacer, size_t length)
{
	uint8_t *code = release->size >= length ? malloc(release->size) : NULL;
	const bool entered = !code ||
			     target_read(plan->target, release->address, code, release->size) != STATUS_OK ||
			     jumps_into(displacer, code, release->size, release->address, length);
	free(code);
	return entered;
}

static enum gate_new new_of(const struct release *release)
{
	static const enum gate_new by[] = {[GIVES_NONE] = GATE_NOTHING,
					   [GIVES_FIRST] = GATE_BY_FIRST,
					   [GIVES_SECOND] = GATE_BY_SECOND,
					   [GIVES_THIRD] = GATE_BY_THIRD,
					   [GIVES_PRODUCT] = GATE_BY_PRODUCT};
	return by[release->gives];
}

static enum gate_size size_of(const struct release *release)
{
	static const enum gate_size from[] = {
	    [RELEASING_FRONT] = GATE_FRONT, [RELEASING_SECOND] = GATE_SECOND, [RELEASING_THIRD] = GATE_THIRD};
	return from[release->size_from];
}

static struct gate_plan plan_of(const struct releases *releases, const struct release *release,
				const struct releases_plan *plan)
{
	const bool gives = plan->giving && release->gives;
	const bool front = release->glibc && !release->gives_pages;
	return (struct gate_plan){.function = release->address,
				  .back = releases->backs[front].at,
				  .frees = release->kind == RELEASE_MEMORY,
				  .size = size_of(release),
				  .gives = gives ? new_of(release) : GATE_NOTHING};
}

/* The function's beginning, as many whole instructions as the jump takes the place of. */
static bool copy_beginning(struct stub *stub, uint64_t function, uint64_t at, const uint8_t code[GATE_CODE])
{
	const struct stub_site silent = {.number = STUB_SILENT};
	struct instruction instruction;
	uint64_t target;
	enum flow flow = FLOW_ON;
	stub_begin(stub, at, false);
	for (size_t length = 0; length < RELEASE_JUMP; length += instruction.length) {
		if ((flow != FLOW_ON && flow != FLOW_BRANCH) ||
		    !instruction_parse(code + length, GATE_CODE - length, function + length, &instruction) ||
		    !stub_add(stub, &instruction, &silent))
			return false;
		flow = instruction_flow(&instruction, &target);
	}
	return stub_end(stub) && stub->size <= RELEASE_COPY;
}

/* The gate's code at some place, and after it the copy of the function's beginning. */
static bool encode(struct release_gate *gate, const struct gate_plan *plan, uint64_t at,
		   const uint8_t code[GATE_CODE], bool filters, struct stub *copy)
{
	struct gate_plan there = *plan;
	if (!gate_encode(&gate->gate, at, &there, filters))
		return false;
	there.copy = at + gate->gate.size;
	return gate_encode(&gate->gate, at, &there, filters) &&
	       copy_beginning(copy, plan->function, there.copy, code);
}

static bool make(const struct releases *releases, const struct release *release,
		 const struct releases_plan *plan, struct displacer *displacer, struct release_gate *gate)
{
	const struct displacement anywhere = {0};
	const struct gate_plan code_plan = plan_of(releases, release, plan);
	const uint64_t function = release->address;
	uint8_t code[GATE_CODE];
	struct stub copy;
	uint64_t at;
	if (!read_code(release, plan, code) ||
	    !encode(gate, &code_plan, function, code, plan->filters, &copy) ||
	    is_entered(release, plan, displacer, copy.next - function) ||
	    plan->is_watched(plan->context, function, copy.next - function) ||
	    !stub_room_take(plan->gates, function + RELEASE_JUMP, &anywhere, 0,
			    (size_t)gate->gate.size + RELEASE_COPY, &at) ||
	    !encode(gate, &code_plan, at, code, plan->filters, &copy) ||
	    !jump_encode(function, at, gate->jump))
		return false;
	memcpy(gate->copy, copy.code, copy.size);
	gate->copy_size = copy.size;
	memcpy(gate->original, code, RELEASE_JUMP);
	return true;
}

/* The target has the room for it mapped, and the code that it was made for. */
static bool place(const struct releases *releases, const struct release *release,
		  const struct release_gate *gate, struct target *target)
{
	const struct gate_back *back = &releases->backs[release->glibc && !release->gives_pages];
	uint8_t code[RELEASE_JUMP];
	return target_read(target, release->address, code, sizeof(code)) == STATUS_OK &&
	       memcmp(code, gate->original, sizeof(code)) == 0 &&
	       target_write(target, back->at, back->code, sizeof(back->code)) == STATUS_OK &&
	       target_write(target, gate->gate.at, gate->gate.code, gate->gate.size) == STATUS_OK &&
	       target_write(target, gate->gate.at + gate->gate.size, gate->copy, gate->copy_size) ==
		   STATUS_OK &&
	       target_write(target, release->address, gate->jump, sizeof(gate->jump)) == STATUS_OK;
}

/* What a gate can tell of. */
static bool may_have(const struct releases *releases, const struct release *release,
		     const struct releases_plan *plan)
{
	if (plan->stops || !plan->gates || !releases->has_backs ||
	    (plan->giving && release->gives && release->gives_to))
		return false;
	return release->kind == RELEASE_MEMORY
		   ? release_knows_size(release) && releasing_is_plain(release->size_from)
		   : release->kind == RELEASE_NOTHING;
}

bool gates_plant(struct releases *releases, struct release *release, const struct releases_plan *plan,
		 struct displacer *displacer)
{
	struct release_gate **at = &release->gates[plan->giving && release->gives];
	if (!may_have(releases, release, plan))
		return false;
	if (!*at) {
		*at = calloc(1, sizeof(**at));
		if (*at)
			(*at)->failed = !make(releases, release, plan, displacer, *at);
	}
	const struct release_gate *gate = *at;
	if (!gate || gate->failed || !place(releases, release, gate, plan->target))
		return false;
	release->gate = gate;
	release->copy = gate->gate.at + gate->gate.size;
	release->trap = gate->gate.at + gate->gate.trap;
	return true;
}

bool releases_leave(const struct releases *releases, struct user_regs_struct *regs)
{
	struct stub_registers registers = {.rip = regs->rip, .rsp = regs->rsp};
	uint64_t rdi = regs->rdi;
	bool found = false;
	for (size_t k = 0; k < 2 && releases->has_backs && !found; k++)
		if (regs->rip - releases->backs[k].at < GATE_BACK_BYTES) {
			gate_back_leave(&releases->backs[k], &registers);
			found = true;
		}
	for (size_t i = 0; i < releases->length && !found; i++) {
		const struct release *release = &releases->at[i];
		if (!release->gate || regs->rip - release->gate->gate.at >= release->gate->gate.size)
			continue;
		gate_leave(&release->gate->gate, release->address, regs->r8, &registers, &rdi);
		found = true;
	}
	regs->rip = registers.rip;
	regs->rsp = registers.rsp;
	regs->rdi = rdi;
	return found;
}
