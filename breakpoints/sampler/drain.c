#include "breakpoints/sampler/lines.h"
#include "breakpoints/sampler/sampler_state.h"

#include <fmc/tracer/array.h>

#include <stddef.h>
#include <string.h>
#include <sys/uio.h>

bool drain_number(struct sampler *sampler, struct site *site)
{
	if (site->number)
		return true;
	if (sampler->numbered_length == GATE_LEAST_NUMBER - 1 ||
	    !ARRAY_DOUBLE(sampler->numbered, sampler->numbered_length))
		return false;
	sampler->numbered[sampler->numbered_length] = (struct numbered_site){
	    .place = site->address, .bytes = site->bytes, .writes = site->writes, .entries = 1};
	site->number = ++sampler->numbered_length;
	return true;
}

bool drain_number_call(struct sampler *sampler, struct site *site)
{
	struct stub_call values;
	if (site->number)
		return true;
	if (site->entry || memory_call_unknown(site->call) || !memory_call_values(site->call, &values))
		return false;
	values.after = site->jumps;
	if (!stub_call_values(&values) || sampler->numbered_length == GATE_LEAST_NUMBER - 1 ||
	    !ARRAY_DOUBLE(sampler->numbered, sampler->numbered_length) ||
	    !ARRAY_DOUBLE(sampler->calls, sampler->calls_length))
		return false;
	struct numbered_call *call = &sampler->calls[sampler->calls_length++];
	call->site = (uint32_t)(site - sampler->sites.at);
	call->after = values.after ? (uint8_t)(stub_call_values(&values) - 1) : NO_VALUE;
	memory_value_ranges(site->call, &values, sampler->states, &call->ranges);
	sampler->numbered[sampler->numbered_length++] = (struct numbered_site){
	    .entries = (uint8_t)stub_call_entries(&values), .call = sampler->calls_length};
	ranges_begin(sampler);
	site->values = values;
	site->number = sampler->numbered_length;
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
static bool empty_filter(const struct sampler *sampler, struct target *target, uint64_t pages)
{
	static const uint8_t nothing[FILTER_HIGH - FILTER_LOW];
	while (pages) {
		const unsigned first = (unsigned)__builtin_ctzll(pages);
		const unsigned length = (unsigned)__builtin_ctzll(~(pages >> first));
		if (sampler->shared)
			memset(sampler->shared->filter + (size_t)first * FILTER_PAGE / sizeof(uint64_t), 0,
			       (size_t)length * FILTER_PAGE);
		else if (target_write(target, FILTER_LOW + (uint64_t)first * FILTER_PAGE, nothing,
				      (size_t)length * FILTER_PAGE) != STATUS_OK)
			return false;
		pages &= ~(((UINT64_C(1) << length) - 1) << first);
	}
	return true;
}

/* How many an access or a call has in the log, from its first one on. */
static size_t entries_of(const struct sampler *sampler, const struct log_entry *entry)
{
	if (entry->site == GATE_FREES || entry->site == GATE_GIVES)
		return GATE_ENTRIES;
	return entry->site < sampler->numbered_length ? sampler->numbered[entry->site].entries : 1;
}

/* Whatever has been written into the log is in the table, too. */
static void note_filtered(struct sampler *sampler, const struct log_entry *log, size_t length)
{
	if (length > FEW_ENTRIES)
		sampler->filtered = ALL_PAGES;
	for (size_t i = 0; i < length && sampler->filtered != ALL_PAGES; i += entries_of(sampler, &log[i])) {
		const struct log_entry *entry = &log[i];
		if (entry->site >= sampler->numbered_length || sampler->numbered[entry->site].call)
			continue;
		const struct stub_site site = {.number = entry->site,
					       .bytes = sampler->numbered[entry->site].bytes};
		const uint64_t at = stub_filter_at(entry->key, &site);
		sampler->filtered |= UINT64_C(1) << (at - FILTER_LOW) / FILTER_PAGE;
	}
}

bool drain_begin(struct sampler *sampler, struct target *target)
{
	const struct log_state empty = log_state_empty();
	memset(sampler->told, 0, TOLD_ROOM * sizeof *sampler->told);
	sampler->filtered = 0;
	lines_begin(sampler);
	return target_write(target, LOG_PAGE, &empty, sizeof empty) == STATUS_OK &&
	       empty_filter(sampler, target, ALL_PAGES);
}

void drain_forget(struct sampler *sampler, struct target *target)
{
	memset(sampler->told, 0, TOLD_ROOM * sizeof *sampler->told);
	if (!empty_filter(sampler, target, sampler->filtered))
		sampler->missed |= MISSED_LOG;
	sampler->filtered = 0;
	lines_forget(sampler);
}

/* Of the stack pointer the entry has the lower half; it is near where it is now. */
static uint64_t whole_stack(uint64_t now, uint32_t lower)
{
	return now + (uint64_t)(int64_t)(int32_t)(lower - (uint32_t)now);
}

/* False: what the state says can't be. *length: of the entries, in bytes. */
static bool read_state(struct sampler *sampler, struct target *target, size_t *bytes)
{
	struct log_state state;
	if (sampler->shared)
		state = sampler->shared->state;
	else if (target_read(target, LOG_PAGE, &state, sizeof state) != STATUS_OK)
		return false;
	*bytes = state.next - LOG_LOW;
	return *bytes <= LOG_END - LOG_LOW && *bytes % sizeof(struct log_entry) == 0;
}

/* Copies of the entries, the log emptied. Full, the state isn't written yet: the stub does so when it goes on. */
static bool copy_log(struct sampler *sampler, struct target *target, size_t bytes)
{
	const uint64_t empty = LOG_LOW;
	const struct iovec range = {(void *)(uintptr_t)LOG_LOW, bytes};
	return target_read_ranges(target, &range, 1, sampler->log) == STATUS_OK &&
	       target_write(target, LOG_PAGE, &empty, sizeof empty) == STATUS_OK;
}

/* What is in the log, which is empty from then on; *length entries, valid until the thread goes on. */
static const struct log_entry *read_log(struct sampler *sampler, struct target *target, size_t *length)
{
	size_t bytes = 0;
	*length = 0;
	bool good = read_state(sampler, target, &bytes);
	if (good && bytes > 0 && !sampler->shared)
		good = copy_log(sampler, target, bytes);
	else if (sampler->shared)
		sampler->shared->state.next = LOG_LOW;
	if (good)
		*length = bytes / sizeof(struct log_entry);
	else
		sampler->missed |= MISSED_LOG;
	return sampler->shared ? sampler->shared->entries : sampler->log;
}

static size_t read_call(struct sampler *sampler, const struct numbered_call *call,
			const struct log_entry *entry, uint64_t stack, struct logged at[TOUCHED_MOST])
{
	struct touched touched[TOUCHED_MOST];
	uint64_t values[STUB_VALUES + 1];
	memcpy(values, entry + 1, (sampler->numbered[entry->site].entries - 1) * sizeof(*entry));
	const size_t length = calling_logged(sampler, call, values, touched);
	for (size_t i = 0; i < length; i++)
		at[i] = (struct logged){.touched = touched[i], .stack = whole_stack(stack, entry->stack)};
	return length;
}

/* How many accesses it tells of; 0: it is none that the program could have made, or only a part. */
static size_t read_entry(struct sampler *sampler, const struct log_entry *entry, uint64_t stack,
			 struct logged at[TOUCHED_MOST])
{
	if (entry->site >= sampler->numbered_length)
		return 0;
	const struct numbered_site *site = &sampler->numbered[entry->site];
	const uint64_t address = entry->key - stub_key(0, entry->site);
	if (site->call)
		return read_call(sampler, &sampler->calls[site->call - 1], entry, stack, at);
	/* It was made before what settled these bytes was read from the log. */
	if (sampler->shared && lines_have(sampler->shared, address, site->bytes, site->writes))
		return 0;
	*at = (struct logged){.touched = {.address = address,
					  .size = site->bytes,
					  .place = site->place,
					  .site = entry->site + 1,
					  .write = site->writes},
			      .stack = whole_stack(stack, entry->stack)};
	return address >> STUB_ADDRESS_BITS == 0;
}

static void tell_some(struct sampler *sampler, struct logged *at, size_t length, sampler_tell *tell,
		      const void *context)
{
	tell(context, at, length);
	for (size_t i = 0; i < length; i++)
		if (at[i].settled && at[i].touched.site)
			lines_settle(sampler, at[i].touched.address, at[i].touched.size, at[i].touched.write);
}

/* What is told at a time. */
struct batch {
	struct sampler *sampler;
	sampler_tell *tell;
	const void *context;
	struct logged at[LOGGED_MOST];
	size_t filled;
};

static void tell_batch(struct batch *batch)
{
	if (batch->filled > 0)
		tell_some(batch->sampler, batch->at, batch->filled, batch->tell, batch->context);
	batch->filled = 0;
}

/* The gate has made the tables forget the block; what has been told before is told again after that. */
static bool read_frees(struct sampler *sampler, const struct log_entry *entry, struct touched *touched)
{
	struct gate_frees frees;
	memcpy(&frees, entry + 1, sizeof frees);
	if (!release_logged(&sampler->releases, &frees, touched))
		return false;
	touched->place = calling_release(sampler, frees.after);
	touched->inner = touched->place == 0;
	if (touched->inner)
		touched->place = frees.function;
	memset(sampler->told, 0, TOLD_ROOM * sizeof *sampler->told);
	lines_forget_range(sampler, touched->address, touched->size);
	return true;
}

static void read_gate(struct batch *batch, const struct log_entry *entry, uint64_t stack)
{
	struct touched touched;
	struct gate_gives gives;
	tell_batch(batch);
	if (entry->site == GATE_FREES && !read_frees(batch->sampler, entry, &touched))
		return;
	if (entry->site == GATE_GIVES) {
		memcpy(&gives, entry + 1, sizeof gives);
		release_logged_new(&gives, &touched);
	}
	batch->at[batch->filled++] =
	    (struct logged){.touched = touched, .stack = whole_stack(stack, entry->stack)};
	tell_batch(batch);
}

void sampler_drain(struct sampler *sampler, struct target *target, uint64_t stack, bool silent,
		   sampler_tell *tell, const void *context)
{
	struct batch batch = {.sampler = sampler, .tell = tell, .context = context};
	size_t length;
	if (!sampler->active || !sampler->logs)
		return;
	const struct log_entry *log = read_log(sampler, target, &length);
	note_filtered(sampler, log, length);
	if (silent)
		drain_forget(sampler, target); /* what wasn't told may be told yet */
	for (size_t i = 0; i < length; i += entries_of(sampler, &log[i])) {
		const struct log_entry *entry = &log[i];
		if (i + entries_of(sampler, entry) > length)
			break; /* somebody else has written there */
		if (entry->site == GATE_GIVES || (entry->site == GATE_FREES && !silent))
			read_gate(&batch, entry, stack);
		else if (!silent)
			batch.filled += read_entry(sampler, entry, stack, &batch.at[batch.filled]);
		if (batch.filled > LOGGED_MOST - TOUCHED_MOST)
			tell_batch(&batch);
	}
	tell_batch(&batch);
}

void sampler_leave(const struct sampler *sampler, struct tracee *tracee)
{
	const struct user_regs_struct *now = sampler->active && sampler->logs ? tracee_regs(tracee) : NULL;
	struct user_regs_struct outside;
	if (now) {
		outside = *now;
		if (releases_leave(&sampler->releases, &outside))
			*tracee_change_regs(tracee) = outside;
	}
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
