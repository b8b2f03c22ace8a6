/*
 * Who waits for whom at the end, as a graph of threads and objects: an edge from a thread to what it waits for, one
 * from an object to who holds it. A cycle is a deadlock, and red.
 */
#include "replay/picture/picture.h"

#include "replay/text/words.h"

#include <stdlib.h>
#include <string.h>

/* Threads come first, then objects. */
struct edge {
	uint32_t from, to;
	const struct span *span;
};

struct graph {
	const struct picture *picture;
	uint32_t threads, nodes;
	struct edge *edges;
	size_t length;
	bool *seen;	 /* by the search for a way */
	uint32_t *stack; /* of that search */
	FILE *stream;
};

static uint32_t node_of(const struct graph *g, enum object_class class, uint32_t object)
{
	return class == CLASS_THREAD ? object : g->threads + object;
}

static bool at_end(const struct picture *picture, const struct span *span)
{
	return span->to == picture->schedule->length + 1;
}

static bool collect_edges(struct graph *g)
{
	const struct picture *p = g->picture;
	g->threads = picture_threads(p);
	for (size_t i = 0; i < p->spans_length; i++)
		if (p->spans[i].class == CLASS_THREAD && p->spans[i].object >= g->threads)
			g->threads = p->spans[i].object + 1;
	g->nodes = g->threads;
	g->edges = calloc(p->spans_length + 1, sizeof *g->edges);
	if (!g->edges)
		return false;
	for (size_t i = 0; i < p->spans_length; i++) {
		const struct span *span = &p->spans[i];
		if (!at_end(p, span) || span->class == CLASS_NONE)
			continue;
		uint32_t object = node_of(g, span->class, span->object);
		bool holds = span->kind == SPAN_HOLDS;
		g->edges[g->length++] = (struct edge){
		    .from = holds ? object : span->thread, .to = holds ? span->thread : object, .span = span};
		g->nodes = object >= g->nodes ? object + 1 : g->nodes;
	}
	g->seen = calloc(g->nodes + 1u, sizeof *g->seen);
	g->stack = calloc(g->nodes + 1u, sizeof *g->stack);
	return g->seen && g->stack;
}

/* Is there a way from one node to another? */
static bool reaches(struct graph *g, uint32_t from, uint32_t to)
{
	size_t depth = 0;
	memset(g->seen, 0, g->nodes * sizeof *g->seen);
	g->stack[depth++] = from;
	g->seen[from] = true;
	while (depth > 0) {
		uint32_t node = g->stack[--depth];
		if (node == to)
			return true;
		for (size_t i = 0; i < g->length; i++) {
			uint32_t next = g->edges[i].to;
			if (g->edges[i].from != node || g->seen[next])
				continue;
			g->seen[next] = true;
			g->stack[depth++] = next;
		}
	}
	return false;
}

static void put_quoted(FILE *stream, const struct text *text)
{
	fputc('"', stream);
	for (const char *c = text_string(text); *c; c++)
		fprintf(stream, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	fputc('"', stream);
}

static bool in_cycle(struct graph *g, uint32_t node)
{
	for (size_t i = 0; i < g->length; i++)
		if (g->edges[i].from == node && reaches(g, g->edges[i].to, node))
			return true;
	return false;
}

static void put_node(struct graph *g, uint32_t node, const struct text *label, const char *shape)
{
	bool cycle = in_cycle(g, node);
	fprintf(g->stream, "  n%u [shape=%s, label=", node, shape);
	put_quoted(g->stream, label);
	fprintf(g->stream, "%s];\n", cycle ? ", color=\"#c00000\", penwidth=2" : "");
}

static void put_threads(struct graph *g)
{
	const struct finding *end = &g->picture->end;
	struct text label = {0};
	for (uint32_t t = 0; t < g->threads; t++) {
		text_clear(&label);
		words_thread(&label, g->picture->schedule, t);
		bool exited = t < end->trace.threads_length && end->trace.threads[t].pending.kind == OP_NONE;
		put_node(g, t, &label, exited ? "box, style=dotted" : "box");
	}
	text_release(&label);
}

/* Objects that somebody waits for or holds. */
static void put_objects(struct graph *g)
{
	struct text label = {0};
	bool *put = calloc(g->nodes + 1u, sizeof *put);
	for (size_t i = 0; i < g->length && put; i++) {
		const struct span *span = g->edges[i].span;
		uint32_t node = node_of(g, span->class, span->object);
		if (span->class == CLASS_THREAD || put[node])
			continue;
		put[node] = true;
		text_clear(&label);
		picture_add_object(&label, g->picture, span->class, span->object);
		put_node(g, node, &label, "ellipse");
	}
	free(put);
	text_release(&label);
}

static void put_edges(struct graph *g)
{
	struct text label = {0};
	for (size_t i = 0; i < g->length; i++) {
		const struct edge *edge = &g->edges[i];
		text_clear(&label);
		if (edge->span->kind == SPAN_HOLDS)
			text_printf(&label, edge->span->shared ? "read by" : "held by");
		else
			text_printf(&label, "waits for, in %s", op_name(edge->span->op));
		fprintf(g->stream, "  n%u -> n%u [label=", edge->from, edge->to);
		put_quoted(g->stream, &label);
		bool cycle = reaches(g, edge->to, edge->from);
		fprintf(g->stream, "%s];\n", cycle ? ", color=\"#c00000\", penwidth=2" : "");
	}
	text_release(&label);
}

static void put_title(struct graph *g)
{
	struct text title = {0};
	words_ending(&title, g->picture->schedule);
	if (!g->picture->replayed)
		text_printf(&title, " (not replayed: who waits for whom isn't known)");
	fprintf(g->stream, "  label=");
	put_quoted(g->stream, &title);
	fprintf(g->stream, ";\n");
	text_release(&title);
}

void picture_write_dot(const struct picture *picture, FILE *stream)
{
	struct graph g = {.picture = picture, .stream = stream};
	fputs("digraph waits {\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n",
	      stream);
	if (collect_edges(&g)) {
		put_title(&g);
		put_threads(&g);
		put_objects(&g);
		put_edges(&g);
	}
	fputs("}\n", stream);
	free(g.edges);
	free(g.seen);
	free(g.stack);
}
