#include <fmc/replay/export.h>

#include <fmc/tracer/call_traits.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Noting what a schedule does, transition by transition, while it is played. */

struct recorder {
	struct export *export;
	struct process *process;
	enum status status;
	char *why; /* why it can't be exported; empty: it can */
};

static void refuse(struct recorder *recorder, size_t i, uint32_t thread, const char *what)
{
	if (!*recorder->why)
		snprintf(recorder->why, 256, "transition %zu, T%u: GDB alone can't do that: %s", i + 1,
			 thread + 1, what);
	recorder->status = STATUS_UNSUPPORTED;
}

/* Is the first argument a descriptor, which the call reads or writes? */
static bool is_transfer(long number)
{
	const struct call_traits *traits = call_traits(number);
	return traits->transfer != TRANSFER_NONE || traits->reads == 0 || traits->writes == 0 ||
	       traits->from == 0 || traits->into == 0;
}

/* How a thread that is stopped stands. */
static void look(struct recorder *recorder, uint32_t thread, struct stand *stand)
{
	struct target *target = process_target(recorder->process);
	struct tracee *tracee = process_tracee(recorder->process, thread);
	const struct user_regs_struct *regs = target && tracee ? tracee_regs(tracee) : NULL;
	*stand = (struct stand){.number = -1, .descriptor = -1};
	if (!regs)
		return;
	stand->known = true;
	stand->call = *process_call(recorder->process, thread);
	stand->address = regs->rip;
	stand->fixed = entries_in_program(process_entries(recorder->process), stand->call.return_address);
	if (stand->call.entry) {
		stand->known = entries_entry(process_entries(recorder->process), target, stand->call.entry,
					     &stand->entry) == STATUS_OK;
		stand->address = stand->entry.address;
	} else if (stand->call.op.kind == OP_MEMORY_FLUSH && !process_in_syscall(recorder->process, thread)) {
		stand->fence = true;
	} else if (stand->call.op.kind != OP_THREAD_START) {
		stand->number = (long)regs->orig_rax;
		stand->descriptor = is_transfer(stand->number) ? (int)regs->rdi : -1;
	}
}

/* AT_ENTRY of the program, 0 if it can't be had. */
static uint64_t start_of(struct target *target)
{
	char path[32];
	Elf64_auxv_t aux;
	uint64_t start = 0;
	snprintf(path, sizeof path, "/proc/%d/auxv", target_pid(target));
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	while (descriptor >= 0 && !start && read(descriptor, &aux, sizeof aux) == sizeof aux)
		if (aux.a_type == AT_ENTRY)
			start = aux.a_un.a_val;
	if (descriptor >= 0)
		close(descriptor);
	return start;
}

/* Programs begin with the same instructions, up to the one with the address of main(). */
#define START_SAME 24

static void note_start(struct export *export, struct target *target)
{
	export->start = start_of(target);
	if (target_read(target, export->start + START_SAME, &export->start_code, sizeof export->start_code))
		export->start_code = 0;
}

static void on_before(void *context, struct execution *execution, const struct trace *trace, uint32_t thread)
{
	struct recorder *recorder = context;
	struct export *export = recorder->export;
	(void)execution;
	if (trace->length >= export->schedule->length)
		return;
	if (trace->length == 0)
		note_start(export, process_target(recorder->process));
	struct export_step *step = &export->steps[trace->length];
	look(recorder, thread, &step->stand);
}

/* Waits whose time-out is in memory of the program's, not in a register or a copy of libc's. */
static bool time_is_the_programs(long number)
{
	return number == SYS_rt_sigtimedwait || number == SYS_epoll_pwait2;
}

/* Where a thread begins that has just been made. */
static void note_birth(struct recorder *recorder, size_t i, const struct transition *transition)
{
	struct export *export = recorder->export;
	struct stand stand;
	if (transition->births == 0)
		return;
	look(recorder, transition->created, &stand);
	if (stand.known && export->birth && export->birth != stand.address)
		refuse(recorder, i, transition->created, "threads begin in two different ways");
	if (stand.known)
		export->birth = stand.address;
}

/* Is it a store that waits in a buffer, where a script can't take it out of memory? */
static bool is_out_of_reach(const struct recorder *recorder, const struct export_step *step)
{
	const struct call *call = &step->stand.call;
	const uint64_t size = (uint64_t)call->op.arg;
	if (!(call->op.flags & OP_BUFFERED) || step->flushes)
		return false;
	return !entries_in_program(process_entries(recorder->process), call->object) || size > 8 ||
	       (size & (size - 1));
}

static void check_step(struct recorder *recorder, size_t i, uint32_t thread)
{
	const struct export_step *step = &recorder->export->steps[i];
	const struct stand *stand = &step->stand;
	if (step->performed.manner == MANNER_OTHER)
		refuse(recorder, i, thread, step->performed.what);
	else if (op_class((enum op_kind)stand->call.op.kind) == CLASS_CONNECTION)
		refuse(recorder, i, thread,
		       "the kernel makes connections, and delivers by them, in its own time");
	else if (stand->call.op.kind == OP_FIFO_OPEN)
		refuse(recorder, i, thread, "to open a FIFO is to wait for who opens its other end");
	else if (stand->number >= 0 && !stand->call.return_address)
		refuse(recorder, i, thread, "the thread was interrupted within a system call");
	else if (step->performed.manner == MANNER_EXPIRE && time_is_the_programs(stand->number))
		refuse(recorder, i, thread, "a time-out of the program's would have to be changed");
	else if (is_out_of_reach(recorder, step))
		refuse(recorder, i, thread,
		       "a store to memory that isn't a variable's of the program waits in a buffer");
	else if (i == 0 && stand->call.op.kind != OP_THREAD_CREATE)
		refuse(recorder, i, thread, "threads that no function of the thread library creates");
}

static bool on_transition(void *context, struct execution *execution, const struct trace *trace)
{
	struct recorder *recorder = context;
	size_t i = trace->length - 1;
	const struct transition *transition = &trace->at[i];
	struct export_step *step = &recorder->export->steps[i];
	(void)execution;
	if (i >= recorder->export->schedule->length)
		return true;
	step->performed = *process_performed(recorder->process);
	if (trace->end == END_MISUSE)
		step->performed = (struct performed){.manner = MANNER_STAY};
	step->exits = transition->flags & TRANSITION_EXITS;
	step->flushes = transition->op.kind == OP_MEMORY_FLUSH || transition->choice == CHOICE_FLUSH;
	recorder->export->length = trace->length;
	note_birth(recorder, i, transition);
	check_step(recorder, i, transition->thread);
	return true;
}

static enum status note_libc(struct export *export, const struct entries *entries)
{
	struct code_range range;
	size_t n = 0;
	while (entries_libc_range(entries, n, &range.low, &range.high))
		n++;
	export->libc = calloc(n + 1, sizeof *export->libc);
	for (size_t i = 0; export->libc && i < n; i++)
		entries_libc_range(entries, i, &export->libc[i].low, &export->libc[i].high);
	export->libc_length = export->libc ? n : 0;
	export->lock = entries_address(entries, "pthread_mutex_lock");
	export->unlock = entries_address(entries, "pthread_mutex_unlock");
	return export->libc ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status note_objects(struct recorder *recorder, const struct model *model)
{
	struct export *export = recorder->export;
	uint32_t n = model_objects(model);
	export->objects = calloc(n + 1, sizeof *export->objects);
	if (!export->objects)
		return STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t address = process_object(recorder->process, i);
		bool same = entries_in_program(process_entries(recorder->process), address);
		export->objects[i] = same ? address : 0;
	}
	export->objects_length = n;
	return STATUS_OK;
}

static enum status note_threads(struct recorder *recorder, const struct model *model,
				const struct trace *trace)
{
	struct export *export = recorder->export;
	uint32_t n = model_threads(model);
	export->ends = calloc(n + 1, sizeof *export->ends);
	if (!export->ends)
		return STATUS_NO_MEMORY;
	export->threads = n;
	for (uint32_t t = 0; t < n; t++)
		look(recorder, t, &export->ends[t]);
	/* In a loop without operations it stands nowhere. */
	if (trace->end == END_SPIN && trace->end_thread < n) {
		struct tracee *tracee = process_tracee(recorder->process, trace->end_thread);
		const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
		export->spin = regs ? regs->rip : 0;
		export->ends[trace->end_thread].known = false;
	}
	return STATUS_OK;
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct recorder *recorder = context;
	const struct model *model = execution_model(execution);
	enum status status = note_libc(recorder->export, process_entries(recorder->process));
	if (!status)
		status = note_objects(recorder, model);
	if (!status)
		status = note_threads(recorder, model, trace);
	if (status)
		recorder->status = status;
}

/* Nothing of how the program is started may break a line of a script. */
static bool fits_lines(const struct schedule_header *header)
{
	bool fits = true;
	for (char **argument = header->arguments; argument && *argument; argument++)
		fits = fits && !strpbrk(*argument, "\r\n");
	return fits && !(header->directory && strpbrk(header->directory, "\r\n")) &&
	       !(header->input && strpbrk(header->input, "\r\n"));
}

enum status export_record(struct export *export, struct process *process, struct execution *execution,
			  const struct schedule *schedule, char why[256])
{
	char refused[256] = "";
	struct recorder recorder = {export, process, STATUS_OK, refused};
	const struct execution_watcher watcher = {
	    .context = &recorder, .before = on_before, .transition = on_transition, .end = on_end};
	struct trace trace;
	size_t diverged_at;
	*export = (struct export){.schedule = schedule};
	if (!fits_lines(&schedule->header)) {
		snprintf(why, 256,
			 "there is a newline in an argument or a path: GDB can't start the program so");
		return STATUS_UNSUPPORTED;
	}
	export->steps = calloc(schedule->length + 1, sizeof *export->steps);
	if (!export->steps)
		return STATUS_NO_MEMORY;
	trace_init(&trace);
	enum status status = player_run(execution, schedule, false, &watcher, &trace, &diverged_at, why);
	trace_release(&trace);
	if (status == STATUS_OK && recorder.status) {
		snprintf(why, 256, "%s", refused);
		status = recorder.status;
	}
	if (status == STATUS_OK && (export->length == 0 || !export->start)) {
		snprintf(why, 256, "the program makes no second thread: there is no schedule to follow");
		status = STATUS_UNSUPPORTED;
	}
	return status;
}

void export_release(struct export *export)
{
	free(export->steps);
	free(export->ends);
	free(export->objects);
	free(export->libc);
	*export = (struct export){0};
}
