/* What a call touches by lists: of buffers, texts; or as a number among its arguments says. */
#include "breakpoints/effects/memory_parts.h"

#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <regex.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>

#define LONGEST_STRING 65536
#define DEVICE_BYTES   36 /* of the kernel's struct termios */
#define LONGEST_TOKEN  4096
#define SEPARATORS     256
#define NAME_BYTES     16 /* of a thread */
#define LAST_OPTION    62 /* of prctl(), of those that are known */

/* Of newer kernels than the headers may be. */
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif

/* Ranges on their way. */
struct list {
	const struct target *target;
	struct touched *at;
	size_t length, room;
	bool *whole;
};

static void add(struct list *list, uint64_t address, uint64_t size, bool write)
{
	if (!address || !size)
		return;
	if (list->length < list->room)
		list->at[list->length++] = (struct touched){.address = address, .size = size, .write = write};
	else
		*list->whole = false;
}

static bool read_some(struct list *list, uint64_t address, void *to, size_t size)
{
	const bool read = target_read(list->target, address, to, size) == STATUS_OK;
	*list->whole &= read;
	return read;
}

static void add_vector(struct list *list, uint64_t address, uint64_t count, bool write)
{
	struct iovec one;
	if (count > IOV_MAX || !address)
		return; /* an error */
	add(list, address, count * sizeof(one), false);
	for (uint64_t i = 0; i < count && read_some(list, address + i * sizeof(one), &one, sizeof(one)); i++)
		add(list, (uint64_t)(uintptr_t)one.iov_base, one.iov_len, write);
}

/* Of what is received, how much of the address and of further data there is isn't known before. */
static void add_message(struct list *list, uint64_t address, bool write)
{
	struct msghdr message;
	if (!address || !read_some(list, address, &message, sizeof(message)))
		return;
	add(list, address, sizeof(message), write);
	add(list, (uint64_t)(uintptr_t)message.msg_name, write ? 1 : message.msg_namelen, write);
	add(list, (uint64_t)(uintptr_t)message.msg_control, write ? 1 : message.msg_controllen, write);
	add_vector(list, (uint64_t)(uintptr_t)message.msg_iov, message.msg_iovlen, write);
}

static void add_texts(struct list *list, uint64_t address)
{
	uint64_t text = 1, i = 0;
	while (address && text && read_some(list, address + i * sizeof(text), &text, sizeof(text))) {
		add(list, text, text ? memory_string_bytes(list->target, text, LONGEST_STRING) : 0, false);
		i++;
	}
	add(list, address, i * sizeof(text), false);
}

/* Those past the registers are on the stack. */
static void add_texts_here(struct list *list, const struct memory_caller *caller, unsigned argument,
			   const uint64_t arguments[MEMORY_ARGUMENTS])
{
	uint64_t text = 1;
	for (uint64_t i = argument; text && *list->whole; i++) {
		if (i < MEMORY_REGISTERS)
			text = arguments[i];
		else if (!read_some(list, caller->stack + (i - MEMORY_REGISTERS) * sizeof(text), &text,
				    sizeof(text)))
			break;
		add(list, text, text ? memory_string_bytes(list->target, text, LONGEST_STRING) : 0, false);
	}
}

static void add_answers(struct list *list, uint64_t address, uint64_t count)
{
	for (uint64_t i = 0; address && i < count && *list->whole; i++)
		add(list, address + i * sizeof(struct pollfd) + offsetof(struct pollfd, revents),
		    sizeof(short), true);
}

/* Those with other arguments than numbers; of some options it isn't known. */
static void add_control(struct list *list, uint64_t option, uint64_t address)
{
	switch (option) {
	case PR_SET_NAME:
		add(list, address, memory_string_bytes(list->target, address, NAME_BYTES), false);
		break;
	case PR_GET_NAME:
		add(list, address, NAME_BYTES, true);
		break;
	case PR_GET_PDEATHSIG:
	case PR_GET_UNALIGN:
	case PR_GET_FPEMU:
	case PR_GET_FPEXC:
	case PR_GET_ENDIAN:
	case PR_GET_TSC:
	case PR_GET_CHILD_SUBREAPER:
		add(list, address, sizeof(int), true);
		break;
	case PR_GET_TID_ADDRESS:
		add(list, address, sizeof(uint64_t), true);
		break;
	case PR_SET_MM:
	case PR_SET_SECCOMP:
	case PR_SET_VMA:
	case PR_SCHED_CORE:
		*list->whole = false;
		break;
	case PR_SET_PTRACER:
		break;
	default:
		*list->whole &= option <= LAST_OPTION;
	}
}

/* The token and what is before it are read, and the separator behind it becomes a 0. Of a longer one no more than this is looked at. */
static void add_cut(struct list *list, struct memory_tokens *tokens, uint64_t string, uint64_t separators)
{
	char text[LONGEST_TOKEN + 1], apart[SEPARATORS + 1];
	const uint64_t start = string || !tokens ? string : tokens->next;
	const uint64_t bytes = start ? memory_string_bytes(list->target, start, LONGEST_TOKEN) : 0;
	const uint64_t parts = memory_string_bytes(list->target, separators, SEPARATORS);
	*list->whole &= string || tokens;
	if (!bytes || !read_some(list, start, text, bytes) || !read_some(list, separators, apart, parts))
		return;
	text[bytes] = apart[parts] = 0;
	const size_t token = strspn(text, apart), end = token + strcspn(text + token, apart);
	*list->whole &= end < bytes;
	add(list, start, end + 1, false);
	if (text[end])
		add(list, start + end, 1, true);
	if (tokens)
		tokens->next = start + end + (text[end] != 0);
}

/* Each with its address behind it in one block, and perhaps a name. */
static void add_addresses(struct list *list, uint64_t address)
{
	struct addrinfo one;
	for (; address && *list->whole && read_some(list, address, &one, sizeof(one));
	     address = (uint64_t)(uintptr_t)one.ai_next) {
		const uint64_t name = (uint64_t)(uintptr_t)one.ai_canonname;
		add(list, address, sizeof(one) + one.ai_addrlen, true);
		add(list, name, name ? memory_string_bytes(list->target, name, LONGEST_STRING) : 0, true);
	}
}

/* As many of them as it says there are, if the pattern says that there are any; else they are made. */
static void add_registers(struct list *list, uint64_t pattern, uint64_t address)
{
	struct re_registers registers;
	regex_t compiled;
	if (!address || !read_some(list, pattern, &compiled, sizeof(compiled)) ||
	    !read_some(list, address, &registers, sizeof(registers)))
		return;
	const bool made = compiled.regs_allocated != REGS_UNALLOCATED;
	const uint64_t bytes = made ? registers.num_regs * sizeof(*registers.start) : 0;
	add(list, pattern, sizeof(compiled), true);
	add(list, address, sizeof(registers), true);
	add(list, (uint64_t)(uintptr_t)registers.start, bytes, true);
	add(list, (uint64_t)(uintptr_t)registers.end, bytes, true);
}

static void add_device(struct list *list, uint64_t request, uint64_t address)
{
	switch (request) {
	case FIOCLEX:
	case FIONCLEX:
	case TIOCNOTTY:
	case TIOCSCTTY:
	case TCFLSH:
		break;
	case FIONREAD:
	case TIOCOUTQ:
	case TIOCGPGRP:
		add(list, address, sizeof(int), true);
		break;
	case FIONBIO:
	case TIOCSPGRP:
		add(list, address, sizeof(int), false);
		break;
	case TIOCGWINSZ:
		add(list, address, sizeof(struct winsize), true);
		break;
	case TCGETS:
		add(list, address, DEVICE_BYTES, true);
		break;
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
		add(list, address, DEVICE_BYTES, false);
		break;
	default:
		*list->whole = false;
	}
}

bool memory_call_touches_nothing(uint64_t number)
{
	switch ((long)number) {
	case SYS_gettid:
	case SYS_getpid:
	case SYS_getppid:
	case SYS_sched_yield:
	case SYS_ioprio_set:
	case SYS_ioprio_get:
	case SYS_membarrier:
	case SYS_tgkill:
	case SYS_futex: /* an operation */
	case SYS_pidfd_open:
	case SYS_close_range:
	case SYS_exit:
	case SYS_exit_group:
		return true;
	default:
		return false;
	}
}

static void add_system_call(struct list *list, const uint64_t arguments[MEMORY_ARGUMENTS])
{
	switch ((long)arguments[0]) {
	case SYS_getrandom:
		add(list, arguments[1], arguments[2], true);
		break;
	case SYS_getcpu:
		add(list, arguments[1], sizeof(int), true);
		add(list, arguments[2], sizeof(int), true);
		break;
	case SYS_memfd_create:
		add(list, arguments[1], memory_string_bytes(list->target, arguments[1], LONGEST_STRING),
		    false);
		break;
	case SYS_sched_setaffinity:
		add(list, arguments[3], arguments[2], false);
		break;
	case SYS_sched_getaffinity:
		add(list, arguments[3], sizeof(uint64_t), true);
		break;
	case SYS_statx:
		add(list, arguments[2], memory_string_bytes(list->target, arguments[2], LONGEST_STRING),
		    false);
		add(list, arguments[5], sizeof(struct statx), true);
		break;
	default:
		*list->whole &= memory_call_touches_nothing(arguments[0]);
	}
}

size_t memory_list_touched(const struct memory_caller *caller, const struct part *part,
			   const uint64_t arguments[MEMORY_ARGUMENTS], struct touched *at, size_t room,
			   bool *whole)
{
	struct list list = {.target = caller->target, .at = at, .room = room, .whole = whole};
	const uint64_t argument = arguments[part->argument];
	switch (part->extent) {
	case VECTOR:
		add_vector(&list, argument, arguments[2], part->write);
		break;
	case MESSAGE:
		add_message(&list, argument, part->write);
		break;
	case TEXTS:
		add_texts(&list, argument);
		break;
	case TEXTS_HERE:
		add_texts_here(&list, caller, part->argument, arguments);
		break;
	case ANSWERS:
		add_answers(&list, argument, (uint32_t)arguments[1]);
		break;
	case CONTROL:
		add_control(&list, arguments[0], argument);
		break;
	case DEVICE:
		add_device(&list, arguments[1], argument);
		break;
	case CUT:
		add_cut(&list, caller->tokens, argument, arguments[1]);
		break;
	case ADDRESSES:
		add_addresses(&list, argument);
		break;
	case REGISTERS:
		add_registers(&list, arguments[0], argument);
		break;
	case SYSTEM_CALL:
		add_system_call(&list, arguments);
		break;
	default:
		break;
	}
	return list.length;
}
