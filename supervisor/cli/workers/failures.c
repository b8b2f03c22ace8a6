/* Telling failures from each other. */
#include "supervisor/cli/workers/failures.h"

#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many of a thread's last operations tell where it stands. */
#define LAST_OPERATIONS 4

void failures_release(struct failures *failures)
{
	free(failures->known);
	*failures = (struct failures){0};
}

static uint64_t mix(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return digest ^ digest >> 32;
}

/* Where thread t stands: its pending operation, and the last ones that it performed. */
static uint64_t digest_thread(const struct trace *trace, uint32_t t)
{
	const struct op *pending = &trace->threads[t].pending;
	uint64_t digest = mix(mix(1, pending->kind), pending->place);
	int left = LAST_OPERATIONS;
	for (size_t i = trace->length; i-- > 0 && left > 0;) {
		if (trace->at[i].thread != t)
			continue;
		digest = mix(mix(digest, trace->at[i].op.kind), trace->at[i].op.place);
		left--;
	}
	return digest;
}

/* Threads count regardless of their order: which of several equal ones fails makes no difference. */
uint64_t failures_digest(const struct trace *trace)
{
	uint64_t threads = 0;
	for (uint32_t t = 0; t < trace->threads_length; t++) {
		if (trace_stuck(trace, t) || t == trace->end_thread)
			threads += digest_thread(trace, t);
	}
	uint64_t digest = mix(mix(threads, (uint64_t)trace->end), (uint64_t)(int64_t)trace->end_value);
	if (trace->other_outcome)
		digest = mix(digest, trace->outcome);
	for (const char *c = trace->message; *c; c++)
		digest = mix(digest, (unsigned char)*c);
	return digest;
}

void failures_count_more(const struct failures *failures, struct verdict *verdict, uint64_t digest,
			 int64_t executions)
{
	for (size_t i = 0; i < failures->length; i++)
		if (failures->known[i].digest == digest)
			verdict->reported[failures->known[i].reported].count += (uint64_t)executions;
}

bool failures_known(const struct failures *failures, uint64_t digest)
{
	for (size_t i = 0; i < failures->length; i++)
		if (failures->known[i].digest == digest)
			return true;
	return false;
}

bool failures_count(struct failures *failures, struct verdict *verdict, const struct trace *trace)
{
	uint64_t digest = failures_digest(trace);
	for (size_t i = 0; i < failures->length; i++) {
		if (failures->known[i].digest != digest)
			continue;
		verdict->reported[failures->known[i].reported].count++;
		return true;
	}
	return false;
}

static size_t find(const struct verdict *verdict, const char *signature)
{
	size_t i = 0;
	while (i < verdict->reported_length && strcmp(verdict->reported[i].finding.signature, signature) != 0)
		i++;
	return i;
}

bool failures_know(struct failures *failures, uint64_t digest, size_t reported)
{
	if (!ARRAY_ONE_MORE(failures->known, failures->length))
		return false;
	failures->known[failures->length++] = (struct failure){digest, reported};
	return true;
}

static bool knows_more(const struct reported *one, const struct reported *other)
{
	const struct knowledge *a = &one->finding.knowledge, *b = &other->finding.knowledge;
	return a->loops > b->loops || a->shared > b->shared;
}

/* One with all operations that are known now can be minimised by the executions that there are now; but what has been written stays. */
static void count_again(struct reported *reported, const struct reported *how)
{
	struct finding left = how->finding;
	if (knows_more(how, reported) && !reported->schedule) {
		left = reported->finding;
		reported->finding = how->finding;
		reported->policy = how->policy;
		reported->least_preemptions = how->least_preemptions;
	}
	reported->count++;
	finding_release(&left);
}

bool failures_add(struct failures *failures, struct verdict *verdict, const struct trace *trace,
		  const struct reported *how, const char *phase)
{
	size_t i = find(verdict, how->finding.signature);
	if (!failures_know(failures, failures_digest(trace), i))
		return false;
	if (i < verdict->reported_length) {
		count_again(&verdict->reported[i], how);
		return true;
	}
	struct reported *reported = verdict_report(verdict);
	if (!reported) {
		failures->length--;
		return false;
	}
	*reported = *how;
	reported->count = 1;
	snprintf(reported->phase, sizeof reported->phase, "%s", phase);
	return true;
}
