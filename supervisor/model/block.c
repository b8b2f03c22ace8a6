/*
 * A model in memory of the heap that grows with it.
 */
#include <fmc/supervisor/machine.h>
#include <stdlib.h>

#define MOST_THREADS  4096
#define FIRST_THREADS 16
#define FIRST_OBJECTS 64

bool model_block_init(struct model_block *block)
{
	void *memory = malloc(model_bytes(FIRST_THREADS, FIRST_OBJECTS));
	block->model = memory ? model_init(memory, FIRST_THREADS, FIRST_OBJECTS) : NULL;
	return memory != NULL;
}

void model_block_clear(struct model_block *block)
{
	model_init(block->model, model_thread_room(block->model), model_object_room(block->model));
}

void model_block_release(struct model_block *block)
{
	free(block->model);
	block->model = NULL;
}

static bool grow(struct model_block *block, uint32_t threads, uint32_t objects)
{
	void *memory = malloc(model_bytes(threads, objects));
	if (!memory)
		return false;
	struct model *grown = model_copy(memory, threads, objects, block->model);
	free(block->model);
	block->model = grown;
	return true;
}

uint32_t model_block_add_thread(struct model_block *block)
{
	uint32_t room = model_thread_room(block->model);
	if (model_threads(block->model) >= MOST_THREADS)
		return NO_THREAD;
	if (model_threads(block->model) == room && !grow(block, 2 * room, model_object_room(block->model)))
		return NO_THREAD;
	return model_add_thread(block->model);
}

uint32_t model_block_add_object(struct model_block *block, const struct object_state *state)
{
	uint32_t room = model_object_room(block->model);
	if (model_objects(block->model) == room && !grow(block, model_thread_room(block->model), 2 * room))
		return NO_OBJECT;
	return model_add_object(block->model, state);
}

bool model_block_assign(struct model_block *block, const struct model *from)
{
	uint32_t threads = model_thread_room(from), objects = model_object_room(from);
	void *memory = malloc(model_bytes(threads, objects));
	if (!memory)
		return false;
	free(block->model);
	block->model = model_copy(memory, threads, objects, from);
	return true;
}
