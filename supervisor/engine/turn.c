/* The agent's turns: what is handed to it, and what stops it. */
#include "supervisor/engine/attempt.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/activity.h>
#include <fmc/tracer/kept_files.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* An execution that takes longer, by the processor's time, may be a loop without operations, which by stops is looked at. */
#define TURN_MS	  200
#define TURN_NS	  (UINT64_C(1000000) * TURN_MS)
#define TURN_MOST 150 /* times as long by the clock */

static size_t sleepers_accesses(const struct plan *plan)
{
	size_t accesses = 0;
	for (size_t i = 0; i < plan->sleep_set_length; i++)
		accesses += plan->sleep_set[i].footprint.length;
	return accesses;
}

/* Transitions of all its threads. */
static size_t profile_length(const struct profile *profile)
{
	size_t length = 0;
	for (uint32_t t = 0; t < profile->thread_count; t++) {
		const size_t end = profile->threads[t].first + profile->threads[t].length;
		length = end > length ? end : length;
	}
	return length;
}

static bool profile_fits(const struct profile *profile)
{
	return !profile || (profile->thread_count <= AGENT_THREADS && profile_length(profile) <= AGENT_STEPS);
}

const char *attempt_hindrance(const struct plan *plan)
{
	/* That takes digests of all memory. */
	if (plan->policy.early)
		return "loops are looked for from the first transition on";
	if (plan->ended || plan->policy.deviations_length)
		return "a plan that isn't made for it";
	return plan->prefix_length > AGENT_STEPS || plan->sleep_set_length > AGENT_SLEEPERS ||
		       sleepers_accesses(plan) > AGENT_ACCESSES || !profile_fits(plan->policy.profile)
		   ? "a plan that has no room in it"
		   : NULL;
}

static void hand_over_sleepers(struct agent_region *region, const struct plan *plan)
{
	struct access *at = region->accesses;
	for (size_t i = 0; i < plan->sleep_set_length; i++) {
		const struct sleeper *sleeper = &plan->sleep_set[i];
		memcpy(at, sleeper->footprint.at, sleeper->footprint.length * sizeof *at);
		region->sleepers[i] = *sleeper;
		region->sleepers[i].footprint.at = at;
		at += sleeper->footprint.length;
	}
}

static void hand_over_profile(struct agent_region *region, const struct profile *profile)
{
	memcpy(region->profile_threads, profile->threads,
	       profile->thread_count * sizeof *region->profile_threads);
	memcpy(region->groups, profile->groups, profile_length(profile) * sizeof *region->groups);
	region->profile = (struct profile){.threads = region->profile_threads,
					   .thread_count = profile->thread_count,
					   .groups = region->groups};
	region->plan.policy.profile = &region->profile;
}

/* What has come to be known by stops meanwhile. */
static void hand_over_tried(struct agent_region *region, const struct tried_rounds *tried)
{
	for (uint32_t i = region->tried.length; tried && i < tried->length; i++) {
		region->tried.keys[i] = tried->keys[i];
		region->tried.at[i] = tried->at[i];
		region->tried.length = i + 1;
	}
}

/* Which libraries it may load: those that by stops were looked through. */
static void hand_over_libraries(struct agent_region *region, const struct entries *entries)
{
	const char *path;
	struct stat file;
	uint32_t n = 0;
	for (size_t i = 0; n < AGENT_LIBRARIES && (path = entries_plain_later(entries, &i)); n++) {
		if (n < region->libraries_length)
			continue;
		const bool there = stat(path, &file) == 0;
		region->libraries[n] = (struct agent_file){there ? file.st_dev : 0, there ? file.st_ino : 0};
		region->libraries_length = n + 1;
	}
}

/* Each execution finds the same files: none has been written, or what one changes is put back. */
static bool may_open(const struct process *process)
{
	const struct kept_files *kept = process->options.program.kept_files;
	return process->files_length == 0 || (kept && !kept_files_missed(kept));
}

void attempt_plan(struct engine *engine, const struct plan *plan)
{
	struct agent_region *region = engine->region;
	if (plan->prefix_length > 0)
		memcpy(region->steps, plan->prefix, plan->prefix_length * sizeof *region->steps);
	hand_over_sleepers(region, plan);
	hand_over_tried(region, engine->process->tried);
	hand_over_libraries(region, engine->process->entries);
	region->check_high = 0; /* the agent's, at the end of its turn */
	region->tells = engine->compares;
	region->opens = may_open(engine->process);
	region->good_ends = engine->good_ends;
	region->plan = *plan;
	region->plan.prefix = region->steps;
	region->plan.sleep_set = region->sleepers;
	if (plan->policy.profile)
		hand_over_profile(region, plan->policy.profile);
}

/*
 * A thread of the program's stands before a system call: the agent answers it, in the kernel's stead. The next that comes there goes to
 * the agent by itself.
 */
static bool lead_to_agent(struct engine *engine, const struct stop *stop)
{
	struct user_regs_struct *regs = tracee_change_regs(stop->tracee);
	if (!regs)
		return false;
	engine->account.calls++;
	(void)call_leads_add(engine->calls, regs->rip, engine->table.call);
	tracee_skip_syscall(stop->tracee, stop->number);
	regs->rcx = regs->rip;
	regs->r11 = (unsigned long long)stop->number;
	regs->rip = engine->table.call;
	return target_resume(stop->tracee, 0) == STATUS_OK;
}

/* A thread has met the trap of an entry point that has no door: the same as if it had one. */
static bool lead_to_door(const struct engine *engine, const struct stop *stop)
{
	const struct agent_region *region = engine->region;
	for (uint32_t i = 0; i < region->entries_length; i++) {
		if (region->entries[i].stop != stop->address)
			continue;
		struct user_regs_struct *regs = tracee_change_regs(stop->tracee);
		if (!regs)
			return false;
		regs->r11 = i;
		regs->rip = engine->table.door;
		return target_resume(stop->tracee, 0) == STATUS_OK;
	}
	return false;
}

/* The agent's own stop: on its own stack, whoever else jumps there. */
static bool is_turn(const struct engine *engine, const struct stop *stop)
{
	const struct user_regs_struct *regs =
	    stop->kind == STOP_TRAP && stop->address == engine->table.turn ? tracee_regs(stop->tracee) : NULL;
	return regs && regs->rsp < engine->table.stack && regs->rsp >= engine->table.stack - AGENT_STACK;
}

static uint64_t pad(uint64_t first, uint32_t number)
{
	return first + (uint64_t)number * AGENT_PAD;
}

/* Its number; AGENT_INSTRUCTIONS: it can't be led to the agent. */
static uint32_t instruction_number(struct engine *engine, uint64_t address)
{
	struct agent_region *region = engine->region;
	const uint32_t known = region->instructions_length;
	for (uint32_t i = 0; i < known; i++)
		if (region->instructions[i].atomic.address == address)
			return i;
	if (known == AGENT_INSTRUCTIONS ||
	    !instruction_leads_add(engine->calls, address, pad(engine->table.before, known),
				   pad(engine->table.after, known), &region->instructions[known]))
		return AGENT_INSTRUCTIONS;
	region->instructions_length++;
	return known;
}

/* The same where a thread has met the trap of an instruction that is an operation: the next goes to the agent by itself, if there is room for a jump. */
static bool lead_to_instruction(struct engine *engine, const struct stop *stop)
{
	const uint32_t number = instruction_number(engine, stop->address);
	struct user_regs_struct *regs = number < AGENT_INSTRUCTIONS ? tracee_change_regs(stop->tracee) : NULL;
	if (!regs)
		return false;
	regs->rip = pad(engine->table.before, number);
	return target_resume(stop->tracee, 0) == STATUS_OK;
}

/* It is performed, and the next that comes there is stopped as well. */
static bool step_over(const struct entries *entries, const struct stop *stop)
{
	bool performed;
	return entries_step(entries, stop->tracee, stop->address, &performed) == STATUS_OK && performed &&
	       target_resume(stop->tracee, 0) == STATUS_OK;
}

/*
 * An atomic instruction that is no operation, and that by stops each execution tells of that comes to it: told of once here, and from then on it is
 * the program's own again. What is counted by thread, as references are, is looked at each time.
 */
static bool pass_atomic(const struct engine *engine, const struct stop *stop)
{
	struct process *process = engine->process;
	struct agent_region *region = engine->region;
	struct call call;
	if (entries_decode(process->entries, stop, &call) != STATUS_OK || !call.unwatched)
		return false;
	if (call.counts_references &&
	    !unwatched_may_be_shared(&region->counters, region->running, call.object))
		return step_over(process->entries, stop);
	unwatched_tell(process, &call);
	return entries_pass(process->entries, stop->tracee, call.entry) == STATUS_OK &&
	       target_resume(stop->tracee, 0) == STATUS_OK;
}

/* Memory is given back by a call that is no operation, though there are others that are; those are left to stops. */
static bool pass_release(const struct engine *engine, const struct stop *stop)
{
	const struct entries *entries = engine->process->entries;
	struct call call;
	return entries_decode(entries, stop, &call) == STATUS_OK && call.releases &&
	       call.op.kind == OP_NONE && step_over(entries, stop);
}

static bool lead(struct engine *engine, const struct stop *stop)
{
	if (stop->kind == STOP_SYSCALL)
		return lead_to_agent(engine, stop);
	return stop->kind == STOP_TRAP && (lead_to_door(engine, stop) || lead_to_instruction(engine, stop) ||
					   pass_atomic(engine, stop) || pass_release(engine, stop));
}

/* A thread of the program's stops for something else: the agent gives up the attempt, and can begin the next one. A signal isn't delivered. */
static bool give_up(const struct engine *engine, const struct stop *stop)
{
	struct user_regs_struct *regs =
	    stop->kind == STOP_TRAP || stop->kind == STOP_SIGNAL ? tracee_change_regs(stop->tracee) : NULL;
	if (!regs || (regs->rip >= AGENT_LOWEST && regs->rip < AGENT_END) ||
	    target_is_own(engine->target, regs->rip))
		return false;
	regs->rcx = regs->rip;
	regs->r11 = AGENT_GIVE_UP;
	regs->rip = engine->table.call;
	return target_resume(stop->tracee, 0) == STATUS_OK;
}

/* What it was that the agent has nothing to do with. */
static void explain(struct engine *engine, enum status status, const struct stop *stop)
{
	if (status == STATUS_TIMEOUT)
		snprintf(engine->why, sizeof engine->why, "a thread runs on without an operation");
	else if (status == STATUS_INTERRUPTED)
		snprintf(engine->why, sizeof engine->why, "it was interrupted");
	else if (status != STATUS_OK)
		snprintf(engine->why, sizeof engine->why, "its process is gone");
	else if (stop->kind == STOP_TRAP)
		snprintf(engine->why, sizeof engine->why, "a trap at %#llx",
			 (unsigned long long)stop->address);
	else if (stop->kind == STOP_SIGNAL)
		snprintf(engine->why, sizeof engine->why, "signal %ld", stop->number);
	else
		snprintf(engine->why, sizeof engine->why, "a stop of kind %d", (int)stop->kind);
}

/* The processor's time that the target has taken; 0: not known. */
static uint64_t time_taken(const struct engine *engine)
{
	struct activity *list;
	size_t length;
	uint64_t taken = 0;
	if (activity_read(target_pid(engine->target), &list, &length) != STATUS_OK)
		return 0;
	for (size_t i = 0; i < length; i++)
		taken += list[i].cpu_ns;
	free(list);
	return taken;
}

/* Until it stops, however busy the machine is. */
static enum status wait_for(struct engine *engine, struct tracee *tracee, struct stop *stop)
{
	enum status status = target_wait(engine->target, tracee, TURN_MS, stop);
	const uint64_t since = status == STATUS_TIMEOUT ? time_taken(engine) : 0;
	for (int i = 0; status == STATUS_TIMEOUT && i < TURN_MOST; i++) {
		if (i > 0 && time_taken(engine) - since >= TURN_NS)
			break;
		status = target_wait(engine->target, tracee, TURN_MS, stop);
	}
	return status;
}

enum status attempt_turn(struct engine *engine)
{
	struct tracee *tracee = target_tracee(engine->target, 0);
	struct stop stop = {0};
	enum status status = target_resume(tracee, 0);
	while (status == STATUS_OK) {
		status = wait_for(engine, tracee, &stop);
		if (status == STATUS_OK && is_turn(engine, &stop))
			return STATUS_OK;
		if (status != STATUS_OK)
			break;
		if (lead(engine, &stop))
			continue;
		explain(engine, status, &stop);
		if (!give_up(engine, &stop))
			break;
	}
	explain(engine, status, &stop);
	return status == STATUS_INTERRUPTED ? status : STATUS_GONE;
}
