#include "breakpoints/python/layout.h"

#include <stddef.h>

/* What rows have in common. */
#define UNTIL_3_10                                                                                           \
	.attributes = PYTHON_IN_DICT, .runtime_interpreters = 32, .interpreter_next = 0,                     \
	.interpreter_threads = 8, .interpreter_gil = NO_OFFSET, .thread_frame = 24,                          \
	.c_frame_current = NO_OFFSET, .thread_ident = 176, .thread_native = NO_OFFSET, .frame_previous = 24, \
	.frame_code = 32, .frame_globals = 48, .frame_entry = NO_OFFSET, .frame_owner = NO_OFFSET,           \
	.code_locals = 28, .code_stack = 32, .code_exceptions = NO_OFFSET, .code_local_names = 72,           \
	.code_cell_names = 88, .code_filename = 104, .code_name = 112, .code_lines = 120,                    \
	.code_first_line = 40, .code_bytes = NO_OFFSET, .text_ascii = 48, .text_wide = 72,                   \
	.type_keys = NO_OFFSET, .values = 0

#define SINCE_3_11                                                                                           \
	.lines = PYTHON_LINES_LOCATIONS, .frame_instruction = 56, .frame_locals = 72, .code_exceptions = 40, \
	.code_local_names = 96, .code_cell_names = NO_OFFSET, .code_filename = 112, .code_name = 128,        \
	.code_lines = 136

#define SINCE_3_12                                                                                           \
	SINCE_3_11, .frame_previous = 8, .frame_code = 0, .frame_globals = 24, .frame_entry = NO_OFFSET,     \
		    .frame_owner = 70, .code_locals = 72, .code_stack = 64, .code_first_line = 68,           \
		    .text_ascii = 40, .text_wide = 56, .type_keys = 880

static const struct python_layout layouts[] = {
    {.version = 0x308,
     .lines = PYTHON_LINES_DELTAS,
     UNTIL_3_10,
     .runtime_gil = 1152,
     .frame_instruction = 104,
     .frame_locals = 360,
     .frame_blocks = 112,
     .frame_block = 120},
    {.version = 0x309,
     .lines = PYTHON_LINES_DELTAS,
     UNTIL_3_10,
     .runtime_gil = 352,
     .frame_instruction = 104,
     .frame_locals = 360,
     .frame_blocks = 112,
     .frame_block = 120},
    {.version = 0x30a,
     .lines = PYTHON_LINES_RANGES,
     UNTIL_3_10,
     .runtime_gil = 352,
     .frame_instruction = 96,
     .frame_locals = 352,
     .frame_blocks = 104,
     .frame_block = 112},
    {.version = 0x30b,
     SINCE_3_11,
     .attributes = PYTHON_IN_VALUES,
     .runtime_interpreters = 40,
     .runtime_gil = 360,
     .interpreter_next = 0,
     .interpreter_threads = 16,
     .interpreter_gil = NO_OFFSET,
     .thread_frame = 56,
     .c_frame_current = 8,
     .thread_ident = 152,
     .thread_native = 160,
     .frame_previous = 48,
     .frame_code = 32,
     .frame_globals = 8,
     .frame_entry = 68,
     .frame_owner = NO_OFFSET,
     .code_locals = 76,
     .code_stack = 68,
     .code_first_line = 72,
     .code_bytes = 184,
     .text_ascii = 48,
     .text_wide = 72,
     .type_keys = 872,
     .values = 0},
    {.version = 0x30c,
     SINCE_3_12,
     .attributes = PYTHON_IN_EITHER,
     .runtime_interpreters = 40,
     .interpreter_next = 0,
     .interpreter_threads = 72,
     .interpreter_gil = 384,
     .thread_frame = 56,
     .c_frame_current = 0,
     .thread_ident = 136,
     .thread_native = 144,
     .code_bytes = 192,
     .values = 0},
    {.version = 0x30d,
     SINCE_3_12,
     .attributes = PYTHON_INLINE,
     .runtime_interpreters = 632,
     .interpreter_next = 7264,
     .interpreter_threads = 7344,
     .interpreter_gil = 16,
     .thread_frame = 72,
     .c_frame_current = NO_OFFSET,
     .thread_ident = 152,
     .thread_native = 160,
     .code_bytes = 200,
     .values = 8},
};

const struct python_layout *python_layout_of(uint32_t version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].version == version)
			return &layouts[i];
	return NULL;
}

#define WITHOUT_GIL 1 /* word that says so */
#define OFFSET_MOST (1u << 20)

bool python_layout_adjust(struct python_layout *layout, const uint64_t words[PYTHON_OFFSETS])
{
	/* At which word each of them stands. */
	const struct {
		size_t word;
		uint32_t *offset;
	} told[] = {
	    {4, &layout->runtime_interpreters}, {7, &layout->interpreter_next},
	    {8, &layout->interpreter_threads},	{13, &layout->interpreter_gil},
	    {22, &layout->thread_frame},	{23, &layout->thread_ident},
	    {24, &layout->thread_native},	{28, &layout->frame_previous},
	    {29, &layout->frame_code},		{30, &layout->frame_instruction},
	    {31, &layout->frame_locals},	{32, &layout->frame_owner},
	    {34, &layout->code_filename},	{36, &layout->code_name},
	    {37, &layout->code_lines},		{38, &layout->code_first_line},
	    {40, &layout->code_local_names},	{42, &layout->code_bytes},
	};
	if (words[WITHOUT_GIL])
		return false;
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		if (words[told[i].word] >= OFFSET_MOST)
			return false;
		*told[i].offset = (uint32_t)words[told[i].word];
	}
	return true;
}
