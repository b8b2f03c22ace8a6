/*
 * Functions of libc's that touch ranges. clang calls __tsan_memcpy() and its like from LLVM 16 on; gcc and earlier versions call
 * memcpy(), which the linker makes __wrap_memcpy() of with --wrap=memcpy.
 */
#include <fmc/breakpoints/access.h>

#include <stdbool.h>
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

#define WORD	8
#define LARGEST (1u << 20)

/*
 * Others may see what is more than a word in parts: it is made in two, the first of whole words, as where nothing is told (breakpoints/entries/decode.c).
 * `from`: what is copied, and not so where one half is copied over the other; else NULL.
 */
static size_t first_part(const char *to, const char *from, size_t length)
{
	const bool overlap = from && to < from + length && from < to + length;
	return length > WORD && length <= LARGEST && !overlap ? (length / 2 + WORD - 1) / WORD * WORD
							      : length;
}

#define COPY(name)                                                                                           \
	FUNCTION(void *, name, void *to, const void *from, size_t length)                                    \
	{                                                                                                    \
		const size_t first = first_part(to, from, length);                                           \
		if (length > 0)                                                                              \
			fmc_access(to, first, ACCESS_COPIES, CALLER, from);                                  \
		copy(to, from, first);                                                                       \
		if (first < length) {                                                                        \
			fmc_access((char *)to + first, length - first, ACCESS_COPIES, CALLER,                \
				   (const char *)from + first);                                              \
			copy((char *)to + first, (const char *)from + first, length - first);                \
		}                                                                                            \
		return to;                                                                                   \
	}
#define SET(name)                                                                                            \
	FUNCTION(void *, name, void *to, int value, size_t length)                                           \
	{                                                                                                    \
		const size_t first = first_part(to, NULL, length);                                           \
		if (length > 0)                                                                              \
			fmc_access(to, first, ACCESS_WRITES, CALLER, NULL);                                  \
		fill(to, value, first);                                                                      \
		if (first < length) {                                                                        \
			fmc_access((char *)to + first, length - first, ACCESS_WRITES, CALLER, NULL);         \
			fill((char *)to + first, value, length - first);                                     \
		}                                                                                            \
		return to;                                                                                   \
	}

COPY(__tsan_memcpy)
COPY(__tsan_memmove)
SET(__tsan_memset)

COPY(__wrap_memcpy)
COPY(__wrap_memmove)
SET(__wrap_memset)
