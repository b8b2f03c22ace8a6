#ifndef FMC_REPLAY_CERTIFICATE_FILE_H
#define FMC_REPLAY_CERTIFICATE_FILE_H

#include <fmc/replay/schedule.h>
#include <fmc/supervisor/certificate.h>

/*
 * A certificate file: what was searched, with the keys of a schedule's header, what the search has shown, and its tree.
 * man/fmc-certificate.1 is its definition.
 */
struct certificate_file {
	struct schedule schedule; /* of which only the header counts */
	char **shown;		  /* the verdict's sentences, a line each; NULL at the end, or altogether */
	char *conditions;	  /* under which they hold; NULL: none are known */
	uint64_t executions;	  /* of the search, those that it has run twice among them */
	struct certificate tree;
	uint64_t digest[2]; /* of all that comes before it in the file */
};

void certificate_file_init(struct certificate_file *file);
void certificate_file_release(struct certificate_file *file);

/* As text; NULL without memory. To be freed. */
char *certificate_file_text(const struct certificate_file *file, size_t *size);

/*
 * Read a certificate. On STATUS_MALFORMED, STATUS_NOT_FOUND, STATUS_DENIED, STATUS_SYSTEM and STATUS_NO_MEMORY `why` says what is wrong, a
 * damaged file as "FILE:LINE: reason", and there is nothing to release.
 */
enum status certificate_file_load(struct certificate_file *file, const char *path, char why[256]);
/*
 * The same from memory; `name` is used in messages. `trust`: the digest isn't looked at, so that whatever else is wrong is found, too.
 */
enum status certificate_file_parse(struct certificate_file *file, const char *text, size_t size,
				   const char *name, bool trust, char why[256]);

#endif
