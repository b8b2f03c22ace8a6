/* What has been planted in modules that came later. */
#include "breakpoints/traps/state.h"

#include <stdlib.h>

const struct loaded *loaded_with(const struct entries *entries, uint64_t address,
				 const struct atomic **atomic)
{
	for (size_t i = 0; i < entries->loaded_length; i++)
		if (entries->loaded[i].mapped && (*atomic = atomics_at(&entries->loaded[i].atomics, address)))
			return &entries->loaded[i];
	*atomic = NULL;
	return NULL;
}

const struct atomic *entries_atomic(const struct entries *entries, uint64_t address)
{
	const struct atomic *atomic;
	if (entries->atomics_use == ATOMICS_IGNORED)
		return NULL;
	atomic = atomics_at(&entries->atomics, address);
	if (!atomic)
		loaded_with(entries, address, &atomic);
	return atomic;
}

bool entries_loaded_byte(const struct entries *entries, uint64_t address, uint8_t *byte)
{
	const struct atomic *atomic;
	const struct loaded *loaded = loaded_with(entries, address, &atomic);
	return loaded && patches_find(&loaded->patches, address, byte);
}

void entries_hide_loaded(const struct entries *entries, uint64_t address, uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < entries->loaded_length; i++)
		if (entries->loaded[i].mapped)
			patches_hide(&entries->loaded[i].patches, address, bytes, size);
}

/* Has it been looked through for all that is looked for, and nothing found? */
static bool is_plain(const struct entries *entries, const struct loaded *loaded)
{
	const bool looked = loaded->has_atomics || entries->atomics_use == ATOMICS_IGNORED;
	return looked && loaded->atomics.length == 0 && loaded->atomics.lost == 0 &&
	       loaded->answered.length == 0;
}

const char *entries_plain_later(const struct entries *entries, size_t *i)
{
	while (*i < entries->loaded_length) {
		const struct loaded *loaded = &entries->loaded[(*i)++];
		if (is_plain(entries, loaded))
			return loaded->path;
	}
	return NULL;
}

void loaded_release(struct loaded *loaded)
{
	free(loaded->path);
	answered_release(&loaded->answered);
	atomics_release(&loaded->atomics);
	patches_release(&loaded->patches);
}

void entries_forget_loaded(struct entries *entries)
{
	for (size_t i = 0; i < entries->loaded_length; i++)
		loaded_release(&entries->loaded[i]);
	free(entries->loaded);
	modules_release(&entries->now);
	entries->loaded = NULL;
	entries->loaded_length = 0;
}
