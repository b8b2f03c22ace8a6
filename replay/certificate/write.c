/* Certificates as text. parse.c and parse_tree.c read it; the format's definition is man/fmc-certificate.1. */
#include "replay/certificate/format.h"

#include "replay/text/text.h"
#include "replay/text/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void certificate_file_init(struct certificate_file *file)
{
	*file = (struct certificate_file){0};
	schedule_init(&file->schedule);
	certificate_init(&file->tree);
}

void certificate_file_release(struct certificate_file *file)
{
	schedule_release(&file->schedule);
	certificate_release(&file->tree);
	list_free(file->shown);
	free(file->conditions);
	certificate_file_init(file);
}

/* The header's lines are those of a schedule with no transitions, between its first line and its body. */
static void add_header(struct text *text, const struct certificate_file *file)
{
	struct schedule schedule = file->schedule;
	char *whole = NULL;
	size_t size;
	FILE *stream = open_memstream(&whole, &size);
	schedule.length = 0;
	text->failed |= !stream || schedule_write(&schedule, stream) != STATUS_OK;
	if (stream)
		fclose(stream);
	const char *first = whole ? strchr(whole, '\n') : NULL;
	const char *last = whole ? strstr(whole, "\n" FORMAT_NO_BODY) : NULL;
	text_printf(text, FORMAT_MAGIC " 1\n");
	if (first && last)
		text_add(text, first + 1, (size_t)(last - first));
	else
		text->failed = true;
	text_add(text, "\n", 1);
	free(whole);
}

static void add_value(struct text *text, const char *key, const char *value)
{
	text_printf(text, "%s ", key);
	text_add_value(text, value);
	text_add(text, "\n", 1);
}

static void add_facts(struct text *text, const struct certificate_file *file)
{
	const struct certificate *tree = &file->tree;
	text_printf(text, "method %s\n", certificate_method_name(tree->method));
	if (certificate_method_bounded(tree->method))
		text_printf(text, "bound %" PRIu32 "\n", tree->bound);
	if (tree->sees_memory)
		text_printf(text, "memory-seen yes\n");
	if (tree->ends_count)
		text_printf(text, "ends-count yes\n");
	if (tree->found)
		text_printf(text, "found yes\n");
	for (char **shown = file->shown; shown && *shown; shown++)
		add_value(text, "shown", *shown);
	if (file->conditions)
		add_value(text, "conditions", file->conditions);
	text_printf(text, "executions %" PRIu64 "\nrepeated %" PRIu64 "\n", file->executions,
		    tree->redundant);
}

static void add_object(struct text *text, uint32_t object)
{
	if (object == NO_OBJECT)
		text_add(text, " -", 2);
	else
		text_printf(text, " %" PRIu32, object);
}

static void add_ops(struct text *text, const struct certificate *tree)
{
	for (uint32_t i = 0; i < tree->ops_length; i++) {
		const struct op *op = &tree->ops[i];
		text_printf(text, "op %" PRIu32 " %s", i, op_name((enum op_kind)op->kind));
		add_object(text, op->object);
		add_object(text, op->object2);
		text_printf(text, " %u %" PRId64 " %" PRId64 " %" PRId64 "\n", op->flags, op->arg, op->arg2,
			    op->arg3);
	}
}

static bool has_user_state(const struct object_state *state)
{
	return state->class >= CLASS_USER;
}

static void add_states(struct text *text, const struct certificate *tree)
{
	for (uint32_t i = 0; i < tree->states_length; i++) {
		const struct object_state *state = &tree->states[i];
		text_printf(text, "object %" PRIu32 " %s %" PRIu32, i, class_name(state->class), state->type);
		add_object(text, state->owner);
		text_printf(text, " %" PRIu32 " %" PRIu32 " %" PRIu32, state->count, state->wakeup,
			    state->spurious);
		for (size_t w = 0; has_user_state(state) && w < OBJECT_USER_BYTES / 8; w++)
			text_printf(text, " %" PRIx64, state->user[w]);
		text_add(text, "\n", 1);
	}
}

static void add_met(struct text *text, const struct certificate *tree)
{
	for (uint32_t i = 0; i < tree->met_length; i++)
		text_printf(text, "state %" PRIu32 " %016" PRIx64 "%016" PRIx64 "\n", i,
			    tree->met[i].digest[0], tree->met[i].digest[1]);
}

/* Numbers are most of the file. */
static void add_number(struct text *text, uint32_t number)
{
	char digits[10];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	text_add(text, digits + at, sizeof digits - at);
}

static void add_marked(struct text *text, char mark, uint32_t number)
{
	text_add(text, &mark, 1);
	add_number(text, number);
}

static void add_next(struct text *text, uint32_t next)
{
	if (next <= CERTIFICATE_MOST)
		add_number(text, next);
	else
		text_add(text, next == CERTIFICATE_EXITED ? "x" : next == CERTIFICATE_ASLEEP ? "z" : "g", 1);
}

/* What a node has besides its step and what comes after that. */
static void add_rest(struct text *text, const struct certificate *tree, const struct certificate_node *node)
{
	if (node->births)
		add_marked(text, 'b', node->births);
	if (node->word || node->word2) {
		add_marked(text, 'w', node->word);
		add_marked(text, 'v', node->word2);
	}
	for (uint32_t k = 0; k < node->objects; k++)
		add_marked(text, 'o', tree->seen[node->first + k]);
	if (node->met != CERTIFICATE_NONE)
		add_marked(text, 's', node->met);
	if (node->ready == CERTIFICATE_NONE)
		return;
	const struct certificate_set *set = &tree->sets[node->ready];
	for (uint32_t k = 0; k < set->length; k++)
		add_marked(text, 'r', tree->ready[set->first + k] + 1);
}

static void add_node(struct text *text, const struct certificate *tree, const struct certificate_node *node)
{
	add_marked(text, ' ', node->step.thread + 1);
	text_add(text, ":", 1);
	add_next(text, node->next);
	if (node->step.choice < 0)
		add_marked(text, 'n', (uint32_t)-node->step.choice);
	else if (node->step.choice > 0)
		add_marked(text, 'c', (uint32_t)node->step.choice);
	add_rest(text, tree, node);
}

static void add_end(struct text *text, const struct certificate_end *end)
{
	text_printf(text, " = %s %d", end_reason_name(end->reason), end->value);
	add_object(text, end->thread == NO_THREAD ? NO_OBJECT : end->thread + 1);
	text_printf(text, " %" PRIx64 " %" PRIx64 "\n", end->trace, end->state);
}

static void add_begin(struct text *text, const struct certificate *tree)
{
	text_printf(text, "begin");
	for (uint32_t t = 0; t < tree->begin_length; t++) {
		text_add(text, " ", 1);
		add_next(text, tree->begin[t]);
	}
	text_printf(text, "\nroot .");
	add_rest(text, tree, &tree->nodes[0]);
	text_add(text, "\n", 1);
}

/* Each execution, as how many steps it has of the one before and the rest. Nodes are in the order in which they are written. */
static void add_tree(struct text *text, const struct certificate *tree, uint32_t *depths)
{
	uint32_t kept = 0;
	bool open = false;
	add_begin(text, tree);
	for (uint32_t n = 0; n < tree->nodes_length; n++) {
		const struct certificate_node *node = &tree->nodes[n];
		depths[n] = n ? depths[node->parent] + 1 : 0;
		kept = n ? depths[node->parent] : 0;
		if (!open)
			text_printf(text, "run %" PRIu32, kept);
		open = true;
		if (n > 0)
			add_node(text, tree, node);
		if (node->conclusion == CERTIFICATE_NONE)
			continue;
		add_end(text, &tree->ends[node->conclusion]);
		open = false;
	}
}

char *certificate_file_text(const struct certificate_file *file, size_t *size)
{
	struct text text = {0};
	uint64_t digest[2];
	uint32_t *depths = calloc((size_t)file->tree.nodes_length + 1, sizeof *depths);
	text.failed = !depths;
	add_header(&text, file);
	add_facts(&text, file);
	add_ops(&text, &file->tree);
	add_states(&text, &file->tree);
	add_met(&text, &file->tree);
	if (depths)
		add_tree(&text, &file->tree, depths);
	free(depths);
	certificate_digest(text_string(&text), text.length, digest);
	text_printf(&text, FORMAT_DIGEST " %016" PRIx64 "%016" PRIx64 "\n", digest[0], digest[1]);
	if (text.failed) {
		text_release(&text);
		return NULL;
	}
	*size = text.length;
	return text.data;
}
