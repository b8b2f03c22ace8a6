// What C++ has names for: references, classes derived from others, static members, namespaces.
#include <mutex>
#include <thread>

namespace bank {
enum class State { IDLE, BUSY };
enum Plain { LOW = 3, HIGH };

struct Named {
	long serial = 7;
	virtual ~Named() = default;
};

struct Counted {
	int count = 0;
	static int all;
	static constexpr int MOST = 5;
};
int Counted::all;

struct Account : Named, Counted {
	int balance = 100;
	State state = State::IDLE;
	std::mutex lock;
	void take(int amount);
	template <typename T> T rest(T &from) const
	{
		return from - 1; // rest
	}
};

thread_local int taken;
Account account;
Account &shared = account;
Counted *counted = &account;
int left;
Plain plain;

void Account::take(int amount)
{
	const std::lock_guard<std::mutex> guard(lock);
	int &mine = balance;
	state = State::BUSY;
	mine -= amount; // take
	count++;
	all++;
	taken += amount;
	left = rest(mine); // taken
	state = State::IDLE;
}
} // namespace bank

int main()
{
	std::thread one([] { bank::shared.take(10); }), other([] { bank::account.take(20); });
	one.join();
	other.join();
	return bank::account.balance == 70 ? 0 : 1;
}
