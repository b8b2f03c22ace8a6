/*
 * filesystem(N) of Flanagan and Godefroid, Dynamic Partial-Order Reduction for Model Checking Software, POPL
 * 2005: each thread finds a free block for its inode, under locks for each of both. Up to 13 threads never
 * meet; each one more meets another one: 2^(N - 13) traces. Argument: N.
 *
 * fmc-options: --strategy optimal
 * fmc-args: 13
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 1
 *
 * fmc-options: --strategy optimal
 * fmc-args: 16
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 8
 *
 * fmc-options: --strategy optimal
 * fmc-args: 19
 * fmc-long: yes
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 64
 *
 * fmc-options: --strategy optimal
 * fmc-args: 14
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 2
 *
 * fmc-options: --strategy optimal
 * fmc-args: 18
 * fmc-long: yes
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 32
 */
#include "include/arguments.h"
#include <pthread.h>
#include <stdint.h>

enum { MOST = 26, BLOCKS = 26, INODES = 32 };

static pthread_mutex_t inode_locks[INODES], block_locks[BLOCKS];
static int inodes[INODES];
static bool busy[BLOCKS];

static bool take_block(int inode, int block)
{
	pthread_mutex_lock(&block_locks[block]);
	bool mine = !busy[block];
	if (mine) {
		busy[block] = true;
		inodes[inode] = block + 1;
	}
	pthread_mutex_unlock(&block_locks[block]);
	return mine;
}

static void *allocate(void *argument)
{
	int inode = (int)(intptr_t)argument % INODES;

	pthread_mutex_lock(&inode_locks[inode]);
	if (inodes[inode] == 0) {
		int block = inode * 2 % BLOCKS;
		while (!take_block(inode, block))
			block = (block + 1) % BLOCKS;
	}
	pthread_mutex_unlock(&inode_locks[inode]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	int n = argument_number(argc, argv, 1, 14, 1, MOST);

	for (int i = 0; i < INODES; i++)
		pthread_mutex_init(&inode_locks[i], NULL);
	for (int i = 0; i < BLOCKS; i++)
		pthread_mutex_init(&block_locks[i], NULL);
	for (intptr_t i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, allocate, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
