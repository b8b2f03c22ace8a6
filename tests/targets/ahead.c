/*
 * ahead: two threads call a function whose last access has no room for a jump, as others jump to right behind it, and where it may be
 * from is far away; the one before it stands in the place of the jump of the first.
 */
#include <pthread.h>

#define CALLS 4000

void tight(const int *from, int *to, long skips);
__asm__(".text\n"
	".type tight, @function\n"
	"tight: .cfi_startproc\n"
	"test %rdx, %rdx\n"
	"jne 1f\n"
	"mov (%rdi, %rdx, 4), %eax\n" /* three bytes */
	"add (%rdi), %eax\n"	      /* two */
	"mov %eax, (%rsi)\n"	      /* two */
	"1: ret\n"
	".cfi_endproc\n"
	".size tight, . - tight\n"
	".byte 0, 0\n"); /* a jump that ends in these leads into the program or its heap */

static int values[2] = {1, 2}, sums[2];

static void *call(void *which)
{
	const int i = *(const int *)which;
	for (int n = 0; n < CALLS; n++)
		tight(&values[i], &sums[i], 0);
	tight(&values[i], &sums[i], 1);
	return NULL;
}

int main(void)
{
	int which[] = {0, 1};
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, call, &which[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return sums[0] != 2 || sums[1] != 4;
}
