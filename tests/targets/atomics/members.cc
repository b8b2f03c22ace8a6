/* The same of C++, as members of a structure. */
#include <atomic>
#include <sched.h>
#include <thread>
struct lock {
	int unused;
	std::atomic<int> wants[2];
};
static lock l;
static void zero()
{
	l.wants[0].store(1, std::memory_order_release);
	while (l.wants[1].load(std::memory_order_acquire))
		sched_yield();
	l.wants[0].store(0, std::memory_order_release);
}
static void one()
{
	l.wants[1].store(1, std::memory_order_release);
	while (l.wants[0].load(std::memory_order_acquire))
		sched_yield();
	l.wants[1].store(0, std::memory_order_release);
}
int main()
{
	std::thread first(zero), second(one);
	first.join();
	second.join();
}
