#ifndef FMC_BREAKPOINTS_MODULE_PLACE_H
#define FMC_BREAKPOINTS_MODULE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* An instruction, by its place in a module's file: the same one in every execution, wherever the module is loaded. */
#define MODULE_PLACE_NAME 96

struct module_place {
	char module[MODULE_PLACE_NAME]; /* last component of its path */
	uint64_t offset;		/* in the module's file as it is mapped */
};

bool module_place_equal(const struct module_place *a, const struct module_place *b);

/* As text: "MODULE+0xOFFSET". */
#define MODULE_PLACE_TEXT (MODULE_PLACE_NAME + 20)
void module_place_print(const struct module_place *place, char text[MODULE_PLACE_TEXT]);

/* The place that the text begins with; *rest is what comes after it. False: it is none, and *place is undefined. */
bool module_place_parse(const char *text, struct module_place *place, const char **rest);

#endif
