/* Jumps ahead of system calls that needn't stop, in targets that otherwise stop. */
#include "breakpoints/leads/call_leads.h"

#include <fmc/tracer/answers.h>

size_t entries_lead_calls(const struct entries *entries, struct target *target, const uint64_t after[],
			  size_t length, uint64_t address)
{
	struct clock_calls *calls = target_clock_calls(target);
	struct call_leads *leads = call_leads_new(entries);
	size_t made = 0;
	if (!leads)
		return 0;
	call_leads_begin(leads, target);
	leads->length = calls->jumps;
	for (size_t i = 0; i < length; i++)
		made += call_leads_add(leads, after[i], address);
	calls->jumps = (uint32_t)leads->length;
	call_leads_free(leads);
	return made;
}

void entries_lead_clocks(const struct entries *entries, struct target *target)
{
	struct clock_calls *calls = target_clock_calls(target);
	const uint64_t code = calls->seen < calls->length ? target_clock_code(target) : 0;
	if (!code)
		return;
	(void)entries_lead_calls(entries, target, calls->after + calls->seen, calls->length - calls->seen,
				 code);
	calls->seen = calls->length;
}
