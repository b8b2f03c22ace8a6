// Two threads that take two locks in opposite order by guards, which an optimising compiler puts in line.
#include <mutex>
#include <thread>

static std::mutex a, b;

static __attribute__((noinline)) void transfer(std::mutex &from, std::mutex &to)
{
	std::lock_guard<std::mutex> first(from);
	std::lock_guard<std::mutex> second(to);
}

static void forwards()
{
	transfer(a, b);
}

static void backwards()
{
	transfer(b, a);
}

int main()
{
	std::thread one(forwards), two(backwards);
	one.join();
	two.join();
	return 0;
}
