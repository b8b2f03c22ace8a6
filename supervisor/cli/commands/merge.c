/* fmc merge: what the shards of a search have left is read, and has to be of one search. */
#include "supervisor/cli/commands/merge.h"
#include "supervisor/cli/kept/resume.h"
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/verdict/share.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const char *path, const char *why)
{
	say("%s: %s", path, why);
	return false;
}

/* Does it begin as a file of --resume does? */
static bool is_saved(const char *path)
{
	static const char magic[] = "fmc search ";
	char begin[sizeof magic] = "";
	FILE *file = fopen(path, "re");
	bool same = file && fread(begin, sizeof magic - 1, 1, file) == 1 && strcmp(begin, magic) == 0;
	if (file)
		fclose(file);
	return same;
}

/* The first of its texts says which shard it is. */
static bool read_saved(struct piece *piece)
{
	char why[256];
	if (resume_tell(piece->path, &piece->identity, why) != STATUS_OK) {
		say("%s", why);
		return false;
	}
	char *first = piece->identity[0], **rest = piece->identity;
	bool good = sscanf(first, "--shard %" SCNu32 "/%" SCNu32, &piece->index, &piece->of) == 2;
	if (!good)
		return refuse(piece->path, "the saved search is no shard's (--shard)");
	free(first);
	do
		rest[0] = rest[1];
	while (*rest++);
	return true;
}

static char **texts_of(const json_t *list)
{
	size_t length = json_array_size(list), i;
	char **texts = calloc(length + 1, sizeof *texts);
	const json_t *text;
	json_array_foreach(list, i, text) if (texts && json_is_string(text)) texts[i] =
	    strdup(json_string_value(text));
	return texts;
}

static bool has_sum(const struct piece *piece)
{
	char sum[20];
	const char *written = json_string_value(json_object_get(piece->shard, "sum"));
	snprintf(sum, sizeof sum, "%016" PRIx64, share_sum(piece->json));
	return written && strcmp(written, sum) == 0;
}

static bool read_json(struct piece *piece)
{
	FILE *file = fopen(piece->path, "re");
	if (!file)
		return refuse(piece->path, strerror(errno));
	piece->json = json_loadf(file, 0, NULL);
	fclose(file);
	if (!json_is_object(piece->json) || !json_is_string(json_object_get(piece->json, "fmc")))
		return refuse(
		    piece->path,
		    "this is neither a result of fmc check as JSON nor a saved search, or it is damaged");
	piece->shard = json_object_get(piece->json, "shard");
	if (!json_is_object(piece->shard))
		return refuse(piece->path, "the search wasn't divided (fmc check --shard)");
	if (strcmp(json_string_value(json_object_get(piece->json, "fmc")), FMC_VERSION) != 0)
		return refuse(piece->path, "the result is another version's of fmc");
	if (!has_sum(piece))
		return refuse(piece->path, "the result is damaged");
	piece->index = (uint32_t)json_integer_value(json_object_get(piece->shard, "index"));
	piece->of = (uint32_t)json_integer_value(json_object_get(piece->shard, "of"));
	piece->identity = texts_of(json_object_get(piece->shard, "search"));
	return piece->identity || refuse(piece->path, status_text(STATUS_NO_MEMORY));
}

bool piece_read(struct piece *piece, const char *path)
{
	*piece = (struct piece){.path = path};
	return is_saved(path) ? read_saved(piece) : read_json(piece);
}

void piece_release(struct piece *piece)
{
	json_decref(piece->json);
	list_free(piece->identity);
	*piece = (struct piece){0};
}

static bool same_search(const struct piece *first, const struct piece *other)
{
	char *const *a = first->identity, *const *b = other->identity;
	for (; *a && *b && strcmp(*a, *b) == 0; a++, b++)
		;
	if (*a || *b)
		say("%s: of another search than %s: '%s' there, '%s' here", first->path, other->path,
		    *a ? *a : "", *b ? *b : "");
	else if (first->of != other->of)
		say("%s: one of %" PRIu32 " shards, and %s is one of %" PRIu32, first->path, first->of,
		    other->path, other->of);
	else
		return true;
	return false;
}

bool pieces_agree(const struct piece *pieces, size_t length)
{
	for (size_t i = 1; i < length; i++) {
		if (!same_search(&pieces[0], &pieces[i]))
			return false;
		for (size_t k = 0; k < i; k++)
			if (pieces[k].index == pieces[i].index) {
				say("%s: shard %" PRIu32 ", as %s is", pieces[i].path, pieces[i].index,
				    pieces[k].path);
				return false;
			}
	}
	return true;
}

int merge_command(const struct options *options)
{
	size_t length = 0, read = 0;
	while (options->target[length])
		length++;
	struct piece *pieces = calloc(length, sizeof *pieces);
	if (!pieces) {
		say("%s", status_text(STATUS_NO_MEMORY));
		return EXITS_SOFTWARE;
	}
	while (read < length && piece_read(&pieces[read], options->target[read]))
		read++;
	int exits = read == length && pieces_agree(pieces, length) ? pieces_conclude(pieces, length, options)
								   : EXITS_DATA;
	for (size_t i = 0; i < length; i++)
		piece_release(&pieces[i]);
	free(pieces);
	return exits;
}
