/*
 * Functions of libc's that touch ranges. clang calls __tsan_memcpy() and its like from LLVM 16 on; gcc and earlier versions call
 * memcpy(), which the linker makes __wrap_memcpy() of with --wrap=memcpy.
 */
#include <fmc/breakpoints/access.h>

#include <stdint.h>

#define FUNCTION(type, name, ...)                                                                            \
	type name(__VA_ARGS__);                                                                              \
	type name(__VA_ARGS__)

/* By the processor's own instructions, since libc's functions may be what these are called in place of. */
static void copy_up(void *to, const void *from, size_t length)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
}

static void copy_down(char *to, const char *from, size_t length)
{
	while (length-- > 0)
		((volatile char *)to)[length] = from[length];
}

static void copy(void *to, const void *from, size_t length)
{
	if ((uintptr_t)to - (uintptr_t)from < length)
		copy_down(to, from, length);
	else
		copy_up(to, from, length);
}

static void fill(void *to, int value, size_t length)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(length) : "a"(value) : "memory");
}

/* They are told of as one operation: nobody comes between two bytes. */
#define COPY(name)                                                                                           \
	FUNCTION(void *, name, void *to, const void *from, size_t length)                                    \
	{                                                                                                    \
		if (length > 0)                                                                              \
			fmc_access(to, length, ACCESS_COPIES, CALLER, from);                                 \
		copy(to, from, length);                                                                      \
		return to;                                                                                   \
	}
#define SET(name)                                                                                            \
	FUNCTION(void *, name, void *to, int value, size_t length)                                           \
	{                                                                                                    \
		if (length > 0)                                                                              \
			fmc_access(to, length, ACCESS_WRITES, CALLER, NULL);                                 \
		fill(to, value, length);                                                                     \
		return to;                                                                                   \
	}

COPY(__tsan_memcpy)
COPY(__tsan_memmove)
SET(__tsan_memset)

COPY(__wrap_memcpy)
COPY(__wrap_memmove)
SET(__wrap_memset)
