/* What a call of a function that touches memory for its caller is about to touch. */
#include "breakpoints/code/memory_parts.h"

#include <fcntl.h>

#define LONGEST_STRING 65536
#define CXX_STRING     32 /* bytes of a std::string */

/* Commands of fcntl(). */
static bool sets_lock(int command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

static bool asks_lock(int command)
{
	return command == F_GETLK || command == F_OFD_GETLK;
}

static uint64_t bytes_of(const struct target *target, enum extent extent, uint64_t address,
			 const uint64_t arguments[4])
{
	switch (extent) {
	case ONE:
	case STATE:
	case THERE:
		return 1;
	case WORD:
		return sizeof(uint64_t);
	case BYTES_1:
		return arguments[1];
	case BYTES_2:
		return arguments[2];
	case PRODUCT:
		return arguments[1] * arguments[2];
	case COUNTED:
		return arguments[2] * arguments[3];
	case WORDS_0:
		return (uint32_t)arguments[0] * sizeof(uint64_t);
	case LOCK_SET:
		return sets_lock((int)arguments[1]) ? sizeof(struct flock) : 0;
	case LOCK_GET:
		return asks_lock((int)arguments[1]) ? sizeof(struct flock) : 0;
	case STRING:
		return memory_string_bytes(target, address, LONGEST_STRING);
	case STRING_2:
		return memory_string_bytes(target, address,
					   arguments[2] < LONGEST_STRING ? arguments[2] : LONGEST_STRING);
	case COPY:
		return memory_string_bytes(target, arguments[1], LONGEST_STRING);
	case APPENDED:
		return memory_string_bytes(target, address, LONGEST_STRING) - 1 +
		       memory_string_bytes(target, arguments[1], LONGEST_STRING);
	case OBJECT:
		return CXX_STRING;
	case NOTHING:
	case PRINTS:
	case SCANS:
	case V_PRINTS:
	case V_SCANS:
	case UNKNOWN:
		break;
	}
	return 0;
}

/* Where the part is; 0: nowhere. */
static uint64_t address_of(const struct part *part, const struct memory_caller *caller,
			   const uint64_t arguments[4])
{
	uint64_t there = 0;
	if (part->extent == STATE)
		return caller->states[part->argument];
	if (part->extent != THERE)
		return arguments[part->argument];
	const enum status status =
	    target_read(caller->target, arguments[part->argument], &there, sizeof(there));
	return status == STATUS_OK ? there : 0;
}

size_t memory_call_touched(const struct memory_call *call, const struct memory_caller *caller,
			   struct touched at[TOUCHED_MOST], bool *whole)
{
	const struct user_regs_struct *regs = caller->regs;
	const uint64_t arguments[4] = {regs->rdi, regs->rsi, regs->rdx, regs->rcx};
	size_t length = 0;
	*whole = true;
	for (size_t i = 0; i < MEMORY_PARTS; i++) {
		const struct part *part = &call->parts[i];
		if (part->extent >= PRINTS) {
			const struct memory_format format = {.argument = part->argument,
							     .scans = part->extent == SCANS ||
								      part->extent == V_SCANS,
							     .listed = part->extent >= V_PRINTS};
			/* Each of the parts after it has one. */
			const size_t room = TOUCHED_MOST - length - (MEMORY_PARTS - 1 - i);
			length += memory_format_touched(caller, &format, at + length, room, whole);
			continue;
		}
		const uint64_t address = address_of(part, caller, arguments);
		const uint64_t size =
		    address ? bytes_of(caller->target, (enum extent)part->extent, address, arguments) : 0;
		/* A length that overflows is an error of the program's, and not its last. */
		if (size > 0 && size <= UINT64_MAX / 2)
			at[length++] =
			    (struct touched){.address = address, .size = size, .write = part->write};
	}
	return length;
}
