/* Which code is watched: that of the program and its libraries, without libc's own. */
#include "breakpoints/sampler/sampler_state.h"
#include "breakpoints/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

void code_forget(struct sampler *sampler)
{
	rests_forget(sampler);
	doors_forget(&sampler->doors);
	sites_release(&sampler->sites);
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

/* The loader has copied them there. */
static void find_shared_state(void *context, const struct symbol *symbol)
{
	uint64_t *states = context;
	for (size_t i = 0; i < MEMORY_STATES; i++)
		if (memory_state_shared(i) && !symbol->function &&
		    strcmp(symbol->name, memory_state_name(i)) == 0)
			states[i] = symbol->address;
}

/* Has it the functions of a libc in itself? */
static bool is_bound(const struct module *module)
{
	return module->kind == MODULE_PROGRAM && module->is_static;
}

static void find_states(struct sampler *sampler)
{
	memset(sampler->states, 0, sizeof(sampler->states));
	for (size_t i = 0; i < sampler->modules.length; i++) {
		const struct module *module = &sampler->modules.at[i];
		if (module->kind == MODULE_LIBC || is_bound(module))
			(void)symbols_each(module, find_state, sampler->states);
	}
	for (size_t i = 0; i < sampler->modules.length; i++)
		if (sampler->modules.at[i].kind == MODULE_PROGRAM)
			(void)symbols_each(&sampler->modules.at[i], find_shared_state, sampler->states);
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
		if (is_bound(module))
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
		if (!is_looked_at(module))
			continue;
		if (is_bound(module) && !has_libc_range(entries, module))
			sites_leave_out(sites, module->name, "its libc isn't known");
		else
			status = sites_add(sites, module);
	}
	drop_libc(sites, entries);
	find_unfollowed(sampler);
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
	status = find_code(sampler, entries);
	if (status != STATUS_OK)
		modules_release(&sampler->modules); /* so that they are looked through again */
	return status;
}
