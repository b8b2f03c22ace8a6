#ifndef FMC_SUPERVISOR_CERTIFICATE_CHECKER_H
#define FMC_SUPERVISOR_CERTIFICATE_CHECKER_H

#include "supervisor/certificate/history.h"
#include "supervisor/certificate/play.h"

/* A set of digests. */
struct digests {
	struct digest *at; /* both 0: free */
	size_t length, room;
};

bool digests_has(const struct digests *set, struct digest digest);
/* *added: it wasn't there. False without memory. */
bool digests_add(struct digests *set, struct digest digest, bool *added);
void digests_release(struct digests *set);

/* Digests that an event which isn't in the tree may have: it may also end its thread or the process, which only the program knows. */
#define IDS_MOST 3

/*
 * Has the tree an execution that begins with the path to `at`, then these events, then this step? All but the step are events of the tree,
 * and so known by their nodes.
 */
struct query {
	uint32_t at;		/* a node */
	uint32_t first, length; /* the events, in checker->sequences */
	struct step step;
	uint32_t kind; /* of its operation */
	uint32_t
	    against; /* the node of the event that it is to come before; CERTIFICATE_NONE: it is another choice */
	uint32_t for_node; /* where the race was found */
	struct digest sum; /* of all events but the step's */
	struct digest ids[IDS_MOST];
	uint32_t ids_length;
};

/* A step that is open in a state and wasn't taken there. */
struct want {
	uint32_t node;
	struct step step;
	uint32_t cost;	     /* of the state after it */
	struct digest state; /* which that is */
	bool known;	     /* it is */
};

/* A state at which an execution was cut. */
struct met {
	struct digest digest; /* of the model */
	bool known;	      /* it is */
	bool expanded;	      /* the state is gone on from: */
	uint32_t end, depth;  /* the least of these nodes' ends and depths */
	uint32_t cut, least;  /* a node at which an execution was cut, CERTIFICATE_NONE: none so far; and the least depth of one */
};

/* What is known of a node once the walk has been there. */
struct mark {
	struct digest id;  /* of the event that leads to it */
	struct digest sum; /* of all events up to it */
	uint32_t depth, cost;
	uint32_t free; /* the thread whose going on costs nothing, NO_THREAD: whoever goes on */
	uint16_t kind; /* of the operation that leads to it */
	bool complete; /* an execution that wasn't cut short is below it */
	bool expanded; /* each step that is open has been taken or needn't be */
	bool good;     /* it is, or a state that is worth as much is */
};

struct checker {
	struct certificate *certificate;
	struct certificate_report *report;
	bool fill; /* the digests of ends */
	bool fair;
	bool hides;  /* no state may stand for another */
	bool twice;  /* a thread has had two counted yields: the priorities count */
	bool failed; /* no memory */
	uint32_t
	    differs; /* the node of an end whose digest isn't what it says; CERTIFICATE_NONE: there is none so far */
	struct play play;
	struct history history;
	unsigned char *states; /* of each depth one; the last one is for trying things */
	uint32_t depth_most;
	struct mark *marks;
	struct footprint footprint, ahead;
	struct step *open; /* in the present state */
	uint32_t open_length, open_room;
	struct met *met;
	uint32_t *
	    firsts; /* met.c: of each object of the path how it stood when it was first seen, of certificate->states */
	uint64_t *tried;   /* conservative.c: of each depth a set of threads */
	uint32_t *cursors; /* races.c */
	uint32_t cursors_room;
	struct query *queries;
	uint32_t queries_length, queries_room;
	uint32_t *sequences;
	uint32_t sequences_length, sequences_room;
	struct digests asked;
	struct want *wants;
	uint32_t wants_length, wants_room;
};

/* The first flaw is kept; returns false. */
bool checker_flaw(struct checker *checker, uint32_t node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns false. */
bool checker_no_memory(struct checker *checker);

static inline struct state checker_state(const struct checker *checker, uint32_t depth)
{
	return play_at(&checker->play, checker->states + (size_t)depth * checker->play.bytes);
}

/* A copy of that state, for trying things: until the next one. */
struct state checker_try(struct checker *checker, uint32_t depth);

/*
 * races.c: what the closure under reversal asks. Before the step to this node is taken, with this footprint; where an execution ends, of
 * those that are left over; of other choices than those taken. False: a flaw, or no memory.
 */
bool races_of_step(struct checker *checker, uint32_t node);
bool races_at_end(struct checker *checker, uint32_t node);
bool races_of_choices(struct checker *checker, uint32_t node);

/* lookup.c: has each query an answer? */
bool lookup_all(struct checker *checker);

/* bounds.c: what the present state, that of this node, leaves open; and at the end, whether all of that needn't be taken. */
bool bounds_visit(struct checker *checker, uint32_t node);
bool bounds_conclude(struct checker *checker);

/*
 * conservative.c: has been taken what the pending operations of the present state, that of this node, ask for in those that it came through,
 * and what the steps that were taken there ask for?
 */
bool conservative_visit(struct checker *checker, uint32_t node);

/*
 * met.c: the node after a state with so many objects is come to, whose objects those are; where it is one that executions are cut at, is it that
 * state as far as the model knows? At the end: is each of them gone on from?
 */
bool met_begin(struct checker *checker);
void met_objects(struct checker *checker, uint32_t node, uint32_t objects);
bool met_visit(struct checker *checker, uint32_t node);
bool met_conclude(struct checker *checker);

#endif
