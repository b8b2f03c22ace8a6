#include "breakpoints/names/name.h"
#include "breakpoints/names/naming.h"
#include <stdio.h>
#include <stdlib.h>

/* Names of the objects of a target, while its threads stand. */

struct namer {
	struct naming naming;
	struct target *target;
	struct tracee **threads;
	struct steps *steps; /* of each; made at the first object that has no variable of its own */
	uint32_t length;
	bool looked;
};

static bool find_region(const void *context, uint64_t address, struct region *region)
{
	return places_target_region(((const struct namer *)context)->target, address, region);
}

/* A mapping that a stack pointer points into is a stack. */
static bool find_stack(const void *context, const struct region *region, uint32_t *thread)
{
	const struct namer *namer = context;
	for (uint32_t i = 0; i < namer->length; i++) {
		const struct user_regs_struct *regs =
		    namer->threads[i] ? tracee_regs(namer->threads[i]) : NULL;
		if (!regs || regs->rsp < region->low || regs->rsp > region->high)
			continue;
		*thread = i;
		return true;
	}
	return false;
}

static enum status read_target(void *context, uint64_t address, void *to, size_t size)
{
	return target_read(context, address, to, size);
}

struct namer *namer_new(struct places *places, struct target *target, uint32_t threads)
{
	struct namer *namer = calloc(1, sizeof(*namer));
	if (!namer)
		return NULL;
	namer->threads = calloc(threads + 1, sizeof(struct tracee *));
	namer->steps = calloc(threads + 1, sizeof(*namer->steps));
	if (!namer->threads || !namer->steps) {
		namer_free(namer);
		return NULL;
	}
	namer->target = target;
	namer->length = threads;
	namer->naming =
	    (struct naming){.places = places,
			    .around = {.context = namer, .region = find_region, .stack = find_stack},
			    .read = read_target,
			    .context = target,
			    .steps = namer->steps,
			    .threads = threads};
	return namer;
}

void namer_add(struct namer *namer, uint32_t thread, struct tracee *tracee)
{
	namer->threads[thread] = tracee;
}

static void look(struct namer *namer)
{
	for (uint32_t i = 0; i < namer->length && !namer->looked; i++)
		if (namer->threads[i])
			namer->steps[i] = tracee_steps(namer->naming.places, namer->threads[i]);
	namer->looked = true;
}

bool namer_name(struct namer *namer, uint64_t address, uint64_t size, const uint32_t *users, size_t length,
		char *name, size_t room)
{
	char made[NAME_BYTES];
	const struct sought sought = {.address = address, .size = size};
	if (!modules_find(&namer->naming.places->modules, address))
		look(namer);
	if (!naming_name(&namer->naming, &sought, users, length, false, made))
		return false;
	snprintf(name, room, "%s", made);
	return true;
}

enum meant namer_meant(const struct namer *namer)
{
	return namer->naming.meant;
}

void namer_free(struct namer *namer)
{
	if (!namer)
		return;
	for (uint32_t i = 0; namer->steps && i < namer->length; i++)
		free(namer->steps[i].at);
	naming_release(&namer->naming);
	free(namer->steps);
	free(namer->threads);
	free(namer);
}
