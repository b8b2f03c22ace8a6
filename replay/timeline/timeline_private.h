#ifndef FMC_REPLAY_TIMELINE_PRIVATE_H
#define FMC_REPLAY_TIMELINE_PRIVATE_H

#include "coroutine.h"

#include <fmc/call.h>
#include <fmc/timeline.h>

/*
 * The inside of a timeline, shared by the timeline*.c files only.
 *
 *     timeline.c         its life: the first playing of the schedule; branches
 *     timeline_run.c     one run: the execution as a coroutine that yields events
 *     timeline_pilot.c   one thread on its way, instruction by instruction or freely: what the run's events come from
 *     timeline_traps.c   the user's breakpoints and watchpoints
 *     timeline_keep.c    images along the way
 *     timeline_way.c     how a place within a part was come to, and coming there again
 *     timeline_move.c    movements forwards, and to the beginnings of parts
 *     timeline_back.c    movements backwards
 *     timeline_look.c    threads, registers, memory as the program would see them
 *     timeline_change.c  a copy of the process that may be changed
 */

/* What a run yields. */
enum event_kind {
	EVENT_START, /* part 0: at the program's entry point */
	EVENT_PART,  /* at the beginning of a part: `thread` stands before its operation, which is next */
	EVENT_STEP,  /* one instruction has been made */
	EVENT_BREAKPOINT, /* before an instruction at which the user has a breakpoint */
	EVENT_WATCHPOINT, /* behind one that has touched what the user watches */
	EVENT_SIGNAL,	  /* the program is about to get a signal */
	EVENT_INTERRUPTED,
	EVENT_END, /* the execution is over: trace->end says why */
};

struct event {
	enum event_kind kind;
	uint32_t thread;
	uint64_t address; /* of the breakpoint or the watchpoint */
	size_t watch;	  /* which */
	int signal;
};

/* How the running thread goes on from an event. */
enum gait {
	GAIT_FREE,  /* to the next event of another kind than EVENT_STEP */
	GAIT_STEP,  /* by one instruction */
	GAIT_LEAVE, /* not at all: the run is given up */
};

struct user_break {
	uint64_t address;
	uint8_t original;
	bool planted; /* else it is at a trap of fmc's, or where nothing is: */
	bool waiting; /* for a library that isn't there yet */
};

struct user_watch {
	uint64_t address;
	uint8_t size;
	enum timeline_access access;
};

#define WATCHES	  4
#define TRAP_FLAG 0x100u /* of the processor: stepped */

/* What stops a run on its way; one set is the user's, others serve to come to a place again. */
struct traps {
	struct user_break *breaks;
	size_t breaks_length, breaks_room;
	struct user_watch watches[WATCHES];
	size_t watches_length;
};

/* One leg of the way from a part's beginning to a place in it. */
enum leg_kind {
	LEG_STEPS,  /* so many instructions */
	LEG_BREAK,  /* to the count-th arrival at `address` */
	LEG_WATCH,  /* to the count-th touch of what `watch` says */
	LEG_SIGNAL, /* to the count-th signal */
	LEG_LOST,   /* to where the running thread has `registers` */
};

struct leg {
	enum leg_kind kind;
	uint64_t count;
	uint64_t address;
	struct user_watch watch;
	struct user_regs_struct registers;
};

struct way {
	struct leg *legs;
	size_t length, room;
};

struct keep {
	size_t part;
	struct process_copy *process;
	struct execution_copy *execution;
	uint64_t used; /* when it last served; for those off the grid */
};

struct timeline {
	struct timeline_options options;
	struct schedule schedule; /* what is followed */
	struct step *steps;	  /* of it */
	bool bounded;		  /* it has no end of its own: the run ends behind its last line */
	bool extends;		  /* behind the last line the default policy goes on */
	char difference[256];
	struct finding finding;
	enum status collected; /* whether it is complete */
	struct plan plan;
	struct trace trace;
	struct process_pilot pilot;
	struct process *process;
	struct machine *machine; /* the process's */
	struct execution *execution;
	/* The run. */
	struct coroutine *run;
	size_t begins_at;   /* the part it begun with */
	struct event event; /* the last one */
	enum gait gait;
	bool over;     /* EVENT_END has been yielded */
	bool starting; /* nothing of the program has run */
	bool fresh;    /* a part has begun, and nobody has moved in it */
	uint64_t fresh_pc;
	uint64_t shown_pc; /* the last event was about a thread here, which hasn't moved; 0: it has */
	unsigned ticks;
	bool interrupted; /* the user has said so, in this movement */
	/* Where it is. */
	char remark[160]; /* about the next stop; empty: none */
	struct position position;
	struct way way; /* if the steps aren't known */
	/* Traps. */
	struct traps user, own;
	struct traps *active; /* those in force now; NULL: none */
	struct target *planted_in;
	bool threaded; /* they were planted when there were several threads */
	bool armed;    /* some thread of this target has had watchpoints */
	/* Images. */
	struct keep *keeps;
	size_t keeps_length, keeps_room;
	size_t stride;
	uint64_t clock;
	/* A copy that may be changed. */
	struct change *change; /* NULL: nothing has been changed */
	/* What has been shown of the program's output. */
	size_t output_shown;
};

/* timeline_run.c: begin a run at a kept image (NULL: the program's start); its first event follows. */
enum status run_start(struct timeline *timeline, const struct keep *from);
/* Go on to the next event, which is also in timeline->event. Not behind EVENT_END. */
const struct event *run_advance(struct timeline *timeline, enum gait gait);
/* Give the run up, if there is one. */
void run_leave(struct timeline *timeline);
/* For the pilot: yield; true if the run is to be given up. */
bool run_yield(struct timeline *timeline, const struct event *event);
/* Asked often: has the user had enough? */
bool run_is_interrupted(struct timeline *timeline);

/* timeline_pilot.c */
void pilot_install(struct timeline *timeline);
/* Where a thread stands as the program would see it; 0 if it is gone. */
uint64_t pilot_visible_pc(struct timeline *timeline, uint32_t thread);

/* timeline_traps.c */
bool traps_has_break(const struct traps *traps, uint64_t address);
bool traps_add_break(struct traps *traps, uint64_t address);
void traps_remove_break(struct traps *traps, uint64_t address);
void traps_clear(struct traps *traps);
void traps_release(struct traps *traps);
/* These are in force from now on; NULL: none. */
void traps_use(struct timeline *timeline, struct traps *traps);
/* The target is gone, and what was planted in it. */
void traps_forget(struct timeline *timeline);
/* Plant those that aren't yet, or have been overwritten, in the present target. */
void traps_renew(struct timeline *timeline);
/* Plant those in force in this memory, or take them out. */
void traps_plant(struct timeline *timeline, struct target *target, bool planted);
/* Let a thread have the watchpoints in force; which has it hit? WATCHES: none. */
void traps_arm(struct timeline *timeline, struct tracee *tracee);
size_t traps_hit(struct timeline *timeline, struct tracee *tracee);
/* The byte that one in force has taken the place of; false if there is none planted. */
bool traps_original(const struct timeline *timeline, uint64_t address, uint8_t *original);
void traps_hide(const struct timeline *timeline, uint64_t address, uint8_t *bytes, size_t size);

/* timeline_keep.c */
void keep_maybe(struct timeline *timeline); /* at EVENT_PART: if it is one of those on the grid */
void keep_here(struct timeline *timeline);  /* certainly, if it is possible */
const struct keep *keep_before(const struct timeline *timeline,
			       size_t part);		/* the last at or before it; NULL: none */
void keep_drop(struct timeline *timeline, size_t part); /* those from this part on */
void keep_drop_all(struct timeline *timeline);

/* timeline_way.c */
void way_clear(struct way *way);
void way_release(struct way *way);
/* Where the event has come about: a further leg, or the steps counted. */
void way_note(struct timeline *timeline, const struct event *event);
/* Count the steps to the present place, by going there again. False: interrupted or failed, *move says so. */
bool way_count(struct timeline *timeline, struct move *move);
/* Go there: the beginning of a part, then so many instructions, or this leg. */
bool go_to_part(struct timeline *timeline, size_t part, struct move *move);
bool go_to_step(struct timeline *timeline, size_t part, uint64_t steps, struct move *move);
/* Asked at each step that is counted: has the user had enough? He is asked now and then. */
bool way_is_enough(struct timeline *timeline);
/* From a part's beginning by this leg, freely. */
bool go_leg(struct timeline *timeline, const struct leg *leg, struct move *move);
/* Once more this trap: the leg with its count, which is the first if it is new. NULL without memory. */
struct leg *way_count_leg(struct way *way, const struct leg *leg);
/*
 * How many instructions a part has; of one that ends in a loop which only another thread can end, to where that begins to
 * repeat. STEPS_MOST: too many to be counted.
 */
#define STEPS_MOST 1000000u
bool count_steps(struct timeline *timeline, size_t part, uint64_t *steps, struct move *move);
/* To the part's beginning, since it has too many instructions to go anywhere else in it; the next stop says so. */
bool go_to_long_part(struct timeline *timeline, size_t part, struct move *move);

/* timeline_move.c: a movement begins: what was changed is forgotten. */
void move_begin(struct timeline *timeline);
/* Fill *move from an event; false if it doesn't end a movement. */
bool move_ends(struct timeline *timeline, const struct event *event, struct move *move);
void move_fill(struct timeline *timeline, enum move_end end, struct move *move);
void move_failed(struct timeline *timeline, enum status status, const char *why, struct move *move);
/* The end that was reached is the one that the schedule has. */
bool is_true_end(const struct timeline *timeline);
/* Who performs transition `part`; part 0: the first thread. */
uint32_t part_thread(const struct timeline *timeline, size_t part);

/* timeline_change.c */
struct target *changed_target(const struct timeline *timeline); /* NULL if nothing has been changed */
/* This thread's registers have been changed: they are what they are. */
bool change_has_registers(const struct timeline *timeline, uint32_t thread);

#endif
