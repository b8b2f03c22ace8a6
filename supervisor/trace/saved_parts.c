/* Steps, operations and footprints as bytes. */
#include <fmc/supervisor/saved.h>

#include <stdlib.h>
#include <string.h>

#define LEAST_ACCESS 4 /* bytes */

void save_step(struct saver *saver, const struct step *step)
{
	save_number(saver, step->thread);
	save_signed(saver, step->choice);
}

static int32_t load_choice(struct loader *loader)
{
	int64_t choice = load_signed(loader);
	if (choice >= INT32_MIN && choice <= INT32_MAX)
		return (int32_t)choice;
	load_refuse(loader);
	return 0;
}

struct step load_step(struct loader *loader)
{
	uint32_t thread = (uint32_t)load_most(loader, UINT32_MAX);
	return (struct step){thread, load_choice(loader)};
}

void save_op(struct saver *saver, const struct op *op)
{
	save_number(saver, op->kind);
	save_number(saver, op->flags);
	save_number(saver, (uint32_t)(op->object - NO_OBJECT));
	save_number(saver, (uint32_t)(op->object2 - NO_OBJECT));
	save_signed(saver, op->arg);
	save_signed(saver, op->arg2);
	save_signed(saver, op->arg3);
	save_number(saver, op->place);
}

/* Objects count from NO_OBJECT, which is the most usual one. */
struct op load_op(struct loader *loader)
{
	struct op op = {0};
	op.kind = (uint16_t)load_most(loader, OP_ALL - 1);
	if (!op_known((enum op_kind)op.kind))
		load_refuse(loader);
	op.flags = (uint16_t)load_most(loader, UINT16_MAX);
	op.object = (uint32_t)load_most(loader, UINT32_MAX) + NO_OBJECT;
	op.object2 = (uint32_t)load_most(loader, UINT32_MAX) + NO_OBJECT;
	op.arg = load_signed(loader);
	op.arg2 = load_signed(loader);
	op.arg3 = load_signed(loader);
	op.place = load_number(loader);
	return op;
}

void save_accesses(struct saver *saver, struct accesses accesses)
{
	save_number(saver, accesses.length);
	for (uint32_t a = 0; a < accesses.length; a++) {
		save_number(saver, accesses.at[a].key >> 32);
		save_number(saver, (uint32_t)accesses.at[a].key);
		save_number(saver, accesses.at[a].mode);
		save_number(saver, (uint32_t)(accesses.at[a].left + 1)); /* most are unlimited: 0 */
	}
}

void load_footprint(struct loader *loader, struct footprint *footprint)
{
	size_t length = load_count(loader, LEAST_ACCESS);
	*footprint = (struct footprint){0};
	if (length == 0)
		return;
	footprint->at = calloc(length, sizeof *footprint->at);
	footprint->failed = !footprint->at;
	if (footprint->failed)
		return;
	footprint->length = footprint->room = (uint32_t)length;
	for (size_t a = 0; a < length; a++) {
		uint64_t class = load_most(loader, UINT32_MAX);
		footprint->at[a].key = class << 32 | load_most(loader, UINT32_MAX);
		footprint->at[a].mode = (uint32_t)load_most(loader, TOUCH_WRITE);
		footprint->at[a].left = (uint32_t)load_most(loader, UINT32_MAX) - 1;
	}
}

/* Owners count from NO_THREAD: most objects have none. */
void save_object(struct saver *saver, const struct object_state *state)
{
	save_number(saver, state->class);
	save_number(saver, state->type);
	save_number(saver, (uint32_t)(state->owner - NO_THREAD));
	save_number(saver, state->count);
	save_number(saver, state->wakeup);
	save_number(saver, state->spurious);
	save_number(saver, state->standing);
	save_number(saver, state->sleepers);
	save_number(saver, state->unspent);
	save_number(saver, state->destroyed);
	if (state->class >= CLASS_USER)
		save_bytes(saver, state->user, sizeof state->user);
}

enum object_class load_class(struct loader *loader)
{
	enum object_class class = (enum object_class)load_most(loader, CLASS_USER + class_added() - 1);
	if (class == CLASSES)
		load_refuse(loader);
	return class;
}

/* What a plug-in knows of an object. */
static void load_user(struct loader *loader, struct object_state *state)
{
	size_t length = 0;
	const void *bytes = load_bytes(loader, &length);
	if (bytes && length == sizeof state->user)
		memcpy(state->user, bytes, length);
	else
		load_refuse(loader);
}

static uint32_t load_word(struct loader *loader)
{
	return (uint32_t)load_most(loader, UINT32_MAX);
}

struct object_state load_object(struct loader *loader)
{
	struct object_state state = {0};
	state.class = load_class(loader);
	state.type = load_word(loader);
	state.owner = load_word(loader) + NO_THREAD;
	state.count = load_word(loader);
	state.wakeup = (uint32_t)load_most(loader, WAKEUPS - 1);
	state.spurious = load_word(loader);
	state.standing = load_word(loader);
	state.sleepers = load_word(loader);
	state.unspent = load_word(loader);
	state.destroyed = load_bool(loader);
	if (state.class >= CLASS_USER)
		load_user(loader, &state);
	return state;
}
