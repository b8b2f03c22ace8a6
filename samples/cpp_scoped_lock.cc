/*
 * Two threads take two mutexes at once, each in its own order, by std::scoped_lock: who doesn't get its second one gives the first one back and
 * waits for the one that it missed. In step with each other they could do so for ever, which is nobody's fault, and no livelock.
 *
 * fmc-options: --strategy recur --executions 60
 * fmc-verdict: none
 * fmc-complete: no
 */
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex left, right;
static int count;

int main()
{
	std::thread one([] {
		std::scoped_lock both(left, right);
		count++;
	});
	std::thread other([] {
		std::scoped_lock both(right, left);
		count++;
	});
	one.join();
	other.join();
	assert(count == 2);
}
