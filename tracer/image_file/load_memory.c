#include "tracer/image_file/blank_process.h"
#include "tracer/image_file/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The address space of a saved process, built up in an empty one. */

#define CHUNK (1 << 20)

/*
 * The stack grows downwards when it is touched below its end, as long as nothing is mapped there. Its protection is put right
 * at the end, when its contents are there.
 */
static uint64_t map_flags(const struct image_mapping *mapping)
{
	return MAP_PRIVATE | MAP_FIXED_NOREPLACE | (mapping->kind == IMAGE_FILE ? 0 : MAP_ANONYMOUS) |
	       (mapping->kind == IMAGE_STACK ? MAP_GROWSDOWN : 0) | MAP_NORESERVE;
}

static enum status map(struct tracee *tracee, const struct image_file_mapping *mapping, int64_t descriptor)
{
	const struct image_mapping *note = &mapping->note;
	const uint64_t arguments[6] = {
	    note->low,	     note->high - note->low, note->protection,
	    map_flags(note), (uint64_t)descriptor,   note->kind == IMAGE_FILE ? note->offset : 0};
	int64_t result;
	const enum status status = blank_process_call(tracee, SYS_mmap, arguments, &result);
	if (status == STATUS_OK && (uint64_t)result != note->low)
		return STATUS_UNSUPPORTED;
	return status;
}

static enum status map_file(struct tracee *tracee, const struct image_file_mapping *mapping, char why[256])
{
	const uint64_t arguments[6] = {0, O_RDONLY | O_CLOEXEC};
	int64_t opened;
	if (!mapped_file_fits(mapping->path, &mapping->note)) {
		snprintf(why, 256, "%.180s has changed since the process was saved", mapping->path);
		return STATUS_DIVERGED;
	}
	enum status status = blank_process_call_text(tracee, SYS_open, arguments, 0, mapping->path, &opened);
	if (status == STATUS_SYSTEM) {
		snprintf(why, 256, "%.180s: can't be opened: %s", mapping->path, strerror(errno));
		return STATUS_UNSUPPORTED;
	}
	if (status == STATUS_OK)
		status = map(tracee, mapping, opened);
	const uint64_t close_arguments[6] = {(uint64_t)opened};
	const enum status closed =
	    status == STATUS_OK ? blank_process_call(tracee, SYS_close, close_arguments, NULL) : STATUS_OK;
	return status == STATUS_OK ? closed : status;
}

static enum status map_all(struct tracee *tracee, const struct image_file *file, char why[256])
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < file->mappings_length && status == STATUS_OK; i++) {
		const struct image_file_mapping *mapping = &file->mappings[i];
		snprintf(why, 256, "can't map memory at %#lx", mapping->note.low);
		status = mapping->note.kind == IMAGE_FILE ? map_file(tracee, mapping, why)
							  : map(tracee, mapping, -1);
	}
	return status == STATUS_SYSTEM ? STATUS_UNSUPPORTED : status;
}

/* Written from outside, which no protection hinders. */
static enum status fill(struct target *target, const struct image_file *file, const Elf64_Phdr *load)
{
	static uint8_t bytes[CHUNK];
	for (uint64_t done = 0; done < load->p_filesz;) {
		const size_t size = load->p_filesz - done < CHUNK ? load->p_filesz - done : CHUNK;
		const ssize_t got = pread(file->fd, bytes, size, (off_t)(load->p_offset + done));
		if (got <= 0)
			return STATUS_MALFORMED;
		const enum status status = target_write(target, load->p_vaddr + done, bytes, (size_t)got);
		if (status != STATUS_OK)
			return status;
		done += (uint64_t)got;
	}
	return STATUS_OK;
}

static enum status fill_all(struct target *target, const struct image_file *file, char why[256])
{
	enum status status = STATUS_OK;
	for (size_t i = 1; i < file->loads_length && status == STATUS_OK; i++) {
		status = fill(target, file, &file->loads[i]);
		if (status != STATUS_OK)
			snprintf(why, 256, "can't fill memory at %#lx: %s", file->loads[i].p_vaddr,
				 status_text(status));
	}
	return status;
}

static enum status replace_vdso(struct target *target, const struct image_file *file)
{
	for (size_t i = 0; i < file->mappings_length; i++) {
		const struct image_mapping *mapping = &file->mappings[i].note;
		if (mapping->kind == IMAGE_VDSO)
			return vdso_replace(target, file, mapping->low, mapping->high);
	}
	return STATUS_OK;
}

/* Where the kernel believes the heap, the stack, the arguments and what it told the program to be. A program that asks for no more heap does without. */
static enum status tell_addresses(struct tracee *tracee, const struct image_file *file)
{
	const struct image_addresses *from = &file->process.addresses;
	const uint64_t after = GADGET_SCRATCH + sizeof(struct prctl_mm_map);
	const struct prctl_mm_map map = {.start_code = from->start_code,
					 .end_code = from->end_code,
					 .start_data = from->start_data,
					 .end_data = from->end_data,
					 .start_brk = from->start_brk,
					 .brk = from->brk,
					 .start_stack = from->start_stack,
					 .arg_start = from->arg_start,
					 .arg_end = from->arg_end,
					 .env_start = from->env_start,
					 .env_end = from->env_end,
					 .auxv = file->auxiliary_size ? (void *)after : NULL,
					 .auxv_size = (uint32_t)file->auxiliary_size,
					 .exe_fd = (uint32_t)-1};
	const uint64_t arguments[6] = {PR_SET_MM, PR_SET_MM_MAP, GADGET_SCRATCH, sizeof map};
	enum status status = target_write(tracee->target, GADGET_SCRATCH, &map, sizeof map);
	if (status == STATUS_OK && file->auxiliary_size)
		status = target_write(tracee->target, after, file->auxiliary, file->auxiliary_size);
	if (status == STATUS_OK)
		status = blank_process_call(tracee, SYS_prctl, arguments, NULL);
	return status;
}

enum status image_load_memory(struct tracee *tracee, const struct image_file *file, char why[256])
{
	enum status status = map_all(tracee, file, why);
	if (status == STATUS_OK)
		status = fill_all(tracee->target, file, why);
	if (status != STATUS_OK)
		return status;
	status = replace_vdso(tracee->target, file);
	if (status != STATUS_OK) {
		snprintf(why, 256, "its vDSO isn't one: %s", status_text(status));
		return status;
	}
	status = tell_addresses(tracee, file);
	if (status == STATUS_SYSTEM) {
		snprintf(why, 256, "can't put the heap where it was: %s", strerror(errno));
		status = STATUS_UNSUPPORTED;
	}
	return status;
}
