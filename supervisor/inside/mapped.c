/*
 * Files that the program maps, as the loader does with a library that comes later: private memory that is filled with what the file has, which nobody
 * changes, so that the kernel tells when it is written. The rest of the last page is zeros, and what lies behind that nobody may touch.
 */
#include "supervisor/inside/agent.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Larger ones the kernel puts elsewhere than memory of this size. */
#define MAPPED_MOST (UINT64_C(2) << 20)

struct mapped {
	uint64_t at, size, rights, descriptor, offset;
	uint64_t pages; /* bytes of those that the file has something in */
};

static uint64_t page_up(uint64_t size)
{
	return (size + PAGE - 1) & ~(PAGE - 1);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* As read(2) fills it. */
static bool fill(const struct mapped *mapped)
{
	for (uint64_t done = 0; done < mapped->pages;) {
		const int64_t result = own_call(SYS_pread64, mapped->descriptor, mapped->at + done,
						mapped->pages - done, mapped->offset + done, 0, 0);
		if (result < 0)
			return false;
		if (result == 0) {
			memset((void *)(mapped->at + done), 0, mapped->pages - done);
			break;
		}
		done += (uint64_t)result;
	}
	return true;
}

static bool may_be_code(const struct stat *file)
{
	for (uint32_t i = 0; i < REGION->libraries_length; i++)
		if (REGION->libraries[i].device == file->st_dev && REGION->libraries[i].inode == file->st_ino)
			return true;
	return false;
}

/* False: it isn't known how to be done. */
static bool find(const struct agent_thread *thread, struct mapped *mapped)
{
	const struct agent_context *context = &thread->context;
	const uint64_t known = MAP_FIXED | MAP_DENYWRITE, code = PROT_WRITE | PROT_EXEC;
	struct stat file;
	*mapped = (struct mapped){.at = context->rdi,
				  .size = page_up(context->rsi),
				  .rights = context->rdx,
				  .descriptor = (uint32_t)context->r8,
				  .offset = context->r9};
	if ((context->r10 & ~known) != MAP_PRIVATE || context->rdx & ~(code | PROT_READ) ||
	    (context->rdx & code) == code || !context->rsi || context->rsi >= MAPPED_MOST ||
	    context->r9 % PAGE || written_is(mapped->descriptor) ||
	    !(files_is_threads(thread, mapped->descriptor) ||
	      files_reads_anywhere(thread, mapped->descriptor)) ||
	    own_call(SYS_fstat, mapped->descriptor, (uint64_t)(uintptr_t)&file, 0, 0, 0, 0) != 0 ||
	    !S_ISREG(file.st_mode) || context->r9 >= (uint64_t)file.st_size ||
	    (context->rdx & PROT_EXEC && !may_be_code(&file)))
		return false;
	mapped->pages = least(mapped->size, page_up((uint64_t)file.st_size) - context->r9);
	return true;
}

/* Memory for it, which may be written: over some that the program has, or where the kernel would put it. */
static bool find_place(const struct agent_context *context, struct mapped *mapped)
{
	struct agent_context memory = *context;
	int64_t result;
	if (context->r10 & MAP_FIXED)
		return spaces_protect(mapped->at, mapped->size, PROT_READ | PROT_WRITE);
	memory.rdx = PROT_READ | PROT_WRITE;
	memory.r10 = MAP_PRIVATE | MAP_ANONYMOUS;
	if (!spaces_map(&memory, &result) || result < 0)
		return false;
	mapped->at = (uint64_t)result;
	return true;
}

static bool put_rights(const struct mapped *mapped)
{
	return spaces_protect(mapped->at, mapped->pages, mapped->rights) &&
	       (mapped->pages == mapped->size ||
		spaces_protect(mapped->at + mapped->pages, mapped->size - mapped->pages, PROT_NONE));
}

bool mapped_file(struct agent_thread *thread)
{
	struct mapped mapped;
	if (!find(thread, &mapped) || !find_place(&thread->context, &mapped) || !spaces_settle() ||
	    !fill(&mapped) || !put_rights(&mapped))
		return agent_refuse(AGENT_BY_CALL, SYS_mmap);
	thread->context.rax = mapped.at;
	return false;
}
