/* Functions of libraries that the code calls, and that touch memory for it. */
#include "breakpoints/sampler/lines.h"
#include "breakpoints/sampler/sampler_state.h"

#include <stdio.h>
#include <string.h>

static void tell_unfollowed(struct sampler *sampler)
{
	unfollowed_text(&sampler->called, sampler->unfollowed, sizeof(sampler->unfollowed));
}

static void note(struct sampler *sampler, const struct memory_call *call)
{
	(void)unfollowed_note(&sampler->called, memory_call_name(call));
	tell_unfollowed(sampler);
}

/* A format is about more than is looked at. Each function is named once. */
static void leave_out_arguments(struct sampler *sampler, const char *function)
{
	char name[64];
	snprintf(name, sizeof(name), "arguments of %s", function);
	if (!strstr(sampler->sites.left_out, name))
		sites_leave_out(&sampler->sites, name, "not all of them can be told");
}

/*
 * Where the code is that has called the function: the return address, which is on the stack already behind a jump. 0: it isn't known, or
 * libc or another library calls for itself (*own).
 */
static uint64_t caller_of(const struct sampler *sampler, const struct site *site, const struct target *target,
			  const struct user_regs_struct *regs, bool *own)
{
	uint64_t after = 0;
	*own = false;
	if (!site->jumps || target_read(target, regs->rsp, &after, sizeof(after)) != STATUS_OK ||
	    code_is_watched(sampler, after))
		return after;
	/* A function that libraries call may end with the call of another one, by which it doesn't come back here. */
	*own = site->entry;
	return 0;
}

/* Where it goes on, if all calls of such a function are seen here: they neither rest nor are operations. */
static struct memory_tokens *tokens_of(struct sampler *sampler, const struct memory_call *call)
{
	const struct atomics *atomics = &sampler->entries->atomics;
	if (sampler->sparing || !memory_call_goes_on(call))
		return NULL;
	for (size_t i = 0; i < atomics->length; i++)
		if (atomics->at[i].kind == ATOMIC_CALL && memory_call_goes_on(atomics->at[i].function))
			return NULL;
	return &sampler->tokens;
}

size_t calling_touched(struct sampler *sampler, const struct site *site, struct tracee *tracee,
		       const struct user_regs_struct *regs, struct touched at[TOUCHED_MOST])
{
	bool whole, own;
	const struct target *target = tracee->target;
	const uint64_t after = caller_of(sampler, site, target, regs, &own);
	if (own)
		return 0;
	const struct memory_caller caller = {.target = target,
					     .tracee = tracee,
					     .regs = regs,
					     .stack = regs->rsp + (site->jumps ? sizeof(after) : 0),
					     .states = sampler->states,
					     .tokens = tokens_of(sampler, site->call)};
	const size_t length = memory_call_touched(site->call, &caller, at, &whole);
	if (!whole && memory_call_formats(site->call))
		leave_out_arguments(sampler, memory_call_name(site->call));
	else if (!whole)
		note(sampler, site->call);
	for (size_t i = 0; i < length && after; i++)
		at[i].place = after - 1;
	return length;
}

static uint64_t place_for(struct sampler *sampler, const struct site *site, uint64_t after)
{
	struct caller *caller = &sampler->callers[after % CALLERS];
	if (caller->after != after)
		*caller = (struct caller){after, code_is_watched(sampler, after) ? after - 1 : 0};
	return caller->place ? caller->place : site->address;
}

/* In this turn, as with an instruction's. A long range isn't asked about, nor what nobody settles. */
static bool is_settled(const struct sampler *sampler, const struct touched *touched)
{
	return sampler->shared && touched->size <= RANGE_MOST &&
	       lines_have(sampler->shared, touched->address, touched->size, touched->write);
}

size_t calling_logged(struct sampler *sampler, const struct numbered_call *call, const uint64_t *values,
		      struct touched at[TOUCHED_MOST])
{
	const struct site *site = &sampler->sites.at[call->site];
	const uint64_t after = call->after != NO_VALUE ? values[call->after] : 0;
	const uint64_t place = place_for(sampler, site, after);
	size_t length = 0;
	for (size_t i = 0; i < call->ranges.length; i++) {
		if (!memory_value_touched(&call->ranges.at[i], values, &at[length]) ||
		    is_settled(sampler, &at[length]))
			continue;
		at[length].place = place;
		ranges_number(sampler, &at[length++]);
	}
	return length;
}

void calling_begin(struct sampler *sampler)
{
	sampler->tokens = (struct memory_tokens){0};
	unfollowed_add_missed(&sampler->sites.unfollowed, &sampler->called);
	tell_unfollowed(sampler);
}

bool calling_unknown(struct sampler *sampler, const struct site *site, const struct target *target,
		     const struct user_regs_struct *regs)
{
	bool own;
	(void)caller_of(sampler, site, target, regs, &own);
	if (own)
		return false;
	note(sampler, site->call);
	return true;
}

uint64_t calling_release(const struct sampler *sampler, uint64_t after)
{
	return after && !entries_is_libc(sampler->entries, after) ? after - ENTRIES_RELEASE_BYTES : 0;
}
