#ifndef FMC_SUPERVISOR_CLI_KEPT_RESUME_H
#define FMC_SUPERVISOR_CLI_KEPT_RESUME_H

#include "supervisor/cli/session/session.h"

#include <fmc/supervisor/saved.h>

/*
 * A search that takes several runs of fmc (--resume): what it is a search of, and where it stands. The file is
 * there while something is left to be explored.
 *
 * What it holds: the version, when it began, of what it is (a list of texts), the exploration (phases/state.h),
 * the place in the portfolio, the search there (search_save()).
 */
struct resume {
	const char *path;	   /* NULL: the search isn't kept, and nothing else here means anything */
	struct saver file;	   /* as it was read */
	struct loader rest;	   /* of it: what hasn't been taken yet */
	bool going_on;		   /* there was a file, and its search hasn't been taken up yet */
	struct loader exploration; /* what explore_state_load() takes, after resume_load() */
	int64_t start_time;	   /* of the target's clock */
	char **identity;	   /* of what this is a search; NULL at its end */
	size_t position;	   /* phases that are over */
	uint64_t planned;	   /* executions of the present one */
	struct saver search;	   /* its strategy */
	bool unfinished;	   /* the run ended before the search was over */
	bool noted;		   /* unfinished, and resume_note() has been called */
	bool failed;		   /* the last attempt to write the file */
	bool over;		   /* nothing is left to go on with */
	uint64_t saved, cost;	   /* when it was written last (clock_now()), how long that took */
};

/*
 * Read the file of the path, if there is one. STATUS_MALFORMED and others: `why` holds one line, and nothing is to
 * be released.
 */
enum status resume_open(struct resume *resume, const char *path, char why[256]);
void resume_release(struct resume *resume);

/*
 * Of what the saved search in this file is: the texts by which resume_identify() compares, to be freed with list_free(). Else `why` holds
 * one line.
 */
enum status resume_tell(const char *path, char ***identity, char why[256]);

/* After the program has run once: of what this is a search. The file must be of the same; else as above. */
enum status resume_identify(struct resume *resume, const struct session *session, const struct launch *launch,
			    const struct options *options, bool repeatable, char why[512]);

/* Is it time to write the file again? */
bool resume_due(const struct resume *resume);

/* Where the search stands now. False if its strategy can't be saved. */
bool resume_note(struct resume *resume, size_t position, uint64_t planned, const struct search *search);

/* Write the file: `exploration` is what explore_state_save() wrote. */
enum status resume_write(struct resume *resume, const struct saver *exploration, char why[256]);

/* After resume_identify(): the exploration and the place; `rest` is for search_load() then. */
bool resume_load(struct resume *resume);

/* The search is over: nothing is left to go on with. */
void resume_remove(const struct resume *resume);

#endif
