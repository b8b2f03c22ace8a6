/* Memory of a target in which calls pass without stops. */
#include "breakpoints/leads/passes.h"

#include <fmc/tracer/inside.h>

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TOLD_BYTES ((sizeof(struct passes) + 4095) & ~4095ul)

/* Beyond the limit of files' sizes the kernel would end fmc. */
static int make_file(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < TOLD_BYTES)
		return -1;
	const int file = memfd_create("fmc passes", MFD_CLOEXEC);
	if (file >= 0 && ftruncate(file, TOLD_BYTES) == 0)
		return file;
	if (file >= 0)
		close(file);
	return -1;
}

static bool reserve(struct target *target, int file)
{
	const struct reserved code = {.low = PASSES_MUTEX_CODE, .high = PASSES_CONTROL, .code = true};
	const struct reserved data = {.low = PASSES_CONTROL, .high = PASSES_TOLD};
	const struct reserved told = {.low = PASSES_TOLD, .high = PASSES_TOLD + TOLD_BYTES};
	const uint64_t wiped[6] = {PASSES_CONTROL, PASSES_NAMES - PASSES_CONTROL, MADV_WIPEONFORK};
	int64_t result = -1;
	return target_reserve(target, &code) && target_reserve(target, &data) &&
	       tracee_syscall(target_tracee(target, 0), SYS_madvise, wiped, &result) == STATUS_OK &&
	       result == 0 && inside_reserve(target, &told, file);
}

struct passes *passes_make(struct target *target)
{
	const int file = make_file();
	void *at =
	    file < 0 ? MAP_FAILED : mmap(NULL, TOLD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	const bool made = at != MAP_FAILED && reserve(target, file);
	if (file >= 0)
		close(file);
	if (made)
		return at;
	if (at != MAP_FAILED)
		munmap(at, TOLD_BYTES);
	return NULL;
}

void passes_free(struct passes *passes)
{
	if (passes)
		munmap(passes, TOLD_BYTES);
}

enum status passes_let_mutexes(struct target *target, uint64_t calls)
{
	return target_write(target, PASSES_CONTROL + offsetof(struct passes_control, mutexes), &calls,
			    sizeof(calls));
}

enum status passes_let_transfers(struct target *target, bool let)
{
	const uint64_t word = let;
	return target_write(target, PASSES_CONTROL + offsetof(struct passes_control, transfers), &word,
			    sizeof(word));
}
