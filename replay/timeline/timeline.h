#ifndef FMC_REPLAY_TIMELINE_TIMELINE_H
#define FMC_REPLAY_TIMELINE_TIMELINE_H

#include "replay/timeline/coroutine.h"
#include "replay/timeline/hits.h"
#include "replay/timeline/path.h"

#include <fmc/breakpoints/call.h>

/*
 * The inside of a timeline, shared by the files of this room, and those of backwards.
 *
 *     timeline.c         its life: the first playing of the schedule; branches
 *     run.c              one run: the execution as a coroutine that yields events
 *     pilot.c            one thread on its way: what the run's events come from
 *     resume.c           how it is let go, by an instruction or freely
 *     traps.c            the user's breakpoints and watchpoints
 *     checkpoint.c       images along the way
 *     inside.c           images in the middle of parts
 *     path.c             how a place within a part was come to, and coming there again
 *     hits.c             what was stopped at on the way, in order
 *     move.c             movements forwards, and to the beginnings of parts
 *     mark.c             places to return to
 *     visible.c          where threads stand, as the program would see it
 *     memories.c         whose memory is meant, of several processes
 *     look.c             threads, registers, memory as the program would see them
 *     change.c           a copy of the process that may be changed
 *     run_copy.c         and run
 *
 * In backwards:
 *
 *     near.c             to one instruction before something, in parts of any length
 *     touch.c            to before the instruction that touches what is watched
 *     scan.c             a part of the past executed once more, to see what is stopped at
 *     stretch.c          to an image near the end of a part
 *     back.c             movements backwards
 */

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

/* What is known of a memory: see timeline_memory_copied() and timeline_memory_part(). */
struct memory_known {
	uint32_t copied;
	size_t part;
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
	struct properties *properties; /* of the schedule; NULL: none */
	/* The run. */
	struct coroutine *run;
	size_t begins_at;   /* the part it begun with */
	struct event event; /* the last one */
	enum step_mode mode;
	bool over;	   /* EVENT_END has been yielded */
	bool starting;	   /* nothing of the program has run */
	bool fresh;	   /* a part has begun, and nobody has moved in it */
	size_t part_begun; /* the last to begin */
	uint64_t fresh_pc;
	uint64_t shown_pc; /* the last event was about a thread here, which hasn't moved; 0: it has */
	unsigned ticks;
	uint64_t given;			  /* see struct inside */
	struct output_mark output_before; /* this part */
	bool midway;			  /* stopped where an image can be taken in the middle of the part */
	const struct inside *enter;	  /* to be put in the process's place; NULL: none */
	unsigned slice_us, slices;	  /* how long one is, and how many there have been */
	bool apart;		       /* threads have been let run on other processors since it was made */
	bool passes[TIMELINE_SIGNALS]; /* signals at which nobody wants to stop */
	bool interrupted;	       /* the user has said so, in this movement */
	/* Where it is. */
	char remark[160]; /* about the next stop; empty: none */
	struct position position;
	uint32_t root;	  /* what position.steps are counted from, see struct inside */
	struct path path; /* from there, if they aren't known */
	/* Of several processes: */
	uint32_t shown;	  /* the memory that is meant */
	uint32_t running; /* that of the thread that runs, while it is stopped */
	struct memory_known *known;
	uint32_t memories, memories_room;
	/* Traps. */
	struct traps user, own, scanned;
	struct traps *active; /* those in force now; NULL: none */
	struct timeline_filter filter;
	struct target *planted_in;
	uint32_t planted_memory;
	bool threaded; /* they were planted when there were several threads */
	bool armed;    /* some thread of this target has had watchpoints */
	size_t armed_as
	    [WATCHES]; /* which of those in force the running thread has, by their bits in the processor */
	size_t armed_length;
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
	struct output_mark output_shown;
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

/*
 * memories.c: addresses in the memories of several processes are told apart by bits that addresses don't have: with the number of their memory
 * above them they are places. Those in the first are themselves. Traps, events and segments have places.
 */
uint64_t place_of(const struct timeline *timeline, uint32_t thread, uint64_t address); /* 0 of 0 */
uint64_t place_in(uint32_t memory, uint64_t address);
uint64_t place_address(uint64_t place);
bool place_is_in(uint64_t place, uint32_t memory);
/* Is this place in the thread's memory, or shared with it? Then *there is its address there. */
bool place_reaches(const struct timeline *timeline, uint64_t place, uint32_t thread, uint64_t *there);
/* The run is gone on with: the process of the thread that runs is the one that is meant again. */
void memories_run(struct timeline *timeline);
/* It has stopped. */
void memories_stop(struct timeline *timeline);
/* The thread's process is the one that is meant, until memories_leave() has what this returned. */
uint32_t memories_visit(struct timeline *timeline, uint32_t thread);
void memories_leave(struct timeline *timeline, uint32_t before);

/* visible.c: where a thread stands as the program would see it; 0 if it is gone. */
uint64_t visible_pc(struct timeline *timeline, uint32_t thread);
/* The same as a place. */
uint64_t visible_place(struct timeline *timeline, uint32_t thread);
/* Its registers likewise: a system call that it stands before hasn't begun. */
void visible_registers(struct timeline *timeline, uint32_t thread, struct user_regs_struct *registers);

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

/* change.c */
struct target *changed_target(const struct timeline *timeline); /* NULL if nothing has been changed */
/* This thread's registers have been changed: they are what they are. */
bool change_has_registers(const struct timeline *timeline, uint32_t thread);

#endif
