/* Which code is watched: that of the program and its libraries, without libc's own. */
#include "breakpoints/sampler/sampler_state.h"
#include "breakpoints/sites/library_states.h"
#include "breakpoints/symbols/symbols.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

void code_forget(struct sampler *sampler)
{
	rests_forget(sampler);
	doors_forget(&sampler->doors);
	sites_release(&sampler->sites);
	ranges_forget(sampler);
	memset(sampler->callers, 0, sizeof(sampler->callers));
	free(sampler->numbered);
	free(sampler->calls);
	sampler->numbered = NULL;
	sampler->calls = NULL;
	sampler->numbered_length = sampler->calls_length = 0;
	releases_free(&sampler->releases);
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

static bool is_wanted(const struct entries *entries, const struct site *site)
{
	if (site->call && memory_call_unknown(site->call) && !unfollowed_matters(site->call))
		return false;
	/* Of libc where others come into it. */
	return !entries_is_libc(entries, site->address) || (site->call && site->jumps);
}

static void drop_unwanted(struct sites *sites, const struct entries *entries)
{
	size_t kept = 0;
	for (size_t i = 0; i < sites->length; i++)
		if (is_wanted(entries, &sites->at[i]))
			sites->at[kept++] = sites->at[i];
	sites->length = kept;
}

/* Has it the functions of a libc in itself? */
static bool is_bound(const struct module *module)
{
	return module->kind == MODULE_PROGRAM && module->is_static;
}

static void find_defined(void *context, const struct symbol *symbol)
{
	if (symbol->function)
		unfollowed_is_watched(context, symbol->name);
}

static const char static_libc[] = "those of a static libc";

/* What these modules have for each other is watched. */
static void find_unfollowed(struct sampler *sampler)
{
	struct unfollowed *unfollowed = &sampler->sites.unfollowed;
	for (size_t i = 0; i < sampler->modules.length; i++) {
		const struct module *module = &sampler->modules.at[i];
		if (!is_looked_at(module))
			continue;
		(void)symbols_each(module, find_defined, unfollowed);
		(void)symbols_each_chosen(module, find_defined, unfollowed);
		if (is_bound(module)) {
			(void)unfollowed_add(unfollowed, static_libc);
			unfollowed_may_be_missed(unfollowed, static_libc);
		}
	}
}

bool code_is_watched(const struct sampler *sampler, uint64_t address)
{
	const struct module *module = modules_find(&sampler->modules, address);
	return module && is_looked_at(module) && !entries_is_libc(sampler->entries, address);
}

/* Where a function of a library's begins that is called by its address. False without memory. */
static bool add_entry(struct sampler *sampler, const struct entries *entries, const struct target *target,
		      const struct word *word, uint64_t address)
{
	struct sites *sites = &sampler->sites;
	struct site site = {.address = address, .call = word->call, .jumps = true, .entry = true};
	uint8_t byte;
	if (target_read(target, address, &site.first, 1) != STATUS_OK)
		return true;
	byte = site.first;
	entries_hide(entries, address, &site.first, 1);
	if (byte != site.first) { /* an operation: no trap of ours can be there */
		unfollowed_may_be_missed(&sites->unfollowed, memory_call_name(word->call));
		return true;
	}
	for (size_t i = sites->length; i-- > 0 && sites->at[i].entry;)
		if (sites->at[i].address == address)
			return true;
	if (!ARRAY_DOUBLE(sites->at, sites->length))
		return false;
	sites->at[sites->length++] = site;
	return true;
}

/* A function that a module has the address of, by the word that the loader has filled in. False without memory. */
static bool follow_word(struct sampler *sampler, const struct entries *entries, const struct target *target,
			const struct word *word)
{
	uint64_t address = 0;
	if (memory_call_unknown(word->call) && !unfollowed_matters(word->call))
		return true;
	const bool read = target_read(target, word->address, &address, sizeof(address)) == STATUS_OK;
	const struct module *module = modules_find(&sampler->modules, address);
	if (read && !address)
		return true; /* there is no such function */
	if (module && !is_looked_at(module))
		return add_entry(sampler, entries, target, word, address);
	/* Not bound yet, or nobody knows where. */
	if (!module || modules_find(&sampler->modules, word->address) == module)
		unfollowed_may_be_missed(&sampler->sites.unfollowed, memory_call_name(word->call));
	return true;
}

static bool follow_words(struct sampler *sampler, const struct entries *entries, const struct target *target)
{
	for (size_t i = 0; i < sampler->sites.words_length; i++)
		if (!follow_word(sampler, entries, target, &sampler->sites.words[i]))
			return false;
	return true;
}

static enum status find_code(struct sampler *sampler, const struct entries *entries,
			     const struct target *target)
{
	enum status status = STATUS_OK;
	struct sites *sites = &sampler->sites;
	library_states(&sampler->modules, sampler->states);
	for (size_t i = 0; i < sampler->modules.length && status == STATUS_OK; i++) {
		const struct module *module = &sampler->modules.at[i];
		if (!is_looked_at(module))
			continue;
		if (is_bound(module) && !has_libc_range(entries, module))
			sites_leave_out(sites, module->name, "its libc isn't known");
		else
			status = sites_add(sites, module);
	}
	/* After all that may call them. */
	for (size_t i = 0; i < sampler->modules.length && status == STATUS_OK; i++)
		if (sampler->modules.at[i].kind == MODULE_CXX)
			status = sites_add_pure(sites, &sampler->modules.at[i]);
	find_unfollowed(sampler);
	drop_unwanted(sites, entries);
	if (status == STATUS_OK && !follow_words(sampler, entries, target))
		status = STATUS_NO_MEMORY;
	sites_sort(sites);
	return status == STATUS_OK && !releases_find(&sampler->releases, entries) ? STATUS_NO_MEMORY : status;
}

enum status code_learn(struct sampler *sampler, const struct entries *entries, const struct target *target)
{
	bool changed;
	enum status status = modules_update(&sampler->modules, target_pid(target), &changed);
	if (status != STATUS_OK || !changed)
		return status;
	code_forget(sampler);
	status = find_code(sampler, entries, target);
	if (status != STATUS_OK)
		modules_release(&sampler->modules); /* so that they are looked through again */
	return status;
}
