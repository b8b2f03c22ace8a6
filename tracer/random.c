#include "tracer/private.h"

#include <errno.h>
static uint64_t next_random(uint64_t *state)
{
	/* splitmix64: Steele, Lea, Flood, OOPSLA 2014. */
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

int64_t random_answer(struct target *target, uint64_t address, uint64_t size)
{
	uint64_t done = 0;
	if (size > INT32_MAX)
		size = INT32_MAX;
	while (done < size) {
		uint64_t bytes = next_random(&target->world.random);
		size_t part = size - done < sizeof bytes ? size - done : sizeof bytes;
		if (target_write(target, address + done, &bytes, part) != STATUS_OK)
			return done ? (int64_t)done : -EFAULT;
		done += part;
	}
	return (int64_t)size;
}
