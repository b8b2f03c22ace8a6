/*
 * Two threads wait for an atomic variable to change, and one of them is told. Who waits looks a dozen times, and yields four times, before it goes to
 * sleep; where the change comes meanwhile nothing is lost.
 *
 * fmc-options:
 * fmc-verdict: deadlock
 * fmc-message: T1 waits for T[23] to exit
 *
 * fmc-options: --executions 100
 * fmc-args: all
 * fmc-verdict: none
 */
#include <atomic>
#include <thread>

static std::atomic<int> ready{0};

int main(int argc, char **)
{
	std::thread first([] { ready.wait(0); });
	std::thread second([] { ready.wait(0); });
	ready = 1;
	if (argc > 1)
		ready.notify_all();
	else
		ready.notify_one();
	first.join();
	second.join();
}
