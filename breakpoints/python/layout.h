#ifndef FMC_BREAKPOINTS_PYTHON_LAYOUT_H
#define FMC_BREAKPOINTS_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where CPython keeps what is looked at, by its version: offsets in bytes. Only what differs between versions is in the
 * table; the rest is the same in all of them, and below.
 */

/* How the lines of a code object are written down. */
enum python_lines {
	PYTHON_LINES_DELTAS,	/* 3.8, 3.9: pairs of differences, bytes of code and lines */
	PYTHON_LINES_RANGES,	/* 3.10: the same for ranges, which may have no line */
	PYTHON_LINES_LOCATIONS, /* since 3.11: entries of several forms */
};

/* Where the attributes of an object are. */
enum python_attributes {
	PYTHON_IN_DICT,	  /* until 3.10: in a dictionary at the type's offset */
	PYTHON_IN_VALUES, /* 3.11: before the object, values or a dictionary */
	PYTHON_IN_EITHER, /* 3.12: before the object, values if the lowest bit is set */
	PYTHON_INLINE,	  /* 3.13: a dictionary before the object, or values after its head */
};

struct python_layout {
	uint32_t version; /* 0x30b: 3.11 */
	enum python_lines lines;
	enum python_attributes attributes;
	uint32_t runtime_interpreters; /* in _PyRuntime: the first interpreter */
	uint32_t runtime_gil;	       /* the lock itself; 0: each interpreter has one */
	uint32_t interpreter_next, interpreter_threads;
	uint32_t interpreter_gil; /* a pointer to its lock */
	uint32_t thread_frame;	  /* what runs; 3.11 and 3.12: the C frame that knows it */
	uint32_t c_frame_current; /* in a C frame; NO_OFFSET: there are none */
	uint32_t thread_ident;	  /* as pthread_self() says */
	uint32_t thread_native;	  /* the kernel's number; NO_OFFSET: it isn't kept */
	uint32_t frame_previous, frame_code, frame_globals;
	uint32_t frame_instruction; /* an address since 3.11, else an index */
	uint32_t frame_entry;	    /* 3.11: the first one of a C frame; else NO_OFFSET */
	uint32_t frame_owner;	    /* since 3.12: whether it is only there for C; else NO_OFFSET */
	uint32_t frame_locals;
	uint32_t frame_blocks, frame_block; /* until 3.10: how many blocks; the first of them */
	uint32_t code_locals;		    /* how many local variables */
	uint32_t code_stack;		    /* how many values on its stack at most */
	uint32_t code_exceptions;	    /* since 3.11 */
	uint32_t code_cell_names;	    /* until 3.10: of the variables that inner functions use */
	uint32_t code_local_names, code_filename, code_name, code_lines, code_first_line;
	uint32_t code_bytes;		/* since 3.11: the code itself; else NO_OFFSET */
	uint32_t text_ascii, text_wide; /* the characters of a string */
	uint32_t type_keys;		/* the names of the attributes that are in values */
	uint32_t values;		/* the first of them */
};

#define NO_OFFSET UINT32_MAX

/* The same in all versions. */
enum {
	PYTHON_TYPE = 8,    /* of every object */
	PYTHON_LENGTH = 16, /* of strings, tuples, lists, bytes */
	PYTHON_THREAD_NEXT = 8,
	PYTHON_TYPE_NAME = 24,
	PYTHON_TYPE_FLAGS = 168,
	PYTHON_TYPE_DICT = 288,
	PYTHON_TEXT_STATE = 32,
	PYTHON_DIGITS = 24, /* of a number, 30 bits each */
	PYTHON_BYTES = 32,
	PYTHON_TUPLE_ITEMS = 24,
	PYTHON_LIST_ITEMS = 24,
	PYTHON_CELL = 16, /* of a variable that inner functions use */
	PYTHON_METHOD =
	    16, /* of a builtin method: its description, which begins with a pointer to its name */
	PYTHON_BOUND_TO = 24, /* a method's object, of builtin ones, too */
	PYTHON_DICT_KEYS = 32,
	PYTHON_DICT_VALUES = 40,
	PYTHON_LOCK = 16,	  /* _thread.lock, _thread.RLock: a pointer to the semaphore */
	PYTHON_BUFFER_LOCK = 104, /* of a buffered file: the same */
	PYTHON_BUFFER_OWNER = 112,
	PYTHON_RLOCK_OWNER = 24,
	PYTHON_RLOCK_COUNT = 32,
	PYTHON_GIL_HOLDER = 8,
	PYTHON_GIL_LOCKED = 16,
	PYTHON_GIL_COND = 32, /* for this one waits who wants it */
	PYTHON_GIL_MUTEX = 80,
	PYTHON_GIL_SWITCH = 120, /* for this one who has given it away until another has taken it */
	PYTHON_GIL_SIZE = 208,
	PYTHON_FRAME_FOR_C = 3,	  /* an owner */
	PYTHON_FRAME_VALUES = 64, /* until 3.10: a pointer to the stack of values */
	PYTHON_BLOCK_SIZE = 12,
	PYTHON_BLOCK_LEVEL = 8,
};

/* The layout of this version (0x30b: 3.11); NULL: not known. */
const struct python_layout *python_layout_of(uint32_t version);

/*
 * Since 3.13 the run-time state begins with a table of the offsets. words: that table without its first 8 bytes, which are
 * PYTHON_COOKIE; PYTHON_OFFSETS of them. Sets those that `layout` has. False if it is a build that isn't known, without GIL.
 */
#define PYTHON_COOKIE  "xdebugpy"
#define PYTHON_OFFSETS 43
bool python_layout_adjust(struct python_layout *layout, const uint64_t words[PYTHON_OFFSETS]);

#endif
