/* From a trace to a profile. */
#include "supervisor/policy/random_profile.h"

#include <stdlib.h>

/* One execution of so many samples the orders of all operations. */
#define EVERY_GROUP_ODDS 4

/* Threads and objects are numbered apart. */
#define THREAD_GROUPS UINT32_C(0x80000000)
#define NO_GROUP      (EVERY_GROUP - 1)

static uint32_t group_of(const struct op *op)
{
	if (op->object == NO_OBJECT)
		return NO_GROUP;
	return op_class(op->kind) == CLASS_THREAD ? op->object | THREAD_GROUPS : op->object;
}

void random_profile_release(struct random_profile *profile)
{
	free(profile->threads);
	free(profile->groups);
	free(profile->contended);
	*profile = (struct random_profile){0};
}

static uint32_t count_threads(const struct trace *trace)
{
	uint32_t threads = trace->threads_length;
	for (size_t i = 0; i < trace->length; i++)
		if (trace->at[i].thread >= threads)
			threads = trace->at[i].thread + 1;
	return threads;
}

static void fill(struct random_profile *p, const struct trace *trace)
{
	for (size_t i = 0; i < trace->length; i++)
		p->threads[trace->at[i].thread].length++;
	size_t first = 0;
	for (uint32_t t = 0; t < p->profile.thread_count; t++) {
		p->threads[t].first = first;
		p->threads[t].parent = NO_THREAD;
		first += p->threads[t].length;
		p->threads[t].length = 0;
	}
	for (size_t i = 0; i < trace->length; i++) {
		const struct transition *transition = &trace->at[i];
		struct profile_thread *thread = &p->threads[transition->thread];
		p->groups[thread->first + thread->length++] = group_of(&transition->op);
		uint32_t child = transition->created;
		if (child != NO_THREAD && child < p->profile.thread_count && child > transition->thread)
			p->threads[child].parent = transition->thread;
	}
}

/* An operation of this group by this thread. */
struct member {
	uint32_t group, thread;
};

static int by_group(const void *a, const void *b)
{
	const struct member *one = a, *other = b;
	if (one->group != other->group)
		return one->group < other->group ? -1 : 1;
	return (one->thread > other->thread) - (one->thread < other->thread);
}

static size_t list_members(const struct random_profile *p, struct member *members)
{
	size_t length = 0;
	for (uint32_t t = 0; t < p->profile.thread_count; t++) {
		const struct profile_thread *thread = &p->threads[t];
		for (size_t i = 0; i < thread->length; i++)
			members[length++] = (struct member){p->groups[thread->first + i], t};
	}
	return length;
}

/* A thread's birth, end and join have one order, so that there is none to draw. */
static bool has_orders(const struct member *members, size_t length)
{
	return !(members[0].group & THREAD_GROUPS) && members[0].thread != members[length - 1].thread;
}

/* Fill in contended; false without memory. */
static bool find_contended(struct random_profile *p)
{
	struct member *members = calloc(p->length ? p->length : 1, sizeof *members);
	if (!members)
		return false;
	const size_t length = list_members(p, members);
	qsort(members, length, sizeof *members, by_group);
	for (size_t first = 0, end; first < length; first = end) {
		for (end = first; end < length && members[end].group == members[first].group;)
			end++;
		for (size_t i = first; i < end && has_orders(members + first, end - first); i++)
			p->contended[p->contended_length++] = members[first].group;
	}
	free(members);
	return true;
}

static bool reserve(struct random_profile *p, uint32_t threads, size_t length)
{
	random_profile_release(p);
	p->length = length;
	p->threads = calloc(threads ? threads : 1, sizeof *p->threads);
	p->groups = calloc(length ? length : 1, sizeof *p->groups);
	p->contended = calloc(length ? length : 1, sizeof *p->contended);
	if (!p->threads || !p->groups || !p->contended) {
		random_profile_release(p);
		return false;
	}
	p->profile = (struct profile){p->threads, threads, p->groups};
	return true;
}

bool random_profile_make(struct random_profile *p, const struct trace *trace)
{
	if (!reserve(p, count_threads(trace), trace->length))
		return false;
	fill(p, trace);
	p->valid = find_contended(p);
	return p->valid;
}

/* Has every thread come to its end, but for the one that ended the process? */
static bool is_whole(const struct trace *trace)
{
	uint32_t last = trace->length ? trace->at[trace->length - 1].thread : NO_THREAD;
	if (trace->end != END_EXIT)
		return false;
	for (uint32_t t = 0; t < trace->threads_length; t++)
		if (trace->threads[t].pending.kind != OP_NONE && t != last)
			return false;
	return true;
}

bool random_profile_take(struct random_profile *p, const struct trace *trace)
{
	bool whole = is_whole(trace);
	if (p->valid && (p->whole || (!whole && trace->length <= p->length)))
		return true;
	if (!random_profile_make(p, trace))
		return false;
	p->whole = whole;
	return true;
}

void random_profile_save(const struct random_profile *p, struct saver *saver)
{
	save_number(saver, p->valid);
	if (!p->valid)
		return;
	save_number(saver, p->whole);
	save_number(saver, p->profile.thread_count);
	save_number(saver, p->length);
	for (uint32_t t = 0; t < p->profile.thread_count; t++) {
		save_number(saver, p->threads[t].length);
		save_number(saver, p->threads[t].parent);
	}
	for (size_t i = 0; i < p->length; i++)
		save_number(saver, p->groups[i]);
}

bool random_profile_load(struct random_profile *p, struct loader *loader)
{
	if (!load_bool(loader))
		return !loader->failed;
	bool whole = load_bool(loader);
	uint32_t threads = (uint32_t)load_most(loader, UINT32_MAX);
	size_t length = load_count(loader, 1);
	if (threads > loader->left / 2)
		load_refuse(loader);
	if (loader->failed || !reserve(p, threads, length))
		return false;
	size_t first = 0;
	for (uint32_t t = 0; t < threads; t++) {
		p->threads[t].first = first;
		p->threads[t].length = (size_t)load_most(loader, length - first);
		p->threads[t].parent = (uint32_t)load_most(loader, UINT32_MAX);
		first += p->threads[t].length;
		if (p->threads[t].parent != NO_THREAD && p->threads[t].parent >= t)
			load_refuse(loader);
	}
	for (size_t i = 0; i < length; i++)
		p->groups[i] = (uint32_t)load_most(loader, UINT32_MAX);
	p->whole = whole;
	p->valid = !loader->failed && find_contended(p);
	return p->valid;
}

uint32_t random_profile_draw(const struct random_profile *p, uint64_t seed)
{
	/* Far from the policy's own use of the seed. */
	uint64_t z = (seed ^ UINT64_C(0x5851f42d4c957f2d)) * UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
	z ^= z >> 29;
	if (p->contended_length == 0 || z % EVERY_GROUP_ODDS == 0)
		return EVERY_GROUP;
	return p->contended[z / EVERY_GROUP_ODDS % p->contended_length];
}
