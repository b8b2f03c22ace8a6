/* Locks of a library that is loaded before there are threads, or by one of them (LATE). */
#include <dlfcn.h>
#include <stdlib.h>
static void (*lock)(int), (*unlock)(int);
#include "both.h"
static void *load(void *unused)
{
	void *library = dlopen(LIBRARY, RTLD_NOW);
	if (!library)
		abort();
	lock = (void (*)(int))dlsym(library, "spin_lock");
	unlock = (void (*)(int))dlsym(library, "spin_unlock");
	return unused;
}
int main(void)
{
	pthread_t loader;
	if (!LATE) {
		load(NULL);
	} else {
		pthread_create(&loader, NULL, load, NULL);
		pthread_join(loader, NULL);
	}
	return cross();
}
