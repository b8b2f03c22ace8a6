/*
 * No threads at all: there is one schedule, and it is enough to run it once.
 *
 * fmc-options:
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options:
 * fmc-args: 3
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --expect-exit 0
 * fmc-args: 3
 * fmc-verdict: exit
 * fmc-message: 3
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	puts("nothing to see here");
	return argc > 1 ? atoi(argv[1]) : 0;
}
