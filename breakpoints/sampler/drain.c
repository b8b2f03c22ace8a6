#include "breakpoints/sampler/sampler_state.h"

#include <fmc/tracer/array.h>

#include <stddef.h>
#include <string.h>
#include <sys/uio.h>

bool drain_number(struct sampler *sampler, struct site *site)
{
	if (site->number)
		return true;
	if (sampler->numbered_length == STUB_NUMBERS - 1 ||
	    !ARRAY_DOUBLE(sampler->numbered, sampler->numbered_length))
		return false;
	sampler->numbered[sampler->numbered_length] =
	    (struct numbered_site){site->address, site->bytes, site->writes};
	site->number = ++sampler->numbered_length;
	return true;
}

bool drain_is_told(struct sampler *sampler, uint64_t address, uint32_t number)
{
	const uint64_t key = stub_key(address, number);
	uint64_t *told = &sampler->told[(address ^ address >> 12 ^ (uint64_t)number << 5) & (TOLD_ROOM - 1)];
	const bool known = *told == key;
	*told = key;
	return known;
}

#define FILTER_PAGE  4096
#define FILTER_PAGES ((FILTER_HIGH - FILTER_LOW) / FILTER_PAGE)
#define ALL_PAGES    ((UINT64_C(1) << FILTER_PAGES) - 1)
#define FEW_ENTRIES  64 /* of more it isn't asked where they are */
_Static_assert(FILTER_PAGES < 64, "pages are bits of a word");

/* Pages in a row at once. */
static bool empty_filter(struct target *target, uint64_t pages)
{
	static const uint8_t nothing[FILTER_HIGH - FILTER_LOW];
	while (pages) {
		const unsigned first = (unsigned)__builtin_ctzll(pages);
		const unsigned length = (unsigned)__builtin_ctzll(~(pages >> first));
		if (target_write(target, FILTER_LOW + (uint64_t)first * FILTER_PAGE, nothing,
				 (size_t)length * FILTER_PAGE) != STATUS_OK)
			return false;
		pages &= ~(((UINT64_C(1) << length) - 1) << first);
	}
	return true;
}

/* Whatever has been written into the log is in the table, too. */
static void note_filtered(struct sampler *sampler, size_t length)
{
	if (length > FEW_ENTRIES)
		sampler->filtered = ALL_PAGES;
	for (size_t i = 0; i < length && sampler->filtered != ALL_PAGES; i++) {
		const struct log_entry *entry = &sampler->log[i];
		if (entry->site >= sampler->numbered_length)
			continue;
		const struct stub_site site = {entry->site, sampler->numbered[entry->site].bytes};
		const uint64_t at = stub_filter_at(entry->key, &site);
		sampler->filtered |= UINT64_C(1) << (at - FILTER_LOW) / FILTER_PAGE;
	}
}

bool drain_begin(struct sampler *sampler, struct target *target)
{
	const struct log_state empty = log_state_empty();
	memset(sampler->told, 0, TOLD_ROOM * sizeof *sampler->told);
	sampler->filtered = 0;
	return target_write(target, LOG_PAGE, &empty, sizeof empty) == STATUS_OK &&
	       empty_filter(target, ALL_PAGES);
}

void drain_forget(struct sampler *sampler, struct target *target)
{
	memset(sampler->told, 0, TOLD_ROOM * sizeof *sampler->told);
	if (!empty_filter(target, sampler->filtered))
		sampler->missed |= MISSED_LOG;
	sampler->filtered = 0;
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
	const struct iovec range = {(void *)(uintptr_t)LOG_LOW, bytes};
	if (sound && target_read_ranges(target, &range, 1, sampler->log) == STATUS_OK &&
	    target_write(target, LOG_PAGE, &empty, sizeof empty) == STATUS_OK)
		return bytes / sizeof(*sampler->log);
	sampler->missed |= MISSED_LOG;
	return 0;
}

/* False: it is none that the program could have made. */
static bool read_entry(const struct sampler *sampler, const struct log_entry *entry, uint64_t stack,
		       struct logged *logged)
{
	const uint64_t address = entry->key - stub_key(0, entry->site);
	if (entry->site >= sampler->numbered_length || address >> STUB_ADDRESS_BITS)
		return false;
	const struct numbered_site *site = &sampler->numbered[entry->site];
	*logged = (struct logged){.touched = {.address = address,
					      .size = site->bytes,
					      .place = site->place,
					      .site = entry->site + 1,
					      .write = site->writes},
				  .stack = whole_stack(stack, entry->stack)};
	return true;
}

void sampler_drain(struct sampler *sampler, struct target *target, uint64_t stack, sampler_tell *tell,
		   const void *context)
{
	struct logged at[LOGGED_MOST];
	const size_t length = sampler->active && sampler->logs ? read_log(sampler, target) : 0;
	note_filtered(sampler, length);
	if (!tell)
		drain_forget(sampler, target); /* what wasn't told may be told yet */
	size_t filled = 0;
	for (size_t i = 0; tell && i < length; i++) {
		filled += read_entry(sampler, &sampler->log[i], stack, &at[filled]);
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
