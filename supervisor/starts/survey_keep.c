/*
 * Where executions begin that start from a saved image, once it has been surveyed: a copy of the process as it stood then, and
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
	struct surveyed *surveyed = &process->surveyed;
	if (surveyed->refused || surveyed->copy)
		return;
	surveyed->places = process->find_places;
	surveyed->model = copy_model(process->model->model);
	surveyed->refused = !surveyed->model || process_save(process, &surveyed->copy) != STATUS_OK;
}

void survey_forget(struct process *process)
{
	struct surveyed *surveyed = &process->surveyed;
	process_copy_free(surveyed->copy);
	free(surveyed->model);
	surveyed->copy = NULL;
	surveyed->model = NULL;
}

static void begin_at_found(struct outcome *first)
{
	first->kind = OUTCOME_PENDING;
	first->next = (struct op){.kind = OP_NONE, .object = NO_OBJECT, .object2 = NO_OBJECT};
}

void survey_start(struct process *process, struct outcome *first)
{
	if (!survey_make(process, first)) {
		/* Some threads stand in the middle of functions, where no execution begins but one that goes on from all of them. */
		model_block_clear(process->model);
		return;
	}
	begin_at_found(first);
	keep(process);
}

bool survey_restore(struct process *process, struct outcome *first)
{
	const struct surveyed *surveyed = &process->surveyed;
	if (!surveyed->copy || surveyed->places != process->find_places)
		return false;
	if (process_restore(process, surveyed->copy) != STATUS_OK ||
	    !model_block_assign(process->model, surveyed->model)) {
		process->machine.ops->finish(&process->machine);
		survey_forget(process);
		return false;
	}
	begin_at_found(first);
	return true;
}
