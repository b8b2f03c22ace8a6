/*
 * A C++ program whose threads wait for members of objects on the heap. Each thread is named after its way. Writes a line when all
 * of them sleep, then stays so until it is killed.
 */
#include "asleep.h"
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <unistd.h>

namespace bank
{
/* Without members: at the beginning of what is derived from it, as the first member is. */
struct unique_thing {
	unique_thing() = default;
	unique_thing(const unique_thing &) = delete;
};

struct lockable {
	std::mutex lock;
};

class account : unique_thing
{
	std::mutex guard;
	long balance = 0;

      public:
	__attribute__((noinline)) void move(account &to, const char *name, std::binary_semaphore &go_on)
	{
		std::lock_guard<std::mutex> mine(guard);
		about_to_sleep(name);
		go_on.acquire();
		about_to_sleep(name);
		std::lock_guard<std::mutex> theirs(to.guard);
		balance--;
		to.balance++;
	}
};

struct vault : unique_thing {
	char name[16] = "north";
	std::shared_mutex door;
};

struct desk {
	int clerk = 1;
	std::unique_ptr<vault> safe = std::make_unique<vault>();
	std::shared_ptr<vault> archive = std::make_shared<vault>();
};

struct ledger : unique_thing, lockable {
	long sum = 0;
};

class bell
{
	std::mutex lock;
	std::condition_variable rung;
	bool ringing = false;

      public:
	void listen()
	{
		std::unique_lock<std::mutex> locked(lock);
		about_to_sleep("this");
		while (!ringing)
			rung.wait(locked);
	}
};
} /* namespace bank */

__attribute__((noinline)) static void wait_unique(bank::desk *desk)
{
	about_to_sleep("unique");
	desk->safe->door.lock();
	desk->clerk++;
}

__attribute__((noinline)) static void wait_shared(bank::desk *desk)
{
	about_to_sleep("shared");
	desk->archive->door.lock();
	desk->clerk++;
}

__attribute__((noinline)) static void wait_base(bank::ledger &ledger)
{
	about_to_sleep("base");
	ledger.lock.lock();
	ledger.sum++;
}

static std::binary_semaphore forth(0), back(0);

/* These stay on the stack: something is done after the call. */
__attribute__((noinline)) static void wait_forth(bank::account *one, bank::account *other)
{
	one->move(*other, "forth", forth);
	forget_number();
}

__attribute__((noinline)) static void wait_back(bank::account *one, bank::account *other)
{
	other->move(*one, "back", back);
	forget_number();
}

__attribute__((noinline)) static void wait_this(bank::bell *bell)
{
	bell->listen();
	forget_number();
}

int main()
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	auto *one = new bank::account, *other = new bank::account;
	auto *desk = new bank::desk;
	auto *ledger = new bank::ledger;
	desk->safe->door.lock();
	desk->archive->door.lock();
	ledger->lock.lock();
	std::thread(wait_forth, one, other).detach();
	until_asleep();
	std::thread(wait_back, one, other).detach();
	until_asleep();
	forth.release();
	until_asleep();
	back.release();
	until_asleep();
	std::thread(wait_this, new bank::bell).detach();
	until_asleep();
	std::thread(wait_unique, desk).detach();
	until_asleep();
	std::thread(wait_shared, desk).detach();
	until_asleep();
	std::thread(wait_base, std::ref(*ledger)).detach();
	until_asleep();
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
