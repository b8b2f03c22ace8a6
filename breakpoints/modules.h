#ifndef FMC_BREAKPOINTS_MODULES_H
#define FMC_BREAKPOINTS_MODULES_H

#include <fmc/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What is mapped into a process: the program and its libraries, from /proc/PID/maps and the ELF files. */

enum module_kind {
	MODULE_PROGRAM,
	MODULE_LIBC,	/* also musl, which is its own loader */
	MODULE_THREADS, /* libpthread.so.0 of glibc before 2.34 */
	MODULE_LOADER,
	MODULE_CXX, /* libstdc++.so.6: where the guards of C++ static variables are */
	MODULE_OTHER,
};

struct module {
	char *path;
	const char *name; /* last component of path */
	enum module_kind kind;
	bool is_static; /* the program, without a loader */
	bool musl;
	uint64_t low, high; /* all of its segments, in the process */
	uint64_t bias;	    /* address in the process minus address in the file */
	char build_id[65];  /* hex digits, empty if there is none */
};

struct modules {
	struct module *at; /* the program first */
	size_t length;
	uint64_t digest; /* of which files are mapped where */
};

/*
 * Learn the modules of a process. *changed tells whether anything differs from what *modules held; only then
 * are ELF files opened and earlier pointers into *modules become invalid.
 */
enum status modules_update(struct modules *modules, pid_t pid, bool *changed);
void modules_release(struct modules *modules);

/* The module that covers the address, NULL if none does. */
const struct module *modules_find(const struct modules *modules, uint64_t address);

/* The whole of /proc/PID/maps with a terminating zero, to be freed; NULL if the process is gone. */
char *maps_text(pid_t pid);

#endif
