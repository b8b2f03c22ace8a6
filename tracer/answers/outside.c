#include "tracer/answers/outside.h"
#include "tracer/answers/answers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A process started from a saved image must not do anything that others notice: it would happen once in each execution. And
 * what it had open isn't all there: in place of what is missing there is a memory file that can't be used, whose
 * name says what it was. Both are told from the call alone, before it is performed.
 */
#define MARK "missing: "

void outside_name(const char *text, char name[200])
{
	snprintf(name, 200, MARK "%.180s", text);
}

__attribute__((format(printf, 2, 3))) static bool outside(struct tracee *tracee, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(tracee->target->outside, sizeof tracee->target->outside, format, arguments);
	va_end(arguments);
	return true;
}

/* What the descriptor was if it stands for something that is missing; `text` takes it. */
static bool is_missing(const struct tracee *tracee, int descriptor, char text[200])
{
	static const char mark[] = "/memfd:" MARK, deleted[] = " (deleted)";
	char path[48];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", tracee->target->pid, descriptor);
	const ssize_t length = readlink(path, text, 199);
	if (length <= (ssize_t)sizeof mark || memcmp(text, mark, sizeof mark - 1) != 0)
		return false;
	text[length] = '\0';
	memmove(text, text + sizeof mark - 1, (size_t)length - sizeof mark + 2);
	char *end = strstr(text, deleted);
	if (end && !end[sizeof deleted - 1])
		*end = '\0';
	return true;
}

static bool uses(struct tracee *tracee, int descriptor, const char *verb)
{
	char text[200];
	return is_missing(tracee, descriptor, text) &&
	       outside(tracee, "%s %.150s", verb ? verb : "use", text);
}

static bool keeps(struct tracee *tracee, const struct user_regs_struct *regs)
{
	switch ((int)regs->rsi) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_GETFD:
	case F_SETFD:
		return false;
	default:
		return uses(tracee, (int)regs->rdi, NULL);
	}
}

static bool opens(struct tracee *tracee, uint64_t path, uint64_t flags)
{
	static const char *const nobodys[] = {"/dev/null", "/dev/zero", "/dev/full"};
	char text[160];
	size_t length = 0;
	if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)))
		return false;
	while (length < sizeof text - 1 &&
	       target_read(tracee->target, path + length, text + length, 1) == STATUS_OK && text[length])
		length++;
	text[length] = '\0';
	for (size_t i = 0; i < sizeof nobodys / sizeof nobodys[0]; i++)
		if (strcmp(text, nobodys[i]) == 0)
			return false;
	return outside(tracee, "open %.150s for writing", text);
}

static bool is_own(const struct target *target, uint64_t number)
{
	const int32_t wanted = (int32_t)number;
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (tracee_number(target->tracees[i]) == wanted)
			return true;
	return wanted == 0;
}

static bool concerns(struct tracee *tracee, uint64_t number, const char *verb)
{
	return !is_own(tracee->target, number) && outside(tracee, "%s process %d", verb, (int)number);
}

static bool clones(struct tracee *tracee, uint64_t flags)
{
	return !(flags & CLONE_THREAD) && outside(tracee, "make a process");
}

static bool polls(struct tracee *tracee, uint64_t at, uint64_t length)
{
	for (uint64_t i = 0; i < length && i < 65536; i++) {
		struct pollfd one;
		if (target_read(tracee->target, at + i * sizeof one, &one, sizeof one) != STATUS_OK)
			return false;
		if (one.fd >= 0 && uses(tracee, one.fd, "wait for"))
			return true;
	}
	return false;
}

static bool selects(struct tracee *tracee, const struct user_regs_struct *regs)
{
	const uint64_t sets[] = {regs->rsi, regs->rdx, regs->r10};
	for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
		for (uint64_t number = 0; sets[i] && number < regs->rdi && number < FD_SETSIZE; number++) {
			uint8_t bits;
			if (target_read(tracee->target, sets[i] + number / 8, &bits, 1) != STATUS_OK)
				break;
			if (bits >> number % 8 & 1 && uses(tracee, (int)number, "wait for"))
				return true;
		}
	}
	return false;
}

/* A message to an address, not to whom the socket is connected with. */
static bool sends_message(struct tracee *tracee, const struct user_regs_struct *regs)
{
	struct msghdr head;
	return uses(tracee, (int)regs->rdi, "send to") ||
	       (target_read(tracee->target, regs->rsi, &head, sizeof head) == STATUS_OK && head.msg_name &&
		outside(tracee, "send a message to an address"));
}

static uint64_t word_at(const struct tracee *tracee, uint64_t address)
{
	uint64_t word = 0;
	return target_read(tracee->target, address, &word, sizeof word) == STATUS_OK ? word : 0;
}

bool outside_call(struct tracee *tracee, long number)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs)
		return false;
	const char *text = NULL;
	switch (outside_rule(number, &text)) {
	case FREE:
		return false;
	case USES:
		return uses(tracee, (int)regs->rdi, text);
	case USES_TWO:
		return uses(tracee, (int)regs->rdi, text) || uses(tracee, (int)regs->rsi, text);
	case KEEPS:
		return keeps(tracee, regs);
	case OWN:
		return concerns(tracee, regs->rdi, text);
	case OWN_LATER:
		return concerns(tracee, regs->rsi, text);
	case OPENS:
		return opens(tracee, regs->rdi, regs->rsi);
	case OPENS_AT:
		return opens(tracee, regs->rsi, regs->rdx);
	case CLONES:
		return clones(tracee, regs->rdi);
	case CLONES_BY_STRUCT:
		return clones(tracee, word_at(tracee, regs->rdi));
	case POLLS:
		return polls(tracee, regs->rdi, regs->rsi);
	case SELECTS:
		return selects(tracee, regs);
	case SENDS_TO:
		return uses(tracee, (int)regs->rdi, text) ||
		       (regs->r8 && outside(tracee, "send a message to an address"));
	case SENDS_MESSAGE:
		return sends_message(tracee, regs);
	case CONTROLS_SET:
		return uses(tracee, (int)regs->rdi, text) || uses(tracee, (int)regs->rdx, "wait for");
	case NEVER:
		return text ? outside(tracee, "%s", text)
			    : outside(tracee, "perform system call %ld", number);
	}
	return false;
}
