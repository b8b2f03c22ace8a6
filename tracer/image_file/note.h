#ifndef FMC_TRACER_IMAGE_FILE_NOTE_H
#define FMC_TRACER_IMAGE_FILE_NOTE_H

#include <signal.h>
#include <stdint.h>
#include <sys/user.h>

/*
 * An image file: an ELF core file as the kernel would write it (NT_PRSTATUS, NT_FPREGSET and NT_X86_XSTATE for each thread,
 * NT_PRPSINFO, NT_AUXV, NT_FILE; a PT_LOAD for each stretch of memory, of no length in the file where it holds zeros
 * or what the mapped file holds) with these notes, owner "FMC". Numbers are little-endian as on the machine. The ELF header
 * is written last, so that a file that hasn't been finished is none.
 */
#define IMAGE_OWNER   "FMC"
#define IMAGE_VERSION 2 /* 1: without channels; is read as well */

/* Numbers that nobody else uses: debuggers take a note for what its number means to them, whoever its owner is. */
enum image_note {
	IMAGE_PROCESS =
	    0x464d4301,	  /* struct image_process; directory and program after it, each with a NUL */
	IMAGE_THREAD,	  /* struct image_thread: the main thread first, then by number */
	IMAGE_SIGNALS,	  /* struct image_action for each signal from 1 on */
	IMAGE_MAPPING,	  /* struct image_mapping, path with a NUL; in ascending order */
	IMAGE_DESCRIPTOR, /* struct image_descriptor, text with a NUL */
	IMAGE_ARGUMENTS,  /* texts, each with a NUL */
	IMAGE_ENVIRONMENT,
	IMAGE_ABSENCE, /* text with a NUL */
	IMAGE_CHANNEL, /* struct image_channel; after it sizes of slots, as uint32_t, and the bytes in them; or members */
	IMAGE_TICKS, /* uint64_t: what the processor's counter of time showed; images of an early fmc lack it */
};

#define IMAGE_SIGNAL_COUNT 64
#define IMAGE_GROUPS	   32

/* Addresses as proc_pid_stat(5) and PR_SET_MM_MAP name them, in their order. */
struct image_addresses {
	uint64_t start_code, end_code, start_data, end_data, start_brk, brk, start_stack;
	uint64_t arg_start, arg_end, env_start, env_end;
};

struct image_process {
	uint32_t version, umask;
	uint32_t user, group, groups_length, groups[IMAGE_GROUPS];
	uint32_t padding;
	int64_t realtime_ns, monotonic_ns; /* what the clocks showed */
	struct image_addresses addresses;
};

struct image_thread {
	int32_t number;
	int32_t stack_flags;
	uint64_t stack, stack_size; /* the alternate one */
	uint64_t mask, robust_list, clear_tid;
	int64_t call;		      /* that it stands before; -1: none */
	struct user_regs_struct regs; /* as it begins */
	char name[16];
};

/* As rt_sigaction(2) of the kernel has it. */
struct image_action {
	uint64_t handler, flags, restorer, mask;
};

enum image_kind {
	IMAGE_MEMORY, /* as the PT_LOADs say, else zeros */
	IMAGE_STACK,  /* the same, and it grows downwards */
	IMAGE_FILE,   /* the file, with what the PT_LOADs say in its place */
	IMAGE_VDSO,
};

struct image_mapping {
	uint64_t low, high, offset;
	uint32_t kind, protection; /* as mmap() takes it */
	/* Of the file: what shows that it is the same still. */
	uint64_t file_size;
	int64_t changed_s, changed_ns;
	uint32_t build_id_length, padding;
	uint8_t build_id[32];
};

enum image_descriptor_kind {
	IMAGE_OPEN,    /* the file is opened again for reading */
	IMAGE_OWN,     /* a regular file open for writing: each copy gets one of its own in memory */
	IMAGE_OUTPUT,  /* leads to where descriptor 1 of what is started does */
	IMAGE_ERROR,   /* descriptor 2 */
	IMAGE_MISSING, /* can't be had: the text says what it was */
	IMAGE_END,     /* of a channel: each copy makes one of its own */
};

struct image_descriptor {
	int32_t number;
	uint32_t kind, flags; /* flags as open() takes them */
	uint32_t channel;     /* IMAGE_END: the number of its note among those of channels, from 0 on */
	int64_t position;
	uint64_t size; /* IMAGE_OWN */
};

/* A pipe, an event counter or an epoll set that was the process's own (copy/channel.h). */
struct image_channel {
	uint32_t kind; /* enum channel_kind */
	uint32_t semaphore, slots, members;
	uint64_t value;
};

/* As epoll_ctl() takes it. */
struct image_member {
	int32_t number;
	uint32_t events;
	uint64_t data;
};

#endif
