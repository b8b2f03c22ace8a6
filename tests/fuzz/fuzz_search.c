/*
 * Any bytes as the saved state of a search: refused, or gone on with for a while, saved and loaded again. The first
 * byte names the strategy; what says which search it is stands there already.
 */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/saved.h>
#include <fmc/supervisor/search.h>

#include "tests/fuzz/require.h"
#include "tests/table/table_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXECUTIONS 12

/* The bytes that any saved search with these options begins with, then these. */
static unsigned char *with_options(const struct search_options *options, const uint8_t *data, size_t size,
				   size_t *length)
{
	struct search *search = search_new(options);
	struct saver saver = {0};
	size_t ignored;
	require(search && search_save(search, &saver) && !saver.failed, "not saved");
	struct loader loader = {saver.at, saver.length, false};
	load_bytes(&loader, &ignored);
	size_t head = saver.length - loader.left;
	unsigned char *bytes = malloc(head + size);
	require(bytes, "no memory");
	memcpy(bytes, saver.at, head);
	memcpy(bytes + head, data, size);
	*length = head + size;
	saver_release(&saver);
	search_free(search);
	return bytes;
}

/* Half of the plans stay out. */
static void go_on(struct search *search)
{
	struct table_program program;
	struct table_machine machine;
	struct trace trace;
	struct plan plan;
	table_random(&program, 10, false);
	table_machine_init(&machine, &program);
	struct execution *execution = execution_new(&machine.machine);
	require(execution, "no memory");
	trace_init(&trace);
	for (int i = 0; i < EXECUTIONS && search_next(search, &plan) == SEARCH_PLAN; i++) {
		if (i % 2)
			continue;
		execution_run(execution, &plan, &trace);
		(void)search_feed(search, plan.ticket, &trace); /* only that it ends */
	}
	trace_release(&trace);
	execution_free(execution);
}

/* What came of bytes that nobody saved needn't be accepted again. */
static struct search *load(const struct search_options *options, const unsigned char *bytes, size_t length)
{
	struct loader loader = {bytes, length, false};
	struct search *search = search_new(options);
	require(search, "no memory");
	enum status status = search_load(search, &loader);
	require(status == STATUS_OK || status == STATUS_MALFORMED,
		"refused for another reason than its form");
	if (status == STATUS_OK)
		return search;
	search_free(search);
	return NULL;
}

static void save_again(const struct search_options *options, const struct search *search)
{
	struct saver saver = {0};
	require(search_save(search, &saver) && !saver.failed, "not saved again");
	search_free(load(options, saver.at, saver.length));
	saver_release(&saver);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct search_options options = {
	    .bound = 2, .cache = true, .sees_memory = true, .fair_k = 1, .max_depth = 60};
	if (size == 0)
		return 0;
	options.strategy = (enum strategy)(data[0] % STRATEGIES);
	options.cache = options.strategy == STRATEGY_CB;
	if (!strategy_saved(options.strategy))
		return 0;
	size_t length;
	unsigned char *bytes = with_options(&options, data + 1, size - 1, &length);
	struct search *search = load(&options, bytes, length);
	free(bytes);
	if (search) {
		go_on(search);
		save_again(&options, search);
	}
	search_free(search);
	return 0;
}
