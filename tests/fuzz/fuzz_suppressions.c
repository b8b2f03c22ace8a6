/* Any bytes as a file of suppressions: taken apart or refused with the line, and its patterns looked for in its own text. */
#include "tests/fuzz/require.h"

#include <fmc/supervisor/suppressions.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct suppressions suppressions = {0};
	char why[SUPPRESSIONS_WHY] = "";
	const enum status status = suppressions_parse(&suppressions, (const char *)data, size, why);
	char *name = strndup((const char *)data, size);
	if (status == STATUS_MALFORMED && strncmp(why, "line ", 5) != 0)
		abort();
	for (enum suppression_kind kind = SUPPRESSION_RACE; name && kind <= SUPPRESSION_RACE_TOP; kind++)
		(void)suppressions_match(&suppressions, kind, name);
	free(name);
	suppressions_release(&suppressions);
	return 0;
}
