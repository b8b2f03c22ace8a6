/*
 * unordered_cxx HOW: "guarded" a static variable of a function, and objects handed on; "member" and "string" unguarded members; "tree" an unguarded
 * map; "statics" two of functions, whose destructors run in the order in which they were made.
 */
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

struct account {
	std::string owner;
	int money;
};

static std::mutex mutex;
static std::condition_variable given;
static std::vector<std::unique_ptr<account>> queue;
static account shared{"everybody", 0};
static int total;

static const std::map<std::string, int> &table()
{
	static const std::map<std::string, int> made{{"a", 1}, {"b", 2}};
	return made;
}

static void take()
{
	std::unique_lock<std::mutex> lock(mutex);
	given.wait(lock, [] { return !queue.empty(); });
	std::unique_ptr<account> mine = std::move(queue.back());
	queue.pop_back();
	lock.unlock();
	mine->money += table().at("a");
	int money = mine->money;
	mine.reset();
	lock.lock();
	total += money;
}

static void give(int money)
{
	auto made = std::make_unique<account>();
	made->owner = "a name that is too long to be kept in the object";
	made->money = money + table().at("b");
	std::lock_guard<std::mutex> lock(mutex);
	queue.push_back(std::move(made));
	given.notify_one();
}

static void pay()
{
	shared.money++;
}

static void name()
{
	shared.owner += "!";
}

static std::map<int, int> tree{{1, 1}};

static void grow()
{
	tree[2] = 2;
}

static void walk()
{
	int sum = 0;
	for (auto i = tree.begin(); i != tree.end(); ++i)
		sum += i->second;
	total = sum;
}

struct first {
	~first()
	{
		total = 1;
	}
};

struct second {
	~second()
	{
		if (total == 1)
			_exit(1);
	}
};

static void make_first()
{
	static first made;
}

static void make_second()
{
	static second made;
}

int main(int argc, char **argv)
{
	if (argc > 1 && std::strcmp(argv[1], "statics") == 0) {
		std::thread one(make_first), two(make_second);
		one.join();
		two.join();
		return 0;
	}
	if (argc > 1 && std::strcmp(argv[1], "tree") == 0) {
		std::thread one(grow), two(walk);
		one.join();
		two.join();
		return 0;
	}
	const bool string = argc > 1 && std::strcmp(argv[1], "string") == 0;
	if (string || (argc > 1 && std::strcmp(argv[1], "member") == 0)) {
		std::thread one(string ? name : pay), two(string ? name : pay);
		one.join();
		two.join();
		return 0;
	}
	std::thread taker(take);
	give(1);
	taker.join();
	return total == 4 ? 0 : 1;
}
