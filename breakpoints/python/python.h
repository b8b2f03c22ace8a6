#ifndef FMC_BREAKPOINTS_PYTHON_PYTHON_H
#define FMC_BREAKPOINTS_PYTHON_PYTHON_H

#include "breakpoints/python/layout.h"

#include <fmc/breakpoints/wait.h>

/*
 * The Python side of a snapshot that runs CPython: threads with their names, frames and locks.
 *
 *     find.c               which module is the interpreter, and of which version
 *     layout.c             where that version keeps what
 *     object.c             strings, types, items
 *     attribute.c          attributes and dictionaries
 *     line.c               tables of lines and of exceptions
 *     code.c               code objects, each read once
 *     frame.c              the frames of a thread
 *     thread.c             all threads
 *     wait.c               what a thread waits for: the lock among the values of its innermost frame
 *     lock.c               locks, who holds them
 *     condition.c          what the library makes of locks: conditions, events, queues
 *     name.c               the variable that a lock is in
 *     stack.c              native frames and those of Python in one stack
 *     tell.c               all of it into an inspection
 *
 * Everything is read through snapshot_read(), checked and bounded: what is damaged, or was just being changed, gives
 * nothing. The same is read every time, so reading it once while the process stands keeps all that is read later.
 */

struct python_code {
	uint64_t address;
	char *function, *source; /* NULL: not known */
	const char *file;	 /* last component of `source` */
	uint8_t *lines, *exceptions;
	size_t lines_size, exceptions_size;
	uint32_t locals, stack; /* how many variables, how many values at most */
	int first_line;
	uint64_t names;		  /* of the variables: a tuple */
	struct python_code *next; /* with the same hash */
};

struct python_frame {
	const struct python_code *code;
	uint64_t address; /* of the interpreter's description of it */
	uint64_t globals;
	int line;
	int32_t position; /* in bytes from the beginning of its code; negative: before it */
	uint32_t depth;	  /* so many values on its stack are there for certain */
	uint64_t values;  /* the stack of values */
	bool entry;	  /* C code called it, and not a Python function */
};

#define PYTHON_HELD_MOST 16

struct python_thread {
	bool known; /* the interpreter knows it */
	uint64_t state, ident;
	uint64_t gil;		     /* of its interpreter; 0: not known */
	uint64_t self;		     /* its threading.Thread; 0: not known */
	char *name;		     /* NULL: none */
	struct python_frame *frames; /* innermost first */
	size_t frames_length;
	bool cut;
	uint64_t held[PYTHON_HELD_MOST]; /* locks in whose `with` it is */
	size_t held_length;
	uint64_t ends; /* the lock that is unlocked when it ends; 0: none */
};

/* What a thread waits for, as far as the interpreter's data tell. */
struct python_wait {
	bool found;
	struct wait wait;
};

#define PYTHON_CODE_BUCKETS 256

/* An object and the variable that it is in: every thread calls it the same. */
struct python_variable {
	uint64_t object;
	char *name; /* NULL: none */
	struct python_variable *next;
};

struct python {
	struct snapshot *snapshot;
	struct python_layout layout;  /* version 0: there is no interpreter that is known */
	uint64_t low, high;	      /* the module of the interpreter */
	uint64_t eval_low, eval_high; /* the function that runs Python code */
	uint64_t runtime;
	char note[96]; /* why Python's side isn't shown; empty: it is, or there is none */
	size_t reads_left;
	struct python_thread *threads; /* in the order of the snapshot's */
	struct python_wait *waits;
	size_t length;
	struct python_code *codes[PYTHON_CODE_BUCKETS];
	struct python_variable *variables;
};

/* Look at all of it. STATUS_OK, also where there is no Python; STATUS_NO_MEMORY, with nothing to be released. */
enum status python_look(struct python *python, struct snapshot *snapshot);
void python_release(struct python *python);

/* While the process stands: keep what python_inspect() will read. */
void python_keep(struct snapshot *snapshot);

/* Put what is found into the inspection of the snapshot, whose stacks and waits are there. STATUS_OK, STATUS_NO_MEMORY. */
enum status python_inspect(struct snapshot *snapshot, struct inspection *inspection);

/* ---- the parts ---- */

/* Set layout, low ... runtime; false: nothing (more) is to be looked at. */
bool python_find(struct python *python);

/* Read; false: it can't be. */
bool python_read(struct python *python, uint64_t address, void *to, size_t size);
bool python_word(struct python *python, uint64_t address, uint64_t *word);
uint64_t python_pointer(struct python *python, uint64_t address); /* 0 also where it can't be read */

/* The name of an object's type: "_thread.lock". False: it isn't an object. */
#define PYTHON_TYPE_ROOM 64
bool python_type_name(struct python *python, uint64_t object, char name[PYTHON_TYPE_ROOM]);
bool python_is(struct python *python, uint64_t object, const char *type);

/* A string as UTF-8, without control characters, cut off where it's long; owned. NULL: it isn't one. */
char *python_text(struct python *python, uint64_t object);

/* Is the string this one? */
bool python_text_is(struct python *python, uint64_t object, const char *text);

/* The value of a number from 0 on, or of a truth value. False: it is none, or too large. */
bool python_number(struct python *python, uint64_t object, uint64_t *value);

/* The items of a tuple or list: where the first one is, and how many. False: it is neither. */
bool python_items(struct python *python, uint64_t object, uint64_t *first, size_t *length);

/* The attribute of an instance, from its own dictionary or values; 0: none. */
uint64_t python_attribute(struct python *python, uint64_t object, const char *name);

/*
 * Visit what a dictionary or an object's attributes hold until the visitor says false. key, value: objects. Returns what the
 * last visit returned, true if there was none.
 */
typedef bool python_visitor(void *context, uint64_t key, uint64_t value);
bool python_each_in_dict(struct python *python, uint64_t dict, python_visitor *visit, void *context);
bool python_each_attribute(struct python *python, uint64_t object, python_visitor *visit, void *context);

/* The code object; NULL: it isn't one, or no memory. The python's. */
const struct python_code *python_code(struct python *python, uint64_t address);
void python_codes_free(struct python *python);

/* A local variable of the frame, as an object; 0: none. What an inner function uses is looked up. */
uint64_t python_local(struct python *python, const struct python_frame *frame, uint32_t i);

/* Is it in the part of Python's library that is about threads? The innermost frame that isn't; NULL: there is none. */
bool python_is_library(const struct python_frame *frame);
const struct python_frame *python_user_frame(const struct python_thread *thread);

/* Read the frames of a thread, and what they tell. False without memory. */
bool python_frames(struct python *python, struct python_thread *thread);
bool python_threads(struct python *python);
void python_threads_free(struct python *python);

/* The thread with this state, or this threading.Thread; python->length: none. */
size_t python_thread_of_state(const struct python *python, uint64_t state);
size_t python_thread_of_self(const struct python *python, uint64_t self);

/* Is the frame in this file of Python's library, in the method `name` of the class `type`, or "" if it is in none? */
bool python_frame_is(struct python *python, const struct python_frame *frame, const char *file,
		     const char *type, const char *name);

/* What the thread waits for. False without memory. */
bool python_wait(struct python *python, uint32_t thread);

/* The name of the variable in which the object is: "lock_a", "self.lock", "forks[1]". frame: the innermost of the thread's
 * that isn't in a library's code, or NULL. NULL: none is found. The python's. */
const char *python_variable(struct python *python, const struct python_frame *frame, uint64_t object);
void python_variables_free(struct python *python);

/* Python's frames in place of the interpreter's. whole: the functions on top say nothing that a reader needs. */
enum status python_stack(const struct python *python, uint32_t thread, bool whole,
			 struct inspected_thread *inspected);

#endif
