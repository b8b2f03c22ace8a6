#ifndef FMC_BREAKPOINTS_CODE_MEMORY_PARTS_H
#define FMC_BREAKPOINTS_CODE_MEMORY_PARTS_H

#include "breakpoints/code/memory_calls.h"

/* What the table of memory_calls.c says of a function. */
#define MEMORY_PARTS 4

/* How long a range is, or where its length is told. */
enum extent {
	NOTHING,
	ONE,	  /* what is printed, of which at least a byte is written */
	BYTES_1,  /* in the second argument */
	BYTES_2,  /* in the third */
	PRODUCT,  /* of the second and the third */
	STRING,	  /* up to its end */
	STRING_2, /* no longer than the third argument */
	COPY,	  /* as long as the string in the second argument */
	APPENDED, /* as its own string and that in the second argument */
	OBJECT,	  /* a std::string */
	WORD,	  /* a number or a pointer */
	THERE,	  /* at least a byte of what the pointer there leads to, if to anything */
	COUNTED,  /* so many as the third argument says, each as long as the fourth */
	WORDS_0,  /* so many words as the first argument says */
	LOCK_SET, /* a lock of fcntl()'s, if the second argument is about one */
	LOCK_GET, /* ... asks for one */
	STATE,	  /* what libc keeps to itself: enum state, instead of an argument */
	PRINTS,	  /* the argument is a format of printf()'s */
	SCANS,	  /* ... of scanf()'s */
	V_PRINTS, /* the same with a va_list */
	V_SCANS,
	UNKNOWN, /* what it touches isn't known */
};

enum state {
	ENVIRONMENT,
	LOCALE,
	RANDOM,
	RANDOM_48,
	TOKENS,
	CALENDAR,
	USERS,
	HOSTS,
	INPUT,
	OUTPUT,
	OPTION,
	OPTION_ARGUMENT
};

struct part {
	uint8_t argument, extent;
	bool write;
};

struct memory_call {
	const char *name;
	struct part parts[MEMORY_PARTS];
};

#endif
