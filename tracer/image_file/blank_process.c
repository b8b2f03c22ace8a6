#include "tracer/image_file/blank_process.h"
#include "tracer/copy/launch.h"

#include <errno.h>
#include <fmc/tracer/maps.h>
#include <fmc/tracer/origin.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BASE	  UINT64_C(0x10000000)
#define TEXT_MOST 2000 /* that fits into fmc's page */

/* Nothing of it is ever run: fmc writes its own code where it begins. */
struct blank_program {
	Elf64_Ehdr header;
	Elf64_Phdr load;
	uint8_t code[16];
};

static int make_program(void)
{
	const struct blank_program blank = {
	    .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		       .e_type = ET_EXEC,
		       .e_machine = EM_X86_64,
		       .e_version = EV_CURRENT,
		       .e_entry = BASE + offsetof(struct blank_program, code),
		       .e_phoff = offsetof(struct blank_program, load),
		       .e_ehsize = sizeof(Elf64_Ehdr),
		       .e_phentsize = sizeof(Elf64_Phdr),
		       .e_phnum = 1},
	    .load = {.p_type = PT_LOAD,
		     .p_flags = PF_R | PF_X,
		     .p_vaddr = BASE,
		     .p_filesz = sizeof blank,
		     .p_memsz = sizeof blank,
		     .p_align = 4096},
	    .code = {0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
		     0xcc}};
	const int fd = memfd_create("fmc-blank", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, &blank, sizeof blank) == (ssize_t)sizeof blank)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

enum status blank_process_call(struct tracee *tracee, long number, const uint64_t arguments[6],
			       int64_t *result)
{
	int64_t ignored;
	result = result ? result : &ignored;
	const enum status status = tracee_syscall(tracee, number, arguments, result);
	if (status != STATUS_OK || *result >= 0 || *result < -4095)
		return status;
	errno = (int)-*result;
	return STATUS_SYSTEM;
}

enum status blank_process_call_text(struct tracee *tracee, long number, const uint64_t arguments[6],
				    int place, const char *text, int64_t *result)
{
	const size_t size = strlen(text) + 1;
	uint64_t all[6];
	if (size > TEXT_MOST) {
		errno = ENAMETOOLONG;
		return STATUS_SYSTEM;
	}
	memcpy(all, arguments, sizeof all);
	all[place] = GADGET_SCRATCH;
	const enum status status = target_write(tracee->target, GADGET_SCRATCH, text, size);
	return status == STATUS_OK ? blank_process_call(tracee, number, all, result) : status;
}

/* One mapping after the other, since some of the kernel's own may be sealed. */
static enum status empty(struct tracee *tracee)
{
	struct maps maps;
	enum status status = maps_of(tracee->target->pid, &maps);
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < maps.length && (status == STATUS_OK || status == STATUS_SYSTEM); i++) {
		const uint64_t arguments[6] = {maps.at[i].low, maps.at[i].high - maps.at[i].low};
		if (maps.at[i].low != GADGET_PAGE)
			status = blank_process_call(tracee, SYS_munmap, arguments, NULL);
	}
	maps_release(&maps);
	return status == STATUS_SYSTEM ? STATUS_OK : status;
}

enum status blank_process_start(const struct program *program, const struct image_file *file,
				struct target **out, char why[256])
{
	char path[32];
	char *const arguments[] = {(char *)(uintptr_t) "fmc-blank", NULL}, *const environment[] = {NULL};
	const int fd = make_program();
	if (fd < 0) {
		snprintf(why, 256, "can't make a file in memory: %s", strerror(errno));
		return STATUS_SYSTEM;
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	const struct program blank = {.path = path,
				      .arguments = arguments,
				      .environment = environment,
				      .input = program->input,
				      .output = program->output,
				      .error = program->error};
	const struct identity as = {.user = file->process.user,
				    .group = file->process.group,
				    .groups = file->process.groups,
				    .groups_length = file->process.groups_length};
	const struct virtual_world world = {.confined = false}; /* until it is what was saved */
	enum status status = launch(&blank, &as, &world, out, why);
	close(fd);
	if (status == STATUS_OK)
		status = empty(target_tracee(*out, 0));
	if (status != STATUS_OK && *out) {
		target_kill(*out);
		*out = NULL;
	}
	return status;
}
