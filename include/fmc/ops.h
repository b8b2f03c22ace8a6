#ifndef FMC_OPS_H
#define FMC_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Operations of one's own for fmc: what a plug-in (fmc check --ops FILE.so) has to define. fmc-ops(3) is the manual; this
 * header needs no other of fmc's.
 *
 * A plug-in describes classes of objects and the functions of the program that are operations on them. fmc calls it, in
 * its own process and never in the program's, to ask which operations could complete in a state of their object and
 * what they do to it. Everything here has to be a pure function of its arguments: fmc asks again about states that it
 * has come by before, copies them, and compares them byte for byte.
 */
#define FMC_OPS_VERSION	   1
#define FMC_OBJECT_BYTES   64
#define FMC_ARGUMENTS	   6
#define FMC_VALUES	   3
#define FMC_NOBODY	   UINT32_MAX
#define FMC_CLASSES_MOST   16
#define FMC_OPS_MOST	   64 /* of all classes */
#define FMC_CLASS_OPS_MOST 16
#define FMC_NAME_LONGEST   31

#ifdef __cplusplus
extern "C" {
#endif

/* The memory of the program, as it is before the call. False: not all of the range can be read. */
struct fmc_memory {
	bool (*read)(const struct fmc_memory *memory, uint64_t address, void *to, size_t size);
};

/* A call of an entry point, to be decoded. */
struct fmc_call {
	uint64_t arguments[FMC_ARGUMENTS]; /* integers and pointers, in the order of the System V ABI */
	uint64_t object;		   /* to be set: the object's address. arguments[0] before */
	int64_t values[FMC_VALUES];	   /* to be set: what else matters of the call. 0 before */
};

/* A thread's operation on an object, as enabled() and apply() see it. */
struct fmc_step {
	uint32_t thread; /* from 0, in the order of creation; fmc calls it T1, T2 ... */
	uint32_t op;	 /* index into the ops of its class */
	bool waits; /* its thread has come to the object in an earlier transition: see fmc_effect.waits */
	int64_t values[FMC_VALUES]; /* from decode() */
};

/* What no program may do: reported as such, and not performed. */
enum fmc_misuse {
	FMC_FINE,
	FMC_UNLOCKS_FREE,
	FMC_UNLOCKS_OTHERS,
	FMC_DESTROYS_HELD,
	FMC_DESTROYS_AWAITED,
	FMC_USES_DESTROYED,
	FMC_WAITS_UNMADE, /* at an object that has never been initialised */
};

/* What an operation does besides changing its object. All zero before apply(). */
struct fmc_effect {
	bool
	    waits; /* so far the thread has only come; it performs the operation in a second transition, which
			   has step.waits and is enabled when enabled() says so */
	bool reads;	/* nothing has changed that another operation could notice: such ones commute */
	bool yields;	/* the call has failed and could only be tried again */
	bool predicted; /* the function will return `result` */
	int64_t result;
	enum fmc_misuse misuse;
};

/* What a function returns. fmc shows it and keeps it in schedules, unless it is FMC_NOTHING. */
enum fmc_returns { FMC_NOTHING, FMC_INT, FMC_LONG };

/* One kind of operation. */
struct fmc_op {
	const char *name;     /* in schedules and reports: small letters, digits and _ */
	const char *function; /* entry point: a function of the program or its libraries */
	enum fmc_returns returns;
	/*
	 * Take the call apart. False: this call is no operation; what it does is then seen as if there was no
	 * entry point. NULL: the object is the first argument, and nothing else matters.
	 */
	bool (*decode)(struct fmc_call *call, const struct fmc_memory *memory);
	/* Could it complete in this state, whatever the function does then? NULL: always. */
	bool (*enabled)(const void *object, const struct fmc_step *step);
	/* Perform it; only called if it is enabled. NULL: it changes nothing, but isn't independent of others. */
	void (*apply)(void *object, const struct fmc_step *step, struct fmc_effect *effect);
};

/* One class of objects. */
struct fmc_class {
	const char *name; /* as of operations */
	const struct fmc_op *ops;
	size_t ops_length;
	/*
	 * The state of an object that is seen for the first time, FMC_OBJECT_BYTES of zeros before. NULL: they stay
	 * so. Operations that were performed before the program had a second thread are not seen.
	 */
	void (*init)(void *object, uint64_t address, const struct fmc_memory *memory);
	/*
	 * Do operations a and b (indices into ops) on one object depend on each other? False only if from every
	 * state they may be performed in either order, by different threads, with the same results and the same
	 * state at the end. Has to be symmetric; a == b is asked too. NULL: all do. Operations on different objects
	 * never depend on each other.
	 */
	bool (*dependent)(uint32_t a, uint32_t b);
	/* The thread whose turn it is to let others go on: the holder of a lock. FMC_NOBODY, NULL: nobody in particular. */
	uint32_t (*holder)(const void *object);
	/* A few words on the state, for reports: "read by T2 and T3". At most `size` bytes with the zero. NULL: none. */
	void (*describe)(const void *object, char *text, size_t size);
};

/* What a plug-in exports, under the name fmc_ops. */
struct fmc_ops {
	uint32_t version;      /* FMC_OPS_VERSION */
	uint32_t op_bytes;     /* sizeof(struct fmc_op) */
	uint32_t class_bytes;  /* sizeof(struct fmc_class) */
	uint32_t object_bytes; /* FMC_OBJECT_BYTES */
	const struct fmc_class *classes;
	size_t classes_length;
};

#define FMC_OPS(classes)                                                                                     \
	{                                                                                                    \
		FMC_OPS_VERSION, sizeof(struct fmc_op), sizeof(struct fmc_class), FMC_OBJECT_BYTES,          \
		    (classes), sizeof(classes) / sizeof *(classes)                                           \
	}

extern const struct fmc_ops fmc_ops;

#ifdef __cplusplus
}
#endif

#endif
