#include "breakpoints/symbols/symbols.h"
#include "breakpoints/traps/state.h"

#include <fmc/tracer/array.h>
#include <stdlib.h>
#include <string.h>

/* Which functions of the target get a trap, and which ranges are libc's own. */

struct discovery {
	struct entries *entries;
	const struct module *module;
	bool failed; /* no memory */
};

static void add_own(struct discovery *discovery, uint64_t low, uint64_t high)
{
	struct entries *entries = discovery->entries;
	if (!ARRAY_ONE_MORE(entries->own, entries->own_length)) {
		discovery->failed = true;
		return;
	}
	entries->own[entries->own_length++] = (struct range){low, high};
}

static void add_told(struct discovery *discovery, const struct symbol *symbol)
{
	struct entries *entries = discovery->entries;
	if (!ARRAY_ONE_MORE(entries->told, entries->told_length)) {
		discovery->failed = true;
		return;
	}
	entries->told[entries->told_length++] =
	    (struct range){symbol->address, symbol->address + symbol->size};
}

static struct trap *trap_at(struct entries *entries, uint64_t address)
{
	for (size_t i = 0; i < entries->traps_length; i++)
		if (entries->traps[i].address == address)
			return &entries->traps[i];
	return NULL;
}

/* A function may come several times: from both symbol tables, for each version that shares the code. */
static void visit_function(struct discovery *discovery, const struct symbol *symbol,
			   const struct entry_point *point)
{
	struct entries *entries = discovery->entries;
	struct trap *trap = trap_at(entries, symbol->address);
	if (trap) {
		if (trap->point == point)
			trap->is_default |= symbol->is_default;
		/* In glibc pthread_spin_init is the same code: told apart by what the lock was. */
		if (point->kind == OP_SPIN_UNLOCK)
			trap->point = point;
		return;
	}
	if (!ARRAY_ONE_MORE(entries->traps, entries->traps_length)) {
		discovery->failed = true;
		return;
	}
	entries->traps[entries->traps_length++] = (struct trap){.address = symbol->address,
								.size = symbol->size,
								.point = point,
								.module = discovery->module,
								.is_default = symbol->is_default};
}

/* In a static program the loader's locks are among the program's data, known by name only. */
static bool is_loader_lock(const char *name)
{
	return strcmp(name, "_dl_load_lock") == 0 || strcmp(name, "_dl_load_write_lock") == 0 ||
	       strcmp(name, "_dl_load_tls_lock") == 0;
}

static bool looks_for_later(const struct entries *entries)
{
	return entries->atomics_use != ATOMICS_IGNORED || entries->answers;
}

/* The loader has one that matters where code that comes later is looked for, and musl's is libc itself. */
static bool is_wanted(const struct discovery *discovery, const struct entry_point *point)
{
	if (entry_point_is_loader(point))
		return looks_for_later(discovery->entries);
	return discovery->module->kind != MODULE_LOADER;
}

/* Is the name in this one as C++ puts it there, as 9fmc_point? */
static bool is_inside(const char *symbol, const char *name)
{
	const char *at = strstr(symbol, name);
	while (at && at > symbol && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at && strtoul(at, NULL, 10) == strlen(name);
}

static void note_mangled(struct entries *entries, const char *symbol)
{
	const char *name;
	for (size_t i = 0; strncmp(symbol, "_Z", 2) == 0 && (name = entry_own_name(i)); i++)
		entries->mangled |= is_inside(symbol, name) ? 1U << i : 0;
}

static void visit(void *context, const struct symbol *symbol)
{
	struct discovery *discovery = context;
	const struct entry_point *point = symbol->function ? entry_point_find(symbol->name) : NULL;
	if (!point && symbol->function && discovery->entries->watch_variables)
		point = entry_point_asking(symbol->name);
	if (!point && symbol->function && discovery->entries->watch_output)
		point = entry_point_writing(symbol->name);
	if (point && !is_wanted(discovery, point))
		point = NULL;
	/* What the program itself calls like one of libc's functions is its own affair. */
	bool own = point && entry_point_is_own(point), user = point && entry_point_is_user(point);
	bool here =
	    own == (discovery->module->kind == MODULE_PROGRAM) && discovery->module->kind != MODULE_OTHER;
	if (point && (user || here || discovery->module->is_static))
		visit_function(discovery, symbol, point);
	if (symbol->function && discovery->module->kind == MODULE_PROGRAM) {
		note_mangled(discovery->entries, symbol->name);
		if (strncmp(symbol->name, COMPILED_ATOMIC, strlen(COMPILED_ATOMIC)) == 0)
			add_told(discovery, symbol);
	}
	if (!discovery->module->is_static)
		return;
	if (!symbol->function && is_loader_lock(symbol->name))
		add_own(discovery, symbol->address, symbol->address + symbol->size);
	if (symbol->function && strcmp(symbol->name, "__init_libc") == 0)
		discovery->entries->musl = true;
}

/*
 * glibc before 2.34: libc.so.6 has functions of the same names that only pass the call on to libpthread.so.0.
 * A call through both is one operation.
 */
static void drop_forwarders(struct entries *entries)
{
	size_t kept = 0;
	for (size_t i = 0; i < entries->traps_length; i++) {
		struct trap *trap = &entries->traps[i];
		bool forwards = false;
		for (size_t k = 0; k < entries->traps_length && trap->module->kind == MODULE_LIBC; k++)
			forwards |= entries->traps[k].module->kind == MODULE_THREADS &&
				    entries->traps[k].point == trap->point;
		if (!forwards)
			entries->traps[kept++] = *trap;
	}
	entries->traps_length = kept;
}

static int by_address(const void *a, const void *b)
{
	const struct trap *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

static enum status discover_module(struct discovery *discovery)
{
	const struct module *module = discovery->module;
	enum status status = symbols_each(module, visit, discovery);
	/* Neither is code of libc's own; a program without symbols has nothing for fmc. */
	if (module->kind == MODULE_PROGRAM && !module->is_static)
		return status == STATUS_NOT_FOUND ? STATUS_OK : status;
	if (module->kind == MODULE_OTHER || module->kind == MODULE_LOADER)
		return status == STATUS_NOT_FOUND ? STATUS_OK : status; /* the vdso, for one */
	if (status != STATUS_OK || module->kind == MODULE_CXX)
		return status;
	if (module->kind != MODULE_PROGRAM) {
		add_own(discovery, module->low, module->high);
		return STATUS_OK;
	}
	uint64_t low, high;
	status = static_libc_range(module, &low, &high);
	if (status == STATUS_OK)
		add_own(discovery, low, high);
	return status;
}

const char *entries_missing(const struct entries *entries, size_t i)
{
	const struct entry_point *point;
	for (size_t p = 0; (point = entry_point_added(p)); p++) {
		bool found = false;
		for (size_t k = 0; k < entries->traps_length && entries->page; k++)
			found |= entries->traps[k].point == point;
		if (!found && i-- == 0)
			return point->name;
	}
	return NULL;
}

static bool has_trap(const struct entries *entries, const char *name)
{
	for (size_t i = 0; i < entries->traps_length; i++)
		if (strcmp(entries->traps[i].point->name, name) == 0)
			return true;
	return false;
}

const char *entries_mangled(const struct entries *entries, size_t i)
{
	const char *name;
	for (size_t k = 0; (name = entry_own_name(k)); k++)
		if ((entries->mangled >> k & 1) && !has_trap(entries, name) && i-- == 0)
			return name;
	return NULL;
}

enum status entries_discover(struct entries *entries)
{
	struct discovery discovery = {.entries = entries};
	entries->mangled = 0;
	for (size_t i = 0; i < entries->modules.length; i++) {
		const struct module *module = &entries->modules.at[i];
		discovery.module = module;
		if (module->kind == MODULE_LOADER)
			add_own(&discovery, module->low, module->high);
		bool looked_at = module->kind == MODULE_LIBC || module->kind == MODULE_THREADS ||
				 module->kind == MODULE_CXX || module->kind == MODULE_PROGRAM ||
				 (module->kind == MODULE_LOADER && looks_for_later(entries)) ||
				 (module->kind == MODULE_OTHER && op_added() > 0);
		if (!looked_at)
			continue;
		entries->musl |= module->musl;
		enum status status = discover_module(&discovery);
		if (status != STATUS_OK)
			return status;
	}
	drop_forwarders(entries);
	if (entries->traps_length)
		qsort(entries->traps, entries->traps_length, sizeof(*entries->traps), by_address);
	return discovery.failed ? STATUS_NO_MEMORY : STATUS_OK;
}
