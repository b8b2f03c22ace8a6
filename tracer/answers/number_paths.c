#include "tracer/answers/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* Files in /proc are called by numbers of processes and threads, which the kernel wants to be its own. */

/* As long as the part that has numbers may be. */
#define HEAD_ROOM 96

/* Which argument points to the path; NULL: none of these calls. */
static unsigned long long *path_argument(struct user_regs_struct *regs)
{
	switch ((long)regs->orig_rax) {
	case SYS_open:
	case SYS_readlink:
		return &regs->rdi;
	case SYS_openat:
	case SYS_readlinkat:
		return &regs->rsi;
	default:
		return NULL;
	}
}

/* Copy a number's own digits, or those of the number that the kernel has for it. */
static bool put_component(const struct target *target, const char **from, char **to, bool *changed)
{
	char *end;
	const unsigned long number = strtoul(*from, &end, 10);
	const uint64_t real = numbers_real(target, number);
	if (end == *from || (*end && *end != '/'))
		return false;
	*to += sprintf(*to, "%lu", (unsigned long)real);
	*changed |= real != number;
	*from = end;
	return true;
}

static bool skip(const char **from, char **to, const char *text)
{
	const size_t length = strlen(text);
	if (strncmp(*from, text, length) != 0)
		return false;
	memcpy(*to, text, length);
	*to += length;
	*from += length;
	return true;
}

/* /proc/PID, /proc/PID/task/TID or /proc/self/task/TID, and what follows. False: nothing to be changed. */
static bool rename_path(const struct target *target, const char *path, char renamed[HEAD_ROOM + 32])
{
	bool changed = false;
	char *to = renamed;
	if (!skip(&path, &to, "/proc/"))
		return false;
	if (!skip(&path, &to, "self") && !put_component(target, &path, &to, &changed))
		return false;
	if (skip(&path, &to, "/task/"))
		(void)put_component(target, &path, &to, &changed);
	strcpy(to, path);
	return changed;
}

bool numbers_name_real_path(struct tracee *tracee, struct user_regs_struct *regs)
{
	static const char proc[] = "/proc/";
	char path[HEAD_ROOM], renamed[HEAD_ROOM + 32];
	unsigned long long *argument = path_argument(regs);
	const uint64_t left = argument ? 4096 - *argument % 4096 : 0;
	const size_t size = left < sizeof path ? (size_t)left : sizeof path;
	if (!argument || size < sizeof proc ||
	    target_read(tracee->target, *argument, path, size) != STATUS_OK ||
	    memcmp(path, proc, sizeof proc - 1) != 0)
		return false;
	if (size < sizeof path &&
	    target_read(tracee->target, *argument + size, path + size, sizeof path - size) != STATUS_OK)
		memset(path + size, 0, sizeof path - size);
	if (!memchr(path, '\0', sizeof path) || !rename_path(tracee->target, path, renamed) ||
	    target_write(tracee->target, GADGET_SCRATCH, renamed, strlen(renamed) + 1) != STATUS_OK)
		return false;
	*argument = GADGET_SCRATCH;
	return true;
}
