/* Objects of the kernel: which descriptors lead to which, and what the kernel says of them. */
#include "supervisor/process/kernel_objects.h"

#include <fmc/tracer/fdinfo.h>
#include <fmc/tracer/ready.h>

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { READS, WRITES }; /* of a kernel object's descriptors */

/* Whose descriptor it is; NULL: nobody's any more. */
static struct target *target_in(const struct process *process, uint32_t space)
{
	if (process->spaces_length == 0)
		return process->target;
	return space < process->spaces_length && !process->spaces[space].over ? process->spaces[space].target
									      : NULL;
}

static int duplicate(struct target *target, int descriptor)
{
	return target && descriptor >= 0 ? target_duplicate(target, descriptor) : -1;
}

int kernel_duplicate(const struct process *process, int descriptor)
{
	return duplicate(process->target, descriptor);
}

uint64_t kernel_mix(uint64_t digest, const void *bytes, size_t length)
{
	const unsigned char *each = bytes;
	for (size_t i = 0; i < length; i++)
		digest = (digest ^ each[i]) * UINT64_C(0x100000001b3);
	return digest ^ length << 32;
}

static bool all_of(struct target *target, kernel_about *ask, void *context)
{
	char path[48];
	bool good = true;
	snprintf(path, sizeof path, "/proc/%d/fd", target_pid(target));
	DIR *folder = opendir(path);
	if (!folder)
		return false;
	for (const struct dirent *entry; good && (entry = readdir(folder));) {
		if (entry->d_name[0] == '.')
			continue;
		const int descriptor = atoi(entry->d_name), copy = target_duplicate(target, descriptor);
		good = ask(target, descriptor, copy, context);
		if (copy >= 0)
			close(copy);
	}
	closedir(folder);
	return good;
}

bool kernel_all_descriptors(const struct process *process, kernel_about *ask, void *context)
{
	bool good = process->spaces_length > 0 || all_of(process->target, ask, context);
	for (size_t i = 0; i < process->spaces_length && good; i++)
		if (!process->spaces[i].over)
			good = all_of(process->spaces[i].target, ask, context);
	return good;
}

bool kernel_is_ready(const struct process *process, int descriptor, short events)
{
	const int copy = kernel_duplicate(process, descriptor);
	if (copy < 0)
		return true;
	const bool ready = ready_now(copy, events) != 0;
	close(copy);
	return ready;
}

int kernel_duplicate_end(const struct process *process, const struct kernel_object *object, bool writes)
{
	const int way = writes ? WRITES : READS;
	return duplicate(target_in(process, object->spaces[way]), object->descriptors[way]);
}

bool kernel_same_place(const struct process *process, int one, int other)
{
	const pid_t pid = target_pid(process->target);
	return syscall(SYS_kcmp, pid, pid, KCMP_FILE, (unsigned long)one, (unsigned long)other) == 0;
}

static void look_closer(const struct target *target, int descriptor, struct kernel_end *end)
{
	const bool counts = end->class == CLASS_EVENTFD;
	/* Before Linux 5.2 they aren't told apart, but by their descriptors. */
	struct fdinfo_number numbers[] = {
	    {.name = "flags", .base = 8, .value = O_NONBLOCK},
	    {.name = "eventfd-count", .base = 16, .value = end->number},
	    {.name = "eventfd-id", .base = 10, .value = UINT32_MAX + (uint64_t)descriptor},
	};
	(void)fdinfo_numbers(target_pid(target), descriptor, numbers, counts ? 3 : 1);
	if (counts) {
		end->number = numbers[1].value;
		end->id = numbers[2].value;
	}
	const uint64_t flags = numbers[0].value;
	end->blocking = !(flags & O_NONBLOCK);
	end->reads = (flags & O_ACCMODE) != O_WRONLY;
	end->writes = (flags & O_ACCMODE) != O_RDONLY;
}

void kernel_look_closer(const struct process *process, int descriptor, struct kernel_end *end)
{
	look_closer(process->target, descriptor, end);
}

static bool look(const struct target *target, int descriptor, struct kernel_end *end)
{
	char path[48], link[64];
	struct stat file;
	*end = (struct kernel_end){.class = CLASS_NONE};
	if (!target || descriptor < 0)
		return false;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(target), descriptor);
	if (stat(path, &file) != 0)
		return false;
	if (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode) || S_ISCHR(file.st_mode))
		return false;
	if (S_ISSOCK(file.st_mode)) {
		end->class = CLASS_SOCKET;
		end->id = file.st_ino;
		return true;
	}
	const ssize_t length = readlink(path, link, sizeof link - 1);
	link[length < 0 ? 0 : length] = '\0';
	end->id = file.st_ino ^ (uint64_t)file.st_dev << 40;
	end->named = S_ISFIFO(file.st_mode) && strncmp(link, "pipe:", 5) != 0 && file.st_nlink > 0;
	if (S_ISFIFO(file.st_mode))
		end->class = CLASS_PIPE;
	else if (strcmp(link, "anon_inode:[eventfd]") == 0)
		end->class = CLASS_EVENTFD;
	if (end->class == CLASS_EVENTFD)
		look_closer(target, descriptor, end);
	return end->class != CLASS_NONE;
}

bool kernel_look(const struct process *process, int descriptor, struct kernel_end *end)
{
	return look(process->target, descriptor, end);
}

static struct kernel_object *object_of(const struct process *process, uint32_t object)
{
	return &process->objects[object].kernel;
}

uint32_t kernel_find(const struct process *process, enum object_class class, uint64_t id)
{
	for (uint32_t i = 0; i < process->kernel_length; i++) {
		const struct process_object *object = &process->objects[process->kernel[i]];
		if (object->class == class && object->kernel.id == id && !object->kernel.gone)
			return process->kernel[i];
	}
	return NO_OBJECT;
}

/* Does the descriptor lead to the object, and in this direction? */
static bool leads_to(const struct target *target, const struct process_object *object, int descriptor,
		     int direction)
{
	const struct kernel_object *kernel = &object->kernel;
	struct kernel_end end;
	if (!look(target, descriptor, &end) || end.class != object->class)
		return false;
	if (end.class == CLASS_SOCKET)
		return end.id == (direction == READS ? kernel->id : kernel->sender);
	if (end.id == kernel->id)
		look_closer(target, descriptor, &end);
	return end.id == kernel->id && (direction == READS ? end.reads : end.writes);
}

/* Which of this process's descriptors lead there now. */
static void find_descriptors_in(const struct process *process, uint32_t space, struct process_object *object)
{
	struct kernel_object *kernel = &object->kernel;
	const struct target *target = target_in(process, space);
	char path[48];
	if (!target || (kernel->descriptors[READS] >= 0 && kernel->descriptors[WRITES] >= 0))
		return;
	snprintf(path, sizeof path, "/proc/%d/fd", target_pid(target));
	DIR *folder = opendir(path);
	for (const struct dirent *entry; folder && (entry = readdir(folder));) {
		const int descriptor = entry->d_name[0] == '.' ? -1 : atoi(entry->d_name);
		for (int way = READS; way <= WRITES; way++)
			if (kernel->descriptors[way] < 0 && leads_to(target, object, descriptor, way)) {
				kernel->descriptors[way] = descriptor;
				kernel->spaces[way] = space;
			}
	}
	if (folder)
		closedir(folder);
}

/* The same of all processes, those of the present one before others'. */
static void find_descriptors(const struct process *process, struct process_object *object)
{
	struct kernel_object *kernel = &object->kernel;
	for (int way = READS; way <= WRITES; way++)
		if (!leads_to(target_in(process, kernel->spaces[way]), object, kernel->descriptors[way], way))
			kernel->descriptors[way] = -1;
	find_descriptors_in(process, process->space, object);
	for (uint32_t i = 0; i < process->spaces_length; i++)
		if (i != process->space)
			find_descriptors_in(process, i, object);
	kernel->gone = !kernel->named && kernel->descriptors[READS] < 0 && kernel->descriptors[WRITES] < 0;
}

static short events_of(int descriptor, short events)
{
	const int ready = descriptor >= 0 ? ready_now(descriptor, events) : 0;
	return (short)(ready > 0 ? ready : 0);
}

bool kernel_owns_pipe(const struct process *process, const struct kernel_end *end)
{
	struct process_object pipe = {.class = CLASS_PIPE,
				      .kernel = {.id = end->id, .descriptors = {-1, -1}}};
	find_descriptors(process, &pipe);
	const int *descriptors = pipe.kernel.descriptors;
	if (end->named || (descriptors[READS] >= 0 && descriptors[WRITES] >= 0))
		return !end->named;
	/* Or there is no other end any more. */
	const int copy = kernel_duplicate_end(process, &pipe.kernel, descriptors[READS] < 0);
	const bool single = events_of(copy, 0) & (POLLHUP | POLLERR);
	if (copy >= 0)
		close(copy);
	return single;
}

bool kernel_has_end(const struct process *process, uint64_t pipe, bool writes)
{
	struct process_object object = {.class = CLASS_PIPE, .kernel = {.id = pipe, .descriptors = {-1, -1}}};
	find_descriptors(process, &object);
	return object.kernel.descriptors[writes ? WRITES : READS] >= 0;
}

static void close_all(const int copies[2])
{
	for (int way = READS; way <= WRITES; way++)
		if (copies[way] >= 0)
			close(copies[way]);
}

static struct observation ask_eventfd(const struct process *process, const struct kernel_object *kernel)
{
	struct kernel_end end = {.class = CLASS_NONE};
	if (kernel->descriptors[READS] >= 0)
		look(target_in(process, kernel->spaces[READS]), kernel->descriptors[READS], &end);
	return (struct observation){(uint32_t)end.number, (uint32_t)(end.number >> 32)};
}

/*
 * Nothing is taken from the pipe. By poll() it isn't told that there is no writer before there has been one. Of an empty pipe tee(2) says EINTR
 * if a signal is pending, before it looks for writers.
 */
enum writers kernel_look_for_writers(int reader)
{
	int scratch[2];
	int bytes = 0;
	if ((ioctl(reader, FIONREAD, &bytes) == 0 && bytes > 0) ||
	    pipe2(scratch, O_CLOEXEC | O_NONBLOCK) != 0)
		return WRITERS_UNKNOWN;
	ssize_t length;
	do
		length = tee(reader, scratch[1], 1, SPLICE_F_NONBLOCK);
	while (length < 0 && errno == EINTR);
	close(scratch[0]);
	close(scratch[1]);
	return length > 0 ? WRITERS_UNKNOWN : length == 0 ? WRITERS_NONE : WRITERS_SOME;
}

/* Of a FIFO that can be opened nobody may have one end now, and who waits in open() has one that the kernel knows of. */
static bool has_ended(const struct kernel_object *kernel, const int copies[2])
{
	return kernel->named ? copies[READS] >= 0 && kernel_look_for_writers(copies[READS]) == WRITERS_NONE
			     : copies[READS] < 0;
}

/* What there is of pipes and queues alike. */
static struct observation ask_queue(const struct process *process, const struct process_object *object)
{
	const struct kernel_object *kernel = &object->kernel;
	const int copies[] = {kernel_duplicate_end(process, kernel, false),
			      kernel_duplicate_end(process, kernel, true)};
	uint32_t standing = 0;
	int bytes = 0;
	if (copies[READS] >= 0)
		(void)ioctl(copies[READS], FIONREAD, &bytes); /* else nobody can read them */
	if (has_ended(kernel, copies) || events_of(copies[READS], POLLIN))
		standing |= KERNEL_READS;
	if ((copies[READS] < 0 && !kernel->named) || events_of(copies[WRITES], 0) & (POLLERR | POLLHUP))
		standing |= KERNEL_WRITES;
	if (object->class == CLASS_PIPE && copies[WRITES] >= 0 && !events_of(copies[WRITES], POLLOUT))
		standing |= KERNEL_PAGES;
	const bool full = object->class == CLASS_PIPE && copies[WRITES] >= 0 && bytes > 0 &&
			  fcntl(copies[WRITES], F_GETPIPE_SZ) == bytes;
	standing |= (full ? 1 : kernel->full) * KERNEL_FULL;
	close_all(copies);
	return (struct observation){(uint32_t)bytes, standing};
}

static struct observation ask(const struct process *process, uint32_t number)
{
	struct process_object *object = &process->objects[number];
	find_descriptors(process, object);
	return object->class == CLASS_EVENTFD ? ask_eventfd(process, &object->kernel)
					      : ask_queue(process, object);
}

static bool takes(enum op_kind kind)
{
	return kind != OP_PIPE_WRITE && kind != OP_SOCKET_SEND && kind != OP_PIPE_FROM_FILE &&
	       kind != OP_SOCKET_FROM_FILE;
}

/* Of two objects: how this one stands. */
static uint32_t ask_standing(const struct process *process, uint32_t object)
{
	return process->objects[object].class < CLASS_FILE_LOCK ? ask(process, object).word2 : 0;
}

static struct observation ask_after(const struct process *process, const struct op *op)
{
	if (op->object2 == NO_OBJECT)
		return ask(process, op->object);
	return (struct observation){ask_standing(process, op->object), ask_standing(process, op->object2)};
}

bool kernel_ask(struct process *process, const struct op *op, struct observation *said)
{
	if (!process->target || op->object >= process->objects_length)
		return false;
	/* There is room, or there may be. */
	if (takes(op->kind))
		object_of(process, op->object)->full = 0;
	if (op->kind == OP_CONNECTION_FROM_PIPE)
		object_of(process, op->object2)->full = 0;
	*said = ask_after(process, op);
	return true;
}

static void verify(struct process *process, uint32_t object)
{
	struct object_state state;
	if (object >= process->objects_length || process->objects[object].class >= CLASS_FILE_LOCK)
		return;
	const struct observation said = ask(process, object);
	model_object_state(process->model->model, object, &state);
	if ((said.word == state.count || state.count == KERNEL_BYTES_UNKNOWN) && said.word2 == state.standing)
		return;
	process_remark(process, KERNEL_CHANGES_UNSEEN);
	const struct op alone = {.object = object, .object2 = NO_OBJECT};
	model_kernel_says(process->model->model, &alone, &said);
}

void kernel_verify(struct process *process, const struct op *op)
{
	verify(process, op->object);
	verify(process, op->object2);
}

void kernel_change(struct process *process, uint32_t object)
{
	const struct op op = {.object = object, .object2 = NO_OBJECT};
	struct object_state state;
	model_object_state(process->model->model, object, &state);
	const struct observation changed = {state.count + 1, state.standing};
	model_kernel_says(process->model->model, &op, &changed);
}

void kernel_unlocked(struct process *process)
{
	for (uint32_t i = 0; i < process->kernel_length; i++)
		if (process->objects[process->kernel[i]].class == CLASS_FILE_LOCK)
			kernel_change(process, process->kernel[i]);
}

void kernel_look_again(struct process *process)
{
	for (uint32_t i = 0; i < process->kernel_length; i++) {
		if (!object_of(process, process->kernel[i])->gone)
			verify(process, process->kernel[i]);
	}
}

void kernel_waits(struct process *process, uint32_t object, uint64_t bytes)
{
	struct kernel_object *kernel = object_of(process, object);
	const uint32_t most = bytes < KERNEL_FULL_MOST ? (uint32_t)bytes : KERNEL_FULL_MOST;
	if (most && (!kernel->full || most < kernel->full))
		kernel->full = most;
}

void kernel_call_name(struct process *process, uint32_t object, const char *path)
{
	struct kernel_object *kernel = object_of(process, object);
	const char *slash = strrchr(path, '/');
	if (!*kernel->name)
		snprintf(kernel->name, sizeof kernel->name, "%.*s", (int)sizeof kernel->name - 1,
			 slash && slash[1] ? slash + 1 : path);
}

void kernel_call_file(struct process *process, uint32_t object, int descriptor)
{
	char path[48], link[256];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(process->target), descriptor);
	const ssize_t length = *object_of(process, object)->name ? -1 : readlink(path, link, sizeof link - 1);
	if (length <= 0)
		return;
	link[length] = '\0';
	kernel_call_name(process, object, link);
}

uint32_t kernel_intern(struct process *process, enum object_class class, uint64_t id, uint64_t sender)
{
	struct object_state state = {.class = class, .owner = NO_THREAD};
	struct process_object object = {.class = class,
					.kernel = {.id = id, .sender = sender, .descriptors = {-1, -1}}};
	uint32_t number = kernel_find(process, class, id);
	if (number != NO_OBJECT || process->kernel_length == KERNEL_MOST)
		return number;
	const bool tried = class >= CLASS_FILE_LOCK;
	object.kernel.named = class == CLASS_PIPE && kernel_find(process, CLASS_FIFO, id) != NO_OBJECT;
	if (!tried)
		find_descriptors(process, &object);
	number = objects_add(process, &object, &state);
	if (number == NO_OBJECT)
		return NO_OBJECT;
	process->kernel[process->kernel_length++] = number;
	if (tried)
		return number;
	const struct observation said = ask(process, number);
	const struct op first = {.object = number, .object2 = NO_OBJECT};
	model_kernel_says(process->model->model, &first, &said);
	return number;
}

void kernel_restore(struct process *process)
{
	process->kernel_length = 0;
	process->uses.pairs_length = 0;
	for (uint32_t i = 0; i < process->objects_length; i++) {
		struct process_object *object = &process->objects[i];
		struct kernel_object *kernel = &object->kernel;
		struct kernel_end reads, writes;
		if (!class_in_kernel(object->class) || process->kernel_length == KERNEL_MOST)
			continue;
		process->kernel[process->kernel_length++] = i;
		/* These are the same in all processes. */
		if (object->class >= CLASS_FILE_LOCK)
			continue;
		const bool can_read = kernel_look(process, kernel->descriptors[READS], &reads);
		const bool can_write = kernel_look(process, kernel->descriptors[WRITES], &writes);
		if (object->class == CLASS_SOCKET)
			kernel->sender = can_write ? writes.id : 0;
		if (can_read)
			kernel->id = reads.id;
		else if (can_write && object->class != CLASS_SOCKET)
			kernel->id = writes.id;
	}
}

/* A file is called by its name, others are counted: the kernel's numbers are others each time. */
static void name_tried(const struct process *process, uint32_t object, char *text, size_t room)
{
	const struct process_object *its = &process->objects[object];
	unsigned before = 1;
	for (uint32_t i = 0; i < object; i++)
		before += process->objects[i].class == its->class;
	if (its->class == CLASS_NAME && *its->kernel.name)
		snprintf(text, room, "%s %s", class_name(its->class), its->kernel.name);
	else if (*its->kernel.name)
		snprintf(text, room, "%s of %s", class_name(its->class), its->kernel.name);
	else
		snprintf(text, room, "%s %u", class_name(its->class), before);
}

void kernel_name(const struct process *process, uint32_t object, char *text, size_t room)
{
	const struct process_object *its = &process->objects[object];
	const int *descriptors = its->kernel.descriptors;
	const char *name = class_name(its->class);
	if (its->class >= CLASS_FILE_LOCK) {
		name_tried(process, object, text, room);
		return;
	}
	if (its->kernel.gone)
		snprintf(text, room, "%s that is closed", name);
	else if (its->kernel.named)
		snprintf(text, room, "%s of %s", name, its->kernel.name);
	else if (its->class == CLASS_PIPE && descriptors[READS] >= 0 && descriptors[WRITES] >= 0)
		snprintf(text, room, "%s %d, %d", name, descriptors[READS], descriptors[WRITES]);
	else
		snprintf(text, room, "%s %d", name,
			 descriptors[READS] >= 0 ? descriptors[READS] : descriptors[WRITES]);
}
