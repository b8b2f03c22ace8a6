#include "supervisor/process/process.h"
#include <fmc/breakpoints/stance.h>
#include <fmc/supervisor/waking.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/* Addresses to numbers: an open-addressing hash table over the objects that the execution has met. */

#define FIRST_ROOM 64u

static uint32_t slot_hash(enum object_class class, uint64_t key)
{
	uint64_t hash = (key ^ (uint64_t) class << 56) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 32);
}

static struct object_slot *find_slot(struct process *process, enum object_class class, uint64_t key)
{
	uint32_t mask = process->slots_length - 1;
	uint32_t i = slot_hash(class, key) & mask;
	while (process->slots[i].number != NO_OBJECT &&
	       (process->slots[i].key != key || process->slots[i].class != class))
		i = (i + 1) & mask;
	return &process->slots[i];
}

static void empty_slots(struct process *process)
{
	for (uint32_t i = 0; i < process->slots_length; i++)
		process->slots[i].number = NO_OBJECT;
}

void objects_clear(struct process *process)
{
	if (process->objects_length)
		empty_slots(process);
	process->objects_length = 0;
}

uint32_t objects_find(struct process *process, enum object_class class, uint64_t address)
{
	return process->slots_length && address
		   ? find_slot(process, class, spaces_key(process, address))->number
		   : NO_OBJECT;
}

/* Of objects at one address the latest is the one that is there. */
static void fill_slots(struct process *process)
{
	empty_slots(process);
	for (uint32_t i = 0; i < process->objects_length; i++) {
		const struct process_object *object = &process->objects[i];
		*find_slot(process, object->class, object->key) =
		    (struct object_slot){.key = object->key, .class = object->class, .number = i};
	}
}

static bool make_room(struct process *process, uint32_t room)
{
	struct process_object *objects = realloc(process->objects, room * sizeof *objects);
	if (!objects)
		return false;
	process->objects = objects;
	struct object_slot *slots = realloc(process->slots, 2 * room * sizeof *slots);
	if (!slots)
		return false;
	process->slots = slots;
	process->slots_length = 2 * room;
	process->objects_room = room;
	return true;
}

static bool grow(struct process *process)
{
	if (!make_room(process, process->objects_room ? 2 * process->objects_room : FIRST_ROOM))
		return false;
	fill_slots(process);
	return true;
}

bool objects_restore(struct process *process, const struct process_object *objects, uint32_t length)
{
	uint32_t room = process->objects_room ? process->objects_room : FIRST_ROOM;
	while (room < length)
		room *= 2;
	if (room != process->objects_room && !make_room(process, room))
		return false;
	memcpy(process->objects, objects, length * sizeof *objects);
	process->objects_length = length;
	fill_slots(process);
	return true;
}

/* The last one that has this number, or had it. */
static uint32_t thread_by_tid(const struct process *process, pid_t tid, bool gone)
{
	for (uint32_t t = process->threads_length; t-- > 0;)
		if ((gone || process->threads[t].tracee) && process->threads[t].tid == tid)
			return t;
	return NO_THREAD;
}

/* A process's own memory was once a copy of its parent's: what a thread of that held then it holds for ever, though it is gone. */
static uint32_t owner_by_tid(const struct process *process, uint64_t key, pid_t tid)
{
	if (process->spaces_length == 0 || spaces_is_shared(key))
		return thread_by_tid(process, tid, false);
	return spaces_heir(process, thread_by_tid(process, tid, true));
}

void objects_bury(struct process *process, uint32_t object)
{
	struct process_object *o = &process->objects[object];
	memset(o->remains, 0, sizeof o->remains);
	/* What can't be read is 0. */
	(void)target_read(process->target, o->address, o->remains, class_bytes(o->class));
}

/*
 * Has the memory of this destroyed object been written since? Then another one has been made there, without
 * a call: by assigning an initialiser, or in memory that came from the heap again.
 */
static bool is_buried(struct process *process, uint32_t object)
{
	const struct process_object *o = &process->objects[object];
	uint8_t now[REMAINS_BYTES];
	size_t bytes = class_bytes(o->class);
	return target_read(process->target, o->address, now, bytes) == STATUS_OK &&
	       memcmp(now, o->remains, bytes) == 0;
}

static bool was_destroyed(const struct process *process, uint32_t object)
{
	struct object_state state;
	model_object_state(process->model->model, object, &state);
	return state.destroyed;
}

/* What the user wants of waiting at this object. */
static void set_waking(struct process *process, uint64_t address, struct object_state *state)
{
	char name[128];
	if (!process->options.waking)
		return;
	if (process->names_objects) {
		/* Else names are of what was known before. */
		(void)places_update(process->places, process->target);
		places_name(process->places, process->target, address, name, sizeof name);
	}
	process->waking_used |=
	    waking_apply(process->options.waking, process->names_objects ? name : NULL, state);
}

void objects_point(struct process *process, uint32_t object, uint64_t address)
{
	if (object >= process->objects_length || !address)
		return;
	process->objects[object].address = address;
	process->objects[object].space = process->space;
	process->objects[object].memory = spaces_memory(process);
}

uint32_t objects_intern(struct process *process, enum object_class class, uint64_t address, bool initialises)
{
	if (process->objects_length == process->objects_room && !grow(process))
		return NO_OBJECT;
	const uint64_t key = spaces_key(process, address);
	struct object_slot *slot = find_slot(process, class, key);
	objects_point(process, slot->number, address);
	bool again = slot->number != NO_OBJECT && !initialises && was_destroyed(process, slot->number) &&
		     !is_buried(process, slot->number);
	if (slot->number != NO_OBJECT && !again)
		return slot->number;
	struct object_state state = {.class = class, .owner = NO_THREAD};
	pid_t owner = 0;
	/* An object that is about to be initialised holds nothing yet that could be believed. */
	if (class >= CLASS_USER)
		object_init_user(process->target, class, address, &state);
	else if (!initialises &&
		 object_peek(process->target, process->entries, class, address, &state, &owner) == STATUS_OK)
		state.owner = owner ? owner_by_tid(process, key, owner) : NO_THREAD;
	if (process->options.program.image && !initialises)
		object_unmark(process->target, process->entries, class, address);
	state.class = class;
	/* A spinlock's word doesn't tell; threads began with T1. */
	if (class == CLASS_SPIN && state.count)
		state.owner = 0;
	set_waking(process, address, &state);
	uint32_t number = model_block_add_object(process->model, &state);
	if (number == NO_OBJECT)
		return NO_OBJECT;
	*slot = (struct object_slot){.key = key, .class = class, .number = number};
	process->objects[process->objects_length++] =
	    (struct process_object){.class = class,
				    .address = address,
				    .space = process->space,
				    .memory = spaces_memory(process),
				    .key = key};
	return number;
}

/* Where nothing can be: addresses of programs are below. */
#define NO_ADDRESS (UINT64_C(1) << 63)

uint32_t objects_add(struct process *process, const struct process_object *object,
		     const struct object_state *state)
{
	if (process->objects_length == process->objects_room && !grow(process))
		return NO_OBJECT;
	const uint32_t number = model_block_add_object(process->model, state);
	if (number == NO_OBJECT)
		return NO_OBJECT;
	const uint64_t key = NO_ADDRESS | number;
	*find_slot(process, object->class, key) =
	    (struct object_slot){.key = key, .class = object->class, .number = number};
	process->objects[process->objects_length] = *object;
	process->objects[process->objects_length].key = key;
	process->objects[process->objects_length++].address = key;
	return number;
}

static bool mutex_is_another(const struct process *process, const struct object_state *known,
			     const struct object_state *found, pid_t owner)
{
	if (known->owner == NO_THREAD)
		return false;
	if (!found->count)
		return true;
	/* Held as the model says, but of another type: the first lock of a new mutex didn't show it. */
	return found->type != known->type && process->threads[known->owner].tid == owner;
}

/* Mutexes and semaphores can be made anew by an assignment, which shows when they are taken. */
static bool is_taken(const struct op *op)
{
	enum object_class class = op_class(op->kind);
	return op->object != NO_OBJECT && (class == CLASS_MUTEX || class == CLASS_SEM) &&
	       op_takes(op->kind, false);
}

void objects_verify(struct process *process, const struct op *op)
{
	struct object_state known, found;
	pid_t owner;
	if (!is_taken(op))
		return;
	spaces_enter_object(process, op->object);
	model_object_state(process->model->model, op->object, &known);
	bool mutex = known.class == CLASS_MUTEX;
	if (mutex ? known.owner == NO_THREAD : known.count != 0)
		return;
	if (object_peek(process->target, process->entries, known.class, process->objects[op->object].address,
			&found, &owner) != STATUS_OK)
		return;
	found.owner = mutex && found.count ? known.owner : NO_THREAD;
	if (mutex ? mutex_is_another(process, &known, &found, owner) : found.count != 0)
		model_replace_object(process->model->model, op->object, &found);
}

uint32_t threads_by_pthread(const struct process *process, uint64_t pthread)
{
	/* From the end: a new thread may have got the descriptor of one that is gone. */
	for (uint32_t t = process->threads_length; t-- > 0;)
		if (process->threads[t].pthread == pthread && process->threads[t].space == process->space)
			return t;
	return NO_OBJECT;
}

struct process_thread *threads_add(struct process *process, struct tracee *tracee)
{
	if (!ARRAY_GROW(process->threads, process->threads_length, process->threads_room))
		return NULL;
	struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	struct process_thread *thread = &process->threads[process->threads_length++];
	*thread = (struct process_thread){.tracee = tracee,
					  .space = process->space,
					  .tid = tracee ? tracee_number(tracee) : 0,
					  .pthread = regs ? regs->fs_base : 0};
	return thread;
}
