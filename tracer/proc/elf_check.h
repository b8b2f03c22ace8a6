#ifndef FMC_TRACER_PROC_ELF_CHECK_H
#define FMC_TRACER_PROC_ELF_CHECK_H

#include <fmc/tracer/status.h>

/* Can this program be supervised? If not STATUS_UNSUPPORTED, STATUS_NOT_FOUND or STATUS_DENIED, and one line for the user. */
enum status elf_check(const char *path, char why[256]);

#endif
