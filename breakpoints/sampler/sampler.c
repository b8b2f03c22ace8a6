#include "breakpoints/code/memory_calls.h"
#include "breakpoints/code/sites.h"
#include "breakpoints/code/touched.h"
#include "breakpoints/entries/entries_state.h"
#include "breakpoints/sampler/releases.h"
#include "breakpoints/symbols/symbols.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define PAGE	  4096
#define MOST_PAGE (2 * PAGE)
#define NO_SITE	  UINT32_MAX

/* How often an instruction is met: the less the more there have been in all. */
static const struct frugality {
	uint64_t until;		  /* so many in all */
	uint32_t in_turn, thread; /* of one instruction in one transition, and by one thread */
	bool
	    steps; /* the trap is back right after the instruction, so that a loop of a single one is seen, too */
} frugality[] = {{2000, 400, 400, true}, {20000, 4, 32, false}, {UINT64_MAX, 4, 4, false}};

/* An instruction that has been met. */
struct tally {
	uint32_t site;
	uint32_t turn, in_turn; /* when last, and how often in that transition */
	uint16_t *hits;		/* of each thread */
	uint32_t threads;
};

struct sampler {
	const struct entries *entries; /* of the target, borrowed */
	struct modules modules;
	struct sites sites;
	struct releases releases;
	struct operands *operands;
	bool active, stacks;
	struct tally *tallies;
	uint32_t tallies_length;
	uint32_t resting; /* the site whose trap is out because somebody is passing it */
	uint32_t turn;
	uint64_t hits;
	uint64_t states[MEMORY_STATES];
	bool main_left;	  /* the first thread has called pthread_exit */
	bool last_leaves; /* sampler_last_leaves() */
};

struct sampler *sampler_new(void)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	if (!sampler)
		return NULL;
	sampler->operands = operands_new();
	if (sampler->operands)
		return sampler;
	free(sampler);
	return NULL;
}

static void forget_tallies(struct sampler *sampler)
{
	for (uint32_t i = 0; i < sampler->tallies_length; i++) {
		sampler->sites.at[sampler->tallies[i].site].counted = 0;
		free(sampler->tallies[i].hits);
	}
	free(sampler->tallies);
	sampler->tallies = NULL;
	sampler->tallies_length = 0;
	sampler->resting = NO_SITE;
	sampler->turn = 0;
	sampler->hits = 0;
}

static void forget_code(struct sampler *sampler)
{
	forget_tallies(sampler);
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
			sites_leave_out(sites, module, "its libc isn't known");
		else
			status = sites_add(sites, module);
	}
	drop_libc(sites, entries);
	if (sites->length)
		qsort(sites->at, sites->length, sizeof(*sites->at), by_address);
	return status == STATUS_OK && !releases_find(&sampler->releases, entries) ? STATUS_NO_MEMORY : status;
}

/* Have our own traps taken the place of something there? */
static bool is_taken(const struct entries *entries, uint64_t address)
{
	uint8_t original;
	return patches_find(&entries->first, address, &original) ||
	       patches_find(&entries->rest, address, &original) ||
	       entries_loaded_byte(entries, address, &original);
}

/* The sites of one page, from `i` on: put traps there, or take them out. Returns the first of the next page. */
static size_t write_page(struct site *sites, size_t i, size_t length, struct target *target, bool planted)
{
	uint8_t bytes[PAGE];
	uint64_t from = sites[i].address, page = from / PAGE;
	size_t end = i;
	while (end < length && sites[end].address / PAGE == page)
		end++;
	size_t size = sites[end - 1].address - from + 1;
	bool there = target_read(target, from, bytes, size) == STATUS_OK;
	for (; i < end; i++)
		if (there && sites[i].planted)
			bytes[sites[i].address - from] = planted ? TRAP_INSTRUCTION : sites[i].first;
	if (there)
		(void)target_write(target, from, bytes, size);
	return end;
}

static void write_sites(const struct sampler *sampler, struct target *target, bool planted)
{
	for (size_t i = 0; i < sampler->sites.length;)
		i = write_page(sampler->sites.at, i, sampler->sites.length, target, planted);
}

/* Which are to have a trap: where the code is what its file says. */
static void choose_page(const struct sampler *sampler, const struct entries *entries,
			const struct target *target, size_t i, size_t end)
{
	uint8_t bytes[PAGE];
	struct site *sites = sampler->sites.at;
	uint64_t from = sites[i].address;
	bool there = target_read(target, from, bytes, sites[end - 1].address - from + 1) == STATUS_OK;
	for (; i < end; i++)
		sites[i].planted = there && (sampler->stacks || !sites[i].stack) &&
				   bytes[sites[i].address - from] == sites[i].first &&
				   !is_taken(entries, sites[i].address);
}

static void choose_sites(const struct sampler *sampler, const struct entries *entries,
			 const struct target *target)
{
	const struct sites *sites = &sampler->sites;
	for (size_t i = 0, end; i < sites->length; i = end) {
		for (end = i + 1;
		     end < sites->length && sites->at[end].address / PAGE == sites->at[i].address / PAGE;)
			end++;
		choose_page(sampler, entries, target, i, end);
	}
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
	forget_tallies(sampler);
	sampler->stacks = stacks;
	choose_sites(sampler, entries, target);
	write_sites(sampler, target, true);
	sampler->main_left = sampler->last_leaves = false;
	sampler->active = true;
	return STATUS_OK;
}

enum status sampler_look_again(struct sampler *sampler, const struct entries *entries, struct target *target)
{
	if (!sampler->active)
		return STATUS_OK;
	const bool main_left = sampler->main_left, last_leaves = sampler->last_leaves;
	sampler_hide(sampler, target);
	const enum status status = sampler_start(sampler, entries, target, sampler->stacks);
	sampler->main_left = main_left;
	sampler->last_leaves = last_leaves;
	return status;
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
	write_sites(sampler, target, false);
	releases_write(&sampler->releases, target, false);
}

void sampler_show(const struct sampler *sampler, struct target *target)
{
	if (!sampler->active)
		return;
	write_sites(sampler, target, true);
	releases_write(&sampler->releases, target, true);
}

static struct site *site_at(const struct sampler *sampler, uint64_t address)
{
	const struct site key = {.address = address};
	if (!sampler->sites.length)
		return NULL;
	return bsearch(&key, sampler->sites.at, sampler->sites.length, sizeof(key), by_address);
}

static const struct frugality *frugality_of(const struct sampler *sampler)
{
	const struct frugality *now = frugality;
	while (sampler->hits >= now->until)
		now++;
	return now;
}

/* May the thread meet it once more? */
static bool is_wanted(const struct sampler *sampler, const struct tally *tally, uint32_t thread)
{
	const struct frugality *now = frugality_of(sampler);
	uint32_t hits = thread < tally->threads ? tally->hits[thread] : 0;
	bool again = tally->turn != sampler->turn || tally->in_turn < now->in_turn;
	return hits < now->thread && again;
}

static void put(struct target *target, struct site *site, bool planted)
{
	uint8_t byte = planted ? TRAP_INSTRUCTION : site->first;
	if (site->planted != planted && target_write(target, site->address, &byte, 1) == STATUS_OK)
		site->planted = planted;
}

void sampler_turn(struct sampler *sampler, struct target *target, uint32_t thread)
{
	if (!sampler->active)
		return;
	sampler->turn++;
	sampler->resting = NO_SITE;
	for (uint32_t i = 0; i < sampler->tallies_length; i++) {
		const struct tally *tally = &sampler->tallies[i];
		put(target, &sampler->sites.at[tally->site], is_wanted(sampler, tally, thread));
	}
}

bool sampler_is_trap(const struct sampler *sampler, uint64_t address)
{
	if (!sampler->active)
		return false;
	const struct site *site = site_at(sampler, address);
	return (site && site->planted) || releases_find_at(&sampler->releases, address);
}

/* The tally of a site, made if there is none; NULL without memory. */
static struct tally *tally_of(struct sampler *sampler, struct site *site)
{
	if (site->counted)
		return &sampler->tallies[site->counted - 1];
	if (!ARRAY_ONE_MORE(sampler->tallies, sampler->tallies_length))
		return NULL;
	sampler->tallies[sampler->tallies_length] =
	    (struct tally){.site = (uint32_t)(site - sampler->sites.at)};
	site->counted = ++sampler->tallies_length;
	return &sampler->tallies[site->counted - 1];
}

static bool count(struct sampler *sampler, struct tally *tally, uint32_t thread)
{
	if (thread >= tally->threads) {
		uint32_t room = thread + 4;
		uint16_t *hits = reallocarray(tally->hits, room, sizeof(*hits));
		if (!hits)
			return false;
		memset(hits + tally->threads, 0, (room - tally->threads) * sizeof(*hits));
		tally->hits = hits;
		tally->threads = room;
	}
	tally->in_turn = tally->turn == sampler->turn ? tally->in_turn + 1 : 1;
	tally->turn = sampler->turn;
	tally->hits[thread]++;
	sampler->hits++;
	return true;
}

/* The trap that was passed last comes back, this one goes out. */
static enum status meet(struct sampler *sampler, struct target *target, uint32_t thread, struct site *site)
{
	struct tally *tally = tally_of(sampler, site);
	if (!tally || !count(sampler, tally, thread)) {
		put(target, site, false);
		return STATUS_NO_MEMORY;
	}
	struct site *last = sampler->resting != NO_SITE ? &sampler->sites.at[sampler->resting] : NULL;
	if (last && last != site && is_wanted(sampler, &sampler->tallies[last->counted - 1], thread))
		put(target, last, true);
	put(target, site, false);
	sampler->resting = tally->site;
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
	else if (is_wanted(sampler, &sampler->tallies[site->counted - 1], thread))
		put(tracee->target, site, true);
	return STATUS_OK;
}

/* What the library's function is about to touch, and where the code is that has called it: before the return address. */
static size_t called_touched(const struct sampler *sampler, const struct site *site,
			     const struct target *target, const struct user_regs_struct *regs,
			     struct touched at[TOUCHED_MOST])
{
	uint64_t after = 0;
	if (site->jumps && target_read(target, regs->rsp, &after, sizeof(after)) == STATUS_OK &&
	    entries_is_libc(sampler->entries, after))
		return 0;
	const struct memory_caller caller = {.target = target,
					     .regs = regs,
					     .stack = regs->rsp + (site->jumps ? sizeof(after) : 0),
					     .states = sampler->states};
	const size_t length = memory_call_touched(site->call, &caller, at);
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

enum status sampler_hit(struct sampler *sampler, struct tracee *tracee, uint32_t thread, uint64_t address,
			struct touched at[TOUCHED_MOST], size_t *length)
{
	uint8_t code[TOUCHED_CODE] = {0};
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	const struct release *release = releases_find_at(&sampler->releases, address);
	*length = 0;
	if (!regs)
		return STATUS_GONE;
	if (release) {
		if (release->kind == RELEASE_MEMORY)
			*length = release_touched(release, tracee->target, regs, at);
		else
			leave(sampler, release, tracee->target, regs, thread);
		regs->rip = release->copy;
		return STATUS_OK;
	}
	struct site *site = site_at(sampler, address);
	regs->rip = address;
	enum status status = meet(sampler, tracee->target, thread, site);
	if (status == STATUS_OK && site->call)
		*length = called_touched(sampler, site, tracee->target, regs, at);
	else if (status == STATUS_OK && target_read(tracee->target, address, code, sizeof(code)) == STATUS_OK)
		*length = operands_touched(sampler->operands, address, code, regs, at);
	return status;
}

size_t sampler_touched(const struct sampler *sampler, const struct entries *entries,
		       const struct tracee *tracee, const struct user_regs_struct *regs, uint64_t address,
		       struct touched at[TOUCHED_MOST])
{
	uint8_t code[TOUCHED_CODE] = {0};
	if (!sampler->active || target_read(tracee->target, address, code, sizeof(code)) != STATUS_OK)
		return 0;
	entries_hide(entries, address, code, sizeof(code));
	return operands_touched(sampler->operands, address, code, regs, at);
}

enum status sampler_go(struct sampler *sampler, struct tracee *tracee, uint32_t thread, bool *resume)
{
	uint8_t code[TOUCHED_CODE] = {0};
	const struct user_regs_struct *regs = tracee_regs(tracee);
	*resume = true;
	if (!regs || sampler->resting == NO_SITE || !frugality_of(sampler)->steps ||
	    sampler->sites.at[sampler->resting].address != regs->rip ||
	    target_read(tracee->target, regs->rip, code, sizeof(code)) != STATUS_OK || !can_step(code))
		return STATUS_OK;
	return step(sampler, tracee, thread, resume);
}

enum status sampler_pass(struct sampler *sampler, struct tracee *tracee, uint64_t address)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	const struct release *release = releases_find_at(&sampler->releases, address);
	struct site *site = release ? NULL : site_at(sampler, address);
	if (!regs)
		return STATUS_GONE;
	regs->rip = release ? release->copy : address;
	if (site)
		put(tracee->target, site, false);
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
