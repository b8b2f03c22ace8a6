#include "tracer/proc/elf_check.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What can be said about a program before it is started: one line for the user. */

static enum status check_header(const char *path, const unsigned char *head, ssize_t length, char why[256])
{
	if (length >= 2 && head[0] == '#' && head[1] == '!') {
		snprintf(why, 256, "%s: is a script; name its interpreter and the script as its argument",
			 path);
		return STATUS_UNSUPPORTED;
	}
	if (length < (ssize_t)sizeof(Elf64_Ehdr) || memcmp(head, ELFMAG, SELFMAG) != 0) {
		snprintf(why, 256, "%s: is not an ELF program", path);
		return STATUS_UNSUPPORTED;
	}
	if (head[EI_CLASS] != ELFCLASS64) {
		snprintf(why, 256, "%s: is a 32-bit program; fmc supervises 64-bit x86-64 programs", path);
		return STATUS_UNSUPPORTED;
	}
	const Elf64_Ehdr *elf = (const Elf64_Ehdr *)(const void *)head;
	if (elf->e_machine != EM_X86_64) {
		snprintf(why, 256, "%s: is for another processor; fmc supervises x86-64 programs", path);
		return STATUS_UNSUPPORTED;
	}
	if (elf->e_type != ET_EXEC && elf->e_type != ET_DYN) {
		snprintf(why, 256, "%s: is an ELF file but no program", path);
		return STATUS_UNSUPPORTED;
	}
	return STATUS_OK;
}

enum status elf_check(const char *path, char why[256])
{
	_Alignas(Elf64_Ehdr) unsigned char head[sizeof(Elf64_Ehdr)];
	struct stat stat_of;
	if (stat(path, &stat_of) != 0) {
		snprintf(why, 256, "%s: %s", path, strerror(errno));
		return errno == EACCES ? STATUS_DENIED : STATUS_NOT_FOUND;
	}
	if (!S_ISREG(stat_of.st_mode)) {
		snprintf(why, 256, "%s: is not a program", path);
		return STATUS_UNSUPPORTED;
	}
	if (access(path, X_OK) != 0) {
		snprintf(why, 256, "%s: is not executable", path);
		return STATUS_DENIED;
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		/* May be run though not be read: the kernel will refuse ptrace then. */
		snprintf(why, 256, "%s: can't be read: %s", path, strerror(errno));
		return STATUS_DENIED;
	}
	ssize_t length = read(fd, head, sizeof head);
	close(fd);
	return check_header(path, head, length, why);
}
