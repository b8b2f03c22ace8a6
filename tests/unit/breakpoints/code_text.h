#ifndef FMC_TESTS_CODE_TEXT_H
#define FMC_TESTS_CODE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Instructions as bytes in the test, which those who decode them read as if they were at BASE in a process. */
#define BASE UINT64_C(0x10000)

struct text {
	const char *bytes;
	size_t size;
};

/* What is after the code can't be read. */
static inline size_t read_text(void *context, uint64_t address, uint8_t *code, size_t size)
{
	const struct text *text = context;
	if (address < BASE || address - BASE >= text->size)
		return 0;
	size_t left = text->size - (size_t)(address - BASE);
	memcpy(code, text->bytes + (address - BASE), left < size ? left : size);
	return left < size ? left : size;
}

#endif
