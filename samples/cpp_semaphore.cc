/*
 * A semaphore of the C++20 library that two threads hold in turn. In the library of GCC 12 a thread reads the value
 * on which it will sleep before it tries to get the semaphore for the last time. If another thread takes and gives it
 * back in between, it sleeps although the semaphore is free, and nobody wakes it. It takes --atomics to see that,
 * as the semaphore is made of atomic instructions and a futex; tests/run-programs.sh looks for it there.
 *
 * fmc-options: --strategy cb:1
 * fmc-verdict: none
 */
#include <mutex>
#include <semaphore>
#include <thread>

static std::counting_semaphore<1> semaphore(1);
static std::mutex mutex;
static int held;

static void hold()
{
	semaphore.acquire();
	{
		std::lock_guard<std::mutex> guard(mutex);
		held++;
	}
	semaphore.release();
}

int main()
{
	std::thread one(hold), other(hold);
	one.join();
	other.join();
}
