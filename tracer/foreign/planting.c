#include "tracer/foreign/planting_code.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct planting *planting_new(void)
{
	void *memory =
	    mmap(NULL, sizeof(struct planting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void planting_free(struct planting *planting)
{
	if (planting)
		munmap(planting, sizeof *planting);
}

const struct planting_stub *planting_at(const struct planting *planting, uint64_t rip)
{
	for (uint32_t i = 0; i < planting->stubs_length; i++)
		if (rip == planting->stubs[i].address + STUB_MARK)
			return &planting->stubs[i];
	return NULL;
}

/* Would the thread go on in the middle of what a jump takes the place of, or return there from a signal handler? */
static void leave_out(void *context, uint64_t word)
{
	struct planting *planting = context;
	for (uint32_t i = 0; i < planting->stubs_length; i++) {
		struct planting_stub *stub = &planting->stubs[i];
		if (word > stub->entry && word < stub->entry + PLANTING_JUMP)
			stub->used = false;
	}
}

/* The functions are as the stubs were made from; nobody else has changed them meanwhile. */
static bool as_before(const struct planting *planting, const struct target *target)
{
	uint8_t now[4096];
	for (uint32_t i = 0; i < planting->stubs_length; i++) {
		const struct planting_stub *stub = &planting->stubs[i];
		if (target_read(target, stub->entry, now, PLANTING_JUMP) != STATUS_OK ||
		    memcmp(now, stub->original, PLANTING_JUMP) != 0)
			return false;
	}
	for (uint32_t i = 0; i < planting->areas_length; i++) {
		const struct planting_area *area = &planting->areas[i];
		if (target_read(target, area->address, now, area->size) != STATUS_OK ||
		    memcmp(now, area->original, area->size) != 0)
			return false;
	}
	return true;
}

/*
 * Each write stays within one page, so that the kernel does it whole or not at all whenever fmc is killed; the jumps come
 * when there is something to jump to.
 */
enum status planting_plant(struct planting *planting, struct foreign *foreign)
{
	struct target *target = foreign_target(foreign);
	enum status status = STATUS_OK;
	for (uint32_t i = 0; i < planting->stubs_length; i++)
		planting->stubs[i].used = true;
	if (!planting_each_word(foreign, leave_out, planting))
		return STATUS_TIMEOUT;
	if (!as_before(planting, target))
		return STATUS_UNSUPPORTED;
	planting->pid = target_pid(target);
	atomic_store(&planting->planted, 1);
	for (uint32_t i = 0; i < planting->areas_length && status == STATUS_OK; i++)
		status = target_write(target, planting->areas[i].address, planting->areas[i].code,
				      planting->areas[i].size);
	for (uint32_t i = 0; i < planting->stubs_length && status == STATUS_OK; i++)
		if (planting->stubs[i].used)
			status = target_write(target, planting->stubs[i].entry, planting->stubs[i].jump,
					      PLANTING_JUMP);
	return status;
}

/* Puts back what is as we have left it; what has become something else meanwhile isn't ours. */
static void put_back(int memory, uint64_t address, const uint8_t *planted, const uint8_t *original,
		     size_t size)
{
	uint8_t now[4096];
	if (pread(memory, now, size, (off_t)address) == (ssize_t)size && memcmp(now, planted, size) == 0 &&
	    pwrite(memory, original, size, (off_t)address) != (ssize_t)size)
		return; /* the process is gone */
}

static void remove_jumps(const struct planting *planting, int memory)
{
	for (uint32_t i = 0; i < planting->stubs_length; i++)
		put_back(memory, planting->stubs[i].entry, planting->stubs[i].jump,
			 planting->stubs[i].original, PLANTING_JUMP);
}

static void remove_areas(const struct planting *planting, int memory)
{
	for (uint32_t i = 0; i < planting->areas_length; i++)
		put_back(memory, planting->areas[i].address, planting->areas[i].code,
			 planting->areas[i].original, planting->areas[i].size);
}

struct search {
	const struct planting *planting;
	bool found;
};

static void look_for_stub(void *context, uint64_t word)
{
	struct search *search = context;
	for (uint32_t i = 0; i < search->planting->areas_length; i++) {
		const struct planting_area *area = &search->planting->areas[i];
		search->found |= word >= area->address && word < area->address + area->size;
	}
}

enum status planting_remove(struct planting *planting, struct foreign *foreign)
{
	struct search search = {.planting = planting};
	if (!atomic_load(&planting->planted))
		return STATUS_OK;
	remove_jumps(planting, foreign_target(foreign)->memory);
	if (!planting_move_out(planting, foreign))
		return STATUS_TIMEOUT;
	if (!planting_each_word(foreign, look_for_stub, &search) || search.found)
		return STATUS_TIMEOUT;
	remove_areas(planting, foreign_target(foreign)->memory);
	atomic_store(&planting->planted, 0);
	return STATUS_OK;
}

void planting_void(struct planting *planting)
{
	atomic_store(&planting->planted, 0);
}

void planting_remove_child(const struct planting *planting, pid_t child)
{
	struct search search = {.planting = planting};
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/mem", child);
	const int memory = open(path, O_RDWR | O_CLOEXEC);
	if (memory < 0)
		return;
	remove_jumps(planting, memory);
	if (planting_each_word_of(child, memory, look_for_stub, &search) && !search.found)
		remove_areas(planting, memory);
	close(memory);
}
