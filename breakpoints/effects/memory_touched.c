/* What a call of a function that touches memory for its caller is about to touch. */
#include "breakpoints/effects/memory_parts.h"

#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <wchar.h>

#define LONGEST_STRING 65536
#ifndef F_GETOWNER_UIDS
#define F_GETOWNER_UIDS 17 /* which the C library leaves to the kernel's headers */
#endif
#define TEMPLATE_BYTES	 6 /* of what mkstemp() replaces */
#define PAGE		 4096
#define WIDEST_CHARACTER 6	   /* bytes, in encodings of locales */
#define MOST_DIGITS	 17	   /* that gcvt() writes, */
#define BESIDE_DIGITS	 8	   /* with a sign, a point, and zeros or an exponent, and the 0 at the end */
#define FOLDER_BYTES	 48	   /* of what opendir() returns, before its entries, */
#define MOST_ENTRIES	 (1 << 20) /* of which there are no more bytes than these */
#define HANDLE_BYTES	 8	   /* before what it says of itself */

/* Commands of fcntl(). */
static bool sets_lock(int command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

/* Eight bytes each: a kind and a number, or a number of that size. */
static bool sets_owner(int command)
{
	return command == F_SETOWN_EX || command == F_SET_RW_HINT || command == F_SET_FILE_RW_HINT;
}

static bool asks_owner(int command)
{
	return command == F_GETOWN_EX || command == F_GETOWNER_UIDS || command == F_GET_RW_HINT ||
	       command == F_GET_FILE_RW_HINT;
}

static bool asks_lock(int command)
{
	return command == F_GETLK || command == F_OFD_GETLK;
}

/* Up to this byte, no more than so many. */
static uint64_t until_bytes(const struct target *target, uint64_t address, uint8_t end, uint64_t most)
{
	uint8_t byte;
	uint64_t length = 0;
	while (length < most && target_read(target, address + length, &byte, sizeof(byte)) == STATUS_OK) {
		length++;
		if (byte == end)
			break;
	}
	return length;
}

static uint64_t at_most(uint64_t bytes, uint64_t most)
{
	return bytes < most ? bytes : most;
}

/* An argument that is an int, where a negative one is a mistake. */
static uint64_t count_of(uint64_t argument)
{
	return (int)argument > 0 ? (uint64_t)(int)argument : 0;
}

static uint64_t number_at(const struct target *target, uint64_t address)
{
	int number = 0;
	return target_read(target, address, &number, sizeof(number)) == STATUS_OK && number > 0
		   ? (uint64_t)number
		   : 0;
}

static uint64_t word_at(const struct target *target, uint64_t address)
{
	uint64_t word = 0;
	return target_read(target, address, &word, sizeof(word)) == STATUS_OK ? word : 0;
}

static uint64_t appended_bytes(const struct target *target, const uint64_t arguments[MEMORY_ARGUMENTS])
{
	const uint64_t bytes =
	    memory_string_bytes(target, arguments[1], at_most(arguments[2], LONGEST_STRING));
	uint8_t last = 1;
	if (bytes > 0)
		(void)target_read(target, arguments[1] + bytes - 1, &last, sizeof(last));
	return bytes + (last ? 1 : 0);
}

/* The same of wide characters. */
static uint64_t wide_appended_bytes(const struct target *target, const uint64_t arguments[MEMORY_ARGUMENTS])
{
	const uint64_t bytes = memory_wide_bytes(target, arguments[1], arguments[2]);
	wchar_t last = 1;
	if (bytes > 0)
		(void)target_read(target, arguments[1] + bytes - sizeof(last), &last, sizeof(last));
	return bytes + (last ? sizeof(last) : 0);
}

/* As glibc has it. Where it is another libc's it has no buffer of whole pages, and the first byte stands for it. */
static uint64_t folder_bytes(const struct target *target, uint64_t address)
{
	struct {
		int descriptor, lock;
		uint64_t room, length, next;
	} folder;
	if (target_read(target, address, &folder, sizeof(folder)) != STATUS_OK ||
	    folder.next < folder.length || folder.room % PAGE || folder.room > MOST_ENTRIES)
		return 1;
	return FOLDER_BYTES + folder.room;
}

static bool is_emptied(int advice)
{
	return advice == MADV_DONTNEED || advice == MADV_REMOVE || advice == MADV_FREE;
}

static uint64_t bytes_of(const struct memory_caller *caller, const struct part *part, uint64_t address,
			 const uint64_t arguments[MEMORY_ARGUMENTS])
{
	const struct target *target = caller->target;
	switch ((enum extent)part->extent) {
	case STATE:
	case STATE_UNLESS:
		return memory_state_bytes(part);
	case STREAM_OBJECT:
	case STREAM_KEPT:
		return C_STREAM;
	case ONE:
	case THERE:
	case STREAM:
	case STREAM_BASE:
		return 1;
	case FIXED:
		return part->bytes;
	case TIMES_0:
		return part->bytes * count_of(arguments[0]);
	case TIMES_1:
		return part->bytes * count_of(arguments[1]);
	case TIMES_2:
		return part->bytes * count_of(arguments[2]);
	case TIMES_4:
		return part->bytes * count_of(arguments[4]);
	case TIMES_THERE_3:
		return part->bytes * number_at(target, arguments[3]);
	case PAGES_1:
		return arguments[1] / PAGE + (arguments[1] % PAGE > 0);
	case TO_1:
		return arguments[1] - address;
	case LENGTH_2:
		return number_at(target, arguments[2]);
	case LENGTH_4:
		return number_at(target, arguments[4]);
	case LENGTH_5:
		return number_at(target, arguments[5]);
	case LENGTH_6:
		return number_at(target, arguments[6]);
	case FOLDER:
		return folder_bytes(target, address);
	case HANDLE:
		return HANDLE_BYTES + number_at(target, address);
	case WORD:
		return sizeof(uint64_t);
	case NUMBER:
		return sizeof(uint32_t);
	case BYTES_0:
		return arguments[0];
	case BYTES_1:
		return arguments[1];
	case BYTES_2:
		return arguments[2];
	case BYTES_3:
		return arguments[3];
	case BYTES_4:
		return (uint32_t)arguments[4];
	case BYTES_5:
		return (uint32_t)arguments[5];
	case PRINTED:
		return 1;
	case PRINTED_1:
		return arguments[1];
	case WIDE_1:
		return arguments[1] * sizeof(wchar_t);
	case WIDE_3:
		return arguments[3] * sizeof(wchar_t);
	case WIDE_2:
		return arguments[2] * sizeof(wchar_t);
	case PAIRS_2:
		return arguments[2] * 2 * sizeof(uint32_t);
	case PRODUCT:
		return arguments[1] * arguments[2];
	case PRODUCT_2:
		return arguments[2] * arguments[3];
	case THERE_1:
		return word_at(target, arguments[1]);
	case THERE_2:
		return word_at(target, arguments[2]);
	case MAPPED:
		return arguments[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE) ? arguments[1] : 0;
	case ADVISED:
		return is_emptied((int)arguments[2]) ? arguments[1] : 0;
	case CLOSED:
		return arguments[2] & PROT_READ ? 0 : arguments[1];
	case CLOSED_TO_WRITES:
		return (arguments[2] & (PROT_READ | PROT_WRITE)) == PROT_READ ? arguments[1] : 0;
	case THERE_4:
		return word_at(target, arguments[4]);
	case THERE_TO:
		return word_at(target, arguments[part->argument] + sizeof(uint64_t)) - address;
	case DESCRIPTORS:
		return ((uint32_t)arguments[0] + 63) / 64 * sizeof(uint64_t);
	case COUNTED:
		return arguments[2] * arguments[3];
	case WORDS_0:
		return (uint32_t)arguments[0] * sizeof(uint64_t);
	case WORDS_1:
		return (uint32_t)arguments[1] * sizeof(uint64_t);
	case LOADS:
		return ((int)arguments[1] > 3	? 3
			: (int)arguments[1] > 0 ? arguments[1]
						: 0) *
		       sizeof(double);
	case POLLED:
		return (uint32_t)arguments[1] * sizeof(struct pollfd);
	case INET:
		return (int)arguments[0] == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
	case LOCK_SET:
		return sets_lock((int)arguments[1]) ? sizeof(struct flock) : 0;
	case LOCK_GET:
		return asks_lock((int)arguments[1]) ? sizeof(struct flock) : 0;
	case OWNER_SET:
		return sets_owner((int)arguments[1]) ? sizeof(uint64_t) : 0;
	case OWNER_GET:
		return asks_owner((int)arguments[1]) ? sizeof(uint64_t) : 0;
	case STRING:
	case THERE_STRING:
	case GOES_ON:
		return memory_string_bytes(target, address, LONGEST_STRING);
	case STRING_1:
		return memory_string_bytes(target, address, at_most(arguments[1], LONGEST_STRING));
	case TEMPLATE:
	case TEMPLATE_1:
		return TEMPLATE_BYTES;
	case UNTIL:
		return until_bytes(target, arguments[1], (uint8_t)arguments[2], arguments[3]);
	case UNTIL_1:
		return until_bytes(target, address, (uint8_t)arguments[1], LONGEST_STRING);
	case CHARACTER_1:
		return memory_string_bytes(target, address, at_most(arguments[1], WIDEST_CHARACTER));
	case CHARACTER_2:
		return memory_string_bytes(target, address, at_most(arguments[2], WIDEST_CHARACTER));
	case CODED_1:
		return (uint32_t)arguments[1] <= SCHAR_MAX ? 1 : WIDEST_CHARACTER;
	case DIGITS_0:
		return at_most(count_of(arguments[0]), MOST_DIGITS) + BESIDE_DIGITS;
	case WIDE_STRING:
	case WIDE_GOES_ON:
	case THERE_WIDE:
		return memory_wide_bytes(target, address, LONGEST_STRING);
	case WIDE_STRING_1:
		return memory_wide_bytes(target, address, at_most(arguments[1], LONGEST_STRING));
	case WIDE_STRING_2:
	case THERE_WIDE_2:
		return memory_wide_bytes(target, address, at_most(arguments[2], LONGEST_STRING));
	case WIDE_COPY:
	case WIDE_APPENDED:
		return memory_wide_bytes(target, arguments[1], LONGEST_STRING);
	case STRING_2:
	case THERE_STRING_2:
		return memory_string_bytes(target, address, at_most(arguments[2], LONGEST_STRING));
	case COPY:
	case APPENDED:
		return memory_string_bytes(target, arguments[1], LONGEST_STRING);
	case APPENDED_2:
		return appended_bytes(target, arguments);
	case WIDE_APPENDED_2:
		return wide_appended_bytes(target, arguments);
	case OBJECT:
		return CXX_STRING;
	case NOTHING:
	case VECTOR:
	case MESSAGE:
	case TEXTS:
	case TEXTS_HERE:
	case ANSWERS:
	case CONTROL:
	case DEVICE:
	case CUT:
	case ADDRESSES:
	case REGISTERS:
	case SYSTEM_CALL:
	case PRINTS:
	case SCANS:
	case V_PRINTS:
	case V_SCANS:
	case WIDE_PRINTS:
	case WIDE_V_PRINTS:
	case REST:
	case UNKNOWN:
		break;
	}
	return 0;
}

#define CXX_STREAM 288 /* bytes of a standard stream at most */

static bool is_standard(const struct memory_caller *caller, uint64_t stream)
{
	for (size_t i = STREAM_IN; i <= STREAM_LOG; i++)
		if (caller->states[i] && stream - caller->states[i] < CXX_STREAM)
			return true;
	return false;
}

/* Where its std::ios is, which all of its parts have in common: its table of functions says that (Itanium C++ ABI, 2.5.2). */
static uint64_t stream_base(const struct memory_caller *caller, uint64_t stream)
{
	const uint64_t table = word_at(caller->target, stream);
	return table ? stream + word_at(caller->target, table - 3 * sizeof(table)) : stream;
}

/* Where the part is; 0: nowhere. */
static uint64_t address_of(const struct part *part, const struct memory_caller *caller,
			   const uint64_t arguments[MEMORY_ARGUMENTS])
{
	const bool is_state = part->extent == STATE || part->extent == STATE_UNLESS;
	const uint64_t argument = is_state ? 0 : arguments[part->argument];
	switch (part->extent) {
	case STATE:
		return caller->states[part->argument];
	case STATE_UNLESS:
		return arguments[part->bytes] ? 0 : caller->states[part->argument];
	case THERE:
	case THERE_1:
	case THERE_2:
	case THERE_4:
	case THERE_TO:
	case THERE_STRING:
	case THERE_STRING_2:
	case THERE_WIDE:
	case THERE_WIDE_2:
		return word_at(caller->target, argument);
	case GOES_ON:
	case WIDE_GOES_ON:
		return arguments[0] ? 0 : word_at(caller->target, argument);
	case APPENDED:
	case APPENDED_2:
		return argument + memory_string_bytes(caller->target, argument, LONGEST_STRING) - 1;
	case WIDE_APPENDED:
	case WIDE_APPENDED_2:
		return argument + memory_wide_bytes(caller->target, argument, LONGEST_STRING) -
		       sizeof(wchar_t);
	case TEMPLATE:
	case TEMPLATE_1:
		return argument + memory_string_bytes(caller->target, argument, LONGEST_STRING) - 1 -
		       TEMPLATE_BYTES - (part->extent == TEMPLATE_1 ? (uint32_t)arguments[1] : 0);
	case STREAM:
		return is_standard(caller, argument) ? 0 : stream_base(caller, argument);
	case STREAM_BASE:
		return is_standard(caller, argument) ? 0 : argument;
	case STREAM_KEPT:
		return argument == caller->states[OUTPUT] || argument == caller->states[ERRORS] ? 0
												: argument;
	default:
		return argument;
	}
}

/* Parts that follow and touch something. */
static size_t later_parts(const struct memory_call *call, size_t i)
{
	size_t length = 0;
	for (i++; i < MEMORY_PARTS; i++)
		length += call->parts[i].extent != NOTHING;
	return length;
}

/* What is printed into it is exactly as long. Where that isn't known it may be all that there is room for, if that is. */
static void limit_printed(struct touched *buffer, bool limited, uint64_t printed, bool *whole)
{
	if (printed == FORMAT_UNKNOWN)
		*whole &= limited;
	else if (!limited || printed < buffer->size)
		buffer->size = printed;
}

/* Those on the stack are read where it has any. */
static void get_arguments(const struct memory_call *call, const struct memory_caller *caller,
			  uint64_t arguments[MEMORY_ARGUMENTS])
{
	const struct user_regs_struct *regs = caller->regs;
	const uint64_t registers[MEMORY_REGISTERS] = {regs->rdi, regs->rsi, regs->rdx,
						      regs->rcx, regs->r8,  regs->r9};
	bool stacked = false;
	memcpy(arguments, registers, sizeof(registers));
	for (size_t i = 0; i < MEMORY_PARTS; i++)
		stacked |= call->parts[i].extent != STATE && call->parts[i].extent != STATE_UNLESS &&
			   call->parts[i].argument >= MEMORY_REGISTERS;
	for (unsigned i = MEMORY_REGISTERS; i < MEMORY_ARGUMENTS; i++)
		arguments[i] = stacked ? word_at(caller->target,
						 caller->stack + (i - MEMORY_REGISTERS) * sizeof(uint64_t))
				       : 0;
}

static struct memory_format format_of(const struct memory_call *call, const struct part *part,
				      const uint64_t arguments[MEMORY_ARGUMENTS])
{
	const struct part *first = &call->parts[0];
	const enum extent extent = part->extent;
	return (struct memory_format){.argument = part->argument,
				      .scans = extent == SCANS || extent == V_SCANS,
				      .listed =
					  extent == V_PRINTS || extent == V_SCANS || extent == WIDE_V_PRINTS,
				      .wide = extent == WIDE_PRINTS || extent == WIDE_V_PRINTS,
				      .input = first->extent == STRING ? arguments[first->argument] : 0};
}

size_t memory_call_touched(const struct memory_call *call, const struct memory_caller *caller,
			   struct touched at[TOUCHED_MOST], bool *whole)
{
	uint64_t arguments[MEMORY_ARGUMENTS];
	struct touched *buffer = NULL;
	bool limited = false;
	size_t length = 0;
	get_arguments(call, caller, arguments);
	*whole = true;
	for (size_t i = 0; i < MEMORY_PARTS; i++) {
		const struct part *part = &call->parts[i];
		/* Each of the parts after it has one. */
		const size_t room = TOUCHED_MOST - length - later_parts(call, i);
		if (part->extent >= VECTOR && part->extent <= SYSTEM_CALL) {
			length += memory_list_touched(caller, part, arguments, at + length, room, whole);
			continue;
		}
		if (part->extent >= PRINTS && part->extent <= WIDE_V_PRINTS) {
			const struct memory_format format = format_of(call, part, arguments);
			uint64_t printed;
			length += memory_format_touched(caller, &format, at + length, room, whole, &printed);
			if (buffer)
				limit_printed(buffer, limited, printed, whole);
			continue;
		}
		*whole &= part->extent != REST;
		const uint64_t address = address_of(part, caller, arguments);
		const uint64_t size = address ? bytes_of(caller, part, address, arguments) : 0;
		if (!memory_may_touch(address, size))
			continue;
		if (part->extent == PRINTED || part->extent == PRINTED_1) {
			buffer = &at[length];
			limited = part->extent == PRINTED_1;
		}
		at[length++] = (struct touched){.address = address,
						.size = size,
						.write = part->write,
						.locked = memory_part_locked(part)};
	}
	return length;
}
