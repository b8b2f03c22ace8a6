#ifndef FMC_SUPERVISOR_POLICY_RANDOM_PROFILE_H
#define FMC_SUPERVISOR_POLICY_RANDOM_PROFILE_H

#include <fmc/supervisor/saved.h>

/*
 * What an execution did, thread by thread, as POLICY_SURW wants it: operations on one object are a group,
 * those without an object are another. A thread's operations are known again by how many came before them
 * in that thread, which schedules change less than the numbers of objects.
 */
struct random_profile {
	bool valid;
	bool whole; /* of an execution that no thread's exit cut short: it won't get better */
	struct profile profile;
	struct profile_thread *threads; /* the profile's, ours to free */
	uint32_t *groups;
	size_t length; /* of groups */
	/* Groups in which threads may overtake each other, each as often as it has operations. */
	uint32_t *contended;
	size_t contended_length;
};

/*
 * Of this execution, if it shows more than what the profile is of: all that its threads do, or else more transitions. Where the
 * process ends while threads are left, what they would have done is missing, and their weights are too low. False without memory,
 * then it isn't valid.
 */
bool random_profile_take(struct random_profile *profile, const struct trace *trace);

/* Of this execution; false without memory, then it isn't valid. */
bool random_profile_make(struct random_profile *profile, const struct trace *trace);
void random_profile_release(struct random_profile *profile);

/* A profile that may not be valid; false: damaged, or no memory. */
void random_profile_save(const struct random_profile *profile, struct saver *saver);
bool random_profile_load(struct random_profile *profile, struct loader *loader);

/*
 * A group for the execution with this seed: every operation in one of four, and where no group has more than one order. Else the
 * group of a random operation of those that several threads take part in, so that an object is drawn as often as it is used.
 */
uint32_t random_profile_draw(const struct random_profile *profile, uint64_t seed);

#endif
