#ifndef FMC_REPLAY_TIMELINE_TIMELINE_H
#define FMC_REPLAY_TIMELINE_TIMELINE_H

#include "replay/timeline/coroutine.h"

#include <fmc/breakpoints/call.h>
#include <fmc/replay/timeline.h>
#include <fmc/supervisor/touching.h>

/*
 * The inside of a timeline, shared by the files of this room only.
 *
 *     timeline.c         its life: the first playing of the schedule; branches
 *     run.c              one run: the execution as a coroutine that yields events
 *     pilot.c            one thread on its way, instruction by instruction or freely: what the run's events come from
 *     traps.c            the user's breakpoints and watchpoints
 *     checkpoint.c       images along the way
 *     inside.c           images in the middle of parts
 *     path.c             how a place within a part was come to, and coming there again
 *     near.c             to one instruction before something, in parts of any length
 *     touch.c            to before the instruction that touches what is watched
 *     hits.c             what was stopped at on the way, in order
 *     move.c             movements forwards, and to the beginnings of parts
 *     scan.c             a part of the past executed once more, to see what is stopped at
 *     stretch.c          to an image near the end of a part
 *     back.c             movements backwards
 *     mark.c             places to return to
 *     look.c             threads, registers, memory as the program would see them
 *     change.c           a copy of the process that may be changed
 */

/* What a run yields. */
enum event_kind {
	EVENT_START, /* part 0: at the program's entry point */
	EVENT_PART,  /* at the beginning of a part: `thread` stands before its operation, which is next */
	EVENT_STEP,  /* one instruction has been made */
	EVENT_BREAKPOINT, /* before an instruction at which the user has a breakpoint */
	EVENT_WATCHPOINT, /* after one that has touched what the user watches */
	EVENT_SIGNAL,	  /* the program is about to get a signal */
	EVENT_ENTERED,	  /* an image in the middle of the part has taken the process's place */
	EVENT_SLICE,	  /* it has run for a moment */
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
enum step_mode {
	MODE_FREE,  /* to the next event of another kind than EVENT_STEP */
	MODE_SLICE, /* the same, or for timeline->slice_us */
	MODE_STEP,  /* by one instruction */
	MODE_LEAVE, /* not at all: the run is given up */
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

#define WATCHES	    4
#define TRAP_FLAG   0x100u   /* of the processor: stepped */
#define RESUME_FLAG 0x10000u /* and: what is to be told before this instruction has been told */

/* What stops a run on its way; one set is the user's, others serve to come to a place again. */
struct traps {
	struct user_break *breaks;
	size_t breaks_length, breaks_room;
	struct user_watch watches[WATCHES];
	size_t watches_length;
	/* Before instructions there, as EVENT_BREAKPOINT; nothing is planted, so these may be no instructions. */
	uint64_t befores[TOUCHING_MOST];
	size_t befores_length;
};

/* One segment of the path from a part's beginning to a place in it. */
enum segment_kind {
	SEGMENT_STEPS,	/* so many instructions */
	SEGMENT_BREAK,	/* to the count-th arrival at `address` */
	SEGMENT_WATCH,	/* to the count-th touch of what `watch` says */
	SEGMENT_SIGNAL, /* to the count-th signal */
	SEGMENT_LOST,	/* to where the running thread has `registers`, as far as that can be told */
};

struct segment {
	enum segment_kind kind;
	uint64_t count;
	uint64_t address;
	struct user_watch watch;
	struct user_regs_struct registers;
};

struct path {
	struct segment *segments;
	size_t length, room;
};

struct checkpoint {
	size_t part;
	struct process_copy *process;
	struct execution_copy *execution;
	uint64_t used; /* when it last served; for those off the grid */
};

/*
 * An image in the middle of a part. Instructions are counted from a root: 0 is the part's beginning, any other one an image
 * (with `steps` 0) that was come to without counting.
 */
struct inside {
	size_t part;
	uint32_t root;
	uint64_t steps;
	uint64_t given; /* stops that concerned the process, from the part's beginning on */
	bool anywhere;	/* not after a stop: a breakpoint here hasn't been told */
	bool based;	/* hits are counted from it, and this is after so many from the root `base`: */
	uint32_t base;
	uint64_t base_hits;
	struct process_midway *process;
	uint64_t bytes, used;
};

#define INSIDES 32

/* What was stopped at on the way, and how to come there again. */
struct hit {
	struct event event;
	size_t part;
	bool at_beginning; /* of the part; else it is */
	uint32_t root;
	uint64_t count; /* the so-manieth after this root */
	/* Of a watchpoint: where it was noticed; the arrivals at the instruction `by` since the hit before (or the root), 0: unknown. */
	uint64_t behind, by, arrivals;
	bool counted; /* instead: after so many instructions from the part's beginning */
	uint64_t steps;
};

struct hits {
	struct hit *at;
	size_t length, room;
	struct traps traps; /* what was to be stopped at */
	size_t part;	    /* from the beginning of this one on: */
	bool cut;	    /* or from somewhere in it */
	size_t here;	    /* the timeline stands where this one is, counted from 1; 0: elsewhere */
};

/* An instruction that has touched what is watched, and the one after it. */
struct toucher {
	uint64_t address, behind;
};

#define TOUCHERS 16

/* After one has been found that touches what is watched: where it may begin. */
struct guess {
	uint64_t behind;
	uint64_t at[TOUCHING_MOST];
	size_t length;
};

#define GUESSES 16

/* How a place looked when it was last come to. */
#define VISITS 1024
struct visit {
	bool used;
	uint32_t root;
	size_t part;
	uint64_t steps, digest;
};

struct timeline {
	struct timeline_options options;
	struct schedule schedule; /* what is followed */
	struct step *steps;	  /* of it */
	uint64_t *ended;	  /* child processes before each of them; NULL: it tells of none */
	bool bounded;		  /* it has no end of its own: the run ends after its last line */
	bool extends;		  /* after the last line the default policy goes on */
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
	enum step_mode mode;
	bool over;     /* EVENT_END has been yielded */
	bool starting; /* nothing of the program has run */
	bool fresh;    /* a part has begun, and nobody has moved in it */
	uint64_t fresh_pc;
	uint64_t shown_pc; /* the last event was about a thread here, which hasn't moved; 0: it has */
	unsigned ticks;
	uint64_t given;		       /* see struct inside */
	size_t output_before;	       /* this part */
	bool midway;		       /* stopped where an image can be taken in the middle of the part */
	const struct inside *enter;    /* to be put in the process's place; NULL: none */
	unsigned slice_us, slices;     /* how long one is, and how many there have been */
	bool apart;		       /* threads have been let run on other processors since it was made */
	bool passes[TIMELINE_SIGNALS]; /* signals at which nobody wants to stop */
	bool interrupted;	       /* the user has said so, in this movement */
	/* Where it is. */
	char remark[160]; /* about the next stop; empty: none */
	struct position position;
	uint32_t root;	  /* what position.steps are counted from, see struct inside */
	struct path path; /* from there, if they aren't known */
	/* Traps. */
	struct traps user, own, scanned;
	struct traps *active; /* those in force now; NULL: none */
	struct timeline_filter filter;
	struct target *planted_in;
	bool threaded; /* they were planted when there were several threads */
	bool armed;    /* some thread of this target has had watchpoints */
	/* Images. */
	struct checkpoint *checkpoints;
	size_t checkpoints_length, checkpoints_room;
	size_t stride;
	uint64_t clock;
	struct inside insides[INSIDES];
	size_t insides_length;
	uint32_t roots; /* numbers given */
	/* Backwards. */
	struct hits hits;
	struct toucher touchers[TOUCHERS];
	size_t touchers_length;
	struct touching *touching;
	struct guess guesses[GUESSES]; /* a newer one takes the place of the oldest */
	size_t guesses_made;
	struct timeline_mark *marks;
	struct visit
	    visits[VISITS]; /* found by their place; a newer one drives out another with the same number */
	/* A copy that may be changed. */
	struct change *change; /* NULL: nothing has been changed */
	struct timeline_effort effort;
	/* What has been shown of the program's output. */
	size_t output_shown;
};

/* run.c: begin a run at a kept image (NULL: the program's start); its first event follows. */
enum status run_start(struct timeline *timeline, const struct checkpoint *from);
/* Go on to the next event, which is also in timeline->event. Not after EVENT_END. */
const struct event *run_advance(struct timeline *timeline, enum step_mode mode);
/* Give the run up, if there is one. */
void run_leave(struct timeline *timeline);
/* For the pilot: yield; true if the run is to be given up. */
bool run_yield(struct timeline *timeline, const struct event *event);
/* Asked often: has the user had enough? */
bool run_is_interrupted(struct timeline *timeline);

/* pilot.c */
void pilot_install(struct timeline *timeline);
/* Where a thread stands as the program would see it; 0 if it is gone. */
uint64_t pilot_visible_pc(struct timeline *timeline, uint32_t thread);
/* Is it stopped at a trap of fmc's that is there? A step would run over it. */
bool pilot_meets_trap(const struct timeline *timeline, struct tracee *tracee);

/* traps.c */
bool traps_has_break(const struct traps *traps, uint64_t address);
bool traps_add_break(struct traps *traps, uint64_t address);
void traps_remove_break(struct traps *traps, uint64_t address);
void traps_clear(struct traps *traps);
bool traps_copy(struct traps *to, const struct traps *from); /* false without memory */
bool traps_same(const struct traps *a, const struct traps *b);
void traps_release(struct traps *traps);
/* The processor watches so many bytes there. */
bool watch_is_possible(uint64_t address, size_t size);
/* These are in force from now on; NULL: none. */
void traps_use(struct timeline *timeline, struct traps *traps);
/* The target is gone, and what was planted in it. */
void traps_forget(struct timeline *timeline);
/* Plant those that aren't yet, or have been overwritten, in the present target. */
void traps_renew(struct timeline *timeline);
/* Plant those in force in this memory, or take them out. */
void traps_plant(struct timeline *timeline, struct target *target, bool planted);
/* Is this arrival at a breakpoint one that the user wants to stop at? */
bool traps_stop(const struct timeline *timeline, uint32_t thread, uint64_t address);
/* Let a thread have the watchpoints in force; which has it hit? WATCHES: none. */
void traps_arm(struct timeline *timeline, struct tracee *tracee);
size_t traps_hit(struct timeline *timeline, struct tracee *tracee);
/* Is it to be stopped before an instruction there? */
bool traps_has_before(const struct traps *traps, uint64_t address);
/* The byte that one in force has taken the place of; false if there is none planted. */
bool traps_original(const struct timeline *timeline, uint64_t address, uint8_t *original);
void traps_hide(const struct timeline *timeline, uint64_t address, uint8_t *bytes, size_t size);

/* checkpoint.c */
void checkpoint_maybe(struct timeline *timeline); /* at EVENT_PART: if it is one of those on the grid */
void checkpoint_here(struct timeline *timeline);  /* certainly, if it is possible */
const struct checkpoint *checkpoint_before(const struct timeline *timeline,
					   size_t part);      /* the last at or before it; NULL: none */
void checkpoint_drop(struct timeline *timeline, size_t part); /* those from this part on */
void checkpoint_drop_all(struct timeline *timeline);

/* inside.c: one of where it stands, in the middle of a part. False: that can't be had. */
bool inside_here(struct timeline *timeline);
/* The image with this root was come to after so many hits from another root, which take its place when it goes. */
void inside_found(struct timeline *timeline, uint32_t root, uint32_t from, uint64_t hits);
/* The nearest at or before these steps; NULL: none. */
const struct inside *inside_before(const struct timeline *timeline, size_t part, uint32_t root,
				   uint64_t steps);
/* Put it in place; false: *move says why not. */
bool inside_go(struct timeline *timeline, const struct inside *inside, struct move *move);
void inside_drop(struct timeline *timeline, size_t part); /* those of parts from this one on */

/*
 * near.c: to run from image to image. Slices are short at first, and the longer the longer it takes, so that their number
 * stays small.
 */
#define SLICE_US      20u
#define SLICES_OF_ONE 24u
void slices_begin(struct timeline *timeline, unsigned us);
const struct event *slices_next(struct timeline *timeline);

/* path.c: a place with its instructions counted from a root. */
struct spot {
	size_t part;
	uint32_t root;
	uint64_t steps;
};
void path_clear(struct path *path);
void path_release(struct path *path);
/* Where the event has come about: a further segment, or the steps counted. */
void path_note(struct timeline *timeline, const struct event *event);
/* Come here again: to the root, then along the path. */
bool go_path(struct timeline *timeline, const struct spot *from, const struct path *path, struct move *move);
/* Go there: the beginning of a part, then so many instructions, or this segment. */
bool go_to_part(struct timeline *timeline, size_t part, struct move *move);
bool go_to_step(struct timeline *timeline, size_t part, uint64_t steps, struct move *move);
/* The same from any root; and to the root itself. */
bool go_to_spot(struct timeline *timeline, const struct spot *spot, struct move *move);
bool go_to_root(struct timeline *timeline, size_t part, uint32_t root, struct move *move);
/* Asked at each step that is counted: has the user had enough? He is asked now and then. */
bool path_is_enough(struct timeline *timeline);
/* From where it stands by this segment, freely; false: it ends elsewhere, *move says so. */
bool go_segment(struct timeline *timeline, const struct segment *segment, struct move *move);
/* Nothing but the trap of this segment is in force; NULL: nothing at all. */
void use_own(struct timeline *timeline, const struct segment *segment);
/* Does this part end in a loop that waits for another thread? Then `registers` are those that repeat. */
bool ends_in_loop(struct timeline *timeline, size_t part, struct user_regs_struct *registers);
/*
 * How many instructions a part has; of one that ends in a loop which only another thread can end, to where that begins to
 * repeat. STEPS_MOST: too many to be counted.
 */
#define STEPS_MOST 1000000u
bool count_steps(struct timeline *timeline, size_t part, uint64_t *steps, struct move *move);
/* From the part's beginning to where the running thread had these registers; false: that isn't met in STEPS_MOST. */
bool walk_to_registers(struct timeline *timeline, size_t part, const struct user_regs_struct *registers,
		       struct move *move);
/* To the part's beginning, since it has too many instructions to go anywhere else in it; the next stop says so. */
bool go_to_long_part(struct timeline *timeline, size_t part, struct move *move);

/* near.c */
enum nearing {
	NEAR_THERE, /* one instruction before it, counted */
	NEAR_NONE,  /* there is no instruction in between */
	NEAR_ELSEWHERE, /* interrupted, failed, or at the part's beginning for want of an image: *move or the remark say so */
};
/*
 * To one instruction before the traps in force stop it next, or before the end of the part. Where that is far, images bring
 * it nearer: the last bit alone is counted.
 */
enum nearing near_next(struct timeline *timeline, struct move *move);
/* One instruction back within the part, however the place was come to. */
enum nearing near_before(struct timeline *timeline, struct move *move);

/*
 * An image here, and freely on towards the traps in force with more of them, to the last of which it goes back. False: no image can be
 * had, or *broken, and *move says why.
 */
bool near_closer(struct timeline *timeline, bool *broken, struct move *move);

/* touch.c: it stands after an instruction that has touched this: take note of where that may begin. */
void touch_note(struct timeline *timeline, const struct user_watch *watch);
/* From the stop before to before the instruction that touches this and ends at `behind`. */
enum touch {
	TOUCH_FOUND,
	TOUCH_MISSED, /* it stands anywhere */
	TOUCH_BROKEN, /* *move says why */
};
enum touch touch_go(struct timeline *timeline, const struct user_watch *watch, uint64_t behind,
		    struct move *move);

/*
 * The same for a breakpoint at which it stands: `leading`, taken there, are the places that lead to it; from the stop before to the
 * first of them. MISSED: it has come another way.
 */
struct leading {
	uint64_t at[TOUCHING_MOST];
	size_t length;
};
void lead_note(struct timeline *timeline, struct leading *leading);
enum touch lead_go(struct timeline *timeline, const struct segment *segment, const struct leading *leading,
		   struct move *move);

/* hits.c */
void hits_begin(struct hits *hits, const struct traps *traps, size_t part);
bool hits_add(struct hits *hits, const struct hit *hit); /* false without memory */
void hits_clear(struct hits *hits);
void hits_release(struct hits *hits);
/* After so many hits from the old root there is an image now, which is a root of its own. */
void hits_change_root(struct hits *hits, size_t part, uint32_t old, uint64_t count, uint32_t root);
/* And no more: they are counted from the other root again, which it came so many hits after. */
void hits_rebase(struct hits *hits, size_t part, uint32_t root, uint32_t base, uint64_t count);
bool hits_uses(const struct hits *hits, uint32_t root);

/*
 * scan.c: execute from an image before this part up to its beginning: timeline->hits are then those on the way. The more
 * images it goes back at once, the longer takes that, and the sooner is it through. Of a part with many of them only the last may be
 * there, more than `after` if there are. False: *move says why not.
 */
bool scan_before(struct timeline *timeline, const struct traps *traps, size_t part, size_t images,
		 uint64_t after, struct move *move);
/* How many there are from here to the end of the part. */
bool scan_behind(struct timeline *timeline, struct traps *traps, uint64_t *count, struct move *move);
/* Those are in force: to the next that counts, what else is met is timeline->event. */
struct scanner {
	struct timeline *timeline;
	const struct traps *traps; /* what counts */
	bool second;		   /* a breakpoint where a watchpoint has just stopped it */
};
/* From a root or a part's beginning, where it stands. */
void scanner_begin(struct scanner *scanner, struct timeline *timeline, const struct traps *traps);
bool scanner_next(struct scanner *scanner, struct event *hit);

/* move.c: a movement begins: what was changed is forgotten. */
void move_begin(struct timeline *timeline);
/* Fill *move from an event; false if it doesn't end a movement. */
bool move_ends(struct timeline *timeline, const struct event *event, struct move *move);
void move_fill(struct timeline *timeline, enum move_end end, struct move *move);
void move_failed(struct timeline *timeline, enum status status, const char *why, struct move *move);
/* The end that was reached is the one that the schedule has. */
bool is_true_end(const struct timeline *timeline);
/* The thread that performs transition `part`; part 0: the first thread. */
uint32_t part_thread(const struct timeline *timeline, size_t part);

/* visit.c: a digest of the program's variables and of the nearest part of all stacks, as the program would see them. */
uint64_t visit_memory(struct timeline *timeline);

/* mark.c: is some mark counted from this root? */
bool marks_use(const struct timeline *timeline, uint32_t root);

/* change.c */
struct target *changed_target(const struct timeline *timeline); /* NULL if nothing has been changed */
/* This thread's registers have been changed: they are what they are. */
bool change_has_registers(const struct timeline *timeline, uint32_t thread);

#endif
