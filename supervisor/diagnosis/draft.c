/* A cause while it is being written. */
#include "supervisor/diagnosis/private.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/assert.h>

#include <stdlib.h>
#include <string.h>

/* Groups of threads that one line can name. */
#define MOST_GROUPS 6

bool thread_list_add(struct thread_list *list, uint32_t thread)
{
	if (!ARRAY_GROW(list->at, list->length, list->room))
		return false;
	list->at[list->length++] = thread;
	return true;
}

bool cause_begin(struct cause_draft *draft, enum cause_kind kind, bool certain)
{
	*draft = (struct cause_draft){.kind = kind, .certain = certain};
	draft->message = open_memstream(&draft->message_text, &draft->message_size);
	draft->evidence = open_memstream(&draft->evidence_text, &draft->evidence_size);
	if (draft->message && draft->evidence) {
		fprintf(draft->message, "%s: ", cause_kind_name(kind));
		return true;
	}
	if (draft->message)
		fclose(draft->message);
	if (draft->evidence)
		fclose(draft->evidence);
	free(draft->message_text);
	free(draft->evidence_text);
	return false;
}

bool cause_end(struct cause_draft *draft, struct diagnosis *diagnosis)
{
	FMC_ASSERT(draft->message && draft->evidence);
	bool good = fclose(draft->message) == 0;
	good = fclose(draft->evidence) == 0 && good;
	struct cause *causes =
	    good ? realloc(diagnosis->causes, (diagnosis->length + 1) * sizeof(*causes)) : NULL;
	if (!causes) {
		free(draft->message_text);
		free(draft->evidence_text);
		free(draft->threads.at);
		return false;
	}
	if (draft->evidence_size == 0) {
		free(draft->evidence_text);
		draft->evidence_text = NULL;
	}
	diagnosis->causes = causes;
	causes[diagnosis->length++] = (struct cause){.kind = draft->kind,
						     .certain = draft->certain,
						     .message = draft->message_text,
						     .evidence = draft->evidence_text,
						     .threads = draft->threads.at,
						     .length = draft->threads.length};
	return true;
}

static bool same_texts(const struct situation *s, uint32_t a, uint32_t b, unsigned flags)
{
	char *texts[2] = {NULL, NULL};
	size_t sizes[2];
	const uint32_t threads[2] = {a, b};
	for (size_t i = 0; i < 2; i++) {
		FILE *stream = open_memstream(&texts[i], &sizes[i]);
		if (!stream)
			break;
		wait_print(s, threads[i], flags, stream);
		fclose(stream);
	}
	bool same = texts[0] && texts[1] && strcmp(texts[0], texts[1]) == 0;
	free(texts[0]);
	free(texts[1]);
	return same;
}

/* One group: all of the list from `first` on that do the same, crossed off. */
static bool print_group(const struct situation *s, const struct thread_list *threads, size_t first,
			unsigned flags, bool *told, FILE *stream)
{
	struct thread_list group = {0};
	bool good = true;
	for (size_t i = first; i < threads->length && good; i++) {
		if (told[i] || (i > first && !same_texts(s, threads->at[first], threads->at[i], flags)))
			continue;
		told[i] = true;
		good = thread_list_add(&group, threads->at[i]);
	}
	threads_print(s, group.at, group.length, stream);
	fputc(' ', stream);
	wait_print(s, threads->at[first], (group.length > 1 ? WAIT_PRINT_MANY : 0) | flags, stream);
	free(group.at);
	return good;
}

static size_t untold(const bool *told, size_t length)
{
	size_t n = 0;
	for (size_t i = 0; i < length; i++)
		n += !told[i];
	return n;
}

bool print_groups(const struct situation *situation, const struct thread_list *threads, unsigned flags,
		  FILE *stream)
{
	bool *told = calloc(threads->length + 1, sizeof(*told));
	bool good = told != NULL;
	const char *between = flags & WAIT_PRINT_CALL ? "; " : ", ";
	size_t groups = 0;
	for (size_t i = 0; i < threads->length && good; i++) {
		if (told[i])
			continue;
		if (groups == MOST_GROUPS) {
			fprintf(stream, "%sand %zu more", between, untold(told, threads->length));
			break;
		}
		fputs(groups++ ? between : "", stream);
		good = print_group(situation, threads, i, flags, told, stream);
	}
	free(told);
	return good;
}

const char *cause_kind_name(enum cause_kind kind)
{
	static const char *const names[CAUSE_KINDS] = {
	    [CAUSE_CRASH] = "crash",
	    [CAUSE_DEADLOCK] = "deadlock",
	    [CAUSE_SELF] = "self-deadlock",
	    [CAUSE_OWNER_DEAD] = "owner-dead",
	    [CAUSE_EMPTY_QUEUE] = "empty-queue",
	    [CAUSE_NOBODY_LEFT] = "nobody-left",
	    [CAUSE_STOPPED] = "stopped",
	    [CAUSE_HOT] = "hot",
	    [CAUSE_CHAIN] = "chain",
	    [CAUSE_IDLE] = "idle",
	    [CAUSE_BUSY] = "busy",
	};
	return kind < CAUSE_KINDS ? names[kind] : "unknown";
}
