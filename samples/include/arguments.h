#ifndef SAMPLES_ARGUMENTS_H
#define SAMPLES_ARGUMENTS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Argument i as a number in [least, most]; `otherwise` if there is none. */
static inline int argument_number(int argc, char **argv, int i, int otherwise, int least, int most)
{
	int number = i < argc ? atoi(argv[i]) : otherwise;
	if (number < least || number > most) {
		fprintf(stderr, "%s: argument %d has to be in [%d, %d]\n", argv[0], i, least, most);
		exit(2);
	}
	return number;
}

/* Is this word among the arguments? */
static inline bool argument_word(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], word) == 0)
			return true;
	return false;
}

#endif
