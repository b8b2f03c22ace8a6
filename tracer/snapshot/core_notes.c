#include "tracer/snapshot/core.h"

#include <fmc/tracer/array.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>

/* The notes of a core file: written by the kernel, or by a debugger in its place. */

static enum status malformed(const char **what, const char *words)
{
	*what = words;
	return STATUS_MALFORMED;
}

static uint64_t time_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_usec * 1000;
}

/* The results by which the kernel marks a system call that has been interrupted; -EINTR is what remains of some. */
static bool was_in_call(const struct user_regs_struct *regs)
{
	const int64_t result = (int64_t)regs->rax;
	return (int64_t)regs->orig_rax >= 0 && ((result >= -516 && result <= -512) || result == -4);
}

static void fill_thread(struct snapshot_thread *thread, const struct elf_prstatus *status)
{
	_Static_assert(sizeof status->pr_reg == sizeof thread->regs, "same registers");
	memcpy(&thread->regs, status->pr_reg, sizeof thread->regs);
	const struct user_regs_struct *regs = &thread->regs;
	const uint64_t arguments[6] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	thread->tid = thread->number = status->pr_pid;
	thread->cpu_ns = time_ns((struct timeval){status->pr_utime.tv_sec, status->pr_utime.tv_usec}) +
			 time_ns((struct timeval){status->pr_stime.tv_sec, status->pr_stime.tv_usec});
	thread->syscall = NO_SYSCALL;
	if (was_in_call(regs)) {
		thread->syscall = (long)regs->orig_rax;
		memcpy(thread->arguments, arguments, sizeof arguments);
	}
}

/* Stops that a debugger makes are no reason for a core file. */
static int deadly(int signal)
{
	switch (signal) {
	case SIGQUIT:
	case SIGILL:
	case SIGTRAP:
	case SIGABRT:
	case SIGBUS:
	case SIGFPE:
	case SIGSEGV:
	case SIGXCPU:
	case SIGXFSZ:
	case SIGSYS:
		return signal;
	default:
		return 0;
	}
}

static enum status read_status(struct snapshot *snapshot, const uint8_t *note, size_t size, const char **what)
{
	struct elf_prstatus status;
	if (size < sizeof status)
		return malformed(what, "a thread's registers are incomplete");
	memcpy(&status, note, sizeof status);
	if (!ARRAY_ONE_MORE(snapshot->threads, snapshot->threads_length))
		return STATUS_NO_MEMORY;
	snapshot->threads[snapshot->threads_length] = (struct snapshot_thread){0};
	fill_thread(&snapshot->threads[snapshot->threads_length], &status);
	/* The one that got the signal comes first. */
	if (snapshot->threads_length++ == 0) {
		snapshot->signal = deadly(status.pr_cursig);
		snapshot->signalled = snapshot->signal ? status.pr_pid : 0;
	}
	return STATUS_OK;
}

/* Sent by somebody, or typed at the terminal. */
static bool from_outside(const siginfo_t *info)
{
	return info->si_code == SI_USER || info->si_code == SI_QUEUE ||
	       (info->si_signo == SIGQUIT && info->si_code == SI_KERNEL);
}

static enum status read_process(struct snapshot *snapshot, const uint8_t *note, size_t size, char name[16],
				const char **what)
{
	struct elf_prpsinfo process;
	if (size < sizeof process)
		return malformed(what, "the note about the process is incomplete");
	memcpy(&process, note, sizeof process);
	snapshot->pid = process.pr_pid;
	memcpy(name, process.pr_fname, sizeof process.pr_fname - 1);
	return STATUS_OK;
}

static enum status read_auxiliary(struct snapshot *snapshot, const uint8_t *note, size_t size)
{
	free(snapshot->auxiliary);
	snapshot->auxiliary_length = 0;
	snapshot->auxiliary = malloc(size + 1);
	if (!snapshot->auxiliary)
		return STATUS_NO_MEMORY;
	memcpy(snapshot->auxiliary, note, size);
	snapshot->auxiliary_length = size / sizeof *snapshot->auxiliary;
	return STATUS_OK;
}

static uint64_t word_at(const uint8_t *note, size_t index)
{
	uint64_t word;
	memcpy(&word, note + index * sizeof word, sizeof word);
	return word;
}

/* Count, page size, three words a range, and then as many names. */
static enum status read_files(struct core *core, const uint8_t *note, size_t size, const char **what)
{
	static const char damaged[] = "the note about mapped files is damaged";
	if (core->names)
		return malformed(what, "there are two notes about mapped files");
	if (size < 16 || word_at(note, 0) > (size - 16) / 24)
		return malformed(what, damaged);
	const size_t count = (size_t)word_at(note, 0), head = 16 + 24 * count;
	const uint64_t page = word_at(note, 1);
	core->files = calloc(count + 1, sizeof *core->files);
	core->names = malloc(size - head + 1);
	if (!core->files || !core->names)
		return STATUS_NO_MEMORY;
	memcpy(core->names, note + head, size - head);
	core->names[size - head] = 0;
	const char *name = core->names;
	for (size_t i = 0; i < count; i++) {
		struct core_file *file = &core->files[i];
		if (name >= core->names + (size - head))
			return malformed(what, damaged);
		file->low = word_at(note, 2 + 3 * i);
		file->high = word_at(note, 3 + 3 * i);
		file->path = name;
		if (file->low >= file->high ||
		    __builtin_mul_overflow(word_at(note, 4 + 3 * i), page, &file->offset))
			return malformed(what, damaged);
		name += strlen(name) + 1;
	}
	core->files_length = count;
	return STATUS_OK;
}

static enum status read_note(struct snapshot *snapshot, const GElf_Nhdr *header, const uint8_t *note,
			     char name[16], const char **what)
{
	siginfo_t info;
	const size_t size = header->n_descsz;
	switch (header->n_type) {
	case NT_PRSTATUS:
		return read_status(snapshot, note, size, what);
	case NT_PRPSINFO:
		return read_process(snapshot, note, size, name, what);
	case NT_AUXV:
		return read_auxiliary(snapshot, note, size);
	case NT_FILE:
		return read_files(snapshot->core, note, size, what);
	case NT_SIGINFO:
		if (size >= sizeof info && snapshot->threads_length == 1) {
			memcpy(&info, note, sizeof info);
			snapshot->signal = deadly(info.si_signo);
			if (!snapshot->signal || from_outside(&info))
				snapshot->signalled = 0;
		}
		return STATUS_OK;
	default:
		return STATUS_OK;
	}
}

static enum status read_segment(struct snapshot *snapshot, const GElf_Phdr *segment, char name[16],
				const char **what)
{
	const struct core *core = snapshot->core;
	if (segment->p_offset > core->size || segment->p_filesz > core->size - segment->p_offset)
		return malformed(what, CORE_CUT_OFF);
	Elf_Data *data = elf_getdata_rawchunk(core->elf, (int64_t)segment->p_offset,
					      (size_t)segment->p_filesz, ELF_T_NHDR);
	enum status status = STATUS_OK;
	GElf_Nhdr header;
	size_t owner, description;
	if (!data)
		return malformed(what, "its notes can't be read");
	for (size_t at = 0;
	     status == STATUS_OK && (at = gelf_getnote(data, at, &header, &owner, &description)) > 0;) {
		const char *bytes = data->d_buf;
		if (header.n_namesz == 5 && memcmp(bytes + owner, "CORE", 5) == 0)
			status =
			    read_note(snapshot, &header, (const uint8_t *)bytes + description, name, what);
	}
	return status;
}

enum status core_read_notes(struct snapshot *snapshot, const char **what)
{
	size_t count = 0;
	char name[16] = "";
	enum status status = STATUS_OK;
	elf_getphdrnum(snapshot->core->elf, &count);
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		GElf_Phdr segment;
		if (gelf_getphdr(snapshot->core->elf, (int)i, &segment) && segment.p_type == PT_NOTE)
			status = read_segment(snapshot, &segment, name, what);
	}
	if (status != STATUS_OK)
		return status;
	if (!snapshot->threads_length)
		return malformed(what, "it tells of no thread");
	status = snapshot_sort_threads(snapshot, snapshot->pid);
	if (status != STATUS_OK)
		return status;
	/* The name is that of the main thread. */
	if (snapshot->threads[0].tid == snapshot->pid)
		memcpy(snapshot->threads[0].name, name, sizeof name);
	return STATUS_OK;
}
