/*
 * To before the instruction that touches what is watched, or leads to a breakpoint. The processor tells of it afterwards; but where it may begin can be told
 * from there. So the program runs freely from the stop before, is stopped before each such place, and its registers say whether the
 * instruction is about to touch that.
 */
#include "replay/backwards/near.h"

/* So many times on the way; then an image closer to it is looked for, and twice as many are tried from there. */
#define ARRIVALS 2048u

static const struct guess *guess_of(const struct timeline *timeline, uint64_t behind)
{
	for (size_t i = 0; i < GUESSES; i++)
		if (timeline->guesses[i].behind == behind && timeline->guesses[i].length > 0)
			return &timeline->guesses[i];
	return NULL;
}

void touch_note(struct timeline *timeline, const struct user_watch *watch)
{
	const uint32_t thread = timeline->event.thread;
	struct tracee *tracee = process_tracee(timeline->process, thread);
	struct guess guess = {.behind = visible_place(timeline, thread)};
	if (!tracee || guess_of(timeline, guess.behind))
		return;
	guess.length = touching_guess(timeline->touching, process_entries(timeline->process), tracee,
				      place_address(watch->address), watch->size, guess.at);
	if (guess.length > 0)
		timeline->guesses[timeline->guesses_made++ % GUESSES] = guess;
}

static void use_guess(struct timeline *timeline, const struct user_watch *watch, const struct guess *guess)
{
	const struct segment segment = {.kind = SEGMENT_WATCH, .watch = *watch};
	use_own(timeline, &segment);
	for (size_t i = 0; i < guess->length; i++)
		timeline->own.befores[timeline->own.befores_length++] = guess->at[i];
}

static bool touches_next(const struct timeline *timeline, const struct user_watch *watch)
{
	struct tracee *tracee = process_tracee(timeline->process, timeline->event.thread);
	return tracee && touching_next(timeline->touching, process_entries(timeline->process), tracee,
				       place_address(watch->address), watch->size);
}

/*
 * Where it stands at one of those places already it hasn't arrived there: this isn't to be told, nor counted, since who comes here again
 * by a breakpoint won't either. True: it stands at one.
 */
static bool stands_at_one(struct timeline *timeline)
{
	const uint32_t thread = timeline->event.thread;
	struct tracee *tracee = process_tracee(timeline->process, thread);
	if (!tracee || !traps_has_before(&timeline->own, visible_pc(timeline, thread)))
		return false;
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (regs)
		regs->eflags |= RESUME_FLAG;
	return true;
}

/* Past so many places at which it doesn't touch that; *far: it may do later. */
static enum touch look(struct timeline *timeline, const struct user_watch *watch, uint64_t most, bool *far,
		       struct move *move)
{
	const size_t part = timeline->position.part;
	*far = false;
	if (stands_at_one(timeline) && touches_next(timeline, watch))
		return TOUCH_FOUND;
	for (uint64_t n = 0; n < most;) {
		const struct event *event = run_advance(timeline, MODE_FREE);
		if (event->kind == EVENT_INTERRUPTED) {
			move_fill(timeline, MOVE_INTERRUPTED, move);
			return TOUCH_BROKEN;
		}
		if (timeline->position.part != part ||
		    (event->kind != EVENT_BREAKPOINT && event->kind != EVENT_SIGNAL))
			return TOUCH_MISSED;
		if (event->kind == EVENT_BREAKPOINT && touches_next(timeline, watch))
			return TOUCH_FOUND;
		n += event->kind == EVENT_BREAKPOINT;
	}
	*far = true;
	return TOUCH_MISSED;
}

enum touch touch_go(struct timeline *timeline, const struct user_watch *watch, uint64_t behind,
		    struct move *move)
{
	const struct guess *guess = guess_of(timeline, behind);
	enum touch touch;
	bool far = true, broken = false;
	if (!guess)
		return TOUCH_MISSED;
	use_guess(timeline, watch, guess);
	for (uint64_t most = ARRIVALS;; most *= 2) {
		touch = look(timeline, watch, most, &far, move);
		if (!far || (!near_closer(timeline, &broken, move) && broken))
			break;
	}
	traps_use(timeline, NULL);
	return broken ? TOUCH_BROKEN : touch;
}

void lead_note(struct timeline *timeline, struct leading *leading)
{
	struct tracee *tracee = process_tracee(timeline->process, timeline->event.thread);
	leading->length =
	    tracee ? touching_leading(process_entries(timeline->process), tracee, leading->at) : 0;
}

static bool leads(const struct timeline *timeline, uint64_t to)
{
	struct tracee *tracee = process_tracee(timeline->process, timeline->event.thread);
	return tracee && touching_leads(process_entries(timeline->process), tracee, to);
}

enum touch lead_go(struct timeline *timeline, const struct segment *segment, const struct leading *leading,
		   struct move *move)
{
	const size_t part = timeline->position.part;
	if (leading->length == 0)
		return TOUCH_MISSED;
	use_own(timeline, segment);
	for (size_t i = 0; i < leading->length; i++)
		timeline->own.befores[timeline->own.befores_length++] = leading->at[i];
	bool found = stands_at_one(timeline) && leads(timeline, place_address(segment->address)), on = !found;
	while (on) {
		const struct event *event = run_advance(timeline, MODE_FREE);
		on = timeline->position.part == part;
		const bool at_one =
		    on && event->kind == EVENT_BREAKPOINT && event->address != segment->address;
		found = at_one && leads(timeline, place_address(segment->address));
		on = on && (event->kind == EVENT_SIGNAL || at_one) && !found;
	}
	traps_use(timeline, NULL);
	if (found)
		return TOUCH_FOUND;
	if (timeline->event.kind != EVENT_INTERRUPTED)
		return TOUCH_MISSED;
	move_fill(timeline, MOVE_INTERRUPTED, move);
	return TOUCH_BROKEN;
}
