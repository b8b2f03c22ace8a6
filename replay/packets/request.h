#ifndef FMC_REPLAY_PACKETS_REQUEST_H
#define FMC_REPLAY_PACKETS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What GDB asks for, taken out of the payload of a packet. */
enum gdb_request_kind {
	GDB_UNKNOWN,   /* also what is known and not offered: the answer is empty */
	GDB_MALFORMED, /* begins like a known one, and doesn't go on so */
	GDB_WHY,       /* ? */
	GDB_EXTENDED,  /* ! */
	GDB_SELECT,    /* H: `thread`, for `operation` */
	GDB_READ_REGISTERS,
	GDB_WRITE_REGISTERS, /* data */
	GDB_READ_REGISTER,   /* number */
	GDB_WRITE_REGISTER,  /* number, data */
	GDB_READ_MEMORY,     /* address, length */
	GDB_WRITE_MEMORY,    /* address, data */
	GDB_INSERT,	     /* Z: point, address, length, conditions */
	GDB_REMOVE,	     /* z */
	GDB_ALIVE,	     /* T: thread */
	GDB_ATTACHED,
	GDB_RESUMES,	      /* vCont?: how can it be resumed? */
	GDB_RESUME,	      /* vCont, c, C, s, S: actions */
	GDB_REVERSE_CONTINUE, /* bc */
	GDB_REVERSE_STEP,     /* bs */
	GDB_RUN,	      /* vRun: again from the beginning */
	GDB_KILL,	      /* thread.process: this one; GDB_ANY: all */
	GDB_DETACH,	      /* likewise */
	GDB_NO_ACKS,
	GDB_SUPPORTED,
	GDB_TRANSFER, /* qXfer: object, data is the annex, address is the offset, length */
	GDB_TLS,      /* qGetTLSAddr: thread, address is the offset, link_map */
	GDB_CURRENT,  /* qC */
	GDB_THREADS,  /* qfThreadInfo */
	GDB_THREADS_MORE,
	GDB_THREAD_TEXT, /* qThreadExtraInfo: thread */
	GDB_COMMAND,	 /* qRcmd: data is the text */
	GDB_PASS,	 /* QPassSignals: signals */
	GDB_PROGRAM_SIGNALS,
	GDB_SYMBOLS, /* qSymbol:: */
	GDB_FILE, /* vFile: file; of what `file` says it takes: data is the path, number, length, address is the offset */
};

/* A process and a thread in it, both from 1. Where a client says no process it is any. */
#define GDB_ALL -1
#define GDB_ANY 0
struct gdb_thread {
	int32_t process, thread;
};

/* Kinds of points, as the protocol numbers them. */
enum gdb_point {
	GDB_SOFTWARE_BREAK,
	GDB_HARDWARE_BREAK,
	GDB_WRITE_WATCH,
	GDB_READ_WATCH,
	GDB_ACCESS_WATCH,
};

enum gdb_object {
	GDB_OBJECT_FEATURES,
	GDB_OBJECT_AUXV,
	GDB_OBJECT_EXEC_FILE,
	GDB_OBJECT_THREADS,
	GDB_OBJECT_SIGINFO
};

/* What is offered of what can be done with files: nothing that writes. */
enum gdb_file {
	GDB_FILE_SETFS,
	GDB_FILE_OPEN, /* data, flags */
	GDB_FILE_PREAD,
	GDB_FILE_FSTAT,
	GDB_FILE_CLOSE,
	GDB_FILE_READLINK
};

enum gdb_action_kind { GDB_ACTION_CONTINUE, GDB_ACTION_STEP, GDB_ACTION_RANGE, GDB_ACTION_STOP };

/* What some threads shall do; of those that fit a thread the first holds. */
struct gdb_action {
	enum gdb_action_kind kind;
	uint8_t signal;	    /* GDB's number of it; 0: none */
	uint64_t low, high; /* GDB_ACTION_RANGE: go on as long as low <= pc < high */
	struct gdb_thread thread;
};

#define GDB_ACTIONS 64

/* GDB numbers signals in its own way (signal.h), below this. */
#define GDB_SIGNALS 160

/* An agent expression (agent.h), in the payload. */
struct gdb_code {
	const unsigned char *bytes;
	size_t length;
};

/* Of one breakpoint: if one of them is true, it stops. With more, or longer ones, it always does, and GDB looks itself. */
#define GDB_CONDITIONS	     8
#define GDB_CONDITION_LENGTH 1024

struct gdb_request {
	enum gdb_request_kind kind;
	struct gdb_thread thread;
	uint64_t address, length;
	const unsigned char *data; /* in the payload */
	size_t data_length;
	union {
		char operation;	 /* GDB_SELECT: 'g' or 'c' */
		uint32_t number; /* of a register */
		struct {
			enum gdb_point point;
			size_t conditions_length; /* 0: it holds always */
			struct gdb_code conditions[GDB_CONDITIONS];
		};
		enum gdb_object object;
		uint64_t link_map;
		bool processes; /* GDB_SUPPORTED: it knows processes, and takes p1.2 for a thread */
		struct {
			enum gdb_file kind;
			uint32_t number, flags;
		} file;
		bool signals[GDB_SIGNALS];
		struct {
			size_t length;
			bool plain; /* who is to be stepped, Hc has said */
			struct gdb_action at[GDB_ACTIONS];
		} actions;
	};
};

/*
 * Understand a payload of so many bytes. Never fails: what can't be understood is of kind GDB_MALFORMED. Hex digits are
 * turned into bytes in place, that is what `data` then points to.
 */
void gdb_request_parse(struct gdb_request *request, char *payload, size_t length);

/* Does `which` mean this thread of this process (both counted from 1)? */
bool gdb_thread_matches(struct gdb_thread which, int32_t process, int32_t thread);

#endif
