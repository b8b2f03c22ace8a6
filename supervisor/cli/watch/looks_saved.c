/* Executions that are kept to be looked at, for a later run. */
#include "supervisor/cli/watch/looks.h"

#include <fmc/supervisor/wire.h>

void looks_save(const struct looks *looks, struct saver *saver)
{
	save_number(saver, looks->classes);
	save_number(saver, looks->length);
	for (size_t i = 0; i < looks->length; i++) {
		wire_put_plan(saver, &(struct plan){.policy = looks->at[i].policy});
		wire_put_trace(saver, &looks->at[i].trace);
	}
}

static bool load_one(struct look_plan *look, struct loader *loader)
{
	struct wire_plan plan;
	if (!wire_get_plan(loader, &plan))
		return false;
	look->policy = plan.plan.policy;
	look->policy.profile = NULL;
	wire_plan_release(&plan);
	trace_init(&look->trace);
	const bool good = wire_get_trace(loader, &look->trace);
	if (!good)
		trace_release(&look->trace);
	return good;
}

bool looks_load(struct looks *looks, struct loader *loader)
{
	looks_release(looks);
	looks_pass(looks, load_number(loader));
	const size_t length = load_most(loader, LOOKS_MOST);
	while (looks->length < length && load_one(&looks->at[looks->length], loader))
		looks->length++;
	return looks->length == length && !loader->failed;
}
