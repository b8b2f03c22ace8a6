#ifndef FMC_SUPERVISOR_STATE_CHECK_H
#define FMC_SUPERVISOR_STATE_CHECK_H

#include "supervisor/state/state.h"

/* In a function that returns the sentence that fails. */
#define CHECK(condition, sentence)                                                                           \
	do {                                                                                                 \
		if (!(condition))                                                                            \
			return FMC_HERE "it doesn't hold that " sentence;                                    \
	} while (0)

#endif
