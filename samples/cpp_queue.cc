/*
 * std::thread, std::mutex and std::condition_variable: a queue of two numbers from one thread to another.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 12
 */
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

static std::mutex lock;
static std::condition_variable filled;
static std::queue<int> numbers;

static void produce()
{
	for (int i = 1; i <= 2; i++) {
		std::lock_guard<std::mutex> guard(lock);
		numbers.push(i);
		filled.notify_one();
	}
}

int main()
{
	int sum = 0;
	std::thread producer(produce);

	for (int i = 0; i < 2; i++) {
		std::unique_lock<std::mutex> guard(lock);
		filled.wait(guard, [] { return !numbers.empty(); });
		sum += numbers.front();
		numbers.pop();
	}
	producer.join();
	return sum == 3 ? 0 : 1;
}
