/* What a person sees of a schedule, as golden texts. */
#include "tests/unit/suite.h"

#include <fmc/replay/schedule.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                                 \
	"fmc-schedule 1\nthread T1 main\nthread T2 eat\nthread T3 eat\nverdict deadlock\n"                   \
	"message deadlock: T2 waits for forks[1] held by T3, T3 waits for forks[0] held by T2\n"             \
	"end deadlock\n"

static const char philosophers[] =
    HEAD "length 8\n\n"
	 "1 T1 thread_create T2 = 0 main.c:50 main\n"
	 "2 T1 thread_create T3 = 0 main.c:51 main\n"
	 "3 T2 thread_start\n"
	 "4 T2 mutex_lock forks[0]#0 = 0 main.c:31 eat\n"
	 "5 T3 thread_start\n"
	 "6 T3 mutex_trylock forks[1]#1 = EBUSY main.c:31 eat\n"
	 "7 T3 cond_timedwait \"the queue\"#4 lock#2 choice=timeout = ETIMEDOUT main.c:33 eat\n"
	 "8 T1 thread_join T2\n";

static void shows(const char *text, struct show_options options, const char *expected)
{
	struct schedule schedule;
	char why[256], *shown;
	size_t size;
	enum status status = schedule_parse(&schedule, text, strlen(text), "text", why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	FILE *stream = open_memstream(&shown, &size);
	schedule_show_text(&schedule, &options, stream);
	fclose(stream);
	ck_assert_str_eq(shown, expected);
	free(shown);
	schedule_release(&schedule);
}

START_TEST(without_a_width_all_is_shown)
{
	shows(philosophers, (struct show_options){0},
	      "   T1 main          | T2 eat              | T3 eat\n"
	      "1  thread_create T2 |                     |"
	      "                                                            main.c:50\n"
	      "2  thread_create T3 |                     |"
	      "                                                            main.c:51\n"
	      "3                   | thread_start\n"
	      "4                   | mutex_lock forks[0] |"
	      "                                                            main.c:31\n"
	      "5                   |                     | thread_start\n"
	      "6                   |                     | mutex_trylock forks[1] = EBUSY"
	      "                             main.c:31\n"
	      "7                   |                     | "
	      "cond_timedwait the queue, lock choice=timeout = ETIMEDOUT  main.c:33\n"
	      "8  thread_join T2\n"
	      "   deadlock: T2 waits for forks[1] held by T3, T3 waits for forks[0] held by T2\n");
}
END_TEST

START_TEST(columns_shrink_to_the_width)
{
	shows(philosophers, (struct show_options){.width = 64},
	      "   T1 main          | T2 eat              | T3 eat\n"
	      "1  thread_create T2\n"
	      "2  thread_create T3\n"
	      "3                   | thread_start\n"
	      "4                   | mutex_lock forks[0]\n"
	      "5                   |                     | thread_start\n"
	      "6                   |                     | mutex_trylock forks…\n"
	      "7                   |                     | cond_timedwait the …\n"
	      "8  thread_join T2\n"
	      "   deadlock: T2 waits for forks[1] held by T3, T3 waits for\n"
	      "   forks[0] held by T2\n");
}
END_TEST

START_TEST(places_are_shown_where_there_is_room)
{
	shows(HEAD "length 2\n\n1 T2 mutex_lock a#0 = 0 main.c:7 eat\n2 T3 yield\n",
	      (struct show_options){.width = 40},
	      "   T2 eat       | T3 eat\n"
	      "1  mutex_lock a |         main.c:7\n"
	      "2               | yield\n"
	      "   deadlock: T2 waits for forks[1] held\n"
	      "   by T3, T3 waits for forks[0] held by\n"
	      "   T2\n");
}
END_TEST

START_TEST(too_many_threads_become_a_list)
{
	shows(philosophers, (struct show_options){.width = 50},
	      "1  T1     thread_create T2 = 0  main.c:50  main\n"
	      "2  T1     thread_create T3 = 0  main.c:51  main\n"
	      "3  T2     thread_start\n"
	      "4  T2     mutex_lock forks[0] = 0  main.c:31  eat\n"
	      "5  T3     thread_start\n"
	      "6  T3     mutex_trylock forks[1] = EBUSY  main.c:…\n"
	      "7  T3     cond_timedwait the queue, lock choice=t…\n"
	      "8  T1     thread_join T2\n"
	      "   deadlock: T2 waits for forks[1] held by T3, T3\n"
	      "   waits for forks[0] held by T2\n");
}
END_TEST

START_TEST(each_thread_has_its_colour)
{
	shows(HEAD "length 2\n\n1 T2 mutex_lock a#0 = 0\n2 T3 yield\n",
	      (struct show_options){.colours = true},
	      "   \033[33mT2 eat\033[0m       | \033[35mT3 eat\033[0m\n"
	      "1  \033[33mmutex_lock a\033[0m\n"
	      "2               | \033[35myield\033[0m\n"
	      "   deadlock: T2 waits for forks[1] held by T3, T3 waits for forks[0] held by T2\n");
}
END_TEST

START_TEST(a_part_may_be_asked_for)
{
	shows(philosophers, (struct show_options){.width = 60, .first = 2, .count = 3},
	      "   T2 eat              | T3 eat\n"
	      "3  thread_start\n"
	      "4  mutex_lock forks[0] |               main.c:31\n"
	      "5                      | thread_start\n");
	shows(philosophers, (struct show_options){.first = 7, .count = 100},
	      "   T1 main\n"
	      "8  thread_join T2\n"
	      "   deadlock: T2 waits for forks[1] held by T3, T3 waits for forks[0] held by T2\n");
	shows(philosophers, (struct show_options){.first = 100},
	      "   deadlock: T2 waits for forks[1] held by T3, T3 waits for forks[0] held by T2\n");
}
END_TEST

START_TEST(ends_are_told)
{
	shows("fmc-schedule 1\nend exit 3\nlength 0\n", (struct show_options){0}, "   end: exit 3\n");
	shows("fmc-schedule 1\nverdict crash\nend signal 11 T2\nlength 1\n\n1 T2 yield\n",
	      (struct show_options){0}, "   T2\n1  yield\n   crash\n");
	shows("fmc-schedule 1\nverdict abort\nmessage x < 3\nlength 0\n", (struct show_options){0},
	      "   abort: x < 3\n");
	shows("fmc-schedule 1\nverdict livelock\nend livelock\nloop 2\nlength 2\n\n1 T1 yield\n2 T1 yield\n",
	      (struct show_options){0},
	      "   T1\n1  yield\n2  yield\n   livelock\n   repeats for ever from transition 2 on\n");
}
END_TEST

/* What memory held: zero as well, no error's name, and addresses as such. */
START_TEST(values_of_memory_are_shown)
{
	shows(
	    "fmc-schedule 1\nverdict exit\nlength 3\n\n1 T1 memory_read a#0 = 0\n2 T1 memory_write a#0 = -5\n"
	    "3 T1 memory_write p#1 = 0x555555558080\n",
	    (struct show_options){0},
	    "   T1\n1  memory_read a = 0\n2  memory_write a = -5\n3  memory_write p = 0x555555558080\n   "
	    "exit\n");
}
END_TEST

/* Names come from the program: they must not reach the terminal as commands. */
START_TEST(nothing_unprintable_is_shown)
{
	shows("fmc-schedule 1\nthread T1 \"a\\x1b[2J\"\nmessage \"m\\n\\x07\"\nverdict exit\nlength 1\n\n"
	      "1 T1 mutex_lock \"\\x1b]0;x\"#0 \"f\\r\":1\n",
	      (struct show_options){0},
	      "   T1 a\\x1b[2J\n1  mutex_lock \\x1b]0;x  f\\r:1\n   exit: m\\n\\x07\n");
}
END_TEST

/* A column is one character of text, however many bytes it has. */
START_TEST(text_is_cut_between_characters)
{
	shows("fmc-schedule 1\nlength 1\n\n1 T1 mutex_lock ééééééééééééé#0\n",
	      (struct show_options){.width = 20}, "   T1\n1  mutex_lock ééééé…\n   end: none\n");
}
END_TEST

/* No line is wider than the terminal, whatever its width. */
START_TEST(every_width_is_kept)
{
	for (unsigned width = 12; width < 200; width++) {
		struct schedule schedule;
		struct show_options options = {.width = width};
		char why[256], *shown;
		size_t size;
		ck_assert_int_eq(schedule_parse(&schedule, philosophers, strlen(philosophers), "text", why),
				 STATUS_OK);
		FILE *stream = open_memstream(&shown, &size);
		schedule_show_text(&schedule, &options, stream);
		fclose(stream);
		for (char *line = strtok(shown, "\n"); line && width >= 24; line = strtok(NULL, "\n")) {
			size_t columns = 0;
			for (char *c = line; *c; c++)
				columns += ((unsigned char)*c & 0xc0) != 0x80;
			ck_assert_msg(columns <= width, "width %u: %s", width, line);
		}
		free(shown);
		schedule_release(&schedule);
	}
}
END_TEST

SUITE("show", 120, NULL, NULL, TEST(without_a_width_all_is_shown), TEST(columns_shrink_to_the_width),
      TEST(places_are_shown_where_there_is_room), TEST(too_many_threads_become_a_list),
      TEST(each_thread_has_its_colour), TEST(a_part_may_be_asked_for), TEST(ends_are_told),
      TEST(values_of_memory_are_shown), TEST(nothing_unprintable_is_shown),
      TEST(text_is_cut_between_characters), TEST(every_width_is_kept))
