#include "breakpoints/entries/entries_state.h"
#include <fcntl.h>
#include <fmc/breakpoints/access.h>
#include <fmc/breakpoints/plugin.h>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#define LARGEST_COPY (1u << 20) /* bytes that are copied in parts */

/* Entry points: what the arguments say (System V calling convention), who calls. */

/* An integer argument of a function, counted from 0. */
static uint64_t argument(const struct user_regs_struct *regs, int i)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->rcx, regs->r8, regs->r9};
	return arguments[i];
}

/*
 * pthread_mutexattr_t is an int. glibc (nptl/pthreadP.h): type in the low bits, protocol in bits 28 (inherit) and 29
 * (ceiling), robust bit 30. musl: type in bits 0 and 1, robust 4, priority inheritance 8; it knows no ceilings.
 */
static int64_t mutex_attributes(const struct entries *entries, uint32_t bits)
{
	int64_t type = bits & MUTEX_TYPE_MASK;
	if (entries->musl)
		return type | (bits & 4 ? MUTEX_ROBUST : 0) | (bits & 8 ? MUTEX_PRIORITY : 0);
	return type | (bits & 0x40000000 ? MUTEX_ROBUST : 0) | (bits & 0x10000000 ? MUTEX_PRIORITY : 0) |
	       (bits & 0x20000000 ? MUTEX_PRIORITY | MUTEX_CEILING : 0);
}

static enum status decode_mutex_init(const struct entries *entries, const struct target *target,
				     uint64_t attributes, struct call *call)
{
	uint32_t bits = 0;
	if (attributes) {
		enum status status = target_read(target, attributes, &bits, sizeof(bits));
		if (status == STATUS_GONE)
			return status;
	}
	call->op.arg = mutex_attributes(entries, bits);
	return STATUS_OK;
}

/* pthread_rwlockattr_t begins with the kind (glibc); musl has one kind only. */
static enum status decode_rwlock_init(const struct entries *entries, const struct target *target,
				      uint64_t attributes, struct call *call)
{
	uint32_t kind = RWLOCK_READERS;
	if (attributes && !entries->musl &&
	    target_read(target, attributes, &kind, sizeof(kind)) == STATUS_GONE)
		return STATUS_GONE;
	call->op.arg = kind;
	return STATUS_OK;
}

/* pthread_attr_t: was the thread made detached? glibc (struct pthread_attr): the flags after 8 bytes. */
static enum status decode_create(const struct entries *entries, const struct target *target,
				 const struct user_regs_struct *regs, struct call *call)
{
	uint32_t flags = 0;
	call->start_routine = regs->rdx;
	if (regs->rsi && !entries->musl &&
	    target_read(target, regs->rsi + 8, &flags, sizeof(flags)) == STATUS_GONE)
		return STATUS_GONE;
	call->op.arg = flags & 1;
	return STATUS_OK;
}

struct target_memory {
	struct fmc_memory memory; /* first: what a plug-in is given */
	const struct target *target;
};

static bool read_memory(const struct fmc_memory *memory, uint64_t address, void *to, size_t size)
{
	const struct target *target = ((const struct target_memory *)(const void *)memory)->target;
	return target_read(target, address, to, size) == STATUS_OK;
}

static void decode_user(const struct target *target, const struct user_regs_struct *regs, struct call *call)
{
	const struct target_memory memory = {{read_memory}, target};
	struct fmc_call user = {.object = regs->rdi};
	for (int i = 0; i < FMC_ARGUMENTS; i++)
		user.arguments[i] = argument(regs, i);
	call->user = true;
	if (!plugin_decode((enum op_kind)call->op.kind, &user, &memory.memory)) {
		call->op.kind = OP_NONE;
		return;
	}
	call->object = user.object;
	call->op.arg = user.values[0];
	call->op.arg2 = user.values[1];
	call->op.arg3 = user.values[2];
}

void object_init_user(const struct target *target, enum object_class class, uint64_t address,
		      struct object_state *state)
{
	const struct target_memory memory = {{read_memory}, target};
	plugin_init(class, state->user, address, &memory.memory);
}

static void decode_access(const struct user_regs_struct *regs, struct call *call)
{
	const enum access_kind kind = (enum access_kind)(uint32_t)regs->rdx;
	call->compiled = true;
	call->op.place = regs->rcx;
	call->op.kind = kind == ACCESS_READS ? OP_MEMORY_READ : OP_MEMORY_WRITE;
	call->op.arg = (int64_t)regs->rsi;
	call->op.arg2 = (int64_t)regs->rdi;
	call->op.arg3 = kind == ACCESS_COPIES ? (int64_t)regs->r8 : 0;
}

/*
 * Where the descriptor is in a FILE. glibc (struct _IO_FILE, which programs have compiled in): after 13 pointers and flags. musl
 * (stdio_impl.h): after 14 pointers and flags.
 */
static enum status decode_stream(const struct entries *entries, const struct target *target, uint64_t stream,
				 struct call *call)
{
	int32_t descriptor = -1;
	call->object = 0;
	/* fflush(NULL) is about all there are. */
	if (!stream)
		descriptor = STDOUT_FILENO;
	else if (target_read(target, stream + (entries->musl ? 120 : 112), &descriptor, sizeof descriptor) ==
		 STATUS_GONE)
		return STATUS_GONE;
	call->descriptor = descriptor;
	return STATUS_OK;
}

static enum status decode_arguments(const struct entries *entries, const struct target *target,
				    const struct entry_point *point, const struct user_regs_struct *regs,
				    struct call *call)
{
	call->object = regs->rdi;
	switch ((enum entry_shape)point->shape) {
	case SHAPE_OBJECT:
		break;
	case SHAPE_OBJECT_NUMBER:
		call->op.arg = (int32_t)regs->rsi;
		break;
	case SHAPE_COND_WAIT:
		call->object2 = regs->rsi;
		break;
	case SHAPE_MUTEX_INIT:
		return decode_mutex_init(entries, target, regs->rsi, call);
	case SHAPE_MTX_INIT:
		call->op.arg = regs->rsi & mtx_recursive ? MUTEX_RECURSIVE : MUTEX_NORMAL;
		break;
	case SHAPE_SEM_INIT:
		call->op.arg = (uint32_t)regs->rdx;
		break;
	case SHAPE_SEM_OPEN:
		call->object = 0;
		call->op.arg = regs->rsi & O_CREAT ? (uint32_t)regs->rcx : 0;
		break;
	case SHAPE_RWLOCK_INIT:
		return decode_rwlock_init(entries, target, regs->rsi, call);
	case SHAPE_BARRIER_INIT:
		call->op.arg = (uint32_t)regs->rdx;
		break;
	case SHAPE_NUMBER:
		call->object = 0;
		call->op.arg = (int32_t)regs->rdi;
		break;
	case SHAPE_POINT:
		call->op.kind = (uint32_t)regs->rdx ? OP_MEMORY_WRITE : OP_MEMORY_READ;
		call->op.arg = (int64_t)regs->rsi;
		call->op.arg2 = (int64_t)regs->rdi;
		break;
	case SHAPE_ACCESS:
		decode_access(regs, call);
		break;
	case SHAPE_CREATE:
		return decode_create(entries, target, regs, call);
	case SHAPE_THRD_CREATE:
		call->start_routine = regs->rsi;
		break;
	case SHAPE_VARIABLE:
		call->asks = true;
		break;
	case SHAPE_STDOUT:
		call->object = 0;
		call->descriptor = STDOUT_FILENO;
		break;
	case SHAPE_STREAM:
		return decode_stream(entries, target, regs->rdi, call);
	case SHAPE_STREAM_1:
		return decode_stream(entries, target, regs->rsi, call);
	case SHAPE_STREAM_3:
		return decode_stream(entries, target, regs->rcx, call);
	case SHAPE_LOADER:
		call->object = 0;
		call->loads = true;
		break;
	case SHAPE_USER:
		decode_user(target, regs, call);
		break;
	}
	return STATUS_OK;
}

static bool is_cxx(const struct entries *entries, uint64_t address)
{
	const struct module *module = modules_find(&entries->modules, address);
	return module && module->kind == MODULE_CXX;
}

/*
 * Others may see what a function of libc's has copied of more than a word in parts: it is made in two, the first of whole words, unless
 * one half is copied over the other. Of nothing it is an access that nobody else makes.
 */
static void decode_copy(const struct atomic *atomic, const struct user_regs_struct *regs, struct call *call)
{
	const uint64_t to = regs->rdi, from = regs->rsi, bytes = regs->rdx, word = sizeof(uint64_t);
	const bool fills = copy_kind_of(atomic->copies) == COPY_FILL;
	const bool overlap = !fills && to < from + bytes && from < to + bytes;
	uint64_t part = bytes ? bytes : 1;
	if (bytes > word && bytes <= LARGEST_COPY && !overlap)
		part = (bytes / 2 + word - 1) / word * word;
	call->copies = atomic->copies;
	call->object = bytes ? to : regs->rsp;
	call->op.kind = OP_MEMORY_WRITE;
	call->op.arg = (int64_t)part;
	call->op.arg2 = (int64_t)call->object;
	call->op.arg3 = fills || !bytes ? 0 : (int64_t)from;
}

#define WORD	   8
#define CACHE_LINE 64

uint64_t access_part(uint64_t address, uint64_t end)
{
	const uint64_t unit = end - address > WORD ? WORD : CACHE_LINE, part = unit - address % unit;
	return part < end - address ? part : end - address;
}

/* LOCK makes all of it at once. */
static void decode_parts(const struct atomic *atomic, struct call *call)
{
	const uint64_t bytes = atomic->bytes, part = access_part(call->object, call->object + bytes);
	if (atomic->kind == ATOMIC_CHANGE || part == bytes)
		return;
	call->whole = call->object;
	call->whole_bytes = bytes;
	call->op.arg = (int64_t)part;
}

static enum status decode_atomic(const struct entries *entries, const struct stop *stop, struct call *call)
{
	const struct atomic *atomic = entries_atomic(entries, stop->address);
	const struct user_regs_struct *regs = tracee_regs(stop->tracee);
	if (!atomic || !regs)
		return atomic ? STATUS_GONE : STATUS_NOT_FOUND;
	bool told = atomic->kind != ATOMIC_UNTOLD && atomic->kind != ATOMIC_UNDECODED;
	call->instruction = true;
	call->entry = atomic->address;
	call->return_address = atomic->address + atomic->length;
	call->timeout_argument = -1;
	call->op.place = call->return_address;
	call->object = told ? atomic_operand(atomic, regs) : 0;
	call->unwatched = entries->atomics_use != ATOMICS_SWITCHED || !told;
	call->counts_references = call->unwatched && told && is_cxx(entries, atomic->address);
	if (call->unwatched)
		return STATUS_OK;
	if (atomic->kind == ATOMIC_COPY) {
		decode_copy(atomic, regs, call);
		return STATUS_OK;
	}
	call->apart = atomic->kind == ATOMIC_APART;
	call->waits = atomic->kind == ATOMIC_STORE || call->apart;
	call->op.kind = atomic->kind == ATOMIC_LOAD || call->apart ? OP_MEMORY_READ : OP_MEMORY_WRITE;
	call->op.flags = OP_INSTRUCTION;
	call->op.arg = atomic->bytes;
	call->op.arg2 = (int64_t)call->object;
	decode_parts(atomic, call);
	return STATUS_OK;
}

static enum status decode_trap(const struct entries *entries, const struct stop *stop, struct call *call)
{
	const struct trap *trap = entries_trap(entries, stop->address);
	const struct user_regs_struct *regs = tracee_regs(stop->tracee);
	if (!trap && entries_answered(entries, stop->address)) {
		call->answered = true;
		call->entry = stop->address;
		return STATUS_OK;
	}
	if (!trap)
		return decode_atomic(entries, stop, call);
	if (!regs)
		return STATUS_GONE;
	const struct entry_point *point = trap->point;
	const struct target *target = stop->tracee->target;
	enum status status = STATUS_OK;
	if (trap->by_door)
		call->return_address = regs->r11;
	else
		status = target_read(target, regs->rsp, &call->return_address, sizeof(call->return_address));
	if (status != STATUS_OK)
		return status;
	call->op.kind = point->kind;
	call->op.place = call->return_address;
	call->entry = trap->stop;
	call->c11 = point->c11;
	call->timeout_argument = point->timeout;
	if (point->timeout >= 0 && argument(regs, point->timeout) == 0)
		call->op.kind = point->untimed;
	else if (point->timeout >= 0)
		call->op.flags |= OP_TIMED;
	status = decode_arguments(entries, target, point, regs, call);
	/*
	 * A call as the last thing of a libc function is a jump: the return address is then the program's,
	 * but the lock is still libc's. What a plug-in describes is the program's, be it as a start routine.
	 */
	call->libc_own =
	    !call->user && (entries_is_libc(entries, call->op.place) ||
			    (entry_point_takes_object(point) && entries_is_libc(entries, call->object)));
	return status;
}

enum status entries_decode(const struct entries *entries, const struct stop *stop, struct call *call)
{
	*call = (struct call){.op = {.object = NO_OBJECT, .object2 = NO_OBJECT}};
	if (stop->kind == STOP_TRAP)
		return decode_trap(entries, stop, call);
	if (stop->kind != STOP_SYSCALL)
		return STATUS_OK;
	const struct user_regs_struct *regs = tracee_regs(stop->tracee);
	if (!regs)
		return STATUS_GONE;
	call->return_address = regs->rip;
	call->op.place = regs->rip;
	return decode_syscall(stop->tracee->target, regs, stop->number, call);
}
