/* What all forms of results say. */
#include "supervisor/cli/verdict/results.h"

#include <stdlib.h>
#include <string.h>

const char *results_program(const struct results *results)
{
	const char *name = results->options->target[0], *slash = strrchr(name, '/');
	return slash && slash[1] ? slash + 1 : name;
}

char *results_command(const struct results *results)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	for (char **word = results->options->target; *word; word++)
		fprintf(stream, "%s%s", word == results->options->target ? "" : " ", *word);
	if (fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}

char *results_source(const char *path)
{
	char *found = *path == '/' ? realpath(path, NULL) : NULL;
	return found ? found : strdup(path);
}
