#ifndef FMC_REPLAY_TIMELINE_EVENT_H
#define FMC_REPLAY_TIMELINE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	bool
	    flushed; /* EVENT_WATCHPOINT: by no instruction, but by a store that was made earlier and has reached memory */
	int signal;
};

/* How the running thread goes on from an event. */
enum step_mode {
	MODE_FREE,  /* to the next event of another kind than EVENT_STEP */
	MODE_SLICE, /* the same, or for timeline->slice_us */
	MODE_STEP,  /* by one instruction */
	MODE_LEAVE, /* not at all: the run is given up */
};

#endif
