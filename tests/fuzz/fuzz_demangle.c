/* Any bytes as a symbol's name: shown as it is, or as the name of a function of C++ or Rust. */
#include "breakpoints/symbols/places.h"
#include "tests/fuzz/require.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *symbol = strndup((const char *)data, size);
	char *name = symbol ? demangle(symbol) : NULL;
	size_t length = name ? strlen(name) : 0;
	const char *shown = name ? function_shorten(name) : NULL;
	if (name && (shown < name || shown + strlen(shown) > name + length))
		abort();
	free(name);
	free(symbol);
	return 0;
}
