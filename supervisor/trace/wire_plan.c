/* Plans as bytes. */
#include <fmc/supervisor/wire.h>
#include <fmc/tracer/assert.h>

#include <stdlib.h>

/* So many elements follow; NULL for none, or when the reader has failed. */
static void *get_array(struct loader *loader, size_t *length, size_t size)
{
	*length = load_count(loader, 1);
	if (*length == 0)
		return NULL;
	void *array = calloc(*length, size);
	if (!array)
		load_refuse(loader);
	return array;
}

static void put_policy(struct saver *saver, const struct policy *policy)
{
	FMC_ASSERT(policy->kind != POLICY_DEVIATIONS);
	save_number(saver, policy->kind);
	save_number(saver, policy->seed);
	save_number(saver, policy->fair_k);
	save_number(saver, policy->max_depth);
	save_number(saver, policy->unwatched);
	save_number(saver, policy->early);
	save_number(saver, policy->max_thread_depth);
	save_number(saver, policy->ordered);
	save_number(saver, policy->ends_count);
	save_number(saver, policy->once_round);
	save_number(saver, policy->apart);
	save_number(saver, policy->changes);
	save_number(saver, policy->length);
	save_number(saver, policy->group);
}

static void get_policy(struct loader *loader, struct policy *policy)
{
	*policy = (struct policy){.kind = (enum policy_kind)load_most(loader, POLICY_DEVIATIONS - 1)};
	policy->seed = load_number(loader);
	policy->fair_k = (uint32_t)load_most(loader, UINT32_MAX);
	policy->max_depth = load_number(loader);
	policy->unwatched = load_bool(loader);
	policy->early = load_bool(loader);
	policy->max_thread_depth = load_number(loader);
	policy->ordered = load_bool(loader);
	policy->ends_count = load_bool(loader);
	policy->once_round = load_bool(loader);
	policy->apart = load_bool(loader);
	policy->changes = (uint32_t)load_most(loader, POLICY_CHANGES);
	policy->length = load_number(loader);
	policy->group = (uint32_t)load_most(loader, UINT32_MAX);
}

static void put_profile(struct saver *saver, const struct profile *profile)
{
	save_number(saver, profile != NULL);
	if (!profile)
		return;
	size_t groups = 0;
	save_number(saver, profile->thread_count);
	for (uint32_t t = 0; t < profile->thread_count; t++) {
		const struct profile_thread *thread = &profile->threads[t];
		save_number(saver, thread->length);
		save_number(saver, (uint32_t)(thread->parent + 1));
		groups += thread->length;
	}
	save_number(saver, groups);
	for (size_t i = 0; i < groups; i++)
		save_number(saver, profile->groups[i]);
}

/* The groups of one thread follow those of the one before it. */
static void get_profile(struct loader *loader, struct wire_plan *plan)
{
	if (!load_bool(loader))
		return;
	size_t count, length, first = 0;
	plan->threads = get_array(loader, &count, sizeof *plan->threads);
	for (size_t t = 0; t < count && !loader->failed; t++) {
		plan->threads[t].first = first;
		plan->threads[t].length = load_count(loader, 1);
		plan->threads[t].parent = (uint32_t)load_most(loader, UINT32_MAX) - 1;
		first += plan->threads[t].length;
	}
	plan->groups = get_array(loader, &length, sizeof *plan->groups);
	if (length != first || count >= UINT32_MAX)
		load_refuse(loader);
	for (size_t i = 0; i < length && !loader->failed; i++)
		plan->groups[i] = (uint32_t)load_most(loader, UINT32_MAX);
	plan->profile = (struct profile){plan->threads, (uint32_t)count, plan->groups};
	plan->plan.policy.profile = &plan->profile;
}

static void put_sleep_set(struct saver *saver, const struct plan *plan)
{
	save_number(saver, plan->sleep_set_length);
	for (size_t i = 0; i < plan->sleep_set_length; i++) {
		save_step(saver, &plan->sleep_set[i].step);
		save_accesses(saver, plan->sleep_set[i].footprint);
	}
}

static void get_sleep_set(struct loader *loader, struct wire_plan *plan)
{
	size_t length;
	plan->sleep_set = get_array(loader, &length, sizeof *plan->sleep_set);
	plan->footprints = calloc(length + 1, sizeof *plan->footprints);
	if (!plan->footprints)
		load_refuse(loader);
	for (size_t i = 0; i < length && !loader->failed; i++) {
		plan->sleep_set[i].step = load_step(loader);
		load_footprint(loader, &plan->footprints[i]);
		plan->sleep_set[i].footprint =
		    (struct accesses){plan->footprints[i].at, plan->footprints[i].length};
		if (plan->footprints[i].failed)
			load_refuse(loader);
	}
	plan->plan.sleep_set = plan->sleep_set;
	plan->plan.sleep_set_length = length;
}

void wire_put_plan(struct saver *saver, const struct plan *plan)
{
	save_number(saver, plan->ticket);
	put_policy(saver, &plan->policy);
	save_number(saver, plan->prefix_length);
	for (size_t i = 0; i < plan->prefix_length; i++)
		save_step(saver, &plan->prefix[i]);
	save_number(saver, plan->sleep_set_from);
	save_number(saver, plan->sleep_set_fair);
	put_sleep_set(saver, plan);
	put_profile(saver, plan->policy.profile);
}

bool wire_get_plan(struct loader *loader, struct wire_plan *plan)
{
	*plan = (struct wire_plan){.plan = {.ticket = load_number(loader)}};
	get_policy(loader, &plan->plan.policy);
	plan->prefix = get_array(loader, &plan->plan.prefix_length, sizeof *plan->prefix);
	for (size_t i = 0; i < plan->plan.prefix_length && !loader->failed; i++)
		plan->prefix[i] = load_step(loader);
	plan->plan.prefix = plan->prefix;
	plan->plan.sleep_set_from = load_number(loader);
	plan->plan.sleep_set_fair = load_bool(loader);
	get_sleep_set(loader, plan);
	get_profile(loader, plan);
	if (loader->failed)
		wire_plan_release(plan);
	return !loader->failed;
}

void wire_plan_release(struct wire_plan *plan)
{
	for (size_t i = 0; plan->footprints && i < plan->plan.sleep_set_length; i++)
		footprint_release(&plan->footprints[i]);
	free(plan->footprints);
	free(plan->prefix);
	free(plan->sleep_set);
	free(plan->threads);
	free(plan->groups);
	*plan = (struct wire_plan){0};
}
