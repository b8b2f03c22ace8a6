/* A C++ program that throws through functions with something to destroy. SIGURG, which is ignored, says where a test begins to step. */
#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{
struct counted {
	static inline int number;
	counted()
	{
		number++;
	}
	~counted()
	{
		number--;
	}
};

[[gnu::noinline]] void fall(int depth)
{
	counted one;
	if (depth == 0)
		throw std::runtime_error("at the bottom");
	std::string text(static_cast<std::size_t>(depth), 'x');
	fall(depth - 1);
}

[[gnu::noinline]] int grow(std::vector<std::string> &texts)
{
	for (int i = 0; i < 3; i++)
		texts.push_back(std::to_string(i));
	return static_cast<int>(texts.size());
}
} // namespace

int main()
{
	std::vector<std::string> texts;
	raise(SIGURG);
	grow(texts);
	try {
		fall(3);
	} catch (const std::exception &error) {
		texts.push_back(error.what());
	}
	return counted::number;
}
