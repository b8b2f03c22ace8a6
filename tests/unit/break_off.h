#ifndef FMC_TESTS_BREAK_OFF_H
#define FMC_TESTS_BREAK_OFF_H

#include "tests/table/crew.h"
#include "tests/unit/suite.h"

#include <fmc/supervisor/search.h>

/* Go on with what was saved of the search; plans that are out are lost. */
static inline struct search *break_off(struct search *search, const struct search_options *options,
				       struct crew *crew)
{
	struct saver saver = {0};
	ck_assert(search_save(search, &saver) && !saver.failed);
	search_free(search);
	search = search_new(options);
	struct loader loader = {saver.at, saver.length, false};
	ck_assert_int_eq(search_load(search, &loader), STATUS_OK);
	ck_assert_uint_eq(loader.left, 0);
	saver_release(&saver);
	crew->search = search;
	crew->length = 0;
	return search;
}

#define UNBROKEN 7 /* executions */

#endif
