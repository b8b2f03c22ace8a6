/* What the arguments of an entry point say. */
#include "breakpoints/calls/arguments.h"

#include <fmc/breakpoints/access.h>

#include <fcntl.h>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

/*
 * pthread_mutexattr_t is an int. glibc (nptl/pthreadP.h): type in the low bits, protocol in bits 28 (inherit) and 29
 * (ceiling), robust bit 30. musl: type in bits 0 and 1, robust 4, priority inheritance 8; it knows no ceilings.
 */
static int64_t mutex_attributes(bool musl, uint32_t bits)
{
	int64_t type = bits & MUTEX_TYPE_MASK;
	if (musl)
		return type | (bits & 4 ? MUTEX_ROBUST : 0) | (bits & 8 ? MUTEX_PRIORITY : 0);
	return type | (bits & 0x40000000 ? MUTEX_ROBUST : 0) | (bits & 0x10000000 ? MUTEX_PRIORITY : 0) |
	       (bits & 0x20000000 ? MUTEX_PRIORITY | MUTEX_CEILING : 0);
}

static enum status decode_mutex_init(const struct reader *reader, bool musl, uint64_t attributes,
				     struct call *call)
{
	uint32_t bits = 0;
	if (attributes) {
		enum status status = reader_read(reader, attributes, &bits, sizeof(bits));
		if (status == STATUS_GONE)
			return status;
	}
	call->op.arg = mutex_attributes(musl, bits);
	return STATUS_OK;
}

/* pthread_rwlockattr_t begins with the kind (glibc); musl has one kind only. */
static enum status decode_rwlock_init(const struct reader *reader, bool musl, uint64_t attributes,
				      struct call *call)
{
	uint32_t kind = RWLOCK_READERS;
	if (attributes && !musl && reader_read(reader, attributes, &kind, sizeof(kind)) == STATUS_GONE)
		return STATUS_GONE;
	call->op.arg = kind;
	return STATUS_OK;
}

/* pthread_attr_t: was the thread made detached? glibc (struct pthread_attr): the flags after 8 bytes. */
static enum status decode_create(const struct reader *reader, bool musl, const uint64_t at[CALL_ARGUMENTS],
				 struct call *call)
{
	uint32_t flags = 0;
	call->start_routine = at[2];
	if (at[1] && !musl && reader_read(reader, at[1] + 8, &flags, sizeof(flags)) == STATUS_GONE)
		return STATUS_GONE;
	call->op.arg = flags & 1;
	return STATUS_OK;
}

static void decode_access(const uint64_t at[CALL_ARGUMENTS], struct call *call)
{
	const enum access_kind kind = (enum access_kind)(uint32_t)at[2];
	call->compiled = true;
	call->op.place = at[3];
	call->op.kind = kind % ACCESS_AT_ONCE == ACCESS_READS ? OP_MEMORY_READ : OP_MEMORY_WRITE;
	call->op.arg = (int64_t)at[1];
	call->op.arg2 = (int64_t)at[0];
	call->op.arg3 = kind % ACCESS_AT_ONCE == ACCESS_COPIES ? (int64_t)at[4] : 0;
}

/*
 * Where the descriptor is in a FILE. glibc (struct _IO_FILE, which programs have compiled in): after 13 pointers and flags. musl
 * (stdio_impl.h): after 14 pointers and flags.
 */
static enum status decode_stream(const struct reader *reader, bool musl, uint64_t stream, struct call *call)
{
	int32_t descriptor = -1;
	call->object = 0;
	/* fflush(NULL) is about all there are. */
	if (!stream)
		descriptor = STDOUT_FILENO;
	else if (reader_read(reader, stream + (musl ? 120 : 112), &descriptor, sizeof descriptor) ==
		 STATUS_GONE)
		return STATUS_GONE;
	call->descriptor = descriptor;
	return STATUS_OK;
}

enum status arguments_decode(const struct reader *reader, bool musl, const struct entry_point *point,
			     const uint64_t at[CALL_ARGUMENTS], struct call *call)
{
	call->object = at[0];
	switch ((enum entry_shape)point->shape) {
	case SHAPE_OBJECT:
		break;
	case SHAPE_OBJECT_NUMBER:
		call->op.arg = (int32_t)at[1];
		break;
	case SHAPE_COND_WAIT:
		call->object2 = at[1];
		break;
	case SHAPE_MUTEX_INIT:
		return decode_mutex_init(reader, musl, at[1], call);
	case SHAPE_MTX_INIT:
		call->op.arg = at[1] & mtx_recursive ? MUTEX_RECURSIVE : MUTEX_NORMAL;
		break;
	case SHAPE_SEM_INIT:
		call->op.arg = (uint32_t)at[2];
		break;
	case SHAPE_SEM_OPEN:
		call->object = 0;
		call->op.arg = at[1] & O_CREAT ? (uint32_t)at[3] : 0;
		break;
	case SHAPE_RWLOCK_INIT:
		return decode_rwlock_init(reader, musl, at[1], call);
	case SHAPE_BARRIER_INIT:
		call->op.arg = (uint32_t)at[2];
		break;
	case SHAPE_NUMBER:
		call->object = 0;
		call->op.arg = (int32_t)at[0];
		break;
	case SHAPE_POINT:
		call->op.kind = (uint32_t)at[2] ? OP_MEMORY_WRITE : OP_MEMORY_READ;
		call->op.arg = (int64_t)at[1];
		call->op.arg2 = (int64_t)at[0];
		break;
	case SHAPE_ACCESS:
		decode_access(at, call);
		break;
	case SHAPE_CREATE:
		return decode_create(reader, musl, at, call);
	case SHAPE_THRD_CREATE:
		call->start_routine = at[1];
		break;
	case SHAPE_VARIABLE:
		call->asks = true;
		break;
	case SHAPE_STDOUT:
		call->object = 0;
		call->descriptor = STDOUT_FILENO;
		break;
	case SHAPE_STREAM:
		return decode_stream(reader, musl, at[0], call);
	case SHAPE_STREAM_1:
		return decode_stream(reader, musl, at[1], call);
	case SHAPE_STREAM_3:
		return decode_stream(reader, musl, at[3], call);
	case SHAPE_LOADER:
		call->object = 0;
		call->loads = true;
		break;
	case SHAPE_USER:
		break;
	}
	return STATUS_OK;
}
