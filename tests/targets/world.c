/* Prints what differs from run to run on a machine left to itself: clocks, random bytes, addresses, stack
 * protector. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>

int main(void)
{
	struct timespec real, monotonic;
	struct timeval day;
	unsigned long random[2];
	int local;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	gettimeofday(&day, NULL);
	if (getrandom(random, sizeof random, 0) != sizeof random)
		return 1;
	printf("%ld.%09ld %ld.%09ld %ld.%06ld %ld\n", real.tv_sec, real.tv_nsec, monotonic.tv_sec,
	       monotonic.tv_nsec, day.tv_sec, day.tv_usec, (long)time(NULL));
	printf("%lx %lx %p %p %p %lx\n", random[0], random[1], (void *)&local, malloc(10),
	       (void *)(size_t)main, *(unsigned long *)getauxval(AT_RANDOM));
	return 0;
}
