#include "breakpoints/sites/releasing.h"

#include <string.h>

bool releasing_is_told_size(const char *name)
{
	return strcmp(name, "munmap") == 0;
}

bool releasing_is(const char *name, bool libc)
{
	static const char *const names[] = {"free", "realloc", "munmap"};
	static const char *const others[] = {"free",
					     "realloc",
					     "reallocarray",
					     "cfree",
					     "free_sized",
					     "free_aligned_sized",
					     "_ZdlPv",
					     "_ZdlPvm",
					     "_ZdlPvSt11align_val_t",
					     "_ZdlPvmSt11align_val_t",
					     "_ZdlPvRKSt9nothrow_t",
					     "_ZdlPvSt11align_val_tRKSt9nothrow_t",
					     "_ZdaPv",
					     "_ZdaPvm",
					     "_ZdaPvSt11align_val_t",
					     "_ZdaPvmSt11align_val_t",
					     "_ZdaPvRKSt9nothrow_t",
					     "_ZdaPvSt11align_val_tRKSt9nothrow_t"};
	const char *const *of = libc ? names : others;
	size_t length = libc ? sizeof(names) / sizeof(names[0]) : sizeof(others) / sizeof(others[0]);
	for (size_t i = 0; i < length; i++)
		if (strcmp(name, of[i]) == 0)
			return true;
	return false;
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

uint64_t releasing_bytes(const struct target *target, const struct user_regs_struct *regs, bool told_size,
			 bool *vanishes)
{
	*vanishes = true;
	return told_size ? regs->rsi : releasing_block(target, regs->rdi, vanishes);
}
