#include "tracer/image_file/read.h"
#include "tracer/tracee/tracee.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is what an image file says possible? What passes here is loaded without another look. */

#define PAGE	    UINT64_C(4096)
#define ADDRESS_END UINT64_C(0x7ffffffff000)

/* Descriptors beyond this would need an odd limit. */
#define DESCRIPTORS_MOST (1 << 20)

static bool fail(char why[256], const char *because)
{
	snprintf(why, 256, "%s", because);
	return false;
}

static bool check_mappings(const struct image_file *file, char why[256])
{
	uint64_t last = PAGE;
	for (size_t i = 0; i < file->mappings_length; i++) {
		const struct image_mapping *mapping = &file->mappings[i].note;
		if (mapping->low < last || mapping->high <= mapping->low || mapping->high > ADDRESS_END ||
		    (mapping->low | mapping->high | mapping->offset) % PAGE || mapping->protection > 7 ||
		    mapping->kind > IMAGE_VDSO || mapping->build_id_length > sizeof mapping->build_id)
			return fail(why, "mappings that can't be");
		if (mapping->low < GADGET_PAGE + PAGE && mapping->high > GADGET_PAGE)
			return fail(why, "a mapping where fmc's own is");
		last = mapping->high;
	}
	return file->mappings_length || fail(why, "there is no memory");
}

/* Each stretch that is in the file lies within one mapping; both are in ascending order. */
static bool check_loads(const struct image_file *file, char why[256])
{
	size_t within = 0;
	uint64_t last = 0;
	for (size_t i = 1; i < file->loads_length; i++) {
		const Elf64_Phdr *load = &file->loads[i];
		const uint64_t low = load->p_vaddr;
		if (load->p_type != PT_LOAD)
			return fail(why, "contents of an unknown kind");
		if (load->p_filesz > load->p_memsz || low % PAGE || load->p_memsz > ADDRESS_END ||
		    low > ADDRESS_END || low < last || load->p_offset > file->size ||
		    load->p_filesz > file->size - load->p_offset)
			return fail(why, "memory that isn't all there");
		last = low + load->p_memsz;
		while (within < file->mappings_length && file->mappings[within].note.high <= low)
			within++;
		if (within == file->mappings_length || low < file->mappings[within].note.low ||
		    last > file->mappings[within].note.high)
			return fail(why, "memory outside of all mappings");
	}
	return true;
}

static int by_number(const void *a, const void *b)
{
	const int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;
	return one < other ? -1 : one > other;
}

/* They needn't ascend: past the highest that there may be the kernel begins with low ones again. */
static bool check_numbers(const struct image_file *file)
{
	const size_t length = file->threads_length;
	int32_t *numbers = malloc((length + 1) * sizeof *numbers);
	bool good = numbers != NULL;
	for (size_t i = 0; good && i < length; i++)
		numbers[i] = file->threads[i].note.number;
	if (good)
		qsort(numbers, length, sizeof *numbers, by_number);
	for (size_t i = 0; good && i < length; i++)
		good = numbers[i] > (i ? numbers[i - 1] : 0);
	free(numbers);
	return good;
}

static bool check_threads(const struct image_file *file, char why[256])
{
	if (!check_numbers(file))
		return fail(why, "numbers of threads that can't be");
	for (size_t i = 0; i < file->threads_length; i++) {
		if (!file->threads[i].extended || file->threads[i].extended_size > EXTENDED_ROOM)
			return fail(why, "a thread without vector registers");
	}
	return file->threads_length || fail(why, "there are no threads");
}

static bool check_descriptors(const struct image_file *file, char why[256])
{
	for (size_t i = 0; i < file->descriptors_length; i++) {
		const struct image_descriptor *descriptor = &file->descriptors[i].note;
		if (descriptor->number < 0 || descriptor->number > DESCRIPTORS_MOST ||
		    descriptor->kind > IMAGE_END)
			return fail(why, "descriptors that can't be");
	}
	return image_channels_check(file) || fail(why, "pipes that can't be");
}

bool image_file_check(const struct image_file *file, char why[256])
{
	if (!file->arguments || !file->environment)
		return fail(why, "arguments or environment are missing");
	return check_mappings(file, why) && check_loads(file, why) && check_threads(file, why) &&
	       check_descriptors(file, why);
}

const char *image_file_program(const struct image_file *file)
{
	return file->program;
}

char *const *image_file_arguments(const struct image_file *file)
{
	return file->arguments;
}

char *const *image_file_environment(const struct image_file *file)
{
	return file->environment;
}

const char *image_file_directory(const struct image_file *file)
{
	return file->directory;
}

uint32_t image_file_threads(const struct image_file *file)
{
	return (uint32_t)file->threads_length;
}

pid_t image_file_number(const struct image_file *file, uint32_t thread)
{
	return file->threads[thread].note.number;
}

const char *image_file_name(const struct image_file *file, uint32_t thread)
{
	return file->threads[thread].note.name;
}

const struct user_regs_struct *image_file_regs(const struct image_file *file, uint32_t thread)
{
	return &file->threads[thread].note.regs;
}

long image_file_syscall(const struct image_file *file, uint32_t thread)
{
	return (long)file->threads[thread].note.call;
}

size_t image_file_absences(const struct image_file *file)
{
	return file->absences_length;
}

const char *image_file_absence(const struct image_file *file, size_t i)
{
	return file->absences[i];
}
