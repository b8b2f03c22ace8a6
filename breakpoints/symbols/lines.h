#ifndef FMC_BREAKPOINTS_SYMBOLS_LINES_H
#define FMC_BREAKPOINTS_SYMBOLS_LINES_H

#include "breakpoints/symbols/places.h"

/* From lines of sources to the code of the program and its libraries, but for those of the system's that it needs to run. */

/* The code of a line. */
struct line_code {
	uint64_t *
	    at; /* where it begins, each address once: also in each place in which the compiler has put it in line */
	size_t length, room;
	int before, after;	  /* the nearest other lines of the file that have code; 0: there are none */
	bool has_file, has_lines; /* the debug information tells of such a file; of any */
};

/*
 * `file` is the end of its path, from a slash on. A line in which a function begins has its code where the function's own begins, after what the
 * compiler puts before that. STATUS_OK, also if there is none; STATUS_NO_MEMORY.
 */
enum status lines_find(struct places *places, const char *file, int line, struct line_code *code);
void lines_release(struct line_code *code);

/* Where a function's own code begins, if that is known; else `address`, where it begins. */
uint64_t lines_after_prologue(struct places *places, uint64_t address);

/* The name of a file that is near this one, of those that have code; NULL: none is. Lives as long as the places. */
const char *lines_near_file(struct places *places, const char *file);

/* Units of the debug information of the modules that are own, until `visit` is true of one; is it? */
typedef bool unit_visitor(void *context, Dwarf_Die *unit, uint64_t bias);
bool lines_each_unit(struct places *places, unit_visitor *visit, void *context);

/* Is the module none of those of the system's that each program has? */
bool module_is_own(const struct module *module);

#endif
