/*
 * Threads meet at a static variable of a function, which C++ initialises once: the first time by throwing.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <cassert>
#include <thread>

static int attempts;

struct table {
	int value;
	table()
	{
		std::this_thread::yield();
		if (attempts++ == 0)
			throw 1;
		value = 42;
	}
};

static int look_up()
{
	static table only;
	return only.value;
}

static void use()
{
	try {
		assert(look_up() == 42);
	} catch (int thrown) {
		assert(thrown == 1);
	}
}

int main()
{
	std::thread other(use);
	use();
	other.join();
	assert(attempts >= 2 || look_up() == 42);
	return 0;
}
