#ifndef FMC_BREAKPOINTS_SYMBOLS_MODULES_H
#define FMC_BREAKPOINTS_SYMBOLS_MODULES_H

#include <fmc/tracer/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What is mapped into a process: the program and its libraries, from /proc/PID/maps and the ELF files. */

struct snapshot;

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
	uint64_t low, high;		 /* all of its segments, in the process */
	uint64_t bias;			 /* address in the process minus address in the file */
	char build_id[65];		 /* hex digits, empty if there is none */
	const struct snapshot *snapshot; /* that maps its file; NULL: the file is opened by its path */
	size_t mapping;			 /* of the snapshot */
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

/* Learn the modules of a snapshot, which has to outlive them. STATUS_OK, STATUS_NO_MEMORY. */
enum status modules_of_snapshot(struct modules *modules, const struct snapshot *snapshot);

/*
 * One of the language's own libraries: their source lines, known where debug packages are installed, help nobody who debugs a
 * program of his own, and such a package is a dozen megabytes to unpack.
 */
bool module_is_runtime(const struct module *module);

/* A descriptor of the module's file, to be closed; -1: it can't be had. */
int module_open(const struct module *module);

/*
 * Put a module for the file after the others; `found` says where its lowest mapping is, and how to open it if not by path.
 * A file that is no ELF file is left out. STATUS_OK, STATUS_NO_MEMORY.
 */
enum status modules_add(struct modules *modules, const struct module *found);

/* Make modules->at[i] the program: it comes first. */
void modules_put_program_first(struct modules *modules, size_t i);

/* The module that covers the address, NULL if none does. */
const struct module *modules_find(const struct modules *modules, uint64_t address);

#endif
