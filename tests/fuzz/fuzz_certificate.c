/*
 * Any bytes as a certificate: it is refused with a reason or understood, what was understood is the same after it was written and read
 * again, and the check comes to an end, whatever the file says of the program. The digest isn't looked at.
 */
#include <fmc/replay/certificate_file.h>

#include "tests/fuzz/require.h"

#include <stdlib.h>
#include <string.h>

static void parse(struct certificate_file *file, const char *text, size_t size)
{
	char why[256] = "";
	require(certificate_file_parse(file, text, size, "written", false, why) == STATUS_OK, why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct certificate_file file, again;
	struct certificate_report report;
	char why[256];
	enum status status = certificate_file_parse(&file, (const char *)data, size, "input", true, why);
	if (status != STATUS_OK) {
		require(status == STATUS_MALFORMED, "refused for another reason than its form");
		require(strncmp(why, "input:", 6) == 0, "refused without saying where");
		return 0;
	}
	size_t first_size, second_size;
	char *first = certificate_file_text(&file, &first_size);
	require(first, "not written");
	parse(&again, first, first_size);
	char *second = certificate_file_text(&again, &second_size);
	require(second && first_size == second_size && memcmp(first, second, first_size) == 0,
		"changed by reading");
	status = certificate_check(&again.tree, true, &report);
	require(status == STATUS_OK || (status == STATUS_MALFORMED && *report.why), "no reason");
	free(first);
	free(second);
	certificate_file_release(&file);
	certificate_file_release(&again);
	return 0;
}
