#ifndef FMC_TRACER_PROC_FILE_H
#define FMC_TRACER_PROC_FILE_H

/*
 * Open a regular file for reading; -1: it is none, or can't be opened. What else such a name may stand for, a device or a
 * pipe, isn't touched.
 */
int file_open_regular(int folder, const char *path);

/* The same of what an O_PATH descriptor stands for, which is closed. -1 is allowed. */
int file_reopen_regular(int found);

#endif
