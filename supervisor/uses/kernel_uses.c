/*
 * Which threads use which objects of the kernel. As long as one thread alone uses an object its calls cost nothing; once a second one
 * does, the descriptors are known as shared, and calls on them are operations from then on.
 */
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <stdio.h>
#include <sys/stat.h>

static enum channel_kind kind_of(enum object_class class)
{
	static const enum channel_kind kinds[CLASSES] = {
	    [CLASS_PIPE] = CHANNEL_PIPE,	[CLASS_EVENTFD] = CHANNEL_EVENTFD,
	    [CLASS_SOCKET] = CHANNEL_SOCKET,	[CLASS_FILE_LOCK] = CHANNEL_LOCK,
	    [CLASS_SEMSET] = CHANNEL_SEMAPHORE, [CLASS_QUEUE] = CHANNEL_QUEUE,
	    [CLASS_FILE] = CHANNEL_CONTENT,	[CLASS_CONNECTION] = CHANNEL_SOCKET,
	    [CLASS_FIFO] = CHANNEL_PIPE,
	};
	return kinds[class];
}

/* Both ends of a pair of sockets are one object here, and so are all sockets without an end that is known. */
static uint64_t id_of(const struct kernel_call *call)
{
	if (call->class != CLASS_SOCKET)
		return call->id;
	return call->id < call->sender ? call->id : call->sender;
}

static struct kernel_use *find_known(struct uses *uses, enum object_class class, uint64_t id)
{
	for (uint32_t i = 0; i < uses->kernel_length; i++)
		if (uses->kernel[i].class == class && uses->kernel[i].id == id)
			return &uses->kernel[i];
	return NULL;
}

bool kernel_use_owns(struct process *process, const struct kernel_call *call)
{
	const struct kernel_use *use = find_known(&process->uses, call->class, id_of(call));
	return use && use->own;
}

static struct kernel_use *find(struct uses *uses, enum object_class class, uint64_t id)
{
	struct kernel_use *known = find_known(uses, class, id);
	if (known)
		return known;
	if (uses->kernel_length == KERNEL_MOST)
		return NULL;
	struct kernel_use *use = &uses->kernel[uses->kernel_length++];
	*use = (struct kernel_use){.class = class, .id = id, .thread = NO_THREAD};
	return use;
}

static void add_descriptor(struct kernel_use *use, int descriptor)
{
	for (uint32_t i = 0; i < use->length; i++)
		if (use->descriptors[i] == descriptor)
			return;
	if (use->length == KERNEL_DESCRIPTORS)
		use->unfollowed = true;
	else
		use->descriptors[use->length++] = descriptor;
}

static bool learn_one(struct process *process, enum object_class class, int descriptor)
{
	const uint64_t from = process->options.capture ? 0 : process->transitions;
	const struct shared_descriptor shared = {class, descriptor, from};
	const bool added =
	    shared_add(process->shared, &shared) || shared_length(process->shared) > process->shared_known;
	process->has_learned |= added;
	/* What executions begin with is to be made anew in each; polls are nothing that there is. */
	process->beginning.refused |= class >= CLASS_FILE_LOCK && descriptor != POLLS_KNOWN_BY;
	return added;
}

/* False: one of them can't be known. */
static bool learn(struct process *process, struct kernel_use *use)
{
	bool all = true;
	for (uint32_t i = 0; i < use->length && all; i++)
		all = learn_one(process, use->class,
				use->class == CLASS_FILE ? use->file : use->descriptors[i]);
	use->length = 0;
	return all;
}

void kernel_use_closed(struct uses *uses, int descriptor)
{
	for (uint32_t i = 0; i < uses->kernel_length; i++) {
		struct kernel_use *use = &uses->kernel[i];
		for (uint32_t j = 0; j < use->length && use->class == CLASS_FILE; j++)
			if (use->descriptors[j] == descriptor)
				use->descriptors[j--] = use->descriptors[--use->length];
	}
}

/* What the call is on each of its objects alone, of which one that transfers has two: how many. */
static unsigned split(const struct kernel_call *call, struct kernel_call parts[2])
{
	parts[0] = *call;
	if (call->second.class == CLASS_NONE)
		return 1;
	parts[0].kind = call->own_kind;
	parts[0].second = (struct kernel_part){.class = CLASS_NONE};
	parts[0].other = parts[0].other_sender = 0;
	parts[1] = (struct kernel_call){.class = call->second.class,
					.kind = call->second.kind,
					.descriptor = call->second.descriptor,
					.used = call->second.used,
					.id = call->other,
					.sender = call->other_sender,
					.moves = call->second.moves,
					.others = call->second.others,
					.can_be_operation = call->can_be_operation};
	return 2;
}

/* A call that transfers is one if others have either end, and what others are told of. */
bool kernel_call_shared(const struct process *process, const struct kernel_call *call)
{
	return (call->told && shared_has(process->shared, process->shared_known, CLASS_NAME, EVENTS_KNOWN_BY,
					 process->transitions)) ||
	       shared_has(process->shared, process->shared_known, call->class, call->descriptor,
			  process->transitions) ||
	       (call->second.class != CLASS_NONE &&
		shared_has(process->shared, process->shared_known, call->second.class,
			   call->second.descriptor, process->transitions));
}

bool kernel_use_learn(struct process *process, const struct kernel_call *call)
{
	struct kernel_call parts[2];
	const unsigned length = split(call, parts);
	bool all = true;
	for (unsigned i = 0; i < length && all; i++)
		all = learn_one(process, parts[i].class, parts[i].descriptor);
	return all;
}

/* Two descriptors with one place in the file, which each of them moves. */
static bool move_together(const struct process *process, const struct kernel_use *use, int descriptor)
{
	for (uint32_t i = 0; i < use->length; i++)
		if (use->descriptors[i] == descriptor ||
		    kernel_same_place(process, use->descriptors[i], descriptor))
			return true;
	return false;
}

/* Whatever is done with an object may matter to others, but for reading what nobody writes. */
static bool matters(const struct process *process, const struct kernel_use *use,
		    const struct kernel_call *call)
{
	return call->class != CLASS_FILE || use->changed ||
	       (call->moves && move_together(process, use, call->used));
}

/* Without room it is told what more there is. */
static void note_without_room(struct process *process, uint32_t thread, const struct kernel_call *call)
{
	if (call->class != CLASS_FILE)
		return uses_remark(process, kind_of(call->class));
	uses_note(process, thread, CHANNEL_CONTENT, call->id, USE_DEPENDS | USE_CHANGES);
}

/* Others ask for it by the file's name, or look at memory where it is mapped, which is no call. */
static void note_change(struct process *process, uint32_t thread, struct kernel_use *use,
			const struct kernel_call *call)
{
	char link[48];
	struct stat file;
	if (call->kind != OP_FILE_WRITE)
		return;
	snprintf(link, sizeof link, "/proc/%d/fd/%d", target_pid(process->target), call->used);
	uses_note(process, thread, CHANNEL_CONTENT, call->id, USE_CHANGES);
	unordered_change(process, thread, CHANNEL_CONTENT, call->id);
	if ((!use->changed || use->mapped) && channels_find_file(process, call->used, &file) &&
	    mappings_have(process, link, &file))
		uses_remark(process, CHANNEL_CONTENT);
	use->changed = true;
	use->mapped = false;
}

void kernel_use_mapped(struct process *process, uint64_t id)
{
	struct kernel_use *use = find_known(&process->uses, CLASS_FILE, id);
	if (use)
		use->mapped = true;
}

static void note_part(struct process *process, uint32_t thread, const struct kernel_call *call,
		      bool operation)
{
	struct kernel_use *use = find(&process->uses, call->class, id_of(call));
	if (!use)
		return note_without_room(process, thread, call);
	if (use->thread == NO_THREAD)
		use->thread = thread;
	note_change(process, thread, use, call);
	use->several |= use->thread != thread;
	use->shared |= use->several && matters(process, use, call);
	use->unfollowed |= !call->can_be_operation;
	use->own |= call->can_be_operation;
	if (!operation && call->can_be_operation)
		add_descriptor(use, call->class == CLASS_FILE ? call->used : call->descriptor);
	use->file = call->descriptor;
	if (call->told)
		(void)learn_one(process, CLASS_NAME, EVENTS_KNOWN_BY);
	if (call->class == CLASS_FIFO && call->others && operation)
		process_remark(process, "FIFOs that others may open, too");
	else if (call->others ||
		 (use->unfollowed && (call->class == CLASS_SEMSET || call->class == CLASS_QUEUE)))
		uses_remark(process, kind_of(call->class));
	if (use->shared && (use->unfollowed || !learn(process, use)))
		uses_remark(process, kind_of(call->class));
}

void kernel_use_note(struct process *process, uint32_t thread, const struct kernel_call *call, bool operation)
{
	struct kernel_call parts[2];
	const unsigned length = split(call, parts);
	for (unsigned i = 0; i < length; i++)
		note_part(process, thread, &parts[i], operation);
}

void kernel_use_note_descriptor(struct process *process, uint32_t thread, int descriptor)
{
	struct kernel_end end;
	if (!kernel_look(process, descriptor, &end))
		return;
	const struct kernel_call call = {
	    .class = end.class,
	    .descriptor = descriptor,
	    .id = end.id,
	    .sender = end.class == CLASS_SOCKET ? kernel_peer(process, end.id) : 0,
	};
	kernel_use_note(process, thread, &call, false);
}

void kernel_use_end(struct process *process, enum object_class class, uint64_t id)
{
	struct uses *uses = &process->uses;
	for (uint32_t i = 0; i < uses->kernel_length; i++)
		if (uses->kernel[i].class == class && uses->kernel[i].id == id)
			uses->kernel[i] = uses->kernel[--uses->kernel_length];
}
