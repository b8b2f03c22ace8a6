#include "breakpoints/sampler/sampler_state.h"

#include <stdio.h>
#include <stdlib.h>

struct sampler *sampler_new(const struct sampler_memory *memory)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	if (!sampler)
		return NULL;
	sampler->memory = memory;
	sampler->operands = operands_new();
	sampler->log = calloc(LOG_ENTRIES + LOG_SLACK, sizeof(*sampler->log));
	sampler->told = calloc(TOLD_ROOM, sizeof(*sampler->told));
	if (sampler->operands && sampler->log && sampler->told)
		return sampler;
	sampler_free(sampler);
	return NULL;
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	code_forget(sampler);
	unfollowed_release(&sampler->called);
	modules_release(&sampler->modules);
	operands_free(sampler->operands);
	free(sampler->log);
	free(sampler->told);
	free(sampler);
}

/* Doors were made for these rooms, and for whoever wants to see stacks or doesn't. */
static void keep_doors(struct sampler *sampler, struct target *target, bool stacks)
{
	sampler->filtered = 0; /* that was another target's */
	sampler->shared = log_memory_of(sampler->memory, target);
	sampler->logs = target_reserved(target, 0) != NULL && drain_begin(sampler, target);
	if (stacks == sampler->stacks && doors_know_room(&sampler->doors, target))
		return;
	sampler->logs &= doors_take_room(&sampler->doors, target);
	releases_take_room(&sampler->releases, &sampler->doors.room);
	for (size_t i = 0; i < sampler->sites.length; i++) {
		sampler->sites.at[i].door = sampler->sites.at[i].ahead = 0;
		sampler->sites.at[i].met_again = sampler->sites.at[i].made_anew = 0;
		sampler->sites.at[i].relied = false;
	}
}

static bool has_site(const void *context, uint64_t address, uint64_t bytes)
{
	for (uint64_t k = 0; k < bytes; k++)
		if (planting_site(context, address + k))
			return true;
	return false;
}

static enum status plant_releases(struct sampler *sampler, const struct entries *entries,
				  struct target *target)
{
	const struct releases_plan plan = {.entries = entries,
					   .target = target,
					   .giving = sampler->sees_new,
					   .stops = sampler->standing_length > 0,
					   .gates = sampler->logs ? &sampler->doors.room : NULL,
					   .filters = stub_can_filter(),
					   .is_watched = has_site,
					   .context = sampler};
	return releases_plant(&sampler->releases, &plan);
}

static enum status start(struct sampler *sampler, const struct entries *entries, struct target *target,
			 bool stacks)
{
	sampler->active = false;
	sampler->entries = entries;
	enum status status = code_learn(sampler, entries, target);
	if (status != STATUS_OK)
		return status;
	keep_doors(sampler, target, stacks);
	status = plant_releases(sampler, entries, target);
	if (status != STATUS_OK)
		return status;
	rests_forget(sampler);
	sampler->turn = 0;
	sampler->hits = 0;
	sampler->missed = sampler->releases.unseen ? MISSED_NEW : 0;
	sampler->sparing = !sampler->logs;
	sampler->stacks = stacks;
	standing_begin(sampler);
	planting_choose(sampler, target);
	calling_begin(sampler);
	sampler->main_left = sampler->last_leaves = false;
	sampler->comes_back = false;
	sampler->active = true;
	return STATUS_OK;
}

enum status sampler_start(struct sampler *sampler, const struct entries *entries, struct target *target,
			  bool stacks)
{
	unfollowed_release(&sampler->called);
	return start(sampler, entries, target, stacks);
}

enum status sampler_look_again(struct sampler *sampler, const struct entries *entries, struct target *target)
{
	if (!sampler->active)
		return STATUS_OK;
	const bool main_left = sampler->main_left, last_leaves = sampler->last_leaves;
	const unsigned missed = sampler->missed;
	sampler_hide(sampler, target);
	const enum status status = start(sampler, entries, target, sampler->stacks);
	sampler->main_left = main_left;
	sampler->last_leaves = last_leaves;
	sampler->missed |= missed;
	return status;
}

void sampler_see_new(struct sampler *sampler, bool on)
{
	sampler->sees_new = on;
}

void sampler_end(struct sampler *sampler)
{
	sampler->active = false;
}

bool sampler_active(const struct sampler *sampler)
{
	return sampler->active;
}

void sampler_hide(const struct sampler *sampler, struct target *target)
{
	if (!sampler->active)
		return;
	planting_hide(sampler, target);
	releases_write(&sampler->releases, target, false);
}

void sampler_show(struct sampler *sampler, struct target *target)
{
	if (!sampler->active)
		return;
	planting_show(sampler, target);
	releases_write(&sampler->releases, target, true);
}

void sampler_turn(struct sampler *sampler, struct target *target, uint32_t thread)
{
	if (!sampler->active)
		return;
	sampler->turn++;
	standing_turn(sampler, target);
	drain_forget(sampler, target);
	sampler->resting = NO_SITE;
	rests_turn(sampler, target, thread);
}

const char *sampler_left_out(const struct sampler *sampler)
{
	return sampler->sites.left_out;
}

size_t sampler_sites(const struct sampler *sampler)
{
	return sampler->sites.length;
}

bool sampler_exact(const struct sampler *sampler, char why[SAMPLER_WHY])
{
	static const char *const texts[] = {
	    "instructions that are come by too often", "instructions that can't be told or decoded",
	    "a log that was lost", "processes that share the memory", "functions that give out memory"};
	size_t length = 0;
	*why = 0;
	if (*sampler->sites.left_out)
		length = (size_t)snprintf(why, SAMPLER_WHY, "%.120s", sampler->sites.left_out);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (sampler->missed >> i & 1 && length < SAMPLER_WHY)
			length += (size_t)snprintf(why + length, SAMPLER_WHY - length, "%s%s",
						   length ? ", " : "", texts[i]);
	return *why == 0;
}

const char *sampler_unfollowed(const struct sampler *sampler)
{
	return sampler->unfollowed;
}

uint64_t sampler_thread_bytes(const struct sampler *sampler)
{
	return sampler->sites.thread_bytes;
}
