#ifndef FMC_BREAKPOINTS_SHARED_H
#define FMC_BREAKPOINTS_SHARED_H

#include <fmc/breakpoints/op.h>

/*
 * Descriptors of objects of the kernel that threads share, so that calls on these are operations. That two threads use an object
 * shows when the second one does; it is kept for all executions to come, in schedules, too. A descriptor's number is used for
 * other objects in other orders; those count as shared as well.
 */
#define SHARED_MOST 256

struct shared_descriptor {
	enum object_class class;
	int descriptor; /* of a file a digest of its path; 0 of what is shared by all */
	uint64_t from;	/* counted from this transition of the execution on */
};

/* Descriptors are added after the others and don't change. May be in memory that processes share. */
struct shared {
	uint32_t length;
	uint32_t busy; /* somebody is adding one */
	struct shared_descriptor at[SHARED_MOST];
};

/* A table for this process and those that it forks later; NULL without memory. NULL may be released. */
struct shared *shared_new(void);
void shared_release(struct shared *shared);

/* How many there are now. */
uint32_t shared_length(const struct shared *shared);

/* False: it is known already, or there is no room. */
bool shared_add(struct shared *shared, const struct shared_descriptor *descriptor);

/* Among the first `length`: is it known at this transition? */
bool shared_has(const struct shared *shared, uint32_t length, enum object_class class, int descriptor,
		uint64_t transition);

/* Is any of this class among the first `length`? */
bool shared_has_class(const struct shared *shared, uint32_t length, enum object_class class);

/* Does it have such objects of which copies of a process would have the same? */
bool shared_in_common(const struct shared *shared);

/* As a line of a schedule has it: "CLASS NUMBER", with " from TRANSITION" where that isn't the first. */
#define SHARED_TEXT 80
void shared_print(const struct shared_descriptor *descriptor, char text[SHARED_TEXT]);
bool shared_parse(const char *text, struct shared_descriptor *descriptor);

#endif
