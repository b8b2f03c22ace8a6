#ifndef FMC_TESTS_REQUIRE_H
#define FMC_TESTS_REQUIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What each fuzzer has: the function that gets the bytes, and the end where something doesn't hold that should. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

#endif
