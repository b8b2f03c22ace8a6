/*
 * R. Kent Treiber, Systems Programming: Coping with Parallelism, IBM RJ 5118, 1986: a stack without a lock, and the fault that it is
 * known for. A pop that was interrupted compares the top with what it has seen, finds the same node, and puts in place what came
 * after it at the time (ABA).
 *
 * fmc-options:
 * fmc-verdict: abort
 *
 * fmc-options: --strategy optimal --granularity race
 * fmc-verdict: abort
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define NODES 3

struct node {
	struct node *volatile next;
	volatile int taken;
};

static struct node nodes[NODES];
static struct node *volatile top;

static struct node *pop(void)
{
	struct node *first, *second;

	do {
		first = top;
		if (!first)
			return NULL;
		second = first->next;
	} while (!__sync_bool_compare_and_swap(&top, first, second));
	return first;
}

static void push(struct node *node)
{
	struct node *first;

	do {
		first = top;
		node->next = first;
	} while (!__sync_bool_compare_and_swap(&top, first, node));
}

static void *take(void *unused)
{
	struct node *node = pop();

	if (node)
		__sync_fetch_and_add(&node->taken, 1);
	return unused;
}

/* Takes the second one, and puts the first one back. */
static void *take_second(void *unused)
{
	struct node *first = pop(), *second = pop();

	if (first)
		push(first);
	if (second)
		__sync_fetch_and_add(&second->taken, 1);
	return unused;
}

int main(void)
{
	pthread_t one, other;
	struct node *node;

	for (int i = 0; i < NODES; i++)
		nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : NULL;
	top = &nodes[0];
	pthread_create(&one, NULL, take, NULL);
	pthread_create(&other, NULL, take_second, NULL);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	while ((node = pop()))
		node->taken++;
	for (int i = 0; i < NODES; i++)
		assert(nodes[i].taken == 1);
	return 0;
}
