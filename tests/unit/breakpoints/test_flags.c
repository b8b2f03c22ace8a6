/* Where the flags mean nothing, so that code which changes them can be put there. */
#include "breakpoints/instructions/flags.h"
#include "tests/unit/breakpoints/code_text.h"
#include "tests/unit/suite.h"

#include <stdlib.h>

#define MOV    "\x89\xc8"     /* mov %ecx, %eax */
#define CMP    "\x39\xc8"     /* cmp %ecx, %eax */
#define ADC    "\x83\xd1\x00" /* adc $0, %ecx */
#define JE     "\x74\x00"     /* je, to the next one */
#define JMP(n) "\xeb" n	      /* jmp */
#define CODE(b)                                                                                              \
	{                                                                                                    \
		b, sizeof(b) - 1                                                                             \
	} /* without the zero at its end */
#define FOUR(b)	 b b b b
#define MANY_MOV FOUR(FOUR(MOV))

static const struct {
	struct text text;
	bool dead;
} cases[] = {
    {CODE(CMP), true},
    {CODE("\x85\xc0"), true},		  /* test */
    {CODE("\x01\xc8"), true},		  /* add */
    {CODE("\x31\xc0"), true},		  /* xor */
    {CODE("\xc3"), true},		  /* ret */
    {CODE("\xe8\x00\x00\x00\x00"), true}, /* call */
    {CODE("\xff\xd0"), true},		  /* call of what a register has */
    {CODE(MOV CMP), true},
    {CODE("\x8b\x07\x48\x8d\x40\x01" CMP), true},			  /* load, lea */
    {CODE("\x50\x58\x0f\xb6\xc0" CMP), true},				  /* push, pop, movzx */
    {CODE("\xf3\x90\x0f\x31" CMP), true},				  /* pause, rdtsc */
    {CODE("\x66\x0f\x6f\x07\xf3\x0f\x7f\x07\x66\x0f\xef\xc0" CMP), true}, /* of vectors */
    {CODE("\xff\xc0" CMP), true},					  /* inc */
    {CODE("\xc1\xe0\x02" CMP), true},					  /* shl */
    {CODE("\xf0\x0f\xc1\x07"), true},					  /* lock xadd */

    /* What reads a flag, or may. */
    {CODE(JE CMP), false},
    {CODE(ADC), false},
    {CODE("\x19\xc0"), false},		  /* sbb of a register from itself reads the carry flag alone */
    {CODE("\x0f\x94\xc0" CMP), false},	  /* sete */
    {CODE("\x0f\x44\xc1" CMP), false},	  /* cmove */
    {CODE("\x9c" CMP), false},		  /* pushf */
    {CODE("\x9f" CMP), false},		  /* lahf */
    {CODE("\xd1\xd0" CMP), false},	  /* rcl */
    {CODE("\xf5" CMP), false},		  /* cmc */
    {CODE("\xda\xc1" CMP), false},	  /* fcmovb */
    {CODE("\xe3\x00" CMP), false},	  /* jrcxz: two ways */
    {CODE("\xf3\xa6" CMP), false},	  /* repe cmpsb: in no round, maybe */
    {CODE("\xf0\x0f\xb1\x0f" JE), false}, /* lock cmpxchg isn't on the list */
    {CODE("\x0f\x05" CMP), false},	  /* a system call saves them */
    {CODE("\x0f\x0b"), false},		  /* ud2 */
    {CODE(MOV ADC CMP), false},
    {CODE("\xff\xc0" ADC CMP), false},	      /* inc leaves the carry flag */
    {CODE("\xf7\xd0" JE CMP), false},	      /* not */
    {CODE("\xd3\xe0" JE CMP), false},	      /* shl by a register that may be 0 */
    {CODE("\x66\x0f\x2e\xc1" JE CMP), false}, /* ucomisd, of vectors, isn't taken for a writer */

    /* Direct jumps are followed. */
    {CODE(JMP("\x01") "\x06" CMP), true},
    {CODE(JMP("\x01") "\x06" ADC), false},
    {CODE("\xe9\x02\x00\x00\x00" JE CMP), true},
    {CODE("\x90" JMP("\xfd") CMP), false}, /* backwards, for ever */
    {CODE(JMP("\xfe") CMP), false},	   /* to itself */
    {CODE("\xff\xe0" CMP), false},	   /* to what a register has */
    {CODE(JMP("\x70") CMP), false},	   /* to where nothing can be read */

    /* And what can't be seen is in doubt. */
    {CODE(MOV), false},
    {CODE(""), false},
    {CODE("\x39"), false},
    {CODE("\x06"), false},
    {CODE(MANY_MOV CMP), true},
    {CODE(MANY_MOV MANY_MOV CMP), false},
};

START_TEST(flags_are_dead_where_it_is_certain)
{
	struct text text = cases[_i].text;
	ck_assert_int_eq(flags_are_dead(BASE, read_text, &text), cases[_i].dead);
}
END_TEST

SUITE("flags", 0, NULL, NULL, TEST_LOOP(flags_are_dead_where_it_is_certain, sizeof cases / sizeof cases[0]))
