#ifndef FMC_SUPERVISOR_CLI_COMMANDS_MERGE_H
#define FMC_SUPERVISOR_CLI_COMMANDS_MERGE_H

#include "supervisor/cli/options/options.h"

#include <jansson.h>

/* What one shard of a search has left. */
struct piece {
	const char *path;
	json_t *json;	    /* its verdict; NULL: a saved search, which isn't over */
	json_t *shard;	    /* the verdict's member of that name; NULL: the same */
	char **identity;    /* of what the search is, in any case; NULL at its end */
	uint32_t index, of; /* from 1 */
};

/* False after a line about a file that can't be read, or isn't of any shard. */
bool piece_read(struct piece *piece, const char *path);
void piece_release(struct piece *piece);

/* False after a line: they aren't of one search, or one of them is there twice. */
bool pieces_agree(const struct piece *pieces, size_t length);

/* Print what they come to together, write it as JSON if that is wanted; the exit status. */
int pieces_conclude(const struct piece *pieces, size_t length, const struct options *options);

#endif
