/*
 * A C++ program with counters of the C++ library's own: the main thread's end comes to one, as in all that have standard streams. With an argument both
 * threads make streams, which have one locale.
 */
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

namespace
{
std::mutex mutex;
int sum;

void work(bool streams)
{
	if (streams)
		std::ostringstream() << "one";
	std::lock_guard<std::mutex> lock(mutex);
	sum++;
}
} // namespace

int main(int argc, char **)
{
	std::thread one(work, argc > 1), other(work, argc > 1);
	one.join();
	other.join();
	std::cout << sum << "\n";
	return sum != 2;
}
