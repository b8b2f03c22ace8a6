/* A target with the agent in it. */
#include "supervisor/engine/attempt.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/tracer/answers.h>
#include <fmc/tracer/children.h>
#include <fmc/tracer/fdinfo.h>
#include <fmc/tracer/inside.h>
#include <fmc/tracer/kept_files.h>
#include <fmc/tracer/maps.h>

#include <asm/hwcap2.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Who hesitates doesn't have the program take twice its memory where that is much: of 256 MB, 4 KB each. */
#define PAGES_AT_EASE (1 << 16)
#define STACK_ROOM    (UINT64_C(8) << 20) /* below what there is of the main thread's */

static bool share_region(struct engine *engine)
{
	void *const place = (void *)(uintptr_t)AGENT_REGION;
	if (engine->region)
		return true;
	engine->file = memfd_create("fmc agent", MFD_CLOEXEC);
	if (engine->file < 0 || ftruncate(engine->file, (off_t)AGENT_REGION_BYTES) != 0)
		return false;
	void *memory = mmap(place, AGENT_REGION_BYTES, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, engine->file, 0);
	if (memory != place)
		return false;
	engine->region = memory;
	return true;
}

/*
 * A line of /proc/PID/maps: memory that the program may write to, or only read. False: memory that others may change, which can't be restored. *guard: the memory that
 * the line before told of, if nobody may touch it.
 */
static bool add_area(struct agent_region *region, const struct target *target, const char *line,
		     struct agent_range *guard)
{
	const struct agent_range before = *guard;
	unsigned long long low, high;
	char rights[8], name[8] = "";
	*guard = (struct agent_range){0, 0};
	if (sscanf(line, "%llx-%llx %7s %*s %*s %*s %7s", &low, &high, rights, name) < 3)
		return true;
	if (!*name && strcmp(rights, "---p") == 0)
		*guard = (struct agent_range){low, high};
	if (target_is_own(target, low) || (low >= AGENT_LOWEST && low < AGENT_END))
		return true;
	if (strcmp(rights, "r--p") == 0 && region->readable_length < AGENT_READABLE)
		region->readable[region->readable_length++] = (struct agent_range){low, high};
	if (rights[1] != 'w')
		return true;
	if (rights[3] != 'p' || region->areas_length == AGENT_AREAS)
		return false;
	region->nameless[region->areas_length] = !*name && rights[0] == 'r' && rights[2] == '-';
	region->guarded[region->areas_length] = before.high == low ? before.low : low;
	struct agent_range *area = &region->areas[region->areas_length++];
	*area = (struct agent_range){low, high};
	if (strstr(line, "[stack]")) {
		const uint64_t below = region->areas_length > 1 ? area[-1].high : 0;
		area->low = area->low - below > STACK_ROOM ? area->low - STACK_ROOM : below;
	}
	return true;
}

static bool find_areas(struct agent_region *region, const struct target *target)
{
	char *text = maps_text(target_pid(target));
	struct agent_range guard = {0, 0};
	bool good = text != NULL;
	for (char *line = text, *end; good && line && *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			break;
		*end = '\0';
		good = add_area(region, target, line, &guard);
	}
	free(text);
	return good;
}

static void find_ranges(struct agent_region *region, const struct entries *entries)
{
	while (region->ranges_length < AGENT_RANGES &&
	       entries_libc_range(entries, region->ranges_length, &region->ranges[region->ranges_length].low,
				  &region->ranges[region->ranges_length].high))
		region->ranges_length++;
}

/* Is what the program writes there fmc's alone? */
static bool is_captured(const struct process *process, const struct target *target, int descriptor)
{
	char path[48];
	struct stat file, kept;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(target), descriptor);
	return process->capture >= 0 && stat(path, &file) == 0 && fstat(process->capture, &kept) == 0 &&
	       file.st_ino == kept.st_ino && file.st_dev == kept.st_dev;
}

static void find_output(struct engine *engine, const struct target *target)
{
	engine->region->captured[STDOUT_FILENO] = is_captured(engine->process, target, STDOUT_FILENO);
	engine->region->captured[STDERR_FILENO] = is_captured(engine->process, target, STDERR_FILENO);
	engine->region->printed = engine->process->beginning.output.rest;
}

/* Another descriptor of the same open file, and with it the same place. */
static bool has_double(pid_t pid, int descriptor)
{
	char path[32];
	bool found = false;
	snprintf(path, sizeof path, "/proc/%d/fd", pid);
	DIR *table = opendir(path);
	for (struct dirent *entry; table && !found && (entry = readdir(table));) {
		const int other = atoi(entry->d_name);
		found = entry->d_name[0] != '.' && other != descriptor &&
			syscall(SYS_kcmp, pid, pid, KCMP_FILE, (unsigned long)descriptor,
				(unsigned long)other) == 0;
	}
	if (table)
		closedir(table);
	return found || !table;
}

/* -1: it isn't a file that can only be read, or another descriptor reads on there, too. */
static int64_t place_in_file(pid_t pid, int descriptor)
{
	char path[48];
	struct stat file;
	unsigned flags;
	uint64_t place;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, descriptor);
	return stat(path, &file) == 0 && S_ISREG(file.st_mode) && fdinfo_flags(pid, descriptor, &flags) &&
		       (flags & (O_ACCMODE | O_PATH)) == O_RDONLY &&
		       fdinfo_number(pid, descriptor, "pos", 10, &place) && place <= INT64_MAX &&
		       !has_double(pid, descriptor)
		   ? (int64_t)place
		   : -1;
}

static void find_files(struct agent_region *region, const struct target *target)
{
	for (int i = 0; i < AGENT_FILES; i++)
		region->places[i] = place_in_file(target_pid(target), i);
}

/* What a process that was lent has open to write, and which names it finds otherwise than it would be by stops. False: there are too many. */
static bool find_written(struct agent_region *region, const struct process *process)
{
	const struct own_files *apart = &process->beginning.apart;
	const struct kept_files *kept = process->options.program.kept_files;
	struct stat was;
	const char *path;
	for (size_t i = 0; i < apart->length; i++) {
		const struct own_file *file = &apart->at[i];
		if (file->descriptor >= AGENT_FILES)
			continue;
		region->written[file->descriptor].file = file->file;
		region->written[file->descriptor].flags = file->flags;
	}
	while ((path = kept_files_name(kept, region->names_length, &was)) &&
	       region->names_length < AGENT_NAMES)
		region->names[region->names_length++] =
		    (struct agent_name){agent_name_digest(path), was.st_dev, was.st_mode ? was.st_ino : 0};
	return !path;
}

/* Before the first operation, where all executions begin. */
static bool find_first(struct engine *engine, struct tracee *tracee)
{
	const struct call *call = &engine->process->beginning.call;
	struct agent_region *region = engine->region;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs)
		return false;
	region->call = *call;
	region->first = (struct agent_context){.rax = regs->rax,
					       .rbx = regs->rbx,
					       .rcx = regs->rcx,
					       .rdx = regs->rdx,
					       .rsi = regs->rsi,
					       .rdi = regs->rdi,
					       .rbp = regs->rbp,
					       .rsp = regs->rsp,
					       .r8 = regs->r8,
					       .r9 = regs->r9,
					       .r10 = regs->r10,
					       .r11 = regs->r11,
					       .r12 = regs->r12,
					       .r13 = regs->r13,
					       .r14 = regs->r14,
					       .r15 = regs->r15,
					       .flags = regs->eflags,
					       .fs_base = regs->fs_base,
					       .gs_base = regs->gs_base};
	for (uint32_t i = 0; i < region->entries_length; i++)
		if (region->entries[i].stop == call->entry)
			region->first.rip = region->entries[i].copy;
	return region->first.rip != 0;
}

static bool describe(struct engine *engine, struct tracee *tracee)
{
	struct agent_region *region = engine->region;
	const struct process *process = engine->process;
	const uint64_t none[6] = {0};
	int64_t brk = 0;
	memset(region, 0, sizeof *region);
	region->check_low = AGENT_CHECK;
	region->pages_most = engine->hesitates ? PAGES_AT_EASE : AGENT_PAGES;
	region->ends_at_circles = engine->ends_at_circles;
	region->number = tracee_number(tracee);
	region->ended = target_children_ended(tracee->target);
	region->random = target_random_state(tracee->target);
	region->realtime = target_clock(tracee->target, CLOCK_REALTIME);
	region->monotonic = target_clock(tracee->target, CLOCK_MONOTONIC);
	region->processor_time = target_clock(tracee->target, CLOCK_PROCESS_CPUTIME_ID);
	region->zero_time = target_gadget_zero(tracee->target);
	inside_processors(region->processors, sizeof region->processors);
	region->affinity = tracee->affinity;
	find_output(engine, tracee->target);
	find_files(region, tracee->target);
	region->signal_mask = tracee_blocked(tracee);
	region->fs_by_call = !(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE);
	region->system_call = inside_call(tracee->target);
	region->lock = entries_function(process->entries, "pthread_mutex_lock");
	region->unlock = entries_function(process->entries, "pthread_mutex_unlock");
	region->entries_length = (uint32_t)entries_lead(process->entries, tracee->target, engine->table.door,
							region->entries, AGENT_ENTRIES);
	call_leads_begin(engine->calls, tracee->target);
	find_ranges(region, process->entries);
	if (!region->lock || !region->unlock || !region->entries_length || !find_first(engine, tracee) ||
	    (engine->lent && !find_written(region, process)) || !find_areas(region, tracee->target) ||
	    tracee_syscall(tracee, SYS_brk, none, &brk) != STATUS_OK)
		return false;
	region->brk = (uint64_t)brk;
	return true;
}

/* Let the agent begin: it takes a copy of the memory as it is, and stops. */
static enum status enter(struct engine *engine, struct tracee *tracee)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	regs->rip = engine->table.enter;
	regs->rsp = engine->table.stack - sizeof(uint64_t);
	return attempt_turn(engine);
}

/* What the agent takes would be missing to a program whose address space is limited. */
static bool is_limited(const struct target *target)
{
	struct rlimit limit;
	return prlimit(target_pid(target), RLIMIT_AS, NULL, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

static enum status fill(struct engine *engine, struct tracee *tracee)
{
	enum status status =
	    !is_limited(engine->target) && describe(engine, tracee) ? STATUS_OK : STATUS_UNSUPPORTED;
	if (status == STATUS_OK)
		status = inside_open_pagemap(tracee, &engine->region->pagemap);
	if (status == STATUS_OK)
		status = image_map(tracee);
	if (status == STATUS_OK)
		status = inside_share(tracee, AGENT_REGION, AGENT_REGION_BYTES, engine->file);
	if (status == STATUS_OK)
		status = inside_map(tracee, AGENT_KEPT, AGENT_KEPT_BYTES, INSIDE_DATA);
	if (status == STATUS_OK)
		status = inside_stop_calls(tracee);
	return status == STATUS_OK ? enter(engine, tracee) : status;
}

/* A process that stands where executions begin. */
static enum status start(struct engine *engine)
{
	engine->target = beginning_take(engine->process);
	engine->lent = engine->target != NULL;
	return engine->lent ? STATUS_OK : origin_start(engine->process->origin, &engine->target);
}

enum status attempt_begin(struct engine *engine)
{
	engine->table = image_table();
	enum status status = share_region(engine) ? start(engine) : STATUS_UNSUPPORTED;
	if (status == STATUS_UNSUPPORTED)
		snprintf(engine->why, sizeof engine->why, "there is no room for the agent in it");
	if (status != STATUS_OK)
		return status;
	status = fill(engine, target_tracee(engine->target, 0));
	if (status == STATUS_UNSUPPORTED)
		snprintf(engine->why, sizeof engine->why, "there is no room for the agent in it");
	if (status == STATUS_OK && engine->region->refusal != AGENT_NONE) {
		snprintf(engine->why, sizeof engine->why,
			 engine->region->refusal == AGENT_BY_ROOM
			     ? "it has too much memory"
			     : "the kernel doesn't tell which pages it has");
		status = STATUS_UNSUPPORTED;
	}
	if (status != STATUS_OK) {
		target_kill(engine->target);
		engine->target = NULL;
	}
	return status;
}
