/* What all JSON that fmc writes is made of. */
#include "supervisor/cli/output/json_parts.h"
#include "supervisor/cli/output/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

json_t *json_text(const char *string)
{
	if (!string)
		return json_null();
	json_t *value = json_string(string);
	if (value)
		return value;
	char *ascii = strdup(string);
	for (char *c = ascii; c && *c; c++)
		if (*c & 0x80)
			*c = '?';
	value = ascii ? json_string(ascii) : json_null();
	free(ascii);
	return value;
}

static json_t *place_of(const struct frame *frame)
{
	if (frame->file)
		return json_sprintf("%s:%d", frame->file, frame->line);
	if (frame->module)
		return json_sprintf("%s+0x%llx", frame->module, (unsigned long long)frame->offset);
	return json_sprintf("0x%llx", (unsigned long long)frame->address);
}

static json_t *frame_json(const struct frame *frame)
{
	return json_pack("{s:o, s:o, s:o, s:i, s:o}", "place", place_of(frame), "function",
			 json_text(frame->function), "file", json_text(frame->file), "line", frame->line,
			 "module", json_text(frame->module));
}

json_t *json_first_place(const struct frame *frames, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (frames[i].file)
			return place_of(&frames[i]);
	return length ? place_of(&frames[0]) : json_null();
}

json_t *json_stack(const struct frame *frames, size_t length)
{
	json_t *stack = json_array();
	for (size_t i = 0; i < length; i++)
		json_array_append_new(stack, frame_json(&frames[i]));
	return stack;
}

static bool dump(const json_t *json, FILE *stream)
{
	return json_dumpf(json, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0 &&
	       fputc('\n', stream) != EOF && fflush(stream) == 0;
}

bool json_save(json_t *json, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *stream = standard ? stdout : fopen(path, "we");
	bool good = json && stream && dump(json, stream);
	if (stream && !standard)
		good = fclose(stream) == 0 && good;
	if (!good)
		say("%s: can't write JSON: %s", standard ? "standard output" : path, strerror(errno));
	json_decref(json);
	return good;
}
