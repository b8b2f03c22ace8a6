/*
 * A queue without locks (Michael and Scott, Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms, PODC
 * 1996). Correct; with an argument a new element is linked by a store after a look, not by compare-and-swap, and one is lost.
 *
 * fmc-options: --strategy optimal --granularity race
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options:
 * fmc-args: broken
 * fmc-verdict: abort
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct node {
	struct node *volatile next;
	int value;
};

static struct node nodes[3]; /* the first is the dummy that the queue begins with */
static struct node *volatile head = &nodes[0], *volatile tail = &nodes[0];
static bool broken;

static bool swap(struct node *volatile *at, struct node *from, struct node *to)
{
	return __sync_bool_compare_and_swap(at, from, to);
}

static bool link_last(struct node *last, struct node *node)
{
	if (!broken)
		return swap(&last->next, NULL, node);
	if (last->next)
		return false;
	last->next = node;
	return true;
}

static void enqueue(struct node *node)
{
	for (;;) {
		struct node *last = tail, *next = last->next;

		if (last != tail)
			continue;
		if (next) {
			swap(&tail, last, next);
		} else if (link_last(last, node)) {
			swap(&tail, last, node);
			return;
		}
	}
}

/* 0: it is empty. */
static int dequeue(void)
{
	for (;;) {
		struct node *first = head, *last = tail, *next = first->next;
		int value;

		if (first != head)
			continue;
		if (!next)
			return 0;
		if (first == last) {
			swap(&tail, last, next);
			continue;
		}
		value = next->value;
		if (swap(&head, first, next))
			return value;
	}
}

static void *put(void *node)
{
	enqueue(node);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argv;
	broken = argc > 1;
	for (int i = 0; i < 2; i++) {
		nodes[i + 1].value = i + 1;
		pthread_create(&threads[i], NULL, put, &nodes[i + 1]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(dequeue() + dequeue() == 3);
	return 0;
}
