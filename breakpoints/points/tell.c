/* Alone in its file, so that the compiler has no other function of it for callers that it knows. */
#include <fmc/breakpoints/access.h>

void fmc_access(const volatile void *address, size_t length, int kind, const void *place,
		const volatile void *other)
{
	__asm__ volatile("" ::"r"(address), "r"(length), "r"(kind), "r"(place), "r"(other) : "memory");
}
