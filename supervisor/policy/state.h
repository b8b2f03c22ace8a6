#ifndef FMC_SUPERVISOR_POLICY_STATE_H
#define FMC_SUPERVISOR_POLICY_STATE_H

#include "supervisor/policy/policy.h"

/* The inside of a policy, shared by the files of this room only. */

/* A generator (splitmix64, Steele, Lea and Flood, OOPSLA 2014): any seed is as good as any other. */
struct policy_random {
	uint64_t state;
};

struct policy_thread {
	uint64_t steps;	   /* transitions taken */
	uint64_t priority; /* PCT, POS */
	uint64_t left;	   /* SURW: operations of the group still to come, by the profile */
	bool held;	   /* SURW: waits for the intended thread to take its operation of the group */
};

struct policy_state {
	struct policy policy;
	struct policy_random random;
	uint32_t room, threads;
	uint64_t steps;			 /* transitions taken */
	uint64_t change[POLICY_CHANGES]; /* PCT: before which transitions, counted from 1 */
	uint32_t dropped;  /* PCT: the thread that did before the transition chosen last; NO_THREAD: none */
	uint32_t intended; /* SURW: the thread that takes the group's next operation; NO_THREAD: any */
	struct policy_thread thread[];
};

uint64_t policy_random_next(struct policy_random *random);

/* Uniform below n. */
uint64_t policy_random_below(struct policy_random *random, uint64_t n);

/* One decision of so many considers time-outs and spurious wake-ups beside real progress. */
#define POLICY_WILD_ODDS 8

/* Which alternatives to consider now: all of them (true), or only those that make progress. */
bool policy_draw_wild(struct policy_state *state, const struct policy_view *view);

/* Is it to be considered? How many threads have such alternatives, and how many of them the thread of alternative i has. */
static inline bool policy_counts(const struct alternative *a, size_t i, bool wild)
{
	/* To flush is progress where the thread can do nothing else. */
	const bool only =
	    a[i].step.choice == CHOICE_FLUSH && (i == 0 || a[i - 1].step.thread != a[i].step.thread);
	return wild || only || a[i].step.choice >= 0;
}

/* Is each of them progress, and of a thread of its own? */
static inline bool policy_are_single(const struct alternative *a, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].step.choice < 0 || (i > 0 && a[i].step.thread == a[i - 1].step.thread))
			return false;
	return true;
}

size_t policy_count_threads(const struct alternative *alternatives, size_t count, bool wild);
size_t policy_count_choices(const struct alternative *alternatives, size_t count, size_t i, bool wild);

/* True iff alternative i is the first of its thread to be considered. */
bool policy_first_of_thread(const struct alternative *alternatives, size_t i, bool wild);

/* One of the choices to be considered of the thread of alternative i. */
size_t policy_draw_choice(struct policy_state *state, const struct policy_view *view, size_t i, bool wild);

/* The alternative to be considered, first of its thread, whose thread has the highest priority. */
size_t policy_highest(const struct policy_state *state, const struct policy_view *view, bool wild);

/* draw.c: any thread and any of its choices, each as likely as the others. */
size_t policy_random_choose(struct policy_state *state, const struct policy_view *view);

/* Each kind: at the start, for a thread that has been born, to choose, and when that was taken. */
void policy_pct_start(struct policy_state *state);
size_t policy_pct_choose(struct policy_state *state, const struct policy_view *view);
size_t policy_pos_choose(struct policy_state *state, const struct policy_view *view);
void policy_pos_took(struct policy_state *state, const struct policy_view *view, size_t taken);
size_t policy_recur_choose(struct policy_state *state, const struct policy_view *view);
void policy_recur_took(struct policy_state *state, const struct policy_view *view, size_t taken);
void policy_surw_start(struct policy_state *state);
void policy_surw_born(struct policy_state *state, uint32_t first);
size_t policy_deviations_choose(const struct policy_state *state, const struct policy_view *view);
size_t policy_surw_choose(struct policy_state *state, const struct policy_view *view);
void policy_surw_took(struct policy_state *state, const struct policy_view *view, size_t taken);

#endif
