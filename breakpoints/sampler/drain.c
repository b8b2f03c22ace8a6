#include "breakpoints/sampler/sampler_state.h"

#include <stddef.h>
#include <string.h>

#define ADDRESS_BITS 47 /* of user memory */

/* What has been told, in one word: 0 where a word hasn't room for it. */
static inline uint64_t told_word(uint64_t address, uint32_t site)
{
	const uint64_t high = (uint64_t)site + 1;
	return high >> (64 - ADDRESS_BITS) || address >> ADDRESS_BITS ? 0 : address | high << ADDRESS_BITS;
}

static inline bool is_told(struct sampler *sampler, uint64_t address, uint32_t site)
{
	const uint64_t word = told_word(address, site);
	uint64_t *told = &sampler->told[(address ^ address >> 12 ^ (uint64_t)site << 5) & (TOLD_ROOM - 1)];
	if (word && *told == word)
		return true;
	*told = word;
	return false;
}

bool drain_is_told(struct sampler *sampler, uint64_t address, uint32_t site)
{
	return is_told(sampler, address, site);
}

void drain_forget(struct sampler *sampler)
{
	memset(sampler->told, 0, TOLD_ROOM * sizeof *sampler->told);
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
	struct logged at[LOGGED_MOST];
	const size_t length = sampler->active && sampler->logs ? read_log(sampler, target) : 0;
	if (!tell)
		drain_forget(sampler); /* what wasn't told may be told yet */
	size_t filled = 0;
	for (size_t i = 0; tell && i < length; i++) {
		const struct log_entry *entry = &sampler->log[i];
		if (entry->site >= sampler->sites.length || is_told(sampler, entry->address, entry->site))
			continue;
		const struct site *site = &sampler->sites.at[entry->site];
		at[filled++] = (struct logged){.touched = {.address = entry->address,
							   .size = site->bytes,
							   .place = site->address,
							   .site = entry->site + 1,
							   .write = site->writes},
					       .stack = whole_stack(stack, entry->stack)};
		if (filled < LOGGED_MOST)
			continue;
		tell(context, at, filled);
		filled = 0;
	}
	if (filled > 0)
		tell(context, at, filled);
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
