/*
 * Any bytes as a plan or a trace that another process sent: refused, or understood, and then the same after it was
 * written and read again.
 */
#include <fmc/supervisor/coverage.h>
#include <fmc/supervisor/wire.h>

#include "tests/fuzz/require.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require_same(struct saver *first, struct saver *second)
{
	require(!first->failed && !second->failed, "no memory");
	require(first->length == second->length && memcmp(first->at, second->at, first->length) == 0,
		"changed by reading");
	saver_release(first);
	saver_release(second);
}

static void try_trace(struct loader loader)
{
	struct trace trace;
	struct saver first = {0}, second = {0};
	trace_init(&trace);
	if (wire_get_trace(&loader, &trace)) {
		wire_put_trace(&first, &trace);
		loader = (struct loader){first.at, first.length, false};
		require(wire_get_trace(&loader, &trace) && loader.left == 0, "not read again");
		wire_put_trace(&second, &trace);
		require_same(&first, &second);
	}
	trace_release(&trace);
}

static void try_plan(struct loader loader)
{
	struct wire_plan plan;
	struct saver first = {0}, second = {0};
	if (!wire_get_plan(&loader, &plan))
		return;
	wire_put_plan(&first, &plan.plan);
	wire_plan_release(&plan);
	loader = (struct loader){first.at, first.length, false};
	require(wire_get_plan(&loader, &plan) && loader.left == 0, "not read again");
	wire_put_plan(&second, &plan.plan);
	wire_plan_release(&plan);
	require_same(&first, &second);
}

static void try_classes(struct loader loader)
{
	struct coverage coverage;
	struct saver saver = {0};
	coverage_init(&coverage);
	if (coverage_load(&coverage, &loader)) {
		coverage_save(&coverage, &saver);
		require(!saver.failed, "no memory");
	}
	saver_release(&saver);
	coverage_release(&coverage);
}

/* The first byte says as what. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	const struct loader loader = {data + 1, size - 1, false};
	switch (data[0] % 3) {
	case 0:
		try_trace(loader);
		break;
	case 1:
		try_plan(loader);
		break;
	default:
		try_classes(loader);
		break;
	}
	return 0;
}
