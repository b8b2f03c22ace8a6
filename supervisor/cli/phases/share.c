/* What one shard of a search has to tell, so that all of them can be put together. */
#include "supervisor/cli/phases/phases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void explore_note_share(struct exploration *x)
{
	const uint64_t more = x->search.split * UINT64_C(0x9e3779b97f4a7c15);
	if (x->anew || !x->options->search.shards)
		return;
	x->share.split = x->unfair ? x->share.split ^ (more >> 1 | 1) : x->search.split;
	if (!x->unfair)
		x->share.classes_once = x->search.reduced;
}

/* The texts of what has been learned, in any order. */
struct texts {
	char **at;
	size_t length;
	bool failed;
};

static void add_text(struct texts *texts, const char *text)
{
	char **at = reallocarray(texts->at, texts->length + 2, sizeof *at);
	texts->failed |= !at;
	if (!at)
		return;
	texts->at = at;
	at[texts->length] = strdup(text);
	texts->failed |= !at[texts->length];
	texts->length += at[texts->length] != NULL;
	at[texts->length] = NULL;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Loops at whose heads threads are switched, descriptors and accesses that are operations. */
static char **learned_texts(const struct exploration *x)
{
	const struct loops *loops = process_loops(x->session->process);
	const struct shared *shared = process_shared(x->session->process);
	const struct promoted *promoted = x->options->promoted;
	struct texts texts = {0};
	for (uint32_t i = 0; i < loops_length(loops); i++) {
		char text[LOOP_TEXT];
		loop_print(&loops->at[i], text);
		add_text(&texts, text);
	}
	for (uint32_t i = 0; i < shared_length(shared); i++) {
		char text[SHARED_TEXT];
		shared_print(&shared->at[i], text);
		add_text(&texts, text);
	}
	for (size_t i = 0; promoted && i < promoted->length; i++) {
		char text[MODULE_PLACE_TEXT];
		module_place_print(&promoted->at[i], text);
		add_text(&texts, text);
	}
	if (texts.length)
		qsort(texts.at, texts.length, sizeof *texts.at, compare_texts);
	return texts.at;
}

/* Where not all was watched the verdict says that, too; one shard may have had the time for it and another not. */
static char *conditions_of(const struct verdict *verdict)
{
	struct verdict watched = *verdict;
	watched.watched_all = true;
	return verdict_conditions(&watched);
}

void explore_conclude_share(struct exploration *x)
{
	const struct search_options *search = &x->options->search;
	struct verdict *verdict = x->verdict;
	char reason[SHARE_REASON];
	share_reason(search->shard, search->shards, reason);
	x->share.shard = search->shard;
	x->share.shards = search->shards;
	x->share.complete = verdict->complete;
	x->share.satisfies = verdict_satisfies(verdict, x->options);
	/* The first one says which shard it is. */
	x->share.identity = x->resume->identity ? x->resume->identity + 1 : NULL;
	x->share.learned = learned_texts(x);
	x->share.under = conditions_of(verdict);
	x->share.coverage = &x->coverage;
	verdict->share = &x->share;
	verdict->complete = verdict->conditional = verdict->in_order = false;
	verdict_because(verdict, "%s", reason);
}
