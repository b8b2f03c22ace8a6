#include "tracer/target/target.h"

#include <linux/mman.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

bool target_reserve(struct target *target, const struct reserved *room)
{
	struct tracee *tracee = target_tracee(target, 0);
	int64_t result = 0;
	const uint64_t arguments[6] = {room->low,
				       room->high - room->low,
				       room->code ? PROT_READ | PROT_EXEC : PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
				       (uint64_t)-1,
				       0};
	if (target->reserved_length == RESERVED_MAX ||
	    tracee_syscall(tracee, SYS_mmap, arguments, &result) != STATUS_OK ||
	    (uint64_t)result != room->low)
		return false;
	target->reserved[target->reserved_length++] = *room;
	return true;
}

const struct reserved *target_reserved(const struct target *target, size_t i)
{
	return i < target->reserved_length ? &target->reserved[i] : NULL;
}

void reserved_inherit(struct target *copy, const struct target *source)
{
	memcpy(copy->reserved, source->reserved, sizeof copy->reserved);
	copy->reserved_length = source->reserved_length;
}

bool target_is_own(const struct target *target, uint64_t address)
{
	const struct reserved *room;
	bool own = address - GADGET_PAGE < GADGET_PAGE_SIZE;
	for (size_t i = 0; i < target->near_pages_length; i++)
		own |= address - target->near_pages[i] < NEAR_PAGE_SIZE;
	for (size_t i = 0; (room = target_reserved(target, i)); i++)
		own |= address >= room->low && address < room->high;
	return own;
}
