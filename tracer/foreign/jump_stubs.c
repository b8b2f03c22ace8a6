#include "tracer/foreign/jump_stubs_code.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct jump_stubs *jump_stubs_new(void)
{
	void *memory =
	    mmap(NULL, sizeof(struct jump_stubs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void jump_stubs_free(struct jump_stubs *jumps)
{
	if (jumps)
		munmap(jumps, sizeof *jumps);
}

const struct jump_stub *jump_stubs_at(const struct jump_stubs *jumps, uint64_t rip)
{
	for (uint32_t i = 0; i < jumps->stubs_length; i++)
		if (rip == jumps->stubs[i].address + STUB_MARK)
			return &jumps->stubs[i];
	return NULL;
}

/* Would the thread go on in the middle of what a jump takes the place of, or return there from a signal handler? */
static void leave_out(void *context, uint64_t word)
{
	struct jump_stubs *jumps = context;
	for (uint32_t i = 0; i < jumps->stubs_length; i++) {
		struct jump_stub *stub = &jumps->stubs[i];
		if (word > stub->entry && word < stub->entry + JUMP_BYTES)
			stub->used = false;
	}
}

/* The functions are as the stubs were made from; nobody else has changed them meanwhile. */
static bool as_before(const struct jump_stubs *jumps, const struct target *target)
{
	uint8_t now[4096];
	for (uint32_t i = 0; i < jumps->stubs_length; i++) {
		const struct jump_stub *stub = &jumps->stubs[i];
		if (target_read(target, stub->entry, now, JUMP_BYTES) != STATUS_OK ||
		    memcmp(now, stub->original, JUMP_BYTES) != 0)
			return false;
	}
	for (uint32_t i = 0; i < jumps->areas_length; i++) {
		const struct jump_area *area = &jumps->areas[i];
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
enum status jump_stubs_insert(struct jump_stubs *jumps, struct foreign *foreign)
{
	struct target *target = foreign_target(foreign);
	enum status status = STATUS_OK;
	for (uint32_t i = 0; i < jumps->stubs_length; i++)
		jumps->stubs[i].used = true;
	if (!jump_stubs_each_word(foreign, leave_out, jumps))
		return STATUS_TIMEOUT;
	if (!as_before(jumps, target))
		return STATUS_UNSUPPORTED;
	jumps->pid = target_pid(target);
	atomic_store(&jumps->planted, 1);
	for (uint32_t i = 0; i < jumps->areas_length && status == STATUS_OK; i++)
		status =
		    target_write(target, jumps->areas[i].address, jumps->areas[i].code, jumps->areas[i].size);
	for (uint32_t i = 0; i < jumps->stubs_length && status == STATUS_OK; i++)
		if (jumps->stubs[i].used)
			status =
			    target_write(target, jumps->stubs[i].entry, jumps->stubs[i].jump, JUMP_BYTES);
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

static void remove_jumps(const struct jump_stubs *jumps, int memory)
{
	for (uint32_t i = 0; i < jumps->stubs_length; i++)
		put_back(memory, jumps->stubs[i].entry, jumps->stubs[i].jump, jumps->stubs[i].original,
			 JUMP_BYTES);
}

static void remove_areas(const struct jump_stubs *jumps, int memory)
{
	for (uint32_t i = 0; i < jumps->areas_length; i++)
		put_back(memory, jumps->areas[i].address, jumps->areas[i].code, jumps->areas[i].original,
			 jumps->areas[i].size);
}

struct search {
	const struct jump_stubs *jumps;
	bool found;
};

static void look_for_stub(void *context, uint64_t word)
{
	struct search *search = context;
	for (uint32_t i = 0; i < search->jumps->areas_length; i++) {
		const struct jump_area *area = &search->jumps->areas[i];
		search->found |= word >= area->address && word < area->address + area->size;
	}
}

enum status jump_stubs_remove(struct jump_stubs *jumps, struct foreign *foreign)
{
	struct search search = {.jumps = jumps};
	if (!atomic_load(&jumps->planted))
		return STATUS_OK;
	remove_jumps(jumps, foreign_target(foreign)->memory);
	if (!jump_stubs_move_out(jumps, foreign))
		return STATUS_TIMEOUT;
	if (!jump_stubs_each_word(foreign, look_for_stub, &search) || search.found)
		return STATUS_TIMEOUT;
	remove_areas(jumps, foreign_target(foreign)->memory);
	atomic_store(&jumps->planted, 0);
	return STATUS_OK;
}

void jump_stubs_void(struct jump_stubs *jumps)
{
	atomic_store(&jumps->planted, 0);
}

void jump_stubs_remove_child(const struct jump_stubs *jumps, pid_t child)
{
	struct search search = {.jumps = jumps};
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/mem", child);
	const int memory = open(path, O_RDWR | O_CLOEXEC);
	if (memory < 0)
		return;
	remove_jumps(jumps, memory);
	if (jump_stubs_each_word_of(child, memory, look_for_stub, &search) && !search.found)
		remove_areas(jumps, memory);
	close(memory);
}
