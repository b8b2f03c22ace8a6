#ifndef FMC_SUPERVISOR_ENGINE_IMAGE_H
#define FMC_SUPERVISOR_ENGINE_IMAGE_H

#include <fmc/supervisor/agent.h>

/* The agent's image, which is part of fmc: an ELF file that is linked for where it is mapped. */

/* Map it into a target whose tracee is stopped. */
enum status image_map(struct tracee *tracee);

/* What is where in it. */
struct agent_table image_table(void);

#endif
