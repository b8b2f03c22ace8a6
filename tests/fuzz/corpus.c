/* Runs a fuzzer's function on files, without the fuzzer: for the corpora, in `make check`. */
#include "tests/fuzz/require.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_file(const char *path)
{
	static uint8_t data[1 << 22];
	FILE *file = fopen(path, "rb");
	if (!file) {
		perror(path);
		return EXIT_FAILURE;
	}
	size_t size = fread(data, 1, sizeof data, file);
	fclose(file);
	/* Exactly as long as the input, so that reading after it is seen. */
	uint8_t *exact = malloc(size + !size);
	if (!exact) {
		fprintf(stderr, "no memory\n");
		abort();
	}
	memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	int status = EXIT_SUCCESS;
	for (int i = 1; i < argc; i++)
		status |= run_file(argv[i]);
	return status;
}
