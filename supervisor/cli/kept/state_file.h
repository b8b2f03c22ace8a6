#ifndef FMC_SUPERVISOR_CLI_KEPT_STATE_FILE_H
#define FMC_SUPERVISOR_CLI_KEPT_STATE_FILE_H

#include <fmc/supervisor/saved.h>
#include <fmc/tracer/status.h>

/*
 * The state of a search as a file:
 *
 *     "fmc search 1\n", the length of what follows, its check sum (eight bytes each), what follows
 *
 * What follows is of one version of fmc only (see state.h).
 */

/*
 * All that was written, to be released. STATUS_NOT_FOUND: there is no such file; STATUS_MALFORMED: it is something
 * else, cut or damaged; others with errno. `why` holds one line then.
 */
enum status state_file_read(const char *path, struct saver *body, char why[256]);

/* Whatever happens, either the old file or the whole new one has the name. On failure `why` holds one line. */
enum status state_file_write(const char *path, const struct saver *body, char why[256]);

/* And what a killed process has left of writing it. */
void state_file_remove(const char *path);

#endif
