#include "breakpoints/symbols/places.h"
#include "breakpoints/unwind/frame.h"

/* First libunwind, then libdwfl. */

void places_unwind(struct places *places, const struct unwinding *unwinding, unwound_visitor *visit,
		   void *context)
{
	struct unwind_frame frame = unwind_frame_first(unwinding);
	if (places->dwfl && !unwind_tables(places, unwinding, &frame, visit, context))
		unwind_dwfl(places, unwinding, &frame, visit, context);
}
