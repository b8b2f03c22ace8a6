/*
 * fmc_choose(n): a program asks for all values of a number, and gets each in some executions. Two of them
 * give every point of a board; the program fails on one. Arguments: COLUMNS ROWS [trap].
 *
 * fmc-options: --strategy dfs
 * fmc-args: 3 4
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 12
 *
 * fmc-options: --strategy dfs
 * fmc-args: 3 4 trap
 * fmc-verdict: abort
 * fmc-message: trap
 */
#include "include/arguments.h"
#include "include/points.h"
#include <assert.h>
#include <pthread.h>

static int columns, rows, row;

static void *choose_row(void *unused)
{
	(void)unused;
	row = fmc_choose(rows);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	columns = argument_number(argc, argv, 1, 3, 1, 100);
	rows = argument_number(argc, argv, 2, 4, 1, 100);
	bool trap = argument_word(argc, argv, "trap");
	pthread_create(&thread, NULL, choose_row, NULL);
	pthread_join(thread, NULL);
	int column = fmc_choose(columns);
	assert(!trap || column != columns - 1 || row != rows - 1);
	return 0;
}
