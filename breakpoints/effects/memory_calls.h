#ifndef FMC_BREAKPOINTS_EFFECTS_MEMORY_CALLS_H
#define FMC_BREAKPOINTS_EFFECTS_MEMORY_CALLS_H

#include <fmc/breakpoints/sampling.h>

/* Functions of the C and C++ libraries that touch memory for their caller, or let the kernel do so: memcpy, strlen, read. */
struct memory_call;

/* NULL: it is none of these. */
const struct memory_call *memory_calls_find(const char *name);

/*
 * What libc keeps to itself and such functions change or ask for: the environment, what rand() goes on from, its own streams. It counts as
 * a byte at the address of the object or function of libc's with this name; NULL past the last one. shared: an object that the program may
 * have in its own memory instead, so that it can access it; for_program: which nobody reads but the program, so that it matters only where
 * code refers to it.
 */
bool memory_state_shared(size_t i);
bool memory_state_for_program(size_t i);
#define MEMORY_STATES 56
const char *memory_state_name(size_t i);

/* Where strtok() goes on; 0: it was given nothing yet. */
struct memory_tokens {
	uint64_t next;
};

/* A thread that stands before such a call. */
struct memory_caller {
	const struct target *target;
	struct tracee *tracee; /* NULL: what it has in vector registers isn't known */
	const struct user_regs_struct *regs;
	uint64_t stack;		      /* where arguments are that don't fit into registers */
	const uint64_t *states;	      /* MEMORY_STATES addresses, 0 where there is none */
	struct memory_tokens *tokens; /* from one call to the next; NULL: nobody keeps them */
};

/* The function's name, or how it begins. */
const char *memory_call_name(const struct memory_call *call);

/* Does it go by a format? */
bool memory_call_formats(const struct memory_call *call);

/* Does it go on where its last call has ended (strtok)? */
bool memory_call_goes_on(const struct memory_call *call);

/* Can a call of it be one operation, about all that memory_call_touched() says? */
bool memory_call_is_operation(const struct memory_call *call);

/*
 * Of such a call: what it touches, as far as arguments alone tell that, or else false. at_once: others see all of it or nothing, since libc
 * locks it or it is a word. results: what it returns is in memory of libc's that its next call writes; where that counts as, enum state.
 */
bool memory_call_is_fixed(const struct memory_call *call);
bool memory_call_at_once(const struct memory_call *call);
bool memory_call_keeps_result(const struct memory_call *call, uint8_t *state);

/* Is it one of unfollowed.h? */
bool memory_call_unknown(const struct memory_call *call);

/*
 * memory_values.c: which values of a call tell what it is about to touch, without a look at memory but for the ends of strings, which it
 * comes to itself. False: that isn't enough.
 */
struct stub_call;
bool memory_call_values(const struct memory_call *call, struct stub_call *values);

/* How a range comes from the values that the stub has written: each is named by its number there. */
#define NO_VALUE UINT8_MAX
struct value_range {
	uint8_t address;      /* NO_VALUE: it is always the same: */
	uint64_t fixed;	      /* ... */
	uint64_t bytes;	      /* its size, */
	uint8_t count, times; /* ... as often as these values say; NO_VALUE: once */
	uint8_t begin, end; /* of a string, from whose one to whose other value it is; NO_VALUE: it is none */
	bool write, locked;
	uint64_t but_for[2]; /* addresses where it is none */
};

/* Those of a call that memory_call_values() knows; states: of what libc keeps to itself, where (memory_caller). */
#define VALUE_RANGES 9
struct value_ranges {
	struct value_range at[VALUE_RANGES];
	uint8_t length;
};
void memory_value_ranges(const struct memory_call *call, const struct stub_call *values,
			 const uint64_t *states, struct value_ranges *ranges);

/* What memory_call_touched() says of this one. False: nothing. */
bool memory_value_touched(const struct value_range *range, const uint64_t *values, struct touched *touched);

/* memory_touched.c: what the call is about to touch; how many ranges. *whole: is that all? A format may be about more than is looked at, or it asks for what isn't known. */
size_t memory_call_touched(const struct memory_call *call, const struct memory_caller *caller,
			   struct touched at[TOUCHED_MOST], bool *whole);

/* memory_lists.c: no system call of this number touches memory of the program's, but for what operations do. */
bool memory_call_touches_nothing(uint64_t number);

/* memory_strings.c: the bytes of a string with the 0 at the end, or as many as may be; what can't be read ends it. */
uint64_t memory_string_bytes(const struct target *target, uint64_t address, uint64_t most);
/* The same of wide characters, of which there may be so many. */
uint64_t memory_wide_bytes(const struct target *target, uint64_t address, uint64_t most);

/* This argument is a format, and those it is about follow. Writes at most `room` ranges; *whole becomes false where there are more, or some can't be told. */
struct memory_format {
	uint8_t argument;
	bool scans;	/* scanf(), else printf() */
	bool listed;	/* what follows is a va_list of them */
	bool wide;	/* it is one of wide characters */
	uint64_t input; /* the string that scanf() reads; 0: it isn't known */
};

/* *printed: so many bytes printf() makes of it, with the 0 at the end. */
#define FORMAT_UNKNOWN UINT64_MAX
size_t memory_format_touched(const struct memory_caller *caller, const struct memory_format *format,
			     struct touched *at, size_t room, bool *whole, uint64_t *printed);

#endif
