#ifndef FMC_BREAKPOINTS_EFFECTS_MEMORY_PARTS_H
#define FMC_BREAKPOINTS_EFFECTS_MEMORY_PARTS_H

#include "breakpoints/effects/memory_calls.h"

/* What the table of memory_calls.c says of a function. */
#define MEMORY_PARTS 9

/* How long a range is, or where its length is told. */
enum extent {
	NOTHING,
	ONE, /* what functions of libc alone use, so that a byte stands for all of it; of some others no more is known */
	FIXED,	       /* as many bytes as the table says */
	TIMES_0,       /* ... for each of as many as the first argument says, an int */
	TIMES_1,       /* ... the second */
	TIMES_2,       /* ... the third */
	TIMES_4,       /* ... the fifth */
	TIMES_THERE_3, /* ... as the int says that the fourth leads to */
	BYTES_0,       /* in the first argument */
	BYTES_1,       /* in the second argument */
	BYTES_2,       /* in the third */
	BYTES_3,
	BYTES_4,
	BYTES_5,
	PAGES_1,   /* a byte for each page of so many bytes as the second argument says */
	TO_1,	   /* up to where the second argument leads */
	LENGTH_2,  /* so many bytes as the int says that the third argument leads to */
	LENGTH_4,  /* ... the fifth */
	LENGTH_5,  /* ... the sixth */
	LENGTH_6,  /* ... the seventh */
	FOLDER,	   /* of opendir(): with what it has read, if it is about to read more */
	HANDLE,	   /* of a file, by name_to_handle_at(): as long as it says itself */
	WIDE_1,	   /* so many wide characters as the second argument says */
	WIDE_2,	   /* ... the third */
	WIDE_3,	   /* ... the fourth */
	PRINTED,   /* what printf() makes of the format in a later part */
	PRINTED_1, /* ... no more than the second argument */
	PAIRS_2,   /* ... pairs of two numbers each */
	PRODUCT,   /* of the second and the third */
	PRODUCT_2, /* of the third and the fourth */
	STRING,	   /* up to its end */
	STRING_1,  /* no longer than the second argument */
	STRING_2,  /* no longer than the third */
	UNTIL_1,   /* up to the byte in the second argument */
	UNTIL,	  /* what memccpy() copies: up to the byte in the third argument, no longer than the fourth */
	TEMPLATE, /* of mkstemp(): the last six characters of the string */
	TEMPLATE_1,	 /* ... before so many others as the second argument says */
	CHARACTER_1,	 /* a multibyte one, of no more than so many as the second argument says */
	CHARACTER_2,	 /* ... the third */
	CODED_1,	 /* the bytes of the wide character in the second argument */
	DIGITS_0,	 /* a number of so many digits as the first argument says, by gcvt() */
	WIDE_STRING,	 /* wide characters up to their end */
	WIDE_STRING_1,	 /* ... no more than the second argument */
	WIDE_STRING_2,	 /* ... the third */
	WIDE_COPY,	 /* as many as in the second argument */
	WIDE_APPENDED,	 /* as APPENDED */
	WIDE_APPENDED_2, /* as APPENDED_2 */
	COPY,		 /* as long as the string in the second argument */
	APPENDED,	 /* behind its own string, as long as that in the second argument */
	APPENDED_2,	 /* ... no more of that than the third, and a 0 */
	OBJECT,		 /* a std::string */
	WORD,		 /* a long number or a pointer */
	NUMBER,		 /* an int */
	THERE,		 /* at least a byte of what the pointer there leads to, if to anything */
	THERE_1,	 /* so many bytes from there as the word says that the second argument points to */
	THERE_2,	 /* ... the third */
	THERE_4,	 /* ... the fifth */
	THERE_TO,	 /* from there to where the next pointer leads */
	THERE_STRING,	 /* from there up to the end of the string */
	THERE_STRING_2,	 /* ... no longer than the third argument */
	THERE_WIDE,	 /* the same of wide characters */
	THERE_WIDE_2,
	GOES_ON, /* of strtok_r(): from there up to the end of the string, if the first argument is null */
	WIDE_GOES_ON, /* ... of wcstok() */
	COUNTED,      /* so many as the third argument says, each as long as the fourth */
	WORDS_0,      /* so many words as the first argument says */
	WORDS_1,      /* ... the second */
	LOADS,	      /* the same, three at most */
	POLLED,	      /* as many of struct pollfd */
	INET,	      /* an address of the family in the first argument */
	LOCK_SET,     /* a lock of fcntl()'s, if the second argument is about one */
	LOCK_GET,     /* ... asks for one */
	OWNER_SET,    /* the same of who is told of input, and of hints */
	OWNER_GET,
	MAPPED,		  /* by mmap() where the caller says, in place of what was there */
	ADVISED,	  /* by madvise(), if it becomes zeroes by that */
	CLOSED,		  /* by mprotect(), to all */
	CLOSED_TO_WRITES, /* ... not to those who read */
	DESCRIPTORS,	  /* of a set those below the first argument */
	STREAM,		  /* a stream of C++, but for the standard ones, which may be used at once */
	STREAM_BASE,	  /* ... its std::ios */
	STREAM_OBJECT,	  /* a stream of C */
	STREAM_KEPT,	  /* ... unless it is standard output or the error output */
	STATE, /* what libc keeps to itself: enum state, instead of an argument; `bytes` of it, 0: one */
	STATE_UNLESS, /* ... unless the argument with the number in `bytes` leads to another one */
	/* Several ranges each, or none: */
	VECTOR,	     /* of struct iovec, so many as the third argument says, and what they lead to */
	MESSAGE,     /* a struct msghdr and what it leads to */
	TEXTS,	     /* pointers to strings, up to a null pointer, and these */
	TEXTS_HERE,  /* strings that the arguments lead to from this one on, up to a null pointer */
	ANSWERS,     /* of as many of struct pollfd as the second argument says what poll() answers */
	CONTROL,     /* what prctl() is asked for by the first argument */
	DEVICE,	     /* what ioctl() is asked for by the second argument */
	CUT,	     /* up to the end of the next token, by strtok() */
	ADDRESSES,   /* of getaddrinfo() */
	REGISTERS,   /* of re_search(), which it may have made before */
	SYSTEM_CALL, /* by the first argument's number, the others are its own */
	PRINTS,	     /* the argument is a format of printf()'s */
	SCANS,	     /* ... of scanf()'s */
	V_PRINTS,    /* the same with a va_list */
	V_SCANS,
	WIDE_PRINTS, /* ... of wide characters */
	WIDE_V_PRINTS,
	REST,	 /* more, of which it isn't known what */
	UNKNOWN, /* what it touches isn't known */
};

enum state {
	LOCALE,
	RANDOM,
	RANDOM_48,
	TOKENS,
	CALENDAR,
	USERS,
	GROUPS,
	PASSWORDS,
	HOSTS,
	SERVICES,
	PROTOCOLS,
	NETWORKS,
	PROGRAMS, /* of remote calls */
	MOUNTS,
	LOGINS,
	LOGIN,
	TABLE, /* of hcreate() */
	DIGITS,
	DIGITS_BEHIND, /* the point, of fcvt() */
	ENCODED,       /* by l64a() */
	STATIONS,      /* of Ethernet, as text, */
	STATION,       /* and as a number */
	SHELLS,
	FILE_SYSTEMS,
	TERMINALS,
	TEMPORARY, /* a name by tmpnam() */
	/* Characters of which a part has come, or the shift that they are in, each of one function: */
	BY_MBLEN,
	BY_MBTOWC,
	BY_WCTOMB,
	BY_MBRLEN,
	BY_MBRTOWC,
	BY_WCRTOMB,
	BY_MBSRTOWCS,
	BY_MBSNRTOWCS,
	BY_WCSRTOMBS,
	BY_WCSNRTOMBS,
	EXITS, /* what is to be called at the end, in which order */
	QUICK_EXITS,
	LOGGING, /* by syslog() */
	KEYS,	 /* numbers that pthread_key_create() gives */
	LOADED,	 /* libraries, by dlopen() */
	INPUT,
	OUTPUT,
	ERRORS,
	ENVIRONMENT, /* from here on in the program's own memory, perhaps */
	OPTION,
	OPTION_ARGUMENT,
	OPTION_LETTER,
	STREAM_IN,
	STREAM_OUT,
	STREAM_ERROR,
	STREAM_LOG,
	TIME_ZONE, /* from here on variables of which libc itself makes no use: seconds, */
	ZONE_NAMES,
	DAYLIGHT,
	ERROR_COUNT /* of error() */
};

struct part {
	uint8_t argument, extent;
	bool write;
	uint16_t bytes; /* FIXED, TIMES_0 and its like; STATE; STATE_UNLESS */
};

#define MEMORY_ARGUMENTS 8
#define MEMORY_REGISTERS 6  /* of them, those after that are on the stack */
#define CXX_STRING	 32 /* bytes of a std::string */
/* Of a stream: flags and the pointers by which getc_unlocked() and its like, where the compiler has put them in line, read and write. */
#define C_STREAM 72

/* A length that overflows is an error of the program's, and not its last. What is no address is a number of its own meaning. */
static inline bool memory_may_touch(uint64_t address, uint64_t size)
{
	return address > 0 && address < UINT64_C(1) << 47 && size > 0 && size <= UINT64_MAX / 2;
}

/* What libc keeps to itself: a byte of it, but for variables and streams that the program can access. */
static inline uint64_t memory_state_bytes(const struct part *part)
{
	const bool stream = part->argument == INPUT || part->argument == OUTPUT || part->argument == ERRORS;
	return stream ? C_STREAM : part->extent == STATE && part->bytes ? part->bytes : 1;
}

/* Does libc hold a lock meanwhile that nobody else can see, of a stream or of what the program has as variables? getenv() holds none. */
static inline bool memory_part_locked(const struct part *part)
{
	if (part->extent == STREAM_OBJECT || part->extent == STREAM_KEPT)
		return true;
	return part->extent == STATE &&
	       (part->argument >= TIME_ZONE || (part->argument == ENVIRONMENT && part->write));
}

struct memory_call {
	const char *name;
	struct part parts[MEMORY_PARTS];
};

/* memory_lists.c: the ranges of a part that is several, from VECTOR to SYSTEM_CALL; how many, at most `room`. *whole as memory_call_touched() says. */
size_t memory_list_touched(const struct memory_caller *caller, const struct part *part,
			   const uint64_t arguments[MEMORY_ARGUMENTS], struct touched *at, size_t room,
			   bool *whole);

#endif
