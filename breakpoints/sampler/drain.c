#include "breakpoints/sampler/sampler_state.h"

#include <stddef.h>

bool drain_is_told(struct sampler *sampler, uint64_t address, uint32_t site)
{
	const uint64_t mixed = (address ^ (uint64_t)site << 40) * UINT64_C(0x9e3779b97f4a7c15);
	struct told *told = &sampler->told[mixed >> 32 & (TOLD_ROOM - 1)];
	if (told->address == address && told->site == site && told->epoch == sampler->epoch)
		return true;
	*told = (struct told){address, site, sampler->epoch};
	return false;
}

/* Of the stack pointer the entry has the lower half; it is near where it is now. */
static uint64_t whole_stack(uint64_t now, uint32_t lower)
{
	return now + (uint64_t)(int64_t)(int32_t)(lower - (uint32_t)now);
}

static size_t read_log(struct sampler *sampler, struct target *target)
{
	struct log_state state;
	const uint64_t empty = LOG_LOW;
	if (target_read(target, LOG_PAGE, &state, sizeof state) != STATUS_OK) {
		sampler->missed |= MISSED_LOG;
		return 0;
	}
	if (state.next == LOG_LOW)
		return 0;
	const size_t bytes = state.next - LOG_LOW;
	const bool sound =
	    state.next > LOG_LOW && state.next <= LOG_HIGH && bytes % sizeof(*sampler->log) == 0;
	/* Full, the state isn't written yet: the stub does so when it goes on. */
	if (sound && target_read(target, LOG_LOW, sampler->log, bytes) == STATUS_OK &&
	    target_write(target, LOG_PAGE, &empty, sizeof empty) == STATUS_OK)
		return bytes / sizeof(*sampler->log);
	sampler->missed |= MISSED_LOG;
	return 0;
}

void sampler_drain(struct sampler *sampler, struct target *target, uint64_t stack, sampler_tell *tell,
		   const void *context)
{
	const size_t length = sampler->active && sampler->logs ? read_log(sampler, target) : 0;
	if (!tell)
		sampler->epoch++; /* what wasn't told may be told yet */
	for (size_t i = 0; tell && i < length; i++) {
		const struct log_entry *entry = &sampler->log[i];
		if (entry->site >= sampler->sites.length ||
		    drain_is_told(sampler, entry->address, entry->site))
			continue;
		const struct site *site = &sampler->sites.at[entry->site];
		const struct touched touched = {.address = entry->address,
						.size = site->bytes,
						.place = site->address,
						.write = site->writes};
		tell(context, &touched, whole_stack(stack, entry->stack));
	}
}

void sampler_leave(const struct sampler *sampler, struct tracee *tracee)
{
	const struct user_regs_struct *now = sampler->active && sampler->logs ? tracee_regs(tracee) : NULL;
	const struct door *door = now ? doors_with_stub(&sampler->doors, now->rip) : NULL;
	struct log_state state;
	if (!door || target_read(tracee->target, LOG_PAGE, &state, sizeof state) != STATUS_OK)
		return;
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	struct stub_registers registers = {
	    .rip = regs->rip, .rsp = regs->rsp, .rax = regs->rax, .rcx = regs->rcx};
	if (!stub_leave(&door->stub, &state, &registers))
		return;
	regs->rip = registers.rip;
	regs->rsp = registers.rsp;
	regs->rax = registers.rax;
	regs->rcx = registers.rcx;
}
