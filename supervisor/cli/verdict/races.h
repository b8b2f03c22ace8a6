#ifndef FMC_SUPERVISOR_CLI_VERDICT_RACES_H
#define FMC_SUPERVISOR_CLI_VERDICT_RACES_H

#include "supervisor/cli/options/options.h"
#include "supervisor/cli/verdict/verdict.h"

#include <fmc/breakpoints/promoted.h>
#include <fmc/supervisor/saved.h>
#include <fmc/supervisor/suppressions.h>
#include <jansson.h>

/* Two accesses to the same bytes by different threads, one of them a write, that no operation orders: data races, as told to people. */

/* What has come of its two orders. */
enum race_verdict {
	RACE_UNEXPLORED, /* not all of what follows from them was run */
	RACE_BENIGN,	 /* all executions were, with threads switched there, and none fails */
	RACE_HARMFUL,	 /* a failure needs this order of them */
};

/* Why it may be none, or may be meant. */
enum race_doubt {
	DOUBT_NONE, /* for certain it is one */
	DOUBT_DECLARED,
	DOUBT_LIBRARY,
	DOUBT_UNSEEN,
	DOUBT_ORDERS,
	DOUBT_MIXED,
	DOUBT_TYPE,
	DOUBTS
};
const char *race_doubt_text(enum race_doubt doubt); /* NULL: there is none */

/* A block of memory, and who has allocated it. */
struct allocation {
	uint32_t thread;
	uint64_t address, size;
	struct thread_report report; /* the stack there; no frames: it isn't known */
	bool early;		     /* it isn't since that was before the second thread began */
};

struct race_side {
	uint32_t thread;
	bool write, frees;
	char *place;		      /* "a.c:5", "prog+0x1189": the program's own */
	char *function;		      /* NULL: unknown */
	struct thread_report report;  /* the stack there */
	bool promotable;	      /* it could be an operation: */
	struct module_place promotes; /* this one */
};

#define RACE_PAIRS 8

struct race {
	char *variable;		   /* "counter", "heap +0x2a0" */
	struct race_side sides[2]; /* in the order in which they were seen */
	struct allocation block;   /* what the variable is in */
	struct race_pair {
		uint64_t one, other;
	} pairs[RACE_PAIRS]; /* instructions of these places that race, as many as have room */
	size_t pairs_length;
	enum race_doubt doubt;
	bool suppressed;
	enum race_verdict verdict;
};

void race_release(struct race *race); /* and makes it empty */

struct race_list {
	struct race *at;
	size_t length;
	const char *
	    unseen; /* why there may be others that nobody has looked for; static, NULL: nothing is known of that */
};

void race_list_release(struct race_list *list); /* and makes it empty */

/*
 * For a later run: all of them, but not what has come of them. load: those are added to the list. False if the bytes can't be that, or
 * without memory.
 */
void race_list_save(const struct race_list *list, struct saver *saver);
bool race_list_load(struct race_list *list, struct loader *loader);

/*
 * One more, with one pair, which the list takes what it owns from; one with the same variable and places counts once, and a doubt
 * stays. False: it is known already, or there is no memory, and it has been released.
 */
bool race_list_add(struct race_list *list, struct race *race);

/*
 * After the search: what each has led to, and whether the user wants it to be told. `promoted`: the accesses that threads were switched
 * at; NULL: none.
 */
void race_list_conclude(struct race_list *list, const struct verdict *verdict,
			const struct promoted *promoted, const struct suppressions *suppressions);

/* The two accesses of a failure whose order has made the difference: its transitions. */
struct race_story {
	size_t first, second;
	const struct finding *
	    elsewhere; /* the failure ends before the second one, which is that of this execution; else NULL */
	bool
	    proven; /* the nearest execution that ends well has them the other way round; else they are the last that raced */
};

/* False: none of these races is part of it. */
bool race_story(const struct race_list *list, const struct reported *reported, struct race_story *story);
void race_story_print(const struct reported *reported, const struct race_story *story, FILE *stream);

/* Is it one to tell by itself, as the user wants it? As a failure then, or as a warning. */
bool race_is_told(const struct race *race, enum races_told how);
size_t race_list_failures(const struct race_list *list, enum races_told how);

/* "counter: T2 writes at a.c:5 in add, T3 reads at a.c:5 in add". To be freed; NULL without memory. */
char *race_text(const struct race *race);
const char *race_verdict_name(enum race_verdict verdict);

/* Those that are told, with their stacks, and in how many words those that aren't. */
void race_list_print(const struct race_list *list, const struct options *options, FILE *stream);

/* The two accesses of a failure, null if there are none; all races, the ones that aren't told, too. NULL has none. */
json_t *race_story_json(const struct race_list *list, const struct reported *reported);
json_t *race_list_json(const struct race_list *list);

#endif
