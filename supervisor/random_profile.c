/* From a trace to a profile. */
#include "random_profile.h"

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

static bool reserve(struct random_profile *p, uint32_t threads, size_t length)
{
	random_profile_release(p);
	p->length = length;
	p->threads = calloc(threads ? threads : 1, sizeof *p->threads);
	p->groups = calloc(length ? length : 1, sizeof *p->groups);
	if (!p->threads || !p->groups) {
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
	p->valid = true;
	return true;
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
	p->valid = !loader->failed;
	return p->valid;
}

uint32_t random_profile_draw(const struct random_profile *p, uint64_t seed)
{
	/* Far from the policy's own use of the seed. */
	uint64_t z = (seed ^ UINT64_C(0x5851f42d4c957f2d)) * UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
	z ^= z >> 29;
	if (p->length == 0 || z % EVERY_GROUP_ODDS == 0)
		return EVERY_GROUP;
	return p->groups[z / EVERY_GROUP_ODDS % p->length];
}
