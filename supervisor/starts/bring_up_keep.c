/*
 * Where executions begin that start from a saved image, once its threads have been brought to operations: a copy of the process as it stood then, and
 * of the model.
 */
#include "supervisor/starts/starts.h"

#include <stdlib.h>

static struct model *copy_model(const struct model *from)
{
	uint32_t threads = model_thread_room(from), objects = model_object_room(from);
	void *memory = malloc(model_bytes(threads, objects));
	return memory ? model_copy(memory, threads, objects, from) : NULL;
}

static void keep(struct process *process)
{
	struct brought_up *brought_up = &process->brought_up;
	if (brought_up->refused || brought_up->copy)
		return;
	brought_up->places = process->find_places;
	brought_up->model = copy_model(process->model->model);
	brought_up->refused = !brought_up->model || process_save(process, &brought_up->copy) != STATUS_OK;
}

void bring_up_forget(struct process *process)
{
	struct brought_up *brought_up = &process->brought_up;
	process_copy_free(brought_up->copy);
	free(brought_up->model);
	brought_up->copy = NULL;
	brought_up->model = NULL;
}

static void begin_at_found(struct outcome *first)
{
	first->kind = OUTCOME_PENDING;
	first->next = (struct op){.kind = OP_NONE, .object = NO_OBJECT, .object2 = NO_OBJECT};
}

void bring_up_start(struct process *process, struct outcome *first)
{
	if (!bring_up_make(process, first)) {
		/* Some threads stand in the middle of functions, where no execution begins but one that goes on from all of them. */
		model_block_clear(process->model);
		return;
	}
	begin_at_found(first);
	keep(process);
}

bool bring_up_restore(struct process *process, struct outcome *first)
{
	const struct brought_up *brought_up = &process->brought_up;
	if (!brought_up->copy || brought_up->places != process->find_places)
		return false;
	if (process_restore(process, brought_up->copy) != STATUS_OK ||
	    !model_block_assign(process->model, brought_up->model)) {
		process->machine.ops->finish(&process->machine);
		bring_up_forget(process);
		return false;
	}
	begin_at_found(first);
	return true;
}
