/* Results as other tools read them: which were asked for, and where they go. */
#include "supervisor/cli/verdict/results.h"
#include "supervisor/cli/output/output_file.h"
#include "supervisor/cli/output/say.h"

#include <stdlib.h>
#include <string.h>

bool results_possible(const struct options *options)
{
	return (!options->junit || output_file_check(options->junit)) &&
	       (!options->sarif || output_file_check(options->sarif));
}

static bool write_junit(const struct results *results)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	if (stream)
		junit_print(results, stream);
	bool good = stream && fclose(stream) == 0;
	if (!good)
		say("%s", status_text(STATUS_NO_MEMORY));
	good = good && output_file_write(results->options->junit, text, length);
	free(text);
	return good;
}

static bool write_sarif(const struct results *results)
{
	json_t *json = sarif_json(results);
	char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL, *line = NULL;
	int length = text ? asprintf(&line, "%s\n", text) : -1;
	json_decref(json);
	free(text);
	if (length < 0) {
		say("%s", status_text(STATUS_NO_MEMORY));
		return false;
	}
	bool good = output_file_write(results->options->sarif, line, (size_t)length);
	free(line);
	return good;
}

bool results_write(const struct results *results)
{
	bool good = !results->options->junit || write_junit(results);
	return (!results->options->sarif || write_sarif(results)) && good;
}
