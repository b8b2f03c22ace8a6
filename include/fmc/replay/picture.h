#ifndef FMC_REPLAY_PICTURE_H
#define FMC_REPLAY_PICTURE_H

#include <fmc/replay/schedule.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/process.h>

/*
 * A schedule as a picture: for how long each thread holds what and waits for what, who wakes whom, and where each
 * thread stands when it acts. What is to be drawn is found out once; writers turn it into a file.
 *
 * Time is counted in states: state i is the one before transition i (from 0), state `length` the one at the end.
 */
enum span_kind { SPAN_HOLDS, SPAN_WAITS };

/* A thread holds or waits for something, in the states from <= i < to. */
struct span {
	enum span_kind kind;
	uint32_t thread;
	enum object_class class; /* of the object; CLASS_NONE: waits for something outside of the model */
	uint32_t object;	 /* a thread's number if CLASS_THREAD, NO_OBJECT if CLASS_NONE */
	uint32_t by;		 /* SPAN_WAITS: who has to move first; NO_THREAD: nobody in particular */
	enum op_kind op;	 /* SPAN_WAITS: in which operation */
	bool shared;		 /* SPAN_HOLDS: others may, too: a reader's lock */
	bool timed;		 /* SPAN_WAITS: a time-out could end it */
	size_t from, to;	 /* `to` is length + 1 if it lasts at the end */
};

enum arrow_kind {
	ARROW_CREATE, /* thread_create -> the new thread's first transition */
	ARROW_WAKE,   /* a transition that ended a wait -> what the thread does next */
	ARROW_JOIN,   /* a thread's last transition -> the join */
};

/* One transition made another possible. */
struct arrow {
	enum arrow_kind kind;
	size_t from, to; /* transitions */
};

/* As in struct thread_report; no two in a picture are the same. */
struct picture_stack {
	struct frame *frames;
	size_t length;
};

#define NO_STACK UINT32_MAX

struct picture {
	const struct schedule *schedule; /* borrowed */
	/* The program was run: spans, stacks and the end of each thread are known, not only what is in the file. */
	bool replayed;
	struct span *spans; /* in the order of their beginnings */
	size_t spans_length, spans_room;
	struct arrow *arrows; /* in the order of their ends */
	size_t arrows_length, arrows_room;
	struct picture_stack *stacks;
	size_t stacks_length, stacks_room;
	uint32_t *at; /* replayed: the stack of the thread that acts, before each transition; or NO_STACK */
	size_t at_length, at_room;
	struct finding end; /* replayed: how everything stands at the end, with names of all objects */
};

/*
 * Watches one execution and notes what a picture of it needs. `process` is what the execution runs on, for stacks; NULL:
 * none are wanted. NULL without memory.
 */
struct recorder;
struct recorder *recorder_new(struct process *process);
void recorder_free(struct recorder *recorder);
struct execution_watcher recorder_watcher(struct recorder *recorder);

/*
 * Make the picture of a schedule, which outlives it. `recorder` has watched it being played from its beginning to its end,
 * and `end` is what was found there, which the picture takes over (left empty); both NULL if it wasn't played.
 *
 * STATUS_OK or STATUS_NO_MEMORY, then the picture is empty. It need not be initialised.
 */
enum status picture_make(struct picture *picture, const struct schedule *schedule, struct recorder *recorder,
			 struct finding *end);
void picture_release(struct picture *picture);

/* The first transition in which two schedules differ, a length if one goes on where the other ends. */
size_t picture_part(const struct schedule *a, const struct schedule *b);

/* Another schedule beside the first one of a page. */
struct beside {
	const struct picture *picture;
	size_t part;	   /* as picture_part() */
	const char *about; /* what it is, a sentence */
};

/*
 * Write a page of HTML that needs nothing else; `beside` may be NULL. A trace for Perfetto or chrome://tracing, a
 * millisecond for each transition. Who waits for whom at the end, for Graphviz; cycles are red.
 */
void picture_write_page(const struct picture *picture, const struct beside *beside, FILE *stream);
void picture_write_perfetto(const struct picture *picture, FILE *stream);
void picture_write_dot(const struct picture *picture, FILE *stream);

#endif
