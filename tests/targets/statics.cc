/*
 * A C++ program of which one thread initialises a static variable and doesn't come to an end, and another waits for that; a third
 * waits for a lock of the first thread's. Writes a line when all of them sleep.
 */
#include <cstdio>
#include <fcntl.h>
#include <mutex>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace office
{
std::mutex door;
volatile int number; /* of the thread created last */

struct boss {
	boss()
	{
		door.lock();
		number = (int)syscall(SYS_gettid);
		for (;;)
			pause();
	}
};

boss &the_boss()
{
	static boss one;
	return one;
}

void open_up()
{
	the_boss();
}

void knock()
{
	number = (int)syscall(SYS_gettid);
	the_boss();
}
} /* namespace office */

static void until_asleep()
{
	char path[64], text[512];
	for (bool asleep = false; !asleep;) {
		if (office::number == 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", office::number);
		FILE *file = fopen(path, "r");
		asleep = file && fgets(text, sizeof(text), file) && text[0] != 'r';
		if (file)
			fclose(file);
	}
	office::number = 0;
}

int main()
{
	std::thread first(office::open_up);
	until_asleep();
	std::thread second(office::knock);
	until_asleep();
	std::thread third([] {
		office::number = (int)syscall(SYS_gettid);
		std::lock_guard<std::mutex> lock(office::door);
	});
	until_asleep();
	puts("ready");
	fflush(stdout);
	first.join();
	return 0;
}
