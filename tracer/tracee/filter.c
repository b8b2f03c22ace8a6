#include "tracer/tracee/tracee.h"

#include <fmc/tracer/assert.h>
#include <fmc/tracer/call_traits.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The filter of system calls: those that stop a thread (call_traits.h) do so before the kernel sees them, all others cost
 * nothing. Calls from fmc's own page pass. rseq is answered with success and not done: the kernel would write
 * to the target's memory after fmc's back, and glibc can't live with a refusal.
 *
 * In a confined process those that are harmless cost nothing, and all others stop the thread. mmap() of a file for writing needs one
 * that was opened so, which has been stopped before.
 */

/* Calls that a filter tells from all others; jumps within a filter have a byte. */
struct calls {
	uint16_t at[UINT8_MAX];
	size_t length;
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOAD_HIGH(field)                                                                                     \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field) + 4) /* of 64 bits */
#define RETURN(value)			   BPF_STMT(BPF_RET | BPF_K, (value))
#define JUMP_EQUAL(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (then), (otherwise))
#define JUMP_BITS(bits, then, otherwise)   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), (then), (otherwise))

static bool is_traced(const struct call_traits *call)
{
	return call->stops == STOPS_ALWAYS;
}

static bool is_harmless(const struct call_traits *call)
{
	return call->harmless;
}

/* Of these what doesn't stop anyway does so where mappings are watched. */
static bool is_mapping(const struct call_traits *call)
{
	return call->maps && call->stops == STOPS_NEVER;
}

/* Of these a filter stops what concerns descriptors; see target_watch_transfers(). */
static bool is_transfer(const struct call_traits *call)
{
	return call->stops == STOPS_TRANSFERS;
}

static void find_calls(struct calls *calls, bool (*are)(const struct call_traits *call))
{
	size_t length;
	const struct call_traits *table = call_traits_table(&length);
	calls->length = 0;
	for (size_t i = 0; i < length; i++) {
		if (!are(&table[i]))
			continue;
		FMC_ASSERT(calls->length < COUNT(calls->at));
		calls->at[calls->length++] = table[i].number;
	}
}

/* One of the calls goes on `skip` instructions after them. */
static size_t add_calls(struct sock_filter *code, const struct calls *calls, size_t skip)
{
	FMC_ASSERT(calls->length + skip <= UINT8_MAX);
	for (size_t i = 0; i < calls->length; i++)
		code[i] =
		    (struct sock_filter)JUMP_EQUAL(calls->at[i], (uint8_t)(calls->length - 1 - i + skip), 0);
	return calls->length;
}

/*
 * The end of a filter: fmc's own calls, from its gadget, are let pass, the program's are traced. The instruction pointer is 64
 * bits wide, loads are 32: the low half comes first in memory.
 */
#define TRACE_BUT_OURS_AS(message)                                                                           \
	LOAD_HIGH(instruction_pointer), JUMP_EQUAL((uint32_t)(GADGET_PAGE >> 32), 0, 3),                     \
	    LOAD(instruction_pointer), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 4096, 1, 0),                      \
	    RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_TRACE | (message))

/* Where an instruction of `some` leads, in place of a number of instructions: to one of those at the filter's end. */
enum { ALLOW = 253, REFUSE, LOOK };

/*
 * Of these calls only some forms stop the thread: what is read from standard input; what closes that, or standard output or errors; what locks files and what names a process;
 * mappings of code that can be written or comes from no file, but for fmc's own page, which has to be there before a call can be told as
 * fmc's; mappings of files to memory that is shared; the doubling of a mapping, which has the length 0;
 * the making of a process that has a copy of all memory. A task that clone() makes unseen by its tracer couldn't do its own system calls, as this filter stops those: only fmc's own are made, which lose it.
 */
static const struct sock_filter some[] = {
    JUMP_EQUAL(SYS_read, 0, 2),
    LOAD(args[0]),
    JUMP_EQUAL(STDIN_FILENO, LOOK, ALLOW),
    JUMP_EQUAL(SYS_close, 0, 2),
    LOAD(args[0]),
    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, STDERR_FILENO, ALLOW, LOOK),
    JUMP_EQUAL(SYS_fcntl, 0, 9),
    LOAD(args[1]),
    JUMP_EQUAL(F_SETLK, LOOK, 0),
    JUMP_EQUAL(F_SETLKW, LOOK, 0),
    JUMP_EQUAL(F_OFD_SETLK, LOOK, 0),
    JUMP_EQUAL(F_OFD_SETLKW, LOOK, 0),
    JUMP_EQUAL(F_SETOWN, LOOK, 0),
    JUMP_EQUAL(F_SETOWN_EX, LOOK, 0),
    JUMP_EQUAL(F_GETOWN, LOOK, 0),
    JUMP_EQUAL(F_GETOWN_EX, LOOK, ALLOW),
    JUMP_EQUAL(SYS_mmap, 0, 12),
    LOAD(args[2]),
    JUMP_BITS(PROT_EXEC, 0, 7),
    JUMP_BITS(PROT_WRITE, 2, 0),
    LOAD(args[3]),
    JUMP_BITS(MAP_SHARED | MAP_ANONYMOUS, 0, ALLOW),
    LOAD(args[0]),
    JUMP_EQUAL((uint32_t)GADGET_PAGE, 0, LOOK),
    LOAD_HIGH(args[0]),
    JUMP_EQUAL((uint32_t)(GADGET_PAGE >> 32), ALLOW, LOOK),
    LOAD(args[3]),
    JUMP_BITS(MAP_SHARED, 0, ALLOW),
    JUMP_BITS(MAP_ANONYMOUS, ALLOW, LOOK),
    JUMP_EQUAL(SYS_mprotect, 1, 0),
    JUMP_EQUAL(SYS_pkey_mprotect, 0, 2),
    LOAD(args[2]),
    JUMP_BITS(PROT_EXEC, LOOK, ALLOW),
    JUMP_EQUAL(SYS_mremap, 0, 2),
    LOAD(args[1]),
    JUMP_EQUAL(0, LOOK, ALLOW),
    JUMP_EQUAL(SYS_clone, 0, ALLOW),
    LOAD(args[0]),
    JUMP_BITS(CLONE_UNTRACED, 1, 0),
    JUMP_BITS(CLONE_VM, ALLOW, LOOK),
    LOAD_HIGH(instruction_pointer),
    JUMP_EQUAL((uint32_t)(GADGET_PAGE >> 32), 0, REFUSE),
    LOAD(instruction_pointer),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 4096, REFUSE, ALLOW),
};

static uint8_t distance(uint8_t to, size_t left)
{
	return to >= ALLOW ? (uint8_t)(left + to - ALLOW) : to;
}

static size_t add_some(struct sock_filter *code)
{
	for (size_t i = 0; i < COUNT(some); i++) {
		const size_t left = COUNT(some) - 1 - i;
		code[i] = some[i];
		code[i].jt = distance(some[i].jt, left);
		code[i].jf = distance(some[i].jf, left);
	}
	return COUNT(some);
}

static size_t add(struct sock_filter *code, const struct sock_filter *part, size_t length)
{
	memcpy(code, part, length * sizeof *part);
	return length;
}

int filter_install(bool confined)
{
	const struct sock_filter head[] = {
	    LOAD(arch),
	    JUMP_EQUAL(AUDIT_ARCH_X86_64, 1, 0),
	    RETURN(confined ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_ALLOW),
	    LOAD(nr),
	    JUMP_EQUAL(SYS_rseq, 0, 1),
	    RETURN(SECCOMP_RET_ERRNO | 0),
	};
	/* In the order of ALLOW, REFUSE, LOOK. */
	const struct sock_filter ends[] = {
	    RETURN(SECCOMP_RET_ALLOW),
	    RETURN(SECCOMP_RET_ERRNO | EPERM),
	    TRACE_BUT_OURS_AS(0),
	};
	const struct sock_filter look[] = {BPF_STMT(BPF_JMP | BPF_JA, LOOK - ALLOW)};
	_Static_assert(COUNT(some) < ALLOW, "labels aren't numbers of instructions");
	_Static_assert((uint32_t)GADGET_PAGE == 0,
		       "the filter tests the low half against a page's size only");
	struct calls calls;
	struct sock_filter code[COUNT(head) + COUNT(calls.at) + COUNT(some) + COUNT(ends)];
	size_t n = add(code, head, COUNT(head));
	find_calls(&calls, confined ? is_harmless : is_traced);
	if (confined) {
		n += add_calls(code + n, &calls, COUNT(look));
		n += add(code + n, look, COUNT(look));
	} else {
		n += add_calls(code + n, &calls, COUNT(some) + LOOK - ALLOW);
		n += add_some(code + n);
	}
	n += add(code + n, ends, COUNT(ends));
	struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/*
 * Mappings of files, but for those forms that stop at the first filter: of what is shared, and of code that can be written. The kernel tells of
 * the newest filter alone. `asked` is what follows.
 */
static size_t add_files_mapped(struct sock_filter *code, size_t asked)
{
	const struct sock_filter files[] = {
	    JUMP_EQUAL(SYS_mmap, 0, 7),
	    LOAD(args[3]),
	    JUMP_BITS(MAP_ANONYMOUS, 5, 0),
	    JUMP_BITS(MAP_SHARED, 4, 0),
	    LOAD(args[2]),
	    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_EXEC | PROT_WRITE),
	    JUMP_EQUAL(PROT_EXEC | PROT_WRITE, 1, 0),
	    BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)asked),
	};
	return add(code, files, COUNT(files));
}

#define FILES_MAPPED 8

/* What concerns descriptors above the standard ones, or those, whose closing stops at the first filter. */
static size_t transfers_code(struct sock_filter *code, bool standard)
{
	const struct sock_filter head[] = {
	    LOAD(arch),
	    JUMP_EQUAL(AUDIT_ARCH_X86_64, 1, 0),
	    RETURN(SECCOMP_RET_ALLOW),
	    LOAD(nr),
	};
	const struct sock_filter tail[] = {
	    RETURN(SECCOMP_RET_ALLOW),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
	    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, STDERR_FILENO + 1, standard ? 0 : 1, standard ? 1 : 0),
	    RETURN(SECCOMP_RET_ALLOW),
	    TRACE_BUT_OURS_AS(standard ? FILTER_STANDARD : FILTER_TRANSFERS),
	};
	const struct sock_filter closing[] = {
	    JUMP_EQUAL(SYS_close, 0, 1),
	    RETURN(SECCOMP_RET_ALLOW),
	};
	struct calls calls;
	size_t n = add(code, head, COUNT(head));
	if (standard)
		n += add(code + n, closing, COUNT(closing));
	find_calls(&calls, is_transfer);
	n += add_calls(code + n, &calls, standard ? 1 : 1 + FILES_MAPPED);
	if (!standard)
		n += add_files_mapped(code + n, 4);
	return n + add(code + n, tail, COUNT(tail));
}

/*
 * Calls that change mappings, but for those forms of them that stop at the first filter. What comes by another way into the kernel, which has other
 * numbers (int 0x80, or with bit 30 set), may be one. Not seen: drivers that map something at an ioctl().
 */
static size_t maps_code(struct sock_filter *code)
{
	const struct sock_filter head[] = {
	    LOAD(arch),
	    JUMP_EQUAL(AUDIT_ARCH_X86_64, 1, 0),
	    RETURN(SECCOMP_RET_TRACE | FILTER_MAPS),
	    LOAD(nr),
	    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
	    RETURN(SECCOMP_RET_TRACE | FILTER_MAPS),
	};
	const struct sock_filter others[] = {RETURN(SECCOMP_RET_ALLOW)};
	/* In the order of ALLOW, REFUSE, LOOK: what the first filter lets pass is what this one stops. */
	const struct sock_filter ends[] = {
	    BPF_STMT(BPF_JMP | BPF_JA, LOOK - ALLOW),
	    RETURN(SECCOMP_RET_ALLOW),
	    RETURN(SECCOMP_RET_ALLOW),
	    TRACE_BUT_OURS_AS(FILTER_MAPS),
	};
	struct calls calls;
	size_t n = add(code, head, COUNT(head));
	find_calls(&calls, is_mapping);
	n += add_calls(code + n, &calls, COUNT(others));
	n += add(code + n, others, COUNT(others));
	n += add_some(code + n);
	return n + add(code + n, ends, COUNT(ends));
}

/* Reads of what one number, or of what any from the last one on, may lead to. */
static size_t reads_code(struct sock_filter *code, unsigned descriptor)
{
	const bool last = descriptor == FILTER_LAST - FILTER_READS;
	const struct sock_filter reads[] = {
	    LOAD(arch),
	    JUMP_EQUAL(AUDIT_ARCH_X86_64, 1, 0),
	    RETURN(SECCOMP_RET_ALLOW),
	    LOAD(nr),
	    JUMP_EQUAL(SYS_read, 4, 0),
	    JUMP_EQUAL(SYS_readv, 3, 0),
	    JUMP_EQUAL(SYS_pread64, 2, 0),
	    JUMP_EQUAL(SYS_preadv, 1, 0),
	    RETURN(SECCOMP_RET_ALLOW),
	    LOAD(args[0]),
	    BPF_JUMP(BPF_JMP | (last ? BPF_JGE : BPF_JEQ) | BPF_K, descriptor, 1, 0),
	    RETURN(SECCOMP_RET_ALLOW),
	    TRACE_BUT_OURS_AS(FILTER_READS + descriptor),
	};
	return add(code, reads, COUNT(reads));
}

static size_t all_code(struct sock_filter *code)
{
	const struct sock_filter all[] = {
	    LOAD(arch),
	    JUMP_EQUAL(AUDIT_ARCH_X86_64, 1, 0),
	    RETURN(SECCOMP_RET_KILL_PROCESS),
	    TRACE_BUT_OURS_AS(FILTER_ALL),
	};
	return add(code, all, COUNT(all));
}

size_t filter_code(unsigned filter, struct sock_filter code[FILTER_CODE_MAX])
{
	_Static_assert(UINT8_MAX + COUNT(some) + 16 <= FILTER_CODE_MAX, "a filter has more instructions");
	switch (filter) {
	case FILTER_MAPS:
		return maps_code(code);
	case FILTER_ALL:
		return all_code(code);
	case FILTER_TRANSFERS:
	case FILTER_STANDARD:
		return transfers_code(code, filter == FILTER_STANDARD);
	default:
		return reads_code(code, filter - FILTER_READS);
	}
}
