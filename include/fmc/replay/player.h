#ifndef FMC_REPLAY_PLAYER_H
#define FMC_REPLAY_PLAYER_H

#include <fmc/replay/schedule.h>
#include <fmc/supervisor/execution.h>

/*
 * Play a schedule: run its steps, with the fairness and the depth of its header, and check that every
 * transition and the end are as recorded.
 *
 * Strict: stops at the first difference. `loose`: goes on; where a step isn't possible any more, plays what
 * fits and lets the default policy go on from there; only the end has to be as recorded.
 *
 * A schedule whose end is END_NONE or END_INTERRUPTED is played up to its last step and stopped there.
 *
 * STATUS_OK: the execution ended as recorded. STATUS_DIVERGED: it didn't, or (strict) a transition differed.
 * STATUS_INTERRUPTED: the user's doing. Anything else: fmc failed, as in trace->status. The trace is what was
 * executed, whatever is returned.
 *
 * *diverged_at is the transition, counted from 0, of the first difference (the schedule's length if only the
 * end differs), SIZE_MAX if there is none; `why` says what was expected and what came, or is empty. With
 * `loose` both may be set although the status is OK.
 *
 * `watcher` (NULL: nobody) is called as by execution_watch(), and may end the execution. Takes the place of the
 * execution's watcher and leaves it without one.
 */
enum status player_run(struct execution *execution, const struct schedule *schedule, bool loose,
		       const struct execution_watcher *watcher, struct trace *trace, size_t *diverged_at,
		       char why[256]);

/*
 * Go round the loop of a schedule that ends in one (end_reason_loops()) so many times: each time the transitions have to be the same and to lead
 * to the state from which the first of them began. `once` is what player_run() has come to. *done: how often that was so.
 *
 * STATUS_OK; STATUS_DIVERGED: `why` says what was another one. STATUS_INTERRUPTED; anything else: fmc failed.
 */
enum status player_go_round(struct execution *execution, const struct schedule *schedule,
			    const struct trace *once, uint32_t rounds, uint32_t *done, char why[256]);

#endif
