/* The log's memory, which targets and fmc have in common: a file without a name. */
#include "breakpoints/sampler/log_memory.h"

#include <fmc/tracer/inside.h>

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

_Static_assert(sizeof(struct log_memory) == LINES_HIGH - LOG_PAGE &&
		   offsetof(struct log_memory, entries) == LOG_LOW - LOG_PAGE &&
		   offsetof(struct log_memory, filter) == FILTER_LOW - LOG_PAGE &&
		   offsetof(struct log_memory, lines) == LINES_LOW - LOG_PAGE,
	       "as stubs/stub.h has it");

struct sampler_memory *sampler_memory_new(void)
{
	struct sampler_memory *memory = calloc(1, sizeof(*memory));
	if (memory)
		memory->file = -1;
	return memory;
}

static void forget(struct sampler_memory *memory)
{
	if (memory->at)
		munmap(memory->at, sizeof(*memory->at));
	if (memory->file >= 0)
		close(memory->file);
	*memory = (struct sampler_memory){.file = -1};
}

void sampler_memory_free(struct sampler_memory *memory)
{
	if (memory)
		forget(memory);
	free(memory);
}

/* Beyond the limit of files' sizes the kernel would end fmc. */
static bool is_limited(void)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < sizeof(struct log_memory);
}

static bool make(struct sampler_memory *memory)
{
	if (memory->at && memory->owner == getpid())
		return true;
	forget(memory);
	memory->file = is_limited() ? -1 : memfd_create("fmc log", MFD_CLOEXEC);
	if (memory->file < 0 || ftruncate(memory->file, sizeof(*memory->at)) != 0)
		return false;
	void *at = mmap(NULL, sizeof(*memory->at), PROT_READ | PROT_WRITE, MAP_SHARED, memory->file, 0);
	if (at == MAP_FAILED)
		return false;
	memory->at = at;
	memory->owner = getpid();
	return true;
}

bool log_memory_share(struct sampler_memory *memory, struct target *target)
{
	const struct reserved room = {.low = LOG_PAGE, .high = LINES_HIGH};
	return memory && make(memory) && inside_reserve(target, &room, memory->file);
}

struct log_memory *log_memory_of(const struct sampler_memory *memory, const struct target *target)
{
	const struct reserved *room = target_reserved(target, 0);
	return memory && room && room->shared && memory->owner == getpid() ? memory->at : NULL;
}
