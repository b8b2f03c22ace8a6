/* An atomic instruction that faults: caught, or not with an argument. */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int *_Atomic nowhere;
static _Thread_local sigjmp_buf back;
static void handle(int signal)
{
	siglongjmp(back, signal);
}
static void *touch(void *unused)
{
	if (sigsetjmp(back, 1) == 0) {
		atomic_fetch_add(nowhere, 1);
		assert(0);
	}
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	if (argc == 1)
		signal(SIGSEGV, handle);
	pthread_create(&thread, NULL, touch, NULL);
	touch(NULL);
	pthread_join(thread, NULL);
	return 0;
}
