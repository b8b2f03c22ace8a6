#ifndef FMC_TRACER_KEPT_FILES_H
#define FMC_TRACER_KEPT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/*
 * Files as they were before a program changed them: each name is looked at before the first call that may change what is there, and
 * kept_files_restore() makes it so again. Contents, modes, owners and times of regular files; links; folders, sockets and FIFOs that were
 * there, or weren't. Not: extended attributes, other kinds of files, what is below /proc, /sys and /dev (but /dev/shm).
 */
struct kept_files;

/* NULL: no memory. To be freed, which restores nothing. */
struct kept_files *kept_files_new(void);
void kept_files_free(struct kept_files *files);

/* What a call that is about to be made may change of a file. */
enum kept_part {
	KEPT_NAME,     /* whether there is one by this name, and all that is in it */
	KEPT_CONTENT,  /* of a regular one; another one stays as it is */
	KEPT_METADATA, /* mode, owner and times */
};

/*
 * An absolute path, the last component of which isn't followed if it is a link; not through folders that lead elsewhere later. What can't be
 * kept is remembered for kept_files_missed().
 */
void kept_files_before(struct kept_files *files, const char *path, enum kept_part part);

/* Is what has this name now, without links, of another kind than what was there before, or was there nothing? Then the program has made it. */
bool kept_files_made(const struct kept_files *files, const char *path);

/* Has a change been announced since all was restored last? */
bool kept_files_changed(const struct kept_files *files);

/* Has one ever? */
bool kept_files_any(const struct kept_files *files);

/* The names that have been announced, in order: the i-th, and what there was; st_mode 0: nothing. NULL: there is none. */
const char *kept_files_name(const struct kept_files *files, size_t i, struct stat *was);

/* Nobody uses them any more. */
void kept_files_restore(struct kept_files *files);

/* A file that could not be kept, or restored, and why: a line, or NULL. As long as `files`. */
const char *kept_files_missed(const struct kept_files *files);

#endif
