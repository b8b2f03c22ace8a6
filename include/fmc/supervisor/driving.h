#ifndef FMC_SUPERVISOR_DRIVING_H
#define FMC_SUPERVISOR_DRIVING_H

#include <stdbool.h>

/*
 * What runs beside each execution of a program that doesn't end by itself; commands for the shell. Borrowed.
 */
struct driving {
	const char *client; /* NULL: nobody drives, and nothing else counts */
	const char *
	    ready; /* an extended regular expression: started when the program has printed it; NULL: when it listens */
	const char *before; /* run before each execution; NULL: nothing is */
	const char *
	    after; /* its exit status judges an execution that has ended well; NULL: the client's alone does */
	bool passes_on; /* what the program writes, which is kept for `ready`, goes on to standard output */
	int stop;	/* the signal that ends the program when the client has ended; 0: it ends by itself */
};

#endif
