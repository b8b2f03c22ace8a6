#ifndef FMC_BREAKPOINTS_SITES_PURE_FUNCTIONS_H
#define FMC_BREAKPOINTS_SITES_PURE_FUNCTIONS_H

#include "breakpoints/instructions/instruction.h"
#include "breakpoints/symbols/modules.h"

/*
 * Functions of the C++ library that are part of its containers and do with their caller's memory what templates do in the caller's own
 * code: nodes of trees and lists, sizes of hash tables. What they do is watched as the caller's own.
 */
struct pure_visitor {
	void *context;
	void (*function)(void *context, const char *name);
	void (*instruction)(void *context, const struct instruction *instruction); /* all of each */
};

/*
 * Visit those of this module that can be decoded from their beginning to their end and lead nowhere else: one function after the other,
 * each once. What is visited is valid during the visit. STATUS_OK, STATUS_NOT_FOUND if the file can't be read, STATUS_NO_MEMORY.
 */
enum status pure_functions_each(const struct module *module, const struct pure_visitor *visitor);

#endif
