/* A thread at a trap of the sampler's: what it is about to touch, and how it gets past. */
#include "breakpoints/sampler/sampler_state.h"

#include <stdio.h>
#include <string.h>

#define MOST_HITS   200000 /* of traps, in one execution: then they rest */
#define NUMBER_AWAY 32	   /* bytes of code from where a system call's number is set to the call */

/* Where a stub finds the log full. */
static bool is_stub(const struct sampler *sampler, uint64_t address)
{
	for (size_t i = 0; sampler->logs && i < sampler->doors.room.length; i++)
		if (address >= sampler->doors.room.at[i].low && address < sampler->doors.room.at[i].high)
			return true;
	return false;
}

/* Where a thread comes back to with new memory. */
static bool is_return(const struct sampler *sampler, uint64_t address)
{
	return sampler->releases.trap && sampler->releases.trap == address;
}

bool sampler_is_trap(const struct sampler *sampler, uint64_t address)
{
	const struct piece *piece;
	if (!sampler->active)
		return false;
	const struct site *site = planting_site(sampler, address);
	return (site && site->planted) || is_stub(sampler, address) || is_return(sampler, address) ||
	       releases_find_trap(&sampler->releases, address) || planting_inner(sampler, address, &piece);
}

/* The trap that was passed last comes back, this one goes out. */
static enum status meet(struct sampler *sampler, struct target *target, uint32_t thread, struct site *site)
{
	struct tally *tally = rests_tally(sampler, site);
	if (!tally || !rests_count(sampler, tally, thread)) {
		planting_put(target, site, false);
		return STATUS_NO_MEMORY;
	}
	struct site *last = sampler->resting != NO_SITE ? &sampler->sites.at[sampler->resting] : NULL;
	if (last && last != site && rests_wanted(sampler, last, thread))
		planting_put(target, last, true);
	planting_put(target, site, false);
	sampler->resting = (uint32_t)(site - sampler->sites.at);
	if (!rests_wanted(sampler, site, thread) || !rests_steps(sampler))
		sampler->missed |= MISSED_RESTS;
	return site->planted ? STATUS_GONE : STATUS_OK;
}

/* String instructions step by elements. */
static bool can_step(const uint8_t code[TOUCHED_CODE])
{
	return code[0] != 0xf2 && code[0] != 0xf3;
}

/* Let the instruction at a site be performed, and put its trap back. *resume: nothing else has come between. */
static enum status step(struct sampler *sampler, struct tracee *tracee, uint32_t thread, bool *resume)
{
	struct stop stop;
	struct site *site = &sampler->sites.at[sampler->resting];
	enum status status = tracee_perform(tracee, &stop);
	if (status != STATUS_OK)
		return status;
	*resume = stop.kind == STOP_STEP;
	if (!*resume)
		target_push_back(&stop);
	else if (rests_wanted(sampler, site, thread))
		planting_put(tracee->target, site, true);
	return STATUS_OK;
}

/*
 * libc calls exit() when the first thread comes back from main(), and when the last of all threads ends: of any other thread, and of
 * the first one after its pthread_exit(), it is the last.
 */
static void leave(struct sampler *sampler, const struct release *release, const struct target *target,
		  const struct user_regs_struct *regs, uint32_t thread)
{
	uint64_t after = 0;
	if (release->kind == RELEASE_THREAD)
		sampler->main_left |= thread == 0;
	else if (target_read(target, regs->rsp, &after, sizeof(after)) == STATUS_OK &&
		 entries_is_libc(sampler->entries, after))
		sampler->last_leaves |= thread != 0 || sampler->main_left;
}

bool sampler_last_leaves(const struct sampler *sampler)
{
	return sampler->last_leaves;
}

static size_t site_touched(struct sampler *sampler, struct site *site, struct tracee *tracee,
			   const struct user_regs_struct *regs, struct touched at[TOUCHED_MOST])
{
	uint8_t code[TOUCHED_CODE] = {0};
	struct target *target = tracee->target;
	if (site->call)
		return calling_touched(sampler, site, tracee, regs, at);
	if (!making_code(sampler, target, site->address, code))
		return 0;
	const size_t length = operands_touched(sampler->operands, site->address, code, regs, at);
	if (!compared_whole(target, code, regs, at, length) ||
	    (length == 0 && (can_step(code) || regs->rcx > 0)))
		sampler->missed |= MISSED_UNTOLD;
	if (length != 1 || site->bytes != at[0].size || site->writes != at[0].write ||
	    !drain_number(sampler, site))
		return length;
	at[0].site = site->number;
	/* As with what comes by the log, so that it doesn't matter whether there is a door already. */
	if (!sampler->logs || !drain_is_told(sampler, at[0].address, site->number - 1))
		return length;
	if (site->stands)
		standing_again(sampler, target, site);
	return 0;
}

/* It calls what nobody knows the effects of. */
static bool is_unknown(const struct site *site)
{
	return site->call && memory_call_unknown(site->call);
}

/* A jump has led into the middle of a door: the stub has that, too, and writes what it touches. */
static bool enter_stub(const struct sampler *sampler, uint64_t address, struct user_regs_struct *regs)
{
	const struct piece *piece;
	const struct door *door = planting_inner(sampler, address, &piece);
	if (door)
		regs->rip = door->stub.at + piece->begin;
	return door != NULL;
}

/* Does an instruction set eax to this number there? */
static bool sets_number(const struct sampler *sampler, struct target *target, uint64_t address,
			uint32_t number)
{
	uint8_t code[TOUCHED_CODE], sets[1 + sizeof(number)] = {0xb8};
	memcpy(sets + 1, &number, sizeof(number));
	return making_code(sampler, target, address, code) && memcmp(code, sets, sizeof(sets)) == 0;
}

/* A system call that touches nothing, and will be the same one whenever a thread comes here. */
static bool calls_for_nothing(const struct sampler *sampler, struct target *target, const struct site *site,
			      const struct user_regs_struct *regs)
{
	static const uint8_t system_call[] = {0x0f, 0x05};
	uint8_t code[TOUCHED_CODE];
	if (!memory_call_touches_nothing(regs->rax) || !making_code(sampler, target, site->address, code) ||
	    memcmp(code, system_call, sizeof(system_call)) != 0)
		return false;
	for (uint64_t away = 1; away <= NUMBER_AWAY; away++)
		if (sets_number(sampler, target, site->address - away, (uint32_t)regs->rax))
			return true;
	return false;
}

static void miss_blind(struct sampler *sampler, struct target *target, const struct site *site,
		       const struct user_regs_struct *regs)
{
	if (site->blind && !calls_for_nothing(sampler, target, site, regs))
		sampler->missed |= MISSED_UNTOLD;
}

static enum status meet_site(struct sampler *sampler, struct tracee *tracee, uint32_t thread,
			     uint64_t address, struct touched at[TOUCHED_MOST], size_t *length)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	struct site *site = planting_site(sampler, address);
	sampler->sparing |= ++sampler->hits > MOST_HITS;
	if (!site || !site->planted)
		return enter_stub(sampler, address, regs) ? STATUS_OK : STATUS_GONE;
	regs->rip = address;
	if (site->blind || (is_unknown(site) && calling_unknown(sampler, site, tracee->target, regs))) {
		miss_blind(sampler, tracee->target, site, regs);
		planting_put(tracee->target, site, false);
	}
	if (!site->planted)
		return STATUS_OK;
	*length = site_touched(sampler, site, tracee, regs, at);
	const uint64_t copy =
	    sampler->sparing && !site->relied ? 0 : making_pass(sampler, tracee->target, site);
	if (!copy)
		return meet(sampler, tracee->target, thread, site);
	sampler->passing = copy;
	return STATUS_OK;
}

/* What a function that is seen each time is about to give back. */
static void tell_release(struct sampler *sampler, const struct tracee *tracee, uint32_t thread,
			 const struct release *release, const struct user_regs_struct *regs,
			 struct touched at[TOUCHED_MOST], size_t *length)
{
	uint64_t after = 0;
	if (release->kind != RELEASE_NOTHING)
		drain_forget(sampler, tracee->target); /* what is there afterwards is something else */
	if (release->kind == RELEASE_MEMORY) {
		*length = release_touched(&sampler->releases, release, tracee->target, regs, at);
		if (target_read(tracee->target, regs->rsp, &after, sizeof(after)) != STATUS_OK)
			after = 0;
		at[0].place = calling_release(sampler, after);
		at[0].inner = at[0].place == 0;
	} else if (release->kind != RELEASE_NOTHING)
		leave(sampler, release, tracee->target, regs, thread);
}

static void meet_release(struct sampler *sampler, struct tracee *tracee, uint32_t thread,
			 const struct release *release, struct touched at[TOUCHED_MOST], size_t *length)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	tell_release(sampler, tracee, thread, release, regs, at, length);
	release_enter(&sampler->releases, release, tracee->target, regs, thread);
	regs->rip = release->address;
	sampler->passing = release->copy;
}

size_t sampler_release(struct sampler *sampler, struct tracee *tracee, uint32_t thread,
		       struct touched at[TOUCHED_MOST])
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	const struct release *release =
	    regs && sampler->active ? releases_find_beside(&sampler->releases, regs->rip) : NULL;
	size_t length = 0;
	if (!release)
		return 0;
	tell_release(sampler, tracee, thread, release, regs, at, &length);
	release_enter(&sampler->releases, release, tracee->target, regs, thread);
	return length;
}

bool sampler_is_release(const struct sampler *sampler, uint64_t address)
{
	const struct release *release = releases_find_at(&sampler->releases, address);
	release = release ? release : releases_find_beside(&sampler->releases, address);
	return sampler->active && release && release->kind == RELEASE_MEMORY && release_knows_size(release);
}

enum status sampler_hit(struct sampler *sampler, struct tracee *tracee, uint32_t thread, uint64_t address,
			struct touched at[TOUCHED_MOST], size_t *length)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	const struct release *release = releases_find_trap(&sampler->releases, address);
	*length = 0;
	if (!regs)
		return STATUS_GONE;
	if (release) {
		meet_release(sampler, tracee, thread, release, at, length);
		return STATUS_OK;
	}
	if (is_return(sampler, address)) {
		sampler->passing =
		    release_come_back(&sampler->releases, tracee->target, regs, thread, &at[0]);
		sampler->comes_back = sampler->passing != 0;
		*length = sampler->comes_back ? 1 : 0;
		return sampler->passing ? STATUS_OK : STATUS_GONE;
	}
	if (is_stub(sampler, address))
		return STATUS_OK;
	return meet_site(sampler, tracee, thread, address, at, length);
}

size_t sampler_about(struct sampler *sampler, struct tracee *tracee, uint32_t thread,
		     struct touched at[TOUCHED_MOST])
{
	const struct user_regs_struct *regs = sampler->active ? tracee_regs(tracee) : NULL;
	const struct release *release = regs ? releases_find_at(&sampler->releases, regs->rip) : NULL;
	struct site *site = regs ? planting_site(sampler, regs->rip) : NULL;
	size_t length = 0;
	if (release)
		tell_release(sampler, tracee, thread, release, regs, at, &length);
	else if (site && site->blind)
		miss_blind(sampler, tracee->target, site, regs);
	else if (site && is_unknown(site))
		(void)calling_unknown(sampler, site, tracee->target, regs);
	else if (site && (site->planted || site->held))
		length = site_touched(sampler, site, tracee, regs, at);
	return length;
}

void sampler_bare(const struct sampler *sampler, struct tracee *tracee, struct bared *bared)
{
	const struct user_regs_struct *regs = sampler->active ? tracee_regs(tracee) : NULL;
	uint8_t code[sizeof bared->planted];
	*bared = (struct bared){0};
	if (!regs ||
	    target_read(tracee->target, regs->rip, bared->planted, sizeof bared->planted) != STATUS_OK)
		return;
	memcpy(code, bared->planted, sizeof code);
	planting_reveal(sampler, regs->rip, code, sizeof code);
	releases_reveal(&sampler->releases, regs->rip, code, sizeof code);
	if (memcmp(code, bared->planted, sizeof code) != 0 &&
	    target_write(tracee->target, regs->rip, code, sizeof code) == STATUS_OK)
		bared->address = regs->rip;
}

void sampler_cover(struct target *target, const struct bared *bared)
{
	if (bared->address) /* a dead one misses nothing */
		(void)target_write(target, bared->address, bared->planted, sizeof bared->planted);
}

bool sampler_call_before(const struct sampler *sampler, struct target *target, uint64_t after, uint64_t *call)
{
	uint8_t code[TOUCHED_CODE] = {0};
	*call = 0;
	return sampler->active && making_code(sampler, target, after - ENTRIES_CALL_BYTES, code) &&
	       entries_call_before(sampler->entries, after, code, call);
}

bool sampler_accesses(const struct sampler *sampler, struct target *target, uint64_t address, bool *apart)
{
	uint8_t code[TOUCHED_CODE] = {0};
	struct instruction instruction;
	*apart = false;
	return making_code(sampler, target, address, code) &&
	       instruction_parse(code, sizeof(code), address, &instruction) &&
	       atomics_promotable(&instruction, apart);
}

size_t sampler_touched(const struct sampler *sampler, const struct tracee *tracee,
		       const struct user_regs_struct *regs, uint64_t address, struct touched at[TOUCHED_MOST])
{
	uint8_t code[TOUCHED_CODE] = {0};
	if (!sampler->active || !making_code(sampler, tracee->target, address, code))
		return 0;
	return operands_touched(sampler->operands, address, code, regs, at);
}

enum status sampler_go(struct sampler *sampler, struct tracee *tracee, uint32_t thread, bool *resume)
{
	uint8_t code[TOUCHED_CODE] = {0};
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	*resume = true;
	if (regs && sampler->passing) {
		regs->rip = sampler->passing;
		regs->rsp += sampler->comes_back ? sizeof(uint64_t) : 0;
		sampler->passing = 0;
		sampler->comes_back = false;
		return STATUS_OK;
	}
	if (!regs || sampler->resting == NO_SITE || !rests_steps(sampler) ||
	    sampler->sites.at[sampler->resting].address != regs->rip)
		return STATUS_OK;
	if (target_read(tracee->target, regs->rip, code, sizeof(code)) != STATUS_OK || !can_step(code)) {
		sampler->missed |= MISSED_RESTS; /* until the next trap this one is out */
		return STATUS_OK;
	}
	return step(sampler, tracee, thread, resume);
}

enum status sampler_pass(struct sampler *sampler, struct tracee *tracee, uint64_t address)
{
	const struct log_state empty = {.next = LOG_LOW};
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	const struct release *release = releases_find_trap(&sampler->releases, address);
	struct site *site = release ? NULL : planting_site(sampler, address);
	if (!regs)
		return STATUS_GONE;
	sampler->missed |= MISSED_VFORK;
	if (is_stub(sampler, address))
		return target_write(tracee->target, LOG_PAGE, &empty.next, sizeof(empty.next));
	if (!release && (!site || !site->planted))
		return enter_stub(sampler, address, regs) ? STATUS_OK : STATUS_GONE;
	regs->rip = release ? release->copy : address;
	if (site)
		planting_put(tracee->target, site, false);
	return STATUS_OK;
}
