/* Counting happens-before classes. */
#include <fmc/supervisor/coverage.h>

#include <stdlib.h>

#define FIRST_ROOM 1024
#define RECENT	   1000

void coverage_init(struct coverage *coverage)
{
	*coverage = (struct coverage){0};
}

void coverage_release(struct coverage *coverage)
{
	free(coverage->at);
	happens_before_free(coverage->happens_before);
	coverage_init(coverage);
}

static size_t slot_of(const struct coverage_class *at, size_t room, struct trace_hash hash)
{
	size_t slot = (hash.low ^ hash.high >> 7) & (room - 1);
	while (at[slot].count && (at[slot].hash.low != hash.low || at[slot].hash.high != hash.high))
		slot = (slot + 1) & (room - 1);
	return slot;
}

static bool grow(struct coverage *coverage)
{
	size_t room = coverage->room ? 2 * coverage->room : FIRST_ROOM;
	struct coverage_class *at = calloc(room, sizeof *at);
	if (!at)
		return false;
	for (size_t i = 0; i < coverage->room; i++)
		if (coverage->at[i].count)
			at[slot_of(at, room, coverage->at[i].hash)] = coverage->at[i];
	free(coverage->at);
	coverage->at = at;
	coverage->room = room;
	return true;
}

/* Without fairness: whether priorities differ after it makes no difference to what an execution did. */
bool coverage_class(struct coverage *coverage, const struct trace *trace, struct trace_hash *hash)
{
	if (!coverage->happens_before)
		coverage->happens_before = happens_before_new();
	struct happens_before *hb = coverage->happens_before;
	if (!hb || !happens_before_start_hash(hb, trace) || !happens_before_push_all(hb))
		return false;
	*hash = happens_before_hash(hb, trace->length);
	return true;
}

bool coverage_note(struct coverage *coverage, const struct trace *trace)
{
	struct trace_hash hash;
	return coverage_class(coverage, trace, &hash) && coverage_count(coverage, hash);
}

bool coverage_count(struct coverage *coverage, struct trace_hash hash)
{
	if (2 * (coverage->classes + 1) > coverage->room && !grow(coverage))
		return false;
	struct coverage_class *class = &coverage->at[slot_of(coverage->at, coverage->room, hash)];
	bool new = class->count == 0;
	coverage->classes += new;
	coverage->once += new;
	coverage->once -= class->count == 1;
	class->hash = hash;
	class->count += class->count < 2;
	coverage->executions++;
	if (coverage->recent == RECENT) {
		coverage->recent /= 2;
		coverage->recent_new /= 2;
	}
	coverage->recent++;
	coverage->recent_new += new;
	return true;
}

double coverage_saturation(const struct coverage *coverage)
{
	if (coverage->recent == 0)
		return 0;
	return 1 - (double)coverage->recent_new / (double)coverage->recent;
}

#define LEAST_CLASS 3 /* bytes */

void coverage_save(const struct coverage *coverage, struct saver *saver)
{
	save_number(saver, coverage->executions);
	save_number(saver, coverage->once);
	save_number(saver, coverage->recent);
	save_number(saver, coverage->recent_new);
	save_number(saver, coverage->classes);
	for (size_t i = 0; i < coverage->room; i++) {
		const struct coverage_class *class = &coverage->at[i];
		if (!class->count)
			continue;
		save_number(saver, class->hash.low);
		save_number(saver, class->hash.high);
		save_number(saver, class->count - 1);
	}
}

bool coverage_load(struct coverage *coverage, struct loader *loader)
{
	coverage->executions = load_number(loader);
	coverage->once = load_number(loader);
	coverage->recent = load_most(loader, RECENT);
	coverage->recent_new = load_most(loader, coverage->recent);
	uint64_t classes = load_count(loader, LEAST_CLASS);
	for (; coverage->classes < classes; coverage->classes++) {
		if (2 * (coverage->classes + 1) > coverage->room && !grow(coverage))
			return false;
		struct trace_hash hash = {.low = load_number(loader)};
		hash.high = load_number(loader);
		struct coverage_class *class = &coverage->at[slot_of(coverage->at, coverage->room, hash)];
		if (class->count || loader->failed)
			return false;
		class->hash = hash;
		class->count = 1 + (uint32_t)load_most(loader, 1);
	}
	return !loader->failed;
}
