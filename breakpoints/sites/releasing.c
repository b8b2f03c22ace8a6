#include "breakpoints/sites/releasing.h"
#include "breakpoints/symbols/symbols.h"

#include <fmc/tracer/maps.h>

#include <string.h>
#include <sys/mman.h>

/* What gives memory back, and where it has the size from. */
static const struct releaser {
	const char *name;
	enum releasing_size size;
	bool libc; /* it is libc's, too: the others are those of allocators alone, or call one of these */
} releasers[] = {
    {"free", RELEASING_FRONT, true},
    {"realloc", RELEASING_FRONT, true},
    {"munmap", RELEASING_SECOND, true},
    {"mremap", RELEASING_MOVED, true},
    {"shmdt", RELEASING_ATTACHED, true},
    {"reallocarray", RELEASING_FRONT, false},
    {"cfree", RELEASING_FRONT, false},
    {"free_sized", RELEASING_SECOND, false},
    {"free_aligned_sized", RELEASING_THIRD, false},
    {"_ZdlPv", RELEASING_FRONT, false},
    {"_ZdlPvm", RELEASING_SECOND, false},
    {"_ZdlPvSt11align_val_t", RELEASING_FRONT, false},
    {"_ZdlPvmSt11align_val_t", RELEASING_SECOND, false},
    {"_ZdlPvRKSt9nothrow_t", RELEASING_FRONT, false},
    {"_ZdlPvSt11align_val_tRKSt9nothrow_t", RELEASING_FRONT, false},
    {"_ZdaPv", RELEASING_FRONT, false},
    {"_ZdaPvm", RELEASING_SECOND, false},
    {"_ZdaPvSt11align_val_t", RELEASING_FRONT, false},
    {"_ZdaPvmSt11align_val_t", RELEASING_SECOND, false},
    {"_ZdaPvRKSt9nothrow_t", RELEASING_FRONT, false},
    {"_ZdaPvSt11align_val_tRKSt9nothrow_t", RELEASING_FRONT, false},
};

static const struct releaser *find(const char *name)
{
	for (size_t i = 0; i < sizeof(releasers) / sizeof(releasers[0]); i++)
		if (strcmp(name, releasers[i].name) == 0)
			return &releasers[i];
	return NULL;
}

enum releasing_size releasing_size(const struct module *module, const char *name)
{
	const struct releaser *releaser = find(name);
	const enum releasing_size size = releaser ? releaser->size : RELEASING_FRONT;
	return size == RELEASING_FRONT && module->musl && module->kind == MODULE_LIBC ? RELEASING_GROUP
										      : size;
}

bool releasing_is(const char *name, bool libc)
{
	const struct releaser *releaser = find(name);
	return releaser && (releaser->libc || !libc);
}

static void find_own(void *context, const struct symbol *symbol)
{
	bool *own = context;
	*own |= symbol->function && strcmp(symbol->name, "__libc_free") == 0;
}

bool releasing_is_glibc(const struct module *module)
{
	bool own = false;
	if (module->musl || (module->kind != MODULE_LIBC && !module->is_static))
		return false;
	/* A static program may have an allocator in the place of libc's, which then isn't part of it. */
	if (module->kind != MODULE_LIBC)
		(void)symbols_each(module, find_own, &own);
	return own || module->kind == MODULE_LIBC;
}

/* malloc has written there the size of all, with three flags in its lowest bits. */
uint64_t releasing_front(uint64_t word, bool *mapped)
{
	const uint64_t maps = 2, flags = 7;
	*mapped = word & maps;
	const uint64_t header = *mapped ? 2 * sizeof(word) : sizeof(word);
	return (word & ~flags) > header ? (word & ~flags) - header : 0;
}

uint64_t releasing_block(const struct target *target, uint64_t block, bool *mapped)
{
	uint64_t word;
	*mapped = false;
	if (!block || target_read(target, block - sizeof(word), &word, sizeof(word)) != STATUS_OK)
		return 0;
	return releasing_front(word, mapped);
}

/* What can't move stays but for its end. */
static void find_moved(const struct user_regs_struct *regs, struct released *released)
{
	const uint64_t old = regs->rsi, now = regs->rdx;
	if (regs->rcx & MREMAP_MAYMOVE) {
		released->bytes = old;
	} else if (now < old) {
		released->address += now;
		released->bytes = old - now;
	}
}

/* A segment is one mapping. */
static uint64_t attached_bytes(const struct target *target, uint64_t address)
{
	struct maps maps;
	if (maps_of(target_pid(target), &maps) != STATUS_OK)
		return 0;
	const struct snapshot_mapping *mapping = maps_find(&maps, address);
	const uint64_t bytes = mapping && mapping->low == address ? mapping->high - mapping->low : 0;
	maps_release(&maps);
	return bytes;
}

bool releasing_find(const struct target *target, const struct user_regs_struct *regs,
		    enum releasing_size size, struct released *released)
{
	*released = (struct released){.address = regs->rdi, .vanishes = true};
	switch (size) {
	case RELEASING_SECOND:
		released->bytes = regs->rsi;
		break;
	case RELEASING_THIRD:
		released->bytes = regs->rdx;
		break;
	case RELEASING_MOVED:
		find_moved(regs, released);
		return released->bytes > 0;
	case RELEASING_ATTACHED:
		released->bytes = attached_bytes(target, regs->rdi);
		return released->bytes > 0;
	case RELEASING_GROUP:
		released->bytes = releasing_group(target, regs->rdi, &released->vanishes);
		break;
	case RELEASING_FRONT:
		released->bytes = releasing_block(target, regs->rdi, &released->vanishes);
		break;
	}
	return regs->rdi != 0;
}
