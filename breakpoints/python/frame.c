#include "breakpoints/python/line.h"
#include "breakpoints/python/python.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES_MOST 256
#define HOPS_MOST   20000 /* to the outermost frame */
#define CODE_MOST   (1 << 26)
#define MOVED_MOST  64

/* Where the frame stands, in bytes from the beginning of its code; negative: before it. */
static int32_t position(struct python *python, uint64_t frame, const struct python_code *code)
{
	const struct python_layout *layout = &python->layout;
	uint64_t instruction;
	int32_t index;
	if (layout->code_bytes == NO_OFFSET) {
		if (!python_read(python, frame + layout->frame_instruction, &index, 4) || index < 0 ||
		    index > CODE_MOST)
			return -1;
		return layout->lines == PYTHON_LINES_RANGES ? 2 * index : index;
	}
	if (!python_word(python, frame + layout->frame_instruction, &instruction))
		return -1;
	const uint64_t distance = instruction - (code->address + layout->code_bytes);
	return distance < CODE_MOST ? (int32_t)distance : -1;
}

/* How many values are there for certain: those below the innermost block that is open. */
static uint32_t depth_of_blocks(struct python *python, uint64_t frame)
{
	const struct python_layout *layout = &python->layout;
	int32_t count, level;
	if (!python_read(python, frame + layout->frame_blocks, &count, 4) || count <= 0 || count > 20)
		return 0;
	const uint64_t block = frame + layout->frame_block + (uint64_t)(count - 1) * PYTHON_BLOCK_SIZE;
	return python_read(python, block + PYTHON_BLOCK_LEVEL, &level, 4) && level > 0 ? (uint32_t)level : 0;
}

static bool read_frame(struct python *python, uint64_t address, struct python_frame *frame)
{
	const struct python_layout *layout = &python->layout;
	const uint64_t code = python_pointer(python, address + layout->frame_code);
	*frame = (struct python_frame){.address = address, .code = code ? python_code(python, code) : NULL};
	if (!frame->code)
		return false;
	frame->position = position(python, address, frame->code);
	frame->line = python_line(layout->lines, frame->code->lines, frame->code->lines_size,
				  frame->code->first_line, frame->position);
	frame->globals = python_pointer(python, address + layout->frame_globals);
	if (layout->code_bytes == NO_OFFSET) {
		frame->values = python_pointer(python, address + PYTHON_FRAME_VALUES);
		frame->depth = depth_of_blocks(python, address);
		frame->entry = true;
		return true;
	}
	uint8_t entry = 0;
	frame->values = address + layout->frame_locals + UINT64_C(8) * frame->code->locals;
	frame->depth = python_depth(frame->code->exceptions, frame->code->exceptions_size, frame->position);
	if (layout->frame_entry != NO_OFFSET)
		(void)python_read(python, address + layout->frame_entry, &entry, 1);
	frame->entry = entry;
	return true;
}

/* Until 3.10 the arguments that inner functions use have been moved after the other variables; by name they are found. */
static uint64_t moved_argument(struct python *python, const struct python_frame *frame, uint32_t i)
{
	uint64_t names, moved;
	size_t length, moved_length;
	if (!python_items(python, frame->code->names, &names, &length) || i >= length ||
	    !python_items(python,
			  python_pointer(python, frame->code->address + python->layout.code_cell_names),
			  &moved, &moved_length))
		return 0;
	const uint64_t name = python_pointer(python, names + UINT64_C(8) * i);
	for (size_t k = 0; k < moved_length && k < MOVED_MOST; k++)
		if (python_pointer(python, moved + 8 * k) == name)
			return python_pointer(python, frame->address + python->layout.frame_locals +
							  8 * (frame->code->locals + k));
	return 0;
}

uint64_t python_local(struct python *python, const struct python_frame *frame, uint32_t i)
{
	if (i >= frame->code->locals)
		return 0;
	const uint64_t at = frame->address + python->layout.frame_locals + UINT64_C(8) * i;
	uint64_t object = python_pointer(python, at);
	if (!object && python->layout.code_cell_names != NO_OFFSET)
		object = moved_argument(python, frame, i);
	return object && python_is(python, object, "cell") ? python_pointer(python, object + PYTHON_CELL)
							   : object;
}

bool python_frame_is(struct python *python, const struct python_frame *frame, const char *file,
		     const char *type, const char *name)
{
	const struct python_code *code = frame->code;
	char actual[PYTHON_TYPE_ROOM];
	if (!code->function || !code->file || strcmp(code->file, file) != 0)
		return false;
	const char *dot = strrchr(code->function, '.');
	if (strcmp(dot ? dot + 1 : code->function, name) != 0)
		return false;
	const size_t length = strlen(type);
	if (!dot && (length == 0 || python->layout.version >= 0x30b))
		return length == 0;
	if (dot)
		return (size_t)(dot - code->function) == length && strncmp(code->function, type, length) == 0;
	/* Until 3.10 a function doesn't know its class; its first argument does. */
	return python_type_name(python, python_local(python, frame, 0), actual) && strcmp(actual, type) == 0;
}

/* Is it only there because C code has called Python code? */
static bool is_for_c(struct python *python, uint64_t frame)
{
	uint8_t owner;
	return python->layout.frame_owner != NO_OFFSET &&
	       python_read(python, frame + python->layout.frame_owner, &owner, 1) &&
	       owner == PYTHON_FRAME_FOR_C;
}

static uint64_t innermost(struct python *python, uint64_t state)
{
	const struct python_layout *layout = &python->layout;
	const uint64_t frame = python_pointer(python, state + layout->thread_frame);
	if (layout->c_frame_current == NO_OFFSET || !frame)
		return frame;
	return python_pointer(python, frame + layout->c_frame_current);
}

/* The lock that waiting for a condition has unlocked, if that is what the frame does. */
static uint64_t unlocked_meanwhile(struct python *python, const struct python_frame *frame)
{
	const char *function = frame->code->function, *file = frame->code->file;
	if (!function || !file || strcmp(file, "threading.py") != 0 ||
	    (strcmp(function, "Condition.wait") != 0 && strcmp(function, "wait") != 0))
		return 0;
	return python_attribute(python, python_local(python, frame, 0), "_lock");
}

/* The lock whose method to leave a `with` block this is; 0: it isn't one. */
static uint64_t lock_of_exit(struct python *python, uint64_t object)
{
	char name[sizeof("__exit__")];
	if (!python_is(python, object, "builtin_function_or_method"))
		return 0;
	const uint64_t lock = python_pointer(python, object + PYTHON_BOUND_TO);
	const uint64_t method = python_pointer(python, object + PYTHON_METHOD);
	const uint64_t text = method ? python_pointer(python, method) : 0;
	if (!text || !python_read(python, text, name, sizeof(name)) ||
	    memcmp(name, "__exit__", sizeof(name)) != 0)
		return 0;
	return python_is(python, lock, "_thread.lock") || python_is(python, lock, "_thread.RLock") ? lock : 0;
}

/* In whose `with` blocks the frame is: the methods to leave them lie on its stack. */
static void find_held(struct python *python, struct python_thread *thread, const struct python_frame *frame,
		      uint64_t unlocked)
{
	uint32_t depth = frame->depth < frame->code->stack ? frame->depth : frame->code->stack;
	if (!frame->values)
		return;
	for (uint32_t i = 0; i < depth && thread->held_length < PYTHON_HELD_MOST; i++) {
		const uint64_t lock =
		    lock_of_exit(python, python_pointer(python, frame->values + UINT64_C(8) * i));
		if (lock && lock != unlocked)
			thread->held[thread->held_length++] = lock;
	}
}

/* The outermost frame of a thread that threading has started has its description. */
static void find_self(struct python *python, struct python_thread *thread, uint64_t outermost)
{
	struct python_frame frame;
	if (!read_frame(python, outermost, &frame))
		return;
	const char *function = frame.code->function, *file = frame.code->file;
	if (!function || !file)
		return;
	const char *dot = strrchr(function, '.');
	if (strcmp(file, "threading.py") == 0 && strcmp(dot ? dot + 1 : function, "_bootstrap") == 0) {
		thread->self = python_local(python, &frame, 0);
		thread->ends = python_attribute(python, thread->self, "_tstate_lock");
		thread->name = python_text(python, python_attribute(python, thread->self, "_name"));
	} else if (function[0] != '<') {
		thread->name = strdup(function);
	}
}

bool python_frames(struct python *python, struct python_thread *thread)
{
	uint64_t at = innermost(python, thread->state), outermost = 0, unlocked = 0;
	thread->frames = calloc(FRAMES_MOST, sizeof(*thread->frames));
	if (!thread->frames)
		return false;
	for (size_t hops = 0; at && hops < HOPS_MOST; hops++) {
		struct python_frame *frame = &thread->frames[thread->frames_length];
		if (is_for_c(python, at)) {
			if (thread->frames_length && !thread->cut)
				frame[-1].entry = true;
		} else if (thread->frames_length == FRAMES_MOST) {
			thread->cut = true;
			outermost = at;
		} else if (read_frame(python, at, frame)) {
			const uint64_t lock = unlocked_meanwhile(python, frame);
			unlocked = lock ? lock : unlocked;
			find_held(python, thread, frame, unlocked);
			outermost = at;
			thread->frames_length++;
		} else {
			thread->cut = true;
			break;
		}
		at = python_pointer(python, at + python->layout.frame_previous);
	}
	if (outermost && at == 0)
		find_self(python, thread, outermost);
	return true;
}

bool python_is_library(const struct python_frame *frame)
{
	static const char *const files[] = {"threading.py", "queue.py", "_base.py"};
	const char *file = frame->code->file;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (file && strcmp(file, files[i]) == 0)
			return true;
	return false;
}

const struct python_frame *python_user_frame(const struct python_thread *thread)
{
	for (size_t i = 0; i < thread->frames_length; i++)
		if (!python_is_library(&thread->frames[i]))
			return &thread->frames[i];
	return NULL;
}
