#include "breakpoints/sampler/sampler_state.h"
#include "breakpoints/symbols/symbols.h"

#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HITS 200000 /* of traps, in one execution: then they rest */

struct sampler *sampler_new(void)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	if (!sampler)
		return NULL;
	sampler->operands = operands_new();
	sampler->log = calloc(LOG_ENTRIES, sizeof(*sampler->log));
	sampler->told = calloc(TOLD_ROOM, sizeof(*sampler->told));
	if (sampler->operands && sampler->log && sampler->told)
		return sampler;
	sampler_free(sampler);
	return NULL;
}

static void forget_code(struct sampler *sampler)
{
	rests_forget(sampler);
	doors_forget(&sampler->doors);
	sites_release(&sampler->sites);
	releases_free(&sampler->releases);
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	forget_code(sampler);
	modules_release(&sampler->modules);
	operands_free(sampler->operands);
	free(sampler->log);
	free(sampler->told);
	free(sampler);
}

/* Libraries of the compilers, which keep their own data in order. */
static bool is_runtime(const struct module *module)
{
	static const char *const names[] = {"libgcc_s.so", "libc++.so", "libc++abi.so", "libunwind.so"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(module->name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool is_looked_at(const struct module *module)
{
	bool own = module->kind == MODULE_PROGRAM || module->kind == MODULE_OTHER;
	return own && module->path[0] == '/' && !is_runtime(module);
}

/* In a static program libc's part has to be told from the rest. */
static bool has_libc_range(const struct entries *entries, const struct module *module)
{
	uint64_t low, high;
	for (size_t i = 0; entries_libc_range(entries, i, &low, &high); i++)
		if (low >= module->low && low < high && high <= module->high)
			return true;
	return false;
}

static int by_address(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* But for where others come into it. */
static void drop_libc(struct sites *sites, const struct entries *entries)
{
	size_t kept = 0;
	for (size_t i = 0; i < sites->length; i++)
		if (!entries_is_libc(entries, sites->at[i].address) ||
		    (sites->at[i].call && sites->at[i].jumps))
			sites->at[kept++] = sites->at[i];
	sites->length = kept;
}

static void find_state(void *context, const struct symbol *symbol)
{
	uint64_t *states = context;
	for (size_t i = 0; i < MEMORY_STATES; i++)
		if (strcmp(symbol->name, memory_state_name(i)) == 0)
			states[i] = symbol->address;
}

static void find_states(struct sampler *sampler)
{
	memset(sampler->states, 0, sizeof(sampler->states));
	for (size_t i = 0; i < sampler->modules.length; i++) {
		const struct module *module = &sampler->modules.at[i];
		if (module->kind == MODULE_LIBC || (module->kind == MODULE_PROGRAM && module->is_static))
			(void)symbols_each(module, find_state, sampler->states);
	}
}

static void drop_defined(void *context, const struct symbol *symbol)
{
	if (symbol->function)
		unfollowed_drop(context, symbol->name);
}

/* What these modules have for each other is watched. */
static void find_unfollowed(struct sampler *sampler)
{
	struct unfollowed *unfollowed = &sampler->sites.unfollowed;
	for (size_t i = 0; i < sampler->modules.length; i++) {
		const struct module *module = &sampler->modules.at[i];
		if (!is_looked_at(module))
			continue;
		(void)symbols_each(module, drop_defined, unfollowed);
		if (module->is_static)
			unfollowed_add(unfollowed, "those of a static libc");
	}
	unfollowed_text(unfollowed, sampler->unfollowed, sizeof(sampler->unfollowed));
}

static enum status find_code(struct sampler *sampler, const struct entries *entries)
{
	enum status status = STATUS_OK;
	struct sites *sites = &sampler->sites;
	find_states(sampler);
	for (size_t i = 0; i < sampler->modules.length && status == STATUS_OK; i++) {
		const struct module *module = &sampler->modules.at[i];
		bool bound = module->kind == MODULE_PROGRAM && module->is_static;
		if (!is_looked_at(module))
			continue;
		if (bound && !has_libc_range(entries, module))
			sites_leave_out(sites, module->name, "its libc isn't known");
		else
			status = sites_add(sites, module);
	}
	drop_libc(sites, entries);
	find_unfollowed(sampler);
	if (sites->length)
		qsort(sites->at, sites->length, sizeof(*sites->at), by_address);
	return status == STATUS_OK && !releases_find(&sampler->releases, entries) ? STATUS_NO_MEMORY : status;
}

static enum status learn_code(struct sampler *sampler, const struct entries *entries,
			      const struct target *target)
{
	bool changed;
	enum status status = modules_update(&sampler->modules, target_pid(target), &changed);
	if (status != STATUS_OK || !changed)
		return status;
	forget_code(sampler);
	status = find_code(sampler, entries);
	if (status != STATUS_OK)
		modules_release(&sampler->modules); /* so that they are looked through again */
	return status;
}

/* Doors were made for these rooms, and for whoever wants to see stacks or doesn't. */
static void keep_doors(struct sampler *sampler, const struct target *target, bool stacks)
{
	const struct log_state empty = {.next = LOG_LOW};
	sampler->logs = target_reserved(target, 0) != NULL &&
			target_write((struct target *)target, LOG_PAGE, &empty, sizeof(empty)) == STATUS_OK;
	if (stacks == sampler->stacks && doors_know_room(&sampler->doors, target))
		return;
	sampler->logs &= doors_take_room(&sampler->doors, target);
	for (size_t i = 0; i < sampler->sites.length; i++) {
		sampler->sites.at[i].door = 0;
		sampler->sites.at[i].relied = false;
	}
}

enum status sampler_start(struct sampler *sampler, const struct entries *entries, struct target *target,
			  bool stacks)
{
	sampler->active = false;
	sampler->entries = entries;
	enum status status = learn_code(sampler, entries, target);
	if (status == STATUS_OK)
		status = releases_plant(&sampler->releases, entries, target);
	if (status != STATUS_OK)
		return status;
	rests_forget(sampler);
	sampler->turn = 0;
	sampler->hits = 0;
	sampler->missed = 0;
	sampler->epoch++;
	keep_doors(sampler, target, stacks);
	sampler->sparing = !sampler->logs;
	sampler->stacks = stacks;
	for (size_t i = 0; i < sampler->sites.length; i++)
		sampler->sites.at[i].stands = false;
	for (size_t i = 0; i < sampler->standing_length; i++) {
		struct site *site = planting_site(sampler, sampler->standing[i]);
		if (site)
			site->stands = true;
	}
	planting_choose(sampler, target);
	sampler->main_left = sampler->last_leaves = false;
	sampler->active = true;
	return STATUS_OK;
}

enum status sampler_look_again(struct sampler *sampler, const struct entries *entries, struct target *target)
{
	if (!sampler->active)
		return STATUS_OK;
	const bool main_left = sampler->main_left, last_leaves = sampler->last_leaves;
	const unsigned missed = sampler->missed;
	sampler_hide(sampler, target);
	const enum status status = sampler_start(sampler, entries, target, sampler->stacks);
	sampler->main_left = main_left;
	sampler->last_leaves = last_leaves;
	sampler->missed |= missed;
	return status;
}

void sampler_stand(struct sampler *sampler, const uint64_t *places, size_t length)
{
	sampler->standing = places;
	sampler->standing_length = length;
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
	sampler->epoch++;
	sampler->resting = NO_SITE;
	rests_turn(sampler, target, thread);
}

/* Where a stub finds the log full. */
static bool is_stub(const struct sampler *sampler, uint64_t address)
{
	for (size_t i = 0; sampler->logs && i < sampler->doors.room.length; i++)
		if (address >= sampler->doors.room.at[i].low && address < sampler->doors.room.at[i].high)
			return true;
	return false;
}

bool sampler_is_trap(const struct sampler *sampler, uint64_t address)
{
	const struct piece *piece;
	if (!sampler->active)
		return false;
	const struct site *site = planting_site(sampler, address);
	return (site && site->planted) || is_stub(sampler, address) ||
	       releases_find_at(&sampler->releases, address) || planting_inner(sampler, address, &piece);
}

/* The trap that was passed last comes back, this one goes out. */
static enum status meet(struct sampler *sampler, struct target *target, uint32_t thread, struct site *site)
{
	struct tally *tally = rests_tally(sampler, site);
	if (!tally || !rests_count(sampler, tally, thread)) {
		planting_put(target, site, false);
		return STATUS_NO_MEMORY;
	}
	struct site *last = sampler->resting != NO_SITE ? &sampler->sites.at[sampler->resting] : NULL;
	if (last && last != site && rests_wanted(sampler, last, thread))
		planting_put(target, last, true);
	planting_put(target, site, false);
	sampler->resting = (uint32_t)(site - sampler->sites.at);
	if (!rests_wanted(sampler, site, thread) || !rests_steps(sampler))
		sampler->missed |= MISSED_RESTS;
	return site->planted ? STATUS_GONE : STATUS_OK;
}

/* String instructions step by elements. */
static bool can_step(const uint8_t code[TOUCHED_CODE])
{
	return code[0] != 0xf2 && code[0] != 0xf3;
}

/* Let the instruction at a site be performed, and put its trap back. *resume: nothing else has come between. */
static enum status step(struct sampler *sampler, struct tracee *tracee, uint32_t thread, bool *resume)
{
	struct stop stop;
	struct site *site = &sampler->sites.at[sampler->resting];
	enum status status = tracee_perform(tracee, &stop);
	if (status != STATUS_OK)
		return status;
	*resume = stop.kind == STOP_STEP;
	if (!*resume)
		target_push_back(&stop);
	else if (rests_wanted(sampler, site, thread))
		planting_put(tracee->target, site, true);
	return STATUS_OK;
}

/* A format is about more than is looked at. Each function is named once. */
static void leave_out_arguments(struct sampler *sampler, const char *function)
{
	char name[64];
	snprintf(name, sizeof(name), "arguments of %s", function);
	if (!strstr(sampler->sites.left_out, name))
		sites_leave_out(&sampler->sites, name, "not all of them can be told");
}

/* What the library's function is about to touch, and where the code is that has called it: before the return address. */
static size_t called_touched(struct sampler *sampler, const struct site *site, const struct target *target,
			     const struct user_regs_struct *regs, struct touched at[TOUCHED_MOST])
{
	uint64_t after = 0;
	if (site->jumps && target_read(target, regs->rsp, &after, sizeof(after)) == STATUS_OK &&
	    entries_is_libc(sampler->entries, after))
		return 0;
	const struct memory_caller caller = {.target = target,
					     .regs = regs,
					     .stack = regs->rsp + (site->jumps ? sizeof(after) : 0),
					     .states = sampler->states};
	bool whole;
	const size_t length = memory_call_touched(site->call, &caller, at, &whole);
	if (!whole)
		leave_out_arguments(sampler, memory_call_name(site->call));
	for (size_t i = 0; i < length && after; i++)
		at[i].place = after - 1;
	return length;
}

/*
 * libc calls exit() when the first thread comes back from main(), and when the last of all threads ends: of any other thread, and of
 * the first one after its pthread_exit(), it is the last.
 */
static void leave(struct sampler *sampler, const struct release *release, const struct target *target,
		  const struct user_regs_struct *regs, uint32_t thread)
{
	uint64_t after = 0;
	if (release->kind == RELEASE_THREAD)
		sampler->main_left |= thread == 0;
	else if (target_read(target, regs->rsp, &after, sizeof(after)) == STATUS_OK &&
		 entries_is_libc(sampler->entries, after))
		sampler->last_leaves |= thread != 0 || sampler->main_left;
}

bool sampler_last_leaves(const struct sampler *sampler)
{
	return sampler->last_leaves;
}

static size_t site_touched(struct sampler *sampler, const struct site *site, struct target *target,
			   const struct user_regs_struct *regs, struct touched at[TOUCHED_MOST])
{
	uint8_t code[TOUCHED_CODE] = {0};
	if (site->call)
		return called_touched(sampler, site, target, regs, at);
	if (!planting_code(sampler, target, site->address, code))
		return 0;
	const size_t length = operands_touched(sampler->operands, site->address, code, regs, at);
	if (length == 0 && (can_step(code) || regs->rcx > 0))
		sampler->missed |= MISSED_UNTOLD;
	/* As with what comes by the log, so that it doesn't matter whether there is a door already. */
	const bool told = sampler->logs && length == 1 &&
			  drain_is_told(sampler, at[0].address, (uint32_t)(site - sampler->sites.at));
	return told ? 0 : length;
}

/* A jump has led into the middle of a door: the stub has that, too, and writes what it touches. */
static bool enter_stub(const struct sampler *sampler, uint64_t address, struct user_regs_struct *regs)
{
	const struct piece *piece;
	const struct door *door = planting_inner(sampler, address, &piece);
	if (door)
		regs->rip = door->stub.at + piece->begin;
	return door != NULL;
}

static enum status meet_site(struct sampler *sampler, struct tracee *tracee, uint32_t thread,
			     uint64_t address, struct touched at[TOUCHED_MOST], size_t *length)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	struct site *site = planting_site(sampler, address);
	sampler->sparing |= ++sampler->hits > MOST_HITS;
	if (!site || !site->planted)
		return enter_stub(sampler, address, regs) ? STATUS_OK : STATUS_GONE;
	regs->rip = address;
	if (site->blind) {
		sampler->missed |= MISSED_UNTOLD;
		planting_put(tracee->target, site, false);
		return STATUS_OK;
	}
	*length = site_touched(sampler, site, tracee->target, regs, at);
	const uint64_t copy =
	    sampler->sparing && !site->relied ? 0 : planting_pass(sampler, tracee->target, site);
	if (!copy)
		return meet(sampler, tracee->target, thread, site);
	sampler->passing = copy;
	return STATUS_OK;
}

enum status sampler_hit(struct sampler *sampler, struct tracee *tracee, uint32_t thread, uint64_t address,
			struct touched at[TOUCHED_MOST], size_t *length)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	const struct release *release = releases_find_at(&sampler->releases, address);
	*length = 0;
	if (!regs)
		return STATUS_GONE;
	if (release) {
		sampler->epoch++; /* what is there afterwards is something else */
		if (release->kind == RELEASE_MEMORY)
			*length = release_touched(release, tracee->target, regs, at);
		else
			leave(sampler, release, tracee->target, regs, thread);
		regs->rip = release->copy;
		return STATUS_OK;
	}
	if (is_stub(sampler, address))
		return STATUS_OK;
	return meet_site(sampler, tracee, thread, address, at, length);
}

bool sampler_accesses(const struct sampler *sampler, struct target *target, uint64_t address)
{
	uint8_t code[TOUCHED_CODE] = {0};
	struct instruction instruction;
	return planting_code(sampler, target, address, code) &&
	       instruction_parse(code, sizeof(code), address, &instruction) &&
	       atomics_promotable(&instruction);
}

size_t sampler_touched(const struct sampler *sampler, const struct tracee *tracee,
		       const struct user_regs_struct *regs, uint64_t address, struct touched at[TOUCHED_MOST])
{
	uint8_t code[TOUCHED_CODE] = {0};
	if (!sampler->active || !planting_code(sampler, tracee->target, address, code))
		return 0;
	return operands_touched(sampler->operands, address, code, regs, at);
}

enum status sampler_go(struct sampler *sampler, struct tracee *tracee, uint32_t thread, bool *resume)
{
	uint8_t code[TOUCHED_CODE] = {0};
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	*resume = true;
	if (regs && sampler->passing) {
		regs->rip = sampler->passing;
		sampler->passing = 0;
		return STATUS_OK;
	}
	if (!regs || sampler->resting == NO_SITE || !rests_steps(sampler) ||
	    sampler->sites.at[sampler->resting].address != regs->rip)
		return STATUS_OK;
	if (target_read(tracee->target, regs->rip, code, sizeof(code)) != STATUS_OK || !can_step(code)) {
		sampler->missed |= MISSED_RESTS; /* until the next trap this one is out */
		return STATUS_OK;
	}
	return step(sampler, tracee, thread, resume);
}

enum status sampler_pass(struct sampler *sampler, struct tracee *tracee, uint64_t address)
{
	const struct log_state empty = {.next = LOG_LOW};
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	const struct release *release = releases_find_at(&sampler->releases, address);
	struct site *site = release ? NULL : planting_site(sampler, address);
	if (!regs)
		return STATUS_GONE;
	sampler->missed |= MISSED_VFORK;
	if (is_stub(sampler, address))
		return target_write(tracee->target, LOG_PAGE, &empty.next, sizeof(empty.next));
	if (!release && (!site || !site->planted))
		return enter_stub(sampler, address, regs) ? STATUS_OK : STATUS_GONE;
	regs->rip = release ? release->copy : address;
	if (site)
		planting_put(tracee->target, site, false);
	return STATUS_OK;
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
	static const char *const texts[] = {"instructions that are come by too often",
					    "instructions that can't be told or decoded",
					    "a log that was lost", "processes that share the memory"};
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
