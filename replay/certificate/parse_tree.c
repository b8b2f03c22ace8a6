/* The tree of a certificate, execution by execution. */
#include "replay/certificate/format.h"

#include <fmc/supervisor/machine.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 4096

static enum status no_memory(void)
{
	return STATUS_NO_MEMORY;
}

/* What a thread comes to. */
static bool read_next(struct certificate_parser *p, uint32_t *next)
{
	const struct certificate *tree = &p->file->tree;
	uint64_t number;
	if (p->at < p->end && strchr("xzg", *p->at)) {
		const char letter = *p->at++;
		*next = letter == 'x'	? CERTIFICATE_EXITED
			: letter == 'z' ? CERTIFICATE_ASLEEP
					: CERTIFICATE_GONE;
		return true;
	}
	if (!certificate_number(p, CERTIFICATE_MOST, &number) || number >= tree->ops_length)
		return false;
	*next = (uint32_t)number;
	return true;
}

enum status certificate_begin(struct certificate_parser *p)
{
	struct certificate *tree = &p->file->tree;
	if (p->has_begin)
		return certificate_fail(p, "'begin' is here twice");
	p->has_begin = true;
	while (p->at < p->end) {
		uint32_t next;
		if (!read_next(p, &next) || next == CERTIFICATE_ASLEEP || next == CERTIFICATE_GONE ||
		    (p->at < p->end && !certificate_blank(p)))
			return certificate_fail(p, "expected what the first threads begin with");
		if (tree->begin_length == MOST_THREADS)
			return certificate_fail(p, "more than %d threads", MOST_THREADS);
		if (!ARRAY_GROW(tree->begin, tree->begin_length, tree->begin_room))
			return no_memory();
		tree->begin[tree->begin_length++] = next;
	}
	return STATUS_OK;
}

static enum status add_seen(struct certificate_parser *p, struct certificate_node *node, uint64_t number)
{
	struct certificate *tree = &p->file->tree;
	if (number >= tree->states_length)
		return certificate_fail(p, "there is no object %llu", (unsigned long long)number);
	if (!ARRAY_GROW(tree->seen, tree->seen_length, tree->seen_room))
		return no_memory();
	if (node->objects++ == 0)
		node->first = tree->seen_length;
	tree->seen[tree->seen_length++] = (uint32_t)number;
	return STATUS_OK;
}

static enum status add_ready(struct certificate_parser *p, struct certificate_node *node, uint64_t number)
{
	struct certificate *tree = &p->file->tree;
	if (number == 0 || number > MOST_THREADS)
		return certificate_fail(p, "expected a thread");
	if (!ARRAY_GROW(tree->ready, tree->ready_length, tree->ready_room))
		return no_memory();
	if (node->ready == CERTIFICATE_NONE) {
		if (!ARRAY_GROW(tree->sets, tree->sets_length, tree->sets_room))
			return no_memory();
		tree->sets[tree->sets_length] = (struct certificate_set){tree->ready_length, 0};
		node->ready = tree->sets_length++;
	}
	tree->ready[tree->ready_length++] = (uint32_t)number - 1;
	tree->sets[node->ready].length++;
	return STATUS_OK;
}

static enum status read_mark(struct certificate_parser *p, struct certificate_node *node, char mark,
			     uint64_t number)
{
	switch (mark) {
	case 'n':
		node->step.choice = -(int32_t)(number & INT32_MAX);
		return STATUS_OK;
	case 'c':
		node->step.choice = (int32_t)(number & INT32_MAX);
		return STATUS_OK;
	case 'b':
		node->births = (uint32_t)number;
		return number > MOST_THREADS ? certificate_fail(p, "more than %d threads", MOST_THREADS)
					     : STATUS_OK;
	case 'w':
		node->word = (uint32_t)number;
		return STATUS_OK;
	case 'v':
		node->word2 = (uint32_t)number;
		return STATUS_OK;
	case 'o':
		return add_seen(p, node, number);
	case 'r':
		return add_ready(p, node, number);
	case 's':
		node->met = (uint32_t)number;
		return number < p->file->tree.met_length
			   ? STATUS_OK
			   : certificate_fail(p, "there is no state %llu", (unsigned long long)number);
	default:
		return certificate_fail(p, "unknown mark in a step");
	}
}

/* Letters with numbers, up to a blank. */
static enum status read_marks(struct certificate_parser *p, struct certificate_node *node)
{
	enum status status = STATUS_OK;
	while (status == STATUS_OK && p->at < p->end && *p->at != ' ') {
		const char mark = *p->at++;
		uint64_t number;
		if (!certificate_number(p, UINT32_MAX, &number))
			return certificate_fail(p, "expected a number after a mark in a step");
		status = read_mark(p, node, mark, number);
	}
	return status;
}

static enum status push_path(struct certificate_parser *p, const struct certificate_node *node)
{
	struct certificate *tree = &p->file->tree;
	if (tree->nodes_length >= CERTIFICATE_MOST)
		return certificate_fail(p, "it has too many steps");
	if (!ARRAY_GROW(tree->nodes, tree->nodes_length, tree->nodes_room) ||
	    !ARRAY_GROW(p->path, p->path_length, p->path_room))
		return no_memory();
	p->path[p->path_length++] = tree->nodes_length;
	tree->nodes[tree->nodes_length++] = *node;
	return STATUS_OK;
}

enum status certificate_root(struct certificate_parser *p)
{
	struct certificate_node root = {.parent = CERTIFICATE_NONE,
					.next = CERTIFICATE_ASLEEP,
					.ready = CERTIFICATE_NONE,
					.conclusion = CERTIFICATE_NONE,
					.met = CERTIFICATE_NONE,
					.line = p->source.line};
	if (p->has_root || !p->has_begin)
		return certificate_fail(p,
					p->has_root ? "'root' is here twice" : "'root' comes before 'begin'");
	p->has_root = true;
	if (p->at == p->end || *p->at++ != '.')
		return certificate_fail(p, "expected the initial state");
	const enum status status = read_marks(p, &root);
	return status ? status : push_path(p, &root);
}

static enum status read_step(struct certificate_parser *p)
{
	uint64_t thread;
	struct certificate_node node = {.parent = p->path[p->path_length - 1],
					.ready = CERTIFICATE_NONE,
					.conclusion = CERTIFICATE_NONE,
					.met = CERTIFICATE_NONE,
					.line = p->source.line};
	if (!certificate_number(p, MOST_THREADS, &thread) || thread == 0 || p->at == p->end ||
	    *p->at++ != ':')
		return certificate_fail(p, "expected a step, as in 2:17");
	node.step.thread = (uint32_t)thread - 1;
	if (!read_next(p, &node.next))
		return certificate_fail(
		    p, "expected what the thread comes to, x, z, g or an operation's number");
	const enum status status = read_marks(p, &node);
	return status ? status : push_path(p, &node);
}

bool certificate_hex(struct certificate_parser *p, uint64_t *number)
{
	const char *first = p->at;
	for (*number = 0; p->at < p->end && p->at - first < 16; p->at++) {
		const char *digits = "0123456789abcdef", *digit = strchr(digits, *p->at);
		if (!digit || !*digit)
			break;
		*number = *number << 4 | (uint64_t)(digit - digits);
	}
	return p->at > first;
}

static bool read_reason(struct certificate_parser *p, enum end_reason *reason)
{
	const char *first = p->at;
	while (p->at < p->end && *p->at != ' ')
		p->at++;
	for (int i = END_NONE + 1; i <= END_ERROR; i++) {
		const char *name = end_reason_name((enum end_reason)i);
		if (strlen(name) == (size_t)(p->at - first) && memcmp(name, first, strlen(name)) == 0) {
			*reason = (enum end_reason)i;
			return true;
		}
	}
	return false;
}

static bool read_value(struct certificate_parser *p, int *value)
{
	uint64_t number;
	const bool negative = p->at < p->end && *p->at == '-';
	p->at += negative;
	if (!certificate_number(p, INT32_MAX, &number))
		return false;
	*value = negative ? -(int)number : (int)number;
	return true;
}

static bool read_end_thread(struct certificate_parser *p, uint32_t *thread)
{
	uint64_t number;
	*thread = NO_THREAD;
	if (p->at < p->end && *p->at == '-') {
		p->at++;
		return true;
	}
	if (!certificate_number(p, MOST_THREADS, &number) || number == 0)
		return false;
	*thread = (uint32_t)number - 1;
	return true;
}

/* "= exit 0 - 1234 5678" */
static enum status read_end(struct certificate_parser *p)
{
	struct certificate *tree = &p->file->tree;
	struct certificate_end end = {.node = p->path[p->path_length - 1]};
	p->at++;
	if (!certificate_blank(p) || !read_reason(p, &end.reason) || !certificate_blank(p) ||
	    !read_value(p, &end.value) || !certificate_blank(p) || !read_end_thread(p, &end.thread) ||
	    !certificate_blank(p) || !certificate_hex(p, &end.trace) || !certificate_blank(p) ||
	    !certificate_hex(p, &end.state) || p->at < p->end)
		return certificate_fail(p, "expected how the execution ended");
	if (tree->nodes[end.node].conclusion != CERTIFICATE_NONE)
		return certificate_fail(p, "this execution is here twice");
	if (!ARRAY_GROW(tree->ends, tree->ends_length, tree->ends_room))
		return no_memory();
	tree->nodes[end.node].conclusion = tree->ends_length;
	tree->ends[tree->ends_length++] = end;
	return STATUS_OK;
}

enum status certificate_run(struct certificate_parser *p)
{
	uint64_t kept;
	if (!p->has_root)
		return certificate_fail(p, "an execution comes before 'root'");
	if (!certificate_number(p, UINT32_MAX, &kept) || !certificate_blank(p))
		return certificate_fail(p, "expected how many steps are those of the execution before");
	if (kept >= p->path_length)
		return certificate_fail(p, "the execution before has only %u steps", p->path_length - 1);
	p->path_length = (uint32_t)kept + 1;
	while (p->at < p->end && *p->at != '=') {
		const enum status status = read_step(p);
		if (status)
			return status;
		if (!certificate_blank(p))
			return certificate_fail(p, "expected a blank after a step");
	}
	return p->at < p->end ? read_end(p) : certificate_fail(p, "the execution has no end");
}

/* Of each node the part of the tree below it. */
enum status certificate_tree_end(struct certificate_parser *p)
{
	struct certificate *tree = &p->file->tree;
	if (tree->ends_length == 0)
		return certificate_fail(p, "truncated: there is no execution in it");
	for (uint32_t n = 0; n < tree->nodes_length; n++)
		tree->nodes[n].end = n + 1;
	for (uint32_t n = tree->nodes_length; n-- > 1;) {
		struct certificate_node *parent = &tree->nodes[tree->nodes[n].parent];
		if (parent->end < tree->nodes[n].end)
			parent->end = tree->nodes[n].end;
	}
	return STATUS_OK;
}
