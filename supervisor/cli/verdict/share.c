/* A shard's part of the verdict, as JSON. */
#include "supervisor/cli/verdict/share.h"
#include "supervisor/cli/output/json_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits of one class. */
#define DIGITS 32

void share_release(struct share *share)
{
	for (char **text = share->learned; text && *text; text++)
		free(*text);
	free(share->learned);
	free(share->under);
	*share = (struct share){0};
}

void share_reason(uint32_t shard, uint32_t shards, char text[SHARE_REASON])
{
	snprintf(text, SHARE_REASON, "only shard %" PRIu32 " of %" PRIu32 " was run (fmc merge)", shard + 1,
		 shards);
}

static json_t *texts_json(char *const *texts)
{
	json_t *list = json_array();
	for (; texts && *texts; texts++)
		json_array_append_new(list, json_text(*texts));
	return list;
}

/* All classes, one after the other, in hexadecimal digits. */
static json_t *classes_json(const struct coverage *coverage)
{
	char *text = malloc(coverage->classes * DIGITS + 1);
	size_t at = 0;
	if (!text)
		return NULL;
	for (size_t i = 0; i < coverage->room && at < coverage->classes * DIGITS; i++) {
		const struct coverage_class *class = &coverage->at[i];
		if (class->count)
			at += (size_t)sprintf(text + at, "%016" PRIx64 "%016" PRIx64, class->hash.high,
					      class->hash.low);
	}
	json_t *json = json_stringn(text, at);
	free(text);
	return json;
}

json_t *share_json(const struct share *share)
{
	if (!share)
		return json_null();
	return json_pack("{s:I, s:I, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o}", "index",
			 (json_int_t)share->shard + 1, "of", (json_int_t)share->shards, "complete",
			 (int)share->complete, "satisfies", (int)share->satisfies, "classes_once",
			 (int)share->classes_once, "split", json_sprintf("%016" PRIx64, share->split),
			 "search", texts_json(share->identity), "learned", texts_json(share->learned),
			 "under", json_text(share->under), "classes", classes_json(share->coverage));
}

static uint64_t mix_text(uint64_t sum, const char *text)
{
	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (sum ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint64_t mix_member(uint64_t sum, const json_t *verdict, const char *name)
{
	char *text = json_dumps(json_object_get(verdict, name),
				JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(6));
	sum = mix_text(mix_text(sum, name), text ? text : "");
	free(text);
	return sum;
}

uint64_t share_sum(const json_t *verdict)
{
	static const char *const names[] = {"conditions", "executions", "transitions",
					    "classes",	  "findings",	"incomplete_because",
					    "strategy",	  "reduced",	"verdict"};
	json_t *shard = json_copy(json_object_get(verdict, "shard"));
	json_object_del(shard, "sum");
	json_t *alone = json_pack("{s:o}", "shard", shard);
	uint64_t sum = mix_member(UINT64_C(0xcbf29ce484222325), alone, "shard");
	json_decref(alone);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		sum = mix_member(sum, verdict, names[i]);
	return sum;
}
