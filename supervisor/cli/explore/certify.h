#ifndef FMC_SUPERVISOR_CLI_EXPLORE_CERTIFY_H
#define FMC_SUPERVISOR_CLI_EXPLORE_CERTIFY_H

#include "supervisor/cli/session/launch.h"

#include <fmc/supervisor/certificate.h>
#include <fmc/supervisor/knowledge.h>
#include <fmc/supervisor/search.h>
#include <fmc/supervisor/states.h>

#include <stdio.h>

/*
 * The certificate of a search (--certificate): what each phase runs is recorded, and kept of the last phase that has come to its own end.
 */
struct certifying {
	struct certificate_recorder *recorder; /* NULL: no certificate is wanted */
	struct certificate_recorder
	    *earlier;	     /* of the phase that earlier runs have come to (--resume); NULL: nothing */
	bool kept;	     /* a phase came to its end: */
	const char *refused; /* why there is none of it; NULL: there is one */
	char *refusal;	     /* what that is, if it was loaded */
	struct certificate tree;
	struct search_options search;
	struct knowledge knowledge; /* of its executions */
	uint64_t executions;
};

void certify_init(struct certifying *certifying, bool wanted);
void certify_release(struct certifying *certifying);

/* A phase begins, and what is recorded of the one before is forgotten. */
void certify_begin(struct certifying *certifying);

/* The phase goes on where earlier runs have left it. */
void certify_go_on(struct certifying *certifying);

/* As bytes, for the next run; what can't be that makes the loader fail. */
void certify_save(const struct certifying *certifying, struct saver *saver);
void certify_load(struct certifying *certifying, struct loader *loader);

/* Why searches by this strategy have none; NULL: they have. */
const char *certify_lacks(enum strategy strategy);

/* There can be none of this phase, for this reason, which stays where it is. */
void certify_refuse(struct certifying *certifying, const char *reason);

/* The search is about to hear of this execution, which has gone through these states; NULL: they aren't asked for. */
void certify_note(struct certifying *certifying, const struct trace *trace, const struct policy *policy,
		  const struct states *states);

/* The phase with this search has run everything, within its bound, all of it with this knowledge. */
void certify_keep(struct certifying *certifying, const struct search_options *search,
		  const struct search_progress *progress, const struct knowledge *knowledge);

#endif
