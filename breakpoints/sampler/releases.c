#include "breakpoints/sampler/releases.h"
#include "breakpoints/entries/entries_state.h"
#include "breakpoints/symbols/symbols.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES  0x10000 /* of target_near_page() */
#define COPY_BYTES  64	    /* room for one copy, from the page's end downwards */
#define GUESS_BYTES 0x10000 /* a block of an allocator whose sizes aren't known */

struct search {
	struct releases *releases;
	const struct module *module;
	bool musl, failed;
};

/* libc's, and those of allocators that take their place. */
static bool releases_memory(const char *name, bool libc)
{
	static const char *const names[] = {"free", "realloc", "munmap"};
	static const char *const others[] = {"free", "realloc", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"};
	const char *const *of = libc ? names : others;
	size_t length = libc ? sizeof(names) / sizeof(names[0]) : sizeof(others) / sizeof(others[0]);
	for (size_t i = 0; i < length; i++)
		if (strcmp(name, of[i]) == 0)
			return true;
	return false;
}

/* libc's own, in a static program, too; *kind: what such a function releases. */
static bool is_seen(const char *name, const struct search *search, bool libc, enum release_kind *kind)
{
	const bool threads = search->module->kind == MODULE_THREADS;
	*kind = RELEASE_MEMORY;
	if ((libc || threads) && strcmp(name, "pthread_exit") == 0)
		*kind = RELEASE_THREAD;
	else if (libc && strcmp(name, "exit") == 0)
		*kind = RELEASE_PROCESS;
	return *kind != RELEASE_MEMORY || releases_memory(name, libc);
}

const struct release *releases_find_at(const struct releases *releases, uint64_t address)
{
	for (size_t i = 0; i < releases->length; i++)
		if (releases->at[i].address == address)
			return &releases->at[i];
	return NULL;
}

static void visit(void *context, const struct symbol *symbol)
{
	struct search *search = context;
	struct releases *releases = search->releases;
	bool libc = search->module->kind == MODULE_LIBC ||
		    (search->module->kind == MODULE_PROGRAM && search->module->is_static);
	enum release_kind kind;
	if (!symbol->function || !is_seen(symbol->name, search, libc, &kind) ||
	    releases_find_at(releases, symbol->address))
		return;
	if (!ARRAY_ONE_MORE(releases->at, releases->length)) {
		search->failed = true;
		return;
	}
	releases->at[releases->length++] = (struct release){.address = symbol->address,
							    .kind = kind,
							    .knows_end = strcmp(symbol->name, "munmap") == 0,
							    .glibc = libc && !search->musl};
}

bool releases_find(struct releases *releases, const struct entries *entries)
{
	struct search search = {.releases = releases, .musl = entries->musl};
	for (size_t i = 0; i < entries->modules.length; i++) {
		search.module = &entries->modules.at[i];
		if (search.module->kind != MODULE_LOADER && search.module->kind != MODULE_CXX)
			(void)symbols_each(search.module, visit, &search);
	}
	return !search.failed;
}

void releases_free(struct releases *releases)
{
	free(releases->at);
	*releases = (struct releases){0};
}

/* Where its copy goes; 0: there is no room. */
static uint64_t room_for(const struct entries *entries, struct target *target, uint64_t near, size_t number)
{
	uint64_t page = target_near_page(target, near);
	size_t used =
	    sizeof(*entries->contents) + entries->traps_length * sizeof(entries->contents->slots[0]);
	size_t from_end = (number + 1) * COPY_BYTES;
	if (!page || from_end > PAGE_BYTES || (page == entries->page && PAGE_BYTES - from_end < used))
		return 0;
	return page + PAGE_BYTES - from_end;
}

static bool plant(struct release *release, const struct entries *entries, struct target *target,
		  struct displacer *displacer, size_t number)
{
	uint8_t code[DISPLACE_CODE];
	struct displaced displaced;
	const uint8_t trap = TRAP_INSTRUCTION;
	release->copy = room_for(entries, target, release->address, number);
	if (!release->copy || target_read(target, release->address, code, sizeof(code)) != STATUS_OK ||
	    !displace(displacer, release->address, code, release->copy, NULL, NULL, &displaced))
		return false;
	release->first = code[0];
	return target_write(target, release->copy, displaced.copy, displaced.size) == STATUS_OK &&
	       target_write(target, release->address, &trap, 1) == STATUS_OK;
}

enum status releases_plant(struct releases *releases, const struct entries *entries, struct target *target)
{
	struct displacer *displacer = displacer_new();
	size_t kept = 0;
	if (!displacer)
		return STATUS_NO_MEMORY;
	for (size_t i = 0; i < releases->length; i++)
		if (plant(&releases->at[i], entries, target, displacer, kept))
			releases->at[kept++] = releases->at[i];
	releases->length = kept;
	displacer_free(displacer);
	return target_gone(target) ? STATUS_GONE : STATUS_OK;
}

void releases_write(const struct releases *releases, struct target *target, bool planted)
{
	for (size_t i = 0; i < releases->length; i++) {
		uint8_t byte = planted ? TRAP_INSTRUCTION : releases->at[i].first;
		(void)target_write(target, releases->at[i].address, &byte, 1);
	}
}

/* What malloc has written in front of a block: the size of all, with three flags in its lowest bits. */
static uint64_t block_bytes(const struct target *target, uint64_t block)
{
	const uint64_t mapped = 2, flags = 7;
	uint64_t word;
	if (target_read(target, block - sizeof(word), &word, sizeof(word)) != STATUS_OK)
		return 0;
	uint64_t header = word & mapped ? 2 * sizeof(word) : sizeof(word);
	return (word & ~flags) > header ? (word & ~flags) - header : 0;
}

bool release_touched(const struct release *release, const struct target *target,
		     const struct user_regs_struct *regs, struct touched *touched)
{
	*touched = (struct touched){.address = regs->rdi, .frees = true};
	if (release->knows_end)
		touched->size = regs->rsi;
	else if (release->glibc && regs->rdi)
		touched->size = block_bytes(target, regs->rdi);
	touched->write = touched->size > 0;
	if (!touched->write)
		touched->size = GUESS_BYTES;
	return regs->rdi != 0;
}
