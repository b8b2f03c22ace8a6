/* Jumps ahead of system calls that read clocks, in targets that otherwise stop. */
#include "breakpoints/leads/call_leads.h"

#include <fmc/tracer/answers.h>

void entries_lead_clocks(const struct entries *entries, struct target *target)
{
	struct clock_calls *calls = target_clock_calls(target);
	const uint64_t code = calls->seen < calls->length ? target_clock_code(target) : 0;
	struct call_leads *leads = code ? call_leads_new(entries) : NULL;
	if (!leads)
		return;
	call_leads_begin(leads, target);
	leads->length = calls->jumps;
	for (; calls->seen < calls->length; calls->seen++)
		(void)call_leads_add(leads, calls->after[calls->seen], code);
	calls->jumps = (uint32_t)leads->length;
	call_leads_free(leads);
}
