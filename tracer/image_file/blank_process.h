#ifndef FMC_TRACER_IMAGE_FILE_BLANK_PROCESS_H
#define FMC_TRACER_IMAGE_FILE_BLANK_PROCESS_H

#include "tracer/image_file/read.h"
#include "tracer/tracee/tracee.h"

/*
 * An empty process to become another one: a program of a few bytes in memory, without a loader or a library, stopped with
 * nothing in its address space but fmc's page (and what the kernel doesn't let go of).
 */
enum status blank_process_start(const struct program *program, const struct image_file *file,
				struct target **target, char why[256]);

/* The stopped blank process's only thread makes a call; a negative result is an error, with errno: STATUS_SYSTEM. */
enum status blank_process_call(struct tracee *tracee, long number, const uint64_t arguments[6],
			       int64_t *result);
/* The same with a text as the argument `place`. STATUS_SYSTEM, too, if it is too long. */
enum status blank_process_call_text(struct tracee *tracee, long number, const uint64_t arguments[6],
				    int place, const char *text, int64_t *result);

/* load_memory.c, load_descriptors.c: it becomes what the file says. `why` is for the user. */
struct open_files;
enum status image_load_memory(struct tracee *tracee, const struct image_file *file, char why[256]);
enum status image_load_descriptors(struct tracee *tracee, const struct image_file *file,
				   struct open_files *open_files, char why[256]);

/* vdso.c: functions of the vDSO that is in the target's memory there become plain system calls. */
enum status vdso_replace(struct target *target, const struct image_file *file, uint64_t low, uint64_t high);

#endif
