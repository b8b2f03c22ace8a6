/* A thread whose stack has no end: it comes to the page after it. */
#include <pthread.h>
#include <stddef.h>

static void *run(void *argument)
{
	for (volatile char *at = __builtin_frame_address(0);; at -= 4096)
		at[-256] = 0;
	return argument;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
