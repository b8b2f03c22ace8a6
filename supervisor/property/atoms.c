/* What expressions ask about threads: from the model, and from where threads stand. */
#include "supervisor/property/properties.h"

#include "supervisor/process/process.h"

#include <fmc/breakpoints/place.h>

#include <string.h>

static bool lives(const struct properties *properties, uint32_t thread)
{
	return thread < model_threads(properties->model) && !model_exited(properties->model, thread);
}

/* The code where its pending operation is, in the program's own functions if it can be had; 0: that isn't known. */
static uint64_t own_place(struct properties *properties, uint32_t thread)
{
	const struct op *op = model_pending(properties->model, thread);
	struct tracee *tracee = process_tracee(properties->process, thread);
	if (op->kind == OP_NONE || op->place == 0 || !tracee)
		return 0;
	return process_own_place(properties->process, tracee, op->place);
}

static bool is_in_source(const char *source, const char *name)
{
	const size_t length = strlen(name), whole = source ? strlen(source) : 0;
	if (whole < length || strcmp(source + whole - length, name) != 0)
		return false;
	return whole == length || source[whole - length - 1] == '/';
}

static bool stands_at(struct properties *properties, const struct expression_atom *atom)
{
	struct place place;
	bool is_return = true;
	uint64_t address = lives(properties, atom->thread) ? own_place(properties, atom->thread) : 0;
	/* One that is about to start stands at its first function. */
	if (lives(properties, atom->thread) && address == 0 &&
	    model_pending(properties->model, atom->thread)->kind == OP_THREAD_START) {
		address = process_start_routine(properties->process, atom->thread);
		is_return = false;
	}
	if (address == 0)
		return false;
	places_find(process_places(properties->process), address, is_return, &place);
	if (atom->line)
		return place.line == atom->line && is_in_source(place.source, atom->place);
	return place.function && expression_means_function(place.function, atom->place);
}

static bool has_address(const struct process *process, uint32_t object, uint64_t address)
{
	return object < process->objects_length && process->objects[object].address == address;
}

/* The objects that the program knows by this address: a lock, and what lies at its beginning. */
static uint32_t next_object(struct properties *properties, uint64_t address, enum object_class *class)
{
	while (++*class < CLASS_ALL) {
		const uint32_t object = objects_find(properties->process, *class, address);
		if (object != NO_OBJECT && object < model_objects(properties->model))
			return object;
	}
	return NO_OBJECT;
}

static bool is_lock(enum object_class class)
{
	return class == CLASS_MUTEX || class == CLASS_SPIN || class == CLASS_RWLOCK || class == CLASS_ONCE ||
	       class >= CLASS_USER;
}

static bool holds(struct properties *properties, const struct expression_atom *atom)
{
	enum object_class class = CLASS_NONE;
	uint32_t object;
	while ((object = next_object(properties, atom->address, &class)) != NO_OBJECT)
		if (is_lock(class) && model_holder(properties->model, object) == atom->thread)
			return true;
	return false;
}

/* Its pending operation is one on this object. */
static bool wants(const struct properties *properties, const struct expression_atom *atom)
{
	if (!lives(properties, atom->thread))
		return false;
	const struct op *op = model_pending(properties->model, atom->thread);
	const enum op_kind kind = (enum op_kind)op->kind;
	return (op_class(kind) > CLASS_THREAD &&
		has_address(properties->process, op->object, atom->address)) ||
	       (op_class2(kind) > CLASS_THREAD &&
		has_address(properties->process, op->object2, atom->address));
}

static bool has_exited(const struct properties *properties, uint32_t thread)
{
	return thread < model_threads(properties->model) && model_exited(properties->model, thread);
}

bool atom_holds(struct properties *properties, const struct expression_atom *atom)
{
	switch (atom->kind) {
	case ATOM_AT:
		return stands_at(properties, atom);
	case ATOM_HOLDS:
		return holds(properties, atom);
	case ATOM_WAITS:
		return wants(properties, atom) && !model_enabled(properties->model, atom->thread);
	case ATOM_EXITED:
		return has_exited(properties, atom->thread);
	}
	return false;
}

static uint64_t mix(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return digest ^ digest >> 32;
}

/* How the objects at this address stand: who waits there waits for them to change. */
static uint64_t digest_objects(struct properties *properties, uint64_t address)
{
	enum object_class class = CLASS_NONE;
	uint64_t digest = 1;
	uint32_t object;
	while ((object = next_object(properties, address, &class)) != NO_OBJECT) {
		struct object_state state;
		model_object_state(properties->model, object, &state);
		digest = mix(mix(mix(digest, class), state.owner), state.count);
		digest = mix(mix(digest, state.type), state.sleepers);
		for (size_t i = 0; class >= CLASS_USER && i < OBJECT_USER_BYTES / 8; i++)
			digest = mix(digest, state.user[i]);
	}
	return digest;
}

void atom_parts(struct properties *properties, const struct expression_atom *atom, uint8_t parts[ATOM_PARTS])
{
	memset(parts, 0, ATOM_PARTS);
	parts[0] = atom_holds(properties, atom);
	if (atom->kind != ATOM_WAITS)
		return;
	const uint64_t digest = digest_objects(properties, atom->address);
	parts[1] = wants(properties, atom);
	memcpy(parts + 8, &digest, sizeof digest);
}
