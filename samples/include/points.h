#ifndef SAMPLES_POINTS_H
#define SAMPLES_POINTS_H

#include "../../include/fmc/points.h"

/* An access to a shared variable, marked. */
#define LOAD(variable) (fmc_point(&(variable), sizeof(variable), 0), (variable))
#define STORE(variable, value)                                                                               \
	do {                                                                                                 \
		fmc_point(&(variable), sizeof(variable), 1);                                                 \
		(variable) = (value);                                                                        \
	} while (0)

#endif
