#ifndef FMC_REPLAY_CERTIFICATE_FORMAT_H
#define FMC_REPLAY_CERTIFICATE_FORMAT_H

#include "replay/text/source.h"

#include <fmc/replay/certificate_file.h>

/* What write.c and the parser share. */
#define FORMAT_MAGIC   "fmc-certificate"
#define FORMAT_DIGEST  "digest"
#define FORMAT_NO_BODY "length 0\n" /* ends the header of a schedule without transitions */

struct certificate_parser {
	struct certificate_file *file;
	struct source source;
	const char *at, *end; /* of the line, what hasn't been read */
	uint32_t *path;	      /* nodes of the execution before, the root first */
	uint32_t path_length, path_room;
	bool has_method, has_begin, has_root;
};

#define certificate_fail(p, ...) source_fail(&(p)->source, __VA_ARGS__)

/* A decimal number of at most `most`; false: there is none. The reader is after it. */
bool certificate_number(struct certificate_parser *p, uint64_t most, uint64_t *number);

/* Blanks; false: there are none, and the line goes on. */
bool certificate_blank(struct certificate_parser *p);

/* Up to 16 digits; false: there is none. */
bool certificate_hex(struct certificate_parser *p, uint64_t *number);

/* parse_tree.c: the lines of the tree, without their keys. */
enum status certificate_begin(struct certificate_parser *p);
enum status certificate_root(struct certificate_parser *p);
enum status certificate_run(struct certificate_parser *p);
enum status certificate_tree_end(struct certificate_parser *p);

#endif
