#ifndef FMC_BREAKPOINTS_SYMBOLS_SYMBOLS_H
#define FMC_BREAKPOINTS_SYMBOLS_SYMBOLS_H

#include "breakpoints/symbols/modules.h"

/* The symbols that a module defines, from .dynsym and .symtab of its file. */

struct symbol {
	const char *name; /* without its version; valid during the visit */
	uint64_t address; /* in the process */
	uint64_t size;
	bool
	    function; /* else an object; indirect functions (IFUNC) are left out: their value is a resolver */
	bool is_default; /* not a hidden, older version */
};

typedef void symbol_visitor(void *context, const struct symbol *symbol);

/*
 * Visit every defined function and object; one symbol may come twice, once from each table, and one name
 * several times, once for each version. STATUS_NOT_FOUND if the file can't be read.
 */
enum status symbols_each(const struct module *module, symbol_visitor *visit, void *context);

/* The same of indirect functions alone, which the loader chooses one for: the address is that of what chooses. */
enum status symbols_each_chosen(const struct module *module, symbol_visitor *visit, void *context);

/* Names of objects that the module takes from others, at address 0, from .dynsym. */
enum status symbols_each_foreign(const struct module *module, symbol_visitor *visit, void *context);

/*
 * In a static program the code of libc has no module of its own. Linkers place it after the program's own
 * objects and libraries, in the order of the command line; so it begins at the lowest function whose name is
 * reserved to libc. Writes [*low, *high), empty if there is none.
 */
enum status static_libc_range(const struct module *module, uint64_t *low, uint64_t *high);

#endif
