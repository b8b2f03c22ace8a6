/*
 * Blocks of memory: what the compiler calls by itself, strings, and tables. Built so that it takes no loop of these for one of their calls.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* From so many bytes on the processor's own way is quicker. */
#define LONG_ENOUGH 256

/* Eight bytes of whatever there is, wherever they begin. */
typedef uint64_t __attribute__((may_alias, aligned(1))) word_type;

static void copy_by_words(char *to, const char *from, size_t size)
{
	for (; size >= 4 * sizeof(uint64_t); size -= 4 * sizeof(uint64_t)) {
		const word_type *at = (const word_type *)from;
		const uint64_t words[] = {at[0], at[1], at[2], at[3]};
		((word_type *)to)[0] = words[0];
		((word_type *)to)[1] = words[1];
		((word_type *)to)[2] = words[2];
		((word_type *)to)[3] = words[3];
		to += sizeof words;
		from += sizeof words;
	}
	for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t)) {
		*(word_type *)to = *(const word_type *)from;
		to += sizeof(uint64_t);
		from += sizeof(uint64_t);
	}
	while (size-- > 0)
		*to++ = *from++;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	void *at = to;
	if (size >= LONG_ENOUGH)
		__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size) : : "memory");
	else
		copy_by_words(to, from, size);
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	char *at = to;
	const char *bytes = from;
	if (at <= bytes)
		copy_by_words(at, bytes, size);
	else
		while (size-- > 0)
			at[size] = bytes[size];
	return to;
}

void *memset(void *to, int value, size_t size)
{
	char *at = to;
	const uint64_t word = UINT64_C(0x0101010101010101) * (uint8_t)value;
	if (size >= LONG_ENOUGH) {
		__asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(value) : "memory");
		return to;
	}
	for (; size >= sizeof word; size -= sizeof word) {
		*(word_type *)at = word;
		at += sizeof word;
	}
	while (size-- > 0)
		*at++ = (char)value;
	return to;
}

int memcmp(const void *one, const void *other, size_t size)
{
	const unsigned char *a = one, *b = other;
	size_t i = 0;
	while (size - i >= sizeof(uint64_t) && *(const word_type *)(a + i) == *(const word_type *)(b + i))
		i += sizeof(uint64_t);
	for (; i < size; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

size_t strlen(const char *text)
{
	size_t length = 0;
	while (text[length])
		length++;
	return length;
}

int strcmp(const char *one, const char *other)
{
	while (*one && *one == *other) {
		one++;
		other++;
	}
	return (unsigned char)*one - (unsigned char)*other;
}

char *strcpy(char *restrict to, const char *restrict from)
{
	return memcpy(to, from, strlen(from) + 1);
}

size_t strspn(const char *text, const char *accepted)
{
	size_t length = 0;
	for (; text[length]; length++) {
		const char *one = accepted;
		while (*one && *one != text[length])
			one++;
		if (!*one)
			break;
	}
	return length;
}

void *bsearch(const void *key, const void *table, size_t count, size_t size,
	      int (*compare)(const void *key, const void *row))
{
	size_t low = 0;
	while (low < count) {
		const size_t middle = low + (count - low) / 2;
		const char *row = (const char *)table + middle * size;
		const int order = compare(key, row);
		if (order == 0)
			return (void *)(uintptr_t)row;
		if (order < 0)
			count = middle;
		else
			low = middle + 1;
	}
	return NULL;
}
