#ifndef FMC_BREAKPOINTS_PROMOTED_H
#define FMC_BREAKPOINTS_PROMOTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Promoted instructions: plain accesses to memory that are operations, each known by its place in a module's file, so that
 * it is the same one in every execution. (Terms and idea: Blum and Gibson, Stateless Model Checking with Data-Race
 * Preemption Points, OOPSLA 2016.)
 */
#define PROMOTED_MOST	256
#define PROMOTED_MODULE 96

struct promoted_place {
	char module[PROMOTED_MODULE]; /* last component of its path */
	uint64_t offset;	      /* of the instruction, in the module's file as it is mapped */
};

struct promoted {
	size_t length;
	struct promoted_place at[PROMOTED_MOST];
};

bool promoted_has(const struct promoted *promoted, const char *module, uint64_t offset);

/* False: it is there already, or there is no room. */
bool promoted_add(struct promoted *promoted, const struct promoted_place *place);

/* As a line of a schedule has it: "MODULE+0xOFFSET". */
#define PROMOTED_TEXT (PROMOTED_MODULE + 20)
void promoted_print(const struct promoted_place *place, char text[PROMOTED_TEXT]);
bool promoted_parse(const char *text, struct promoted_place *place);

#endif
