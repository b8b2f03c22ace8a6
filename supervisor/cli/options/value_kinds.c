/* Values of the kinds that several options have: numbers, seconds, words. */
#include "supervisor/cli/options/value_kinds.h"
#include "supervisor/cli/output/say.h"

#include <fmc/breakpoints/suggest.h>

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool value_signal(const char *option, const char *text, int *signal)
{
	char name[32];
	snprintf(name, sizeof name, "%s%s", strncmp(text, "SIG", 3) == 0 ? "" : "SIG", text);
	*signal = signal_by_name(name, strlen(name));
	if (*signal)
		return true;
	say("--%s needs a signal, as TERM, not '%s'", option, text);
	return false;
}

bool value_number(const char *option, const char *text, uint64_t most, uint64_t *number)
{
	char *end;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0 && value <= most) {
		*number = value;
		return true;
	}
	say("--%s needs a whole number%s, not '%s'", option,
	    errno || value > most ? " that isn't so large" : "", text);
	return false;
}

bool value_seconds(const char *option, const char *text, double *seconds)
{
	char *end;
	*seconds = strtod(text, &end);
	if (((text[0] >= '0' && text[0] <= '9') || text[0] == '.') && *end == 0 && *seconds < 1e9)
		return true;
	say("--%s needs a number of seconds, not '%s'", option, text);
	return false;
}

void value_refuse_word(const char *option, const char *text, const char *const words[])
{
	size_t length = 0;
	char known[200] = "";
	for (size_t at = 0; words[length]; length++)
		if (at < sizeof known)
			at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", length ? ", " : "",
					       words[length]);
	const char *meant = suggest(text, words, length);
	if (meant)
		say("--%s doesn't know '%s'; did you mean '%s'?", option, text, meant);
	else
		say("--%s doesn't know '%s'; there is %s", option, text, known);
}

int value_word(const struct option_spec *spec)
{
	const char *const *words = option_words(spec->id);
	for (int i = 0; words[i]; i++)
		if (strcmp(optarg, words[i]) == 0)
			return i;
	value_refuse_word(spec->name, optarg, words);
	return -1;
}

bool value_small(const struct option_spec *spec, uint32_t least, uint32_t *number)
{
	uint64_t value;
	if (!value_number(spec->name, optarg, UINT32_MAX - 1, &value))
		return false;
	if (value < least) {
		say("--%s must be at least %u", spec->name, least);
		return false;
	}
	*number = (uint32_t)value;
	return true;
}
