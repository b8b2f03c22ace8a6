/*
 * Walks at random over schedules of many programs: wherever a place is come to again, in whatever way, it looks the same.
 */
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"
#include "tests/unit/walk.h"

static const struct sample {
	const char *name, *argument;
	enum finding_kind kind;
} samples[] = {
    {"philosophers", "3", FINDING_DEADLOCK},
    {"lost_update", NULL, FINDING_EXIT},
    {"lost_wakeup", NULL, FINDING_DEADLOCK},
    {"atomicity", NULL, FINDING_ABORT},
    {"shutdown_crash", NULL, FINDING_CRASH},
    {"barrier", NULL, FINDING_NONE},
    {"cond_broadcast", NULL, FINDING_NONE},
    {"semaphores", NULL, FINDING_NONE},
    {"rwlock", NULL, FINDING_NONE},
    {"once", NULL, FINDING_NONE},
    {"spinlock", NULL, FINDING_NONE},
    {"spin_yield", NULL, FINDING_NONE},
    {"spin_memory", NULL, FINDING_NONE},
    {"timedwait", NULL, FINDING_NONE},
    {"cancel", NULL, FINDING_NONE},
    {"c11_threads", NULL, FINDING_NONE},
    {"futex_mutex", NULL, FINDING_NONE},
    {"futex_mutex_broken", NULL, FINDING_NONE},
    {"cpp_queue", NULL, FINDING_NONE},
    {"cpp_static", NULL, FINDING_NONE},
    {"main_exits", NULL, FINDING_NONE},
    {"sleeping_barber", NULL, FINDING_NONE},
    {"philosophers.static", NULL, FINDING_DEADLOCK},
};

#define SAMPLES (sizeof samples / sizeof *samples)
#define MOVES	largest(120, 60)
#define WHAT	5
#define PLACES	2048

/* What was seen at a place. */
struct sight {
	struct position position;
	struct user_regs_struct registers[8];
	uint64_t digests[WHAT]; /* from 1: stacks, code, extended registers, who there is */
};

struct album {
	struct sight sights[PLACES];
	size_t length, again;
};

static uint64_t mix(uint64_t digest, const void *bytes, size_t size)
{
	const uint8_t *byte = bytes;
	for (size_t i = 0; i < size; i++)
		digest = (digest ^ byte[i]) * UINT64_C(0x100000001b3);
	return digest;
}

static void take(struct walk *walk, struct sight *sight)
{
	uint64_t *digests = sight->digests;
	static uint8_t area[EXTENDED_ROOM];
	uint8_t memory[1024];
	struct user_regs_struct registers;
	uint32_t current = timeline_current(walk->timeline);
	memset(digests, 0, WHAT * sizeof *digests);
	digests[4] = mix(timeline_threads(walk->timeline), &current, sizeof current);
	for (uint32_t t = 0; t < timeline_threads(walk->timeline); t++) {
		size_t size = sizeof area;
		if (timeline_registers(walk->timeline, t, &registers) != STATUS_OK)
			continue;
		digests[4] = mix(digests[4], &t, sizeof t);
		if (t < 8)
			sight->registers[t] = registers;
		digests[0] = mix(digests[0], &registers, sizeof registers);
		size_t length = timeline_read(walk->timeline, registers.rsp, memory, sizeof memory);
		digests[1] = mix(digests[1], memory, length);
		length = timeline_read(walk->timeline, registers.rip, memory, 64);
		digests[2] = mix(digests[2], memory, length);
		ck_assert_int_eq(timeline_extended(walk->timeline, t, area, &size), STATUS_OK);
		/* Which components are in their initial state the processor says as it likes. */
		memset(area + 512, 0, 8);
		digests[3] = mix(digests[3], area, size);
	}
}

static void look(struct walk *walk, struct album *album, const char *how)
{
	struct position here = timeline_position(walk->timeline);
	if (!here.steps_known)
		return;
	struct sight now = {.position = here};
	ck_assert_msg(timeline_visit(walk->timeline), "%s: part %zu step %lu isn't as it was", how, here.part,
		      (unsigned long)here.steps);
	take(walk, &now);
	for (size_t i = 0; i < album->length; i++) {
		const struct sight *then = &album->sights[i];
		if (then->position.part != here.part || then->position.steps != here.steps)
			continue;
		album->again++;
		for (uint32_t t = 0; t < 8; t++) {
			const unsigned long long *x = (const void *)&then->registers[t];
			const unsigned long long *y = (const void *)&now.registers[t];
			for (size_t r = 0; r < sizeof now.registers[t] / sizeof *x; r++)
				ck_assert_msg(x[r] == y[r],
					      "%s: part %zu step %lu: T%u, register %zu: %llx, %llx", how,
					      here.part, (unsigned long)here.steps, t + 1, r, x[r], y[r]);
		}
		for (int what = 1; what < WHAT; what++)
			ck_assert_msg(then->digests[what] == now.digests[what],
				      "%s: part %zu step %lu looks different (%d)", how, here.part,
				      (unsigned long)here.steps, what);
		return;
	}
	if (album->length < PLACES)
		album->sights[album->length++] = now;
}

static uint32_t draw(uint64_t *seed, uint32_t most)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % most;
}

/* A place to stop at: where some thread is now, so that it is met again. */
static void change_breakpoints(struct walk *walk, uint64_t *seed, uint64_t *planted)
{
	struct user_regs_struct registers;
	uint32_t t = draw(seed, timeline_threads(walk->timeline));
	if (*planted)
		timeline_unbreak(walk->timeline, *planted);
	*planted = 0;
	if (timeline_registers(walk->timeline, t, &registers) != STATUS_OK)
		return;
	*planted = registers.rip;
	ck_assert_int_eq(timeline_break(walk->timeline, *planted), STATUS_OK);
}

static const char *move_once(struct walk *walk, uint64_t *seed)
{
	struct timeline *timeline = walk->timeline;
	uint32_t thread = draw(seed, timeline_threads(timeline));
	switch (draw(seed, 7)) {
	case 0:
		timeline_goto(timeline, draw(seed, (uint32_t)timeline_length(timeline) + 2), &walk->move);
		return "goto";
	case 1:
		timeline_continue(timeline, &walk->move);
		return "continue";
	case 2:
		timeline_reverse_continue(timeline, &walk->move);
		return "reverse continue";
	case 3:
	case 4:
		timeline_step(timeline, timeline_current(timeline), 0, 0, &walk->move);
		return "step";
	case 5:
		timeline_step(timeline, thread, 0, 0, &walk->move);
		return "step of another";
	default:
		timeline_reverse_step(timeline, timeline_current(timeline), &walk->move);
		return "reverse step";
	}
}

START_TEST(test_walks)
{
	struct walk walk;
	static struct album album;
	uint64_t seed = (uint64_t)_i, planted = 0;
	memset(&album, 0, sizeof album);
	walk_open(&walk, samples[_i].name, samples[_i].argument, samples[_i].kind);
	for (int i = 0; i < (int)MOVES; i++) {
		if (draw(&seed, 6) == 0)
			change_breakpoints(&walk, &seed, &planted);
		const char *how = move_once(&walk, &seed);
		ck_assert_msg(walk.move.end != MOVE_FAILED, "%s: %s: %s", samples[_i].name, how,
			      walk.move.why);
		look(&walk, &album, how);
	}
	ck_assert_uint_gt(album.again, 0);
	walk_close(&walk);
}
END_TEST

SUITE("timeline, at random", 120, NULL, NULL, TEST_LOOP(test_walks, SAMPLES))
