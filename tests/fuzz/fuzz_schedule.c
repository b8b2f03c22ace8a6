/*
 * Any bytes as a schedule file: it is refused with a reason or understood, and what was understood is the
 * same after it was written and read again.
 */
#include <fmc/replay/schedule.h>

#include "tests/fuzz/require.h"

#include <stdlib.h>
#include <string.h>

static char *write_text(const struct schedule *schedule, size_t *size)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, size);
	require(stream && schedule_write(schedule, stream) == STATUS_OK, "not written");
	fclose(stream);
	return text;
}

static void show(const struct schedule *schedule, unsigned width)
{
	struct show_options options = {.width = width, .colours = width % 2};
	char *shown = NULL;
	size_t size;
	FILE *stream = open_memstream(&shown, &size);
	require(stream, "no memory");
	schedule_show_text(schedule, &options, stream);
	fclose(stream);
	free(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct schedule schedule, again;
	char why[256];
	enum status status = schedule_parse(&schedule, (const char *)data, size, "input", why);
	if (status != STATUS_OK) {
		require(status == STATUS_MALFORMED, "refused for another reason than its form");
		require(strncmp(why, "input:", 6) == 0, "refused without saying where");
		return 0;
	}
	size_t first_size, second_size;
	char *first = write_text(&schedule, &first_size);
	status = schedule_parse(&again, first, first_size, "written", why);
	require(status == STATUS_OK, why);
	char *second = write_text(&again, &second_size);
	require(first_size == second_size && memcmp(first, second, first_size) == 0, "changed by reading");
	show(&schedule, (unsigned)size % 120);
	free(first);
	free(second);
	schedule_release(&schedule);
	schedule_release(&again);
	return 0;
}
