/*
 * Stops at an int3 between what it does, rdi showing where its cells are: touches memory, makes system calls, keeps a
 * vector register. At the end it begins again as another program, unless it has an argument.
 */
#include <sched.h>
#include <stdint.h>
#include <unistd.h>

static volatile long cells[4] = {1, 2, 3, 4};

static void stage(void)
{
	__asm__ volatile("int3" : : "D"(cells) : "memory");
}

int main(int argc, char **argv)
{
	long low;

	stage();
	cells[1] = 20;
	cells[0] += cells[2];
	stage();
	getpid();
	stage();
	sched_yield();
	stage();
	__asm__ volatile("movq %1, %%xmm15; int3; movq %%xmm15, %0"
			 : "=r"(low)
			 : "r"(UINT64_C(0x1234567890)), "D"(cells)
			 : "xmm15", "memory");
	cells[3] = low;
	stage();
	if (argc == 1)
		execl("/proc/self/exe", argv[0], "again", (char *)NULL);
	return 0;
}
