#ifndef FMC_SUPERVISOR_CERTIFICATE_H
#define FMC_SUPERVISOR_CERTIFICATE_H

#include <fmc/supervisor/saved.h>

/*
 * What a completed search leaves behind so that others can check it without searching: all its executions, merged into a
 * tree where they begin alike, with everything that the program did which the model doesn't know by itself.
 *
 *     recorder: trace after trace -> certificate_recorder_finish() -> struct certificate -> replay/certificate: a file
 *     a file -> struct certificate -> certificate_check()
 *
 * The check plays the tree on the model, state after state, and asks whether it is closed. It uses none of the search:
 * neither its trees, nor its happens-before relation, nor what it takes for a race (supervisor/certificate comes before
 * these rooms). What it relies on are the model, what operations touch (dependence.h), and Algorithm 1 (fair.h).
 */
enum certificate_method {
	/*
	 * The set of executions isn't empty, and closed under the reversal of races ([ODPOR]): of each race that can be
	 * reversed, what comes before both, then the later one, is the beginning of an execution of the set, up to the order
	 * of independent transitions and with all that it depends on. Then every Mazurkiewicz trace is in the set.
	 */
	CERTIFICATE_REVERSAL,
	/*
	 * In each state each step that is open has been taken, but for those of executions as long as max_depth. An execution may be cut at a
	 * state that is gone on from elsewhere.
	 */
	CERTIFICATE_EVERY,
	/*
	 * The same up to `bound` preemptions ([CB]); a step may be left out where another state of the tree that is reached by
	 * the same transitions up to the order of independent ones, at no higher cost, has been gone on from.
	 */
	CERTIFICATE_BOUND,
	/*
	 * The same up to `bound` delays (Emmi, Qadeer and Rakamaric, POPL 2011). A state stands for another one that was reached at no lower
	 * cost after a step of the same thread: what going on costs is counted from that.
	 */
	CERTIFICATE_DELAYS,
	/*
	 * Up to `bound` preemptions, where a pending operation of a thread depends on what another one did last the thread has been tried in its
	 * place, and also where that other one was switched to, since that may cost a preemption less; where it couldn't go on all others that
	 * could (Coons, Musuvathi and McKinley, OOPSLA 2013). Then every state of a thread that is reached within the bound is in the tree.
	 */
	CERTIFICATE_CONSERVATIVE,
	CERTIFICATE_METHODS
};

/* "reversal", "every", "bound", "delays", "conservative"; CERTIFICATE_METHODS for a name that is none. */
const char *certificate_method_name(enum certificate_method method);
enum certificate_method certificate_method_by_name(const char *name, size_t length);

/* Does it hold up to a bound? */
bool certificate_method_bounded(enum certificate_method method);

#define CERTIFICATE_NONE UINT32_MAX

/* What a thread comes to, besides the operations of the list. */
#define CERTIFICATE_EXITED (UINT32_MAX - 1)
#define CERTIFICATE_ASLEEP (UINT32_MAX - 2) /* the model has set its next operation */
#define CERTIFICATE_GONE   (UINT32_MAX - 3) /* nothing: the process ended in the code after the transition */
#define CERTIFICATE_MOST   (UINT32_MAX - 4)

/*
 * A state: that after the step that leads to it. Nodes are in the order of a walk from the root, which is the first and
 * has no step; children follow each other in the order in which they were first run.
 */
struct certificate_node {
	uint32_t parent;
	uint32_t end; /* the first node after it that isn't below it */
	struct step step;
	uint32_t next;		 /* what the thread comes to: of ops, or one of the above */
	uint32_t births;	 /* threads that the step creates */
	uint32_t word, word2;	 /* what a futex operation saw */
	uint32_t objects, first; /* so many were first seen after it: from here on in `seen` */
	uint32_t
	    ready; /* of `sets`: threads whose wait for the outside is over; CERTIFICATE_NONE: nobody's */
	uint32_t conclusion; /* of ends, if an execution ends here; else CERTIFICATE_NONE */
	uint32_t
	    met; /* of `met`: which state it is, if an execution was cut at it, here or elsewhere; else CERTIFICATE_NONE */
	uint32_t line; /* of the file; 0: of none */
};

/* How an execution ended. */
struct certificate_end {
	uint32_t node;
	enum end_reason reason;
	int value;
	uint32_t thread; /* NO_THREAD: nobody in particular */
	uint64_t trace;	 /* digest of its Mazurkiewicz trace */
	uint64_t state;	 /* digest of the model at its end */
};

/* A state with the memory of the program, of which the check knows no more than that it is the same. */
struct certificate_met {
	uint64_t digest[2];
};

struct certificate_set {
	uint32_t first, length; /* into `ready` */
};

/* A list, and how many of it there is room for. */
#define CERTIFICATE_LIST(type, name)                                                                         \
	type *name;                                                                                          \
	uint32_t name##_length, name##_room

struct certificate {
	enum certificate_method method;
	uint32_t bound; /* if certificate_method_bounded() */
	uint32_t fair_k;
	uint64_t max_depth;
	bool sees_memory; /* as in search_options */
	bool ends_count;  /* as in struct policy */
	bool found;	  /* the executions began in the middle of a run */
	CERTIFICATE_LIST(
	    uint32_t, begin); /* what each of the first threads has pending: of ops, or CERTIFICATE_EXITED */
	CERTIFICATE_LIST(struct op, ops);
	CERTIFICATE_LIST(struct object_state, states);
	CERTIFICATE_LIST(uint32_t, seen); /* of states */
	CERTIFICATE_LIST(struct certificate_set, sets);
	CERTIFICATE_LIST(uint32_t, ready); /* threads, ascending in each set */
	CERTIFICATE_LIST(struct certificate_met, met);
	CERTIFICATE_LIST(struct certificate_node, nodes);
	CERTIFICATE_LIST(struct certificate_end, ends);
	uint64_t redundant; /* executions that the search has run twice, or left as soon as that was clear */
};

void certificate_init(struct certificate *certificate);
void certificate_release(struct certificate *certificate);

/* A digest of bytes, which tells whether they are those that were written: not for keeping out who forges. */
void certificate_digest(const void *bytes, size_t length, uint64_t digest[2]);

/* What a check comes to besides yes and no. */
struct certificate_report {
	uint64_t executions, transitions, alternatives, reversals;
	uint32_t line; /* where the first flaw is, 0: nowhere in particular */
	char why[320]; /* the flaw; empty: there is none */
};

/*
 * Is it closed, and is everything in it possible on the model? STATUS_MALFORMED: no, and the report says why.
 * STATUS_NO_MEMORY. The digests of its ends are compared, or with `fill` computed.
 */
enum status certificate_check(struct certificate *certificate, bool fill, struct certificate_report *report);

/* The steps from the root to where this execution ends; an array to be freed, NULL without memory. */
struct step *certificate_steps(const struct certificate *certificate, uint32_t end, size_t *length);

/* Collects the executions of a search. */
struct certificate_recorder;
struct certificate_recorder *certificate_recorder_new(void); /* NULL without memory */
void certificate_recorder_free(struct certificate_recorder *recorder);

/* Forget all: another search begins. */
void certificate_recorder_clear(struct certificate_recorder *recorder);

/* One more execution, of the policy that it was run with. Of searches that leave out what follows known states: those that it came to. */
void certificate_record(struct certificate_recorder *recorder, const struct trace *trace,
			const struct policy *policy, const struct state_visit *visits, size_t visits_length);

/*
 * As bytes, for another run of fmc to go on with; NULL: these can't be what was saved, or no memory. Of a whole tree, without what is the
 * caller's to fill: the recorder to which it is loaded has just that tree.
 */
void certificate_recorder_save(const struct certificate_recorder *recorder, struct saver *saver);
struct certificate_recorder *certificate_recorder_load(struct loader *loader);
void certificate_save(const struct certificate *certificate, struct saver *saver);

/* There can be none of these executions, for this reason, which stays where it is. */
void certificate_refuse(struct certificate_recorder *recorder, const char *reason);

/* Why there can be no certificate of these executions; NULL if there can. */
const char *certificate_refuses(const struct certificate_recorder *recorder);

/*
 * The tree of all of them; the recorder is as new afterwards. Method, bound, fair_k, max_depth and sees_memory are the
 * caller's to fill. False without memory.
 */
bool certificate_recorder_finish(struct certificate_recorder *recorder, struct certificate *certificate);

/*
 * Does this trace, which was run again, do what the execution that ended there did? If not, the first transition that is
 * different, or SIZE_MAX for the end, is in *at.
 */
bool certificate_same(const struct certificate *certificate, uint32_t end, const struct trace *trace,
		      size_t *at);

#endif
