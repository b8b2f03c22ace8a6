/*
 * The same memory holds a plain mutex, then a recursive one, then a plain one again, each made and destroyed
 * without a call that could be seen.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 96
 *
 * fmc-options: --strategy dfs --verify-model
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 96
 */
#include <mutex>
#include <new>
#include <thread>

alignas(std::recursive_mutex) static unsigned char memory[sizeof(std::recursive_mutex)];
static int value;

template <typename Mutex> static void use(int times)
{
	Mutex *mutex = new (memory) Mutex;
	std::thread other([=] {
		std::lock_guard<Mutex> guard(*mutex);
		value++;
	});
	for (int i = 0; i < times; i++)
		mutex->lock();
	value++;
	for (int i = 0; i < times; i++)
		mutex->unlock();
	other.join();
	mutex->~Mutex();
}

int main()
{
	use<std::mutex>(1);
	use<std::recursive_mutex>(2);
	use<std::mutex>(1);
	return value == 6 ? 0 : 1;
}
