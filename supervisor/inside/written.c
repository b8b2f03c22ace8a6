/*
 * Files that the program opens to write them: inside each is a file in memory, which is gone when it is closed, so that nothing has to be put back.
 * By its name there is what was there at first; who asks for it by that afterwards is answered by stops.
 */
#include "supervisor/inside/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LARGE 0x8000 /* O_LARGEFILE of the kernel's */
#define ALLOWED                                                                                              \
	(O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | LARGE)
#define COPIED_MOST (16 << 20) /* bytes of what was there, unless it is emptied */

struct wish {
	uint64_t folder, path, flags, mode;
	bool there;
};

/* By descriptor: how it was opened; 0: it isn't such a file. And what the program is told of it. */
static struct {
	uint64_t flags;
	struct stat file;
	bool made; /* it wasn't there, or may not have been: its number is another in each execution */
	/* It was open at the beginning, with these bytes: */
	const unsigned char *bytes; /* NULL: it wasn't; */
	uint64_t size;
	int64_t place;
	bool used; /* since it was put back */
} written[AGENT_FILES];

static const char *last_part(const char *path)
{
	const char *last = path;
	for (; *path; path++)
		if (*path == '/')
			last = path + 1;
	return last;
}

static int64_t look(uint64_t folder, uint64_t path, struct stat *found, uint64_t flags)
{
	return own_call(SYS_newfstatat, folder, path, (uint64_t)(uintptr_t)found, flags, 0, 0);
}

/* Is there something by this name that has been written, or will be once it is there? */
static bool is_written(uint64_t folder, uint64_t path, uint64_t name)
{
	const struct agent_now *now = &agent.now;
	struct stat found;
	const bool there = look(folder, path, &found, 0) == 0;
	for (uint32_t i = 0; i < now->written_length; i++)
		if (now->written[i].digest == name || (there && now->written[i].inode == found.st_ino &&
						       now->written[i].device == found.st_dev))
			return true;
	return !there && look(folder, path, &found, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Has another thread asked for it, while there were others? */
static bool is_asked_by_others(const struct agent_thread *thread, uint64_t name)
{
	const struct agent_now *now = &agent.now;
	for (uint32_t i = 0; i < now->asked_length; i++)
		if (now->asked[i].digest == name && &agent.threads[now->asked[i].thread] != thread)
			return true;
	return now->asked_all;
}

static void note_asked(const struct agent_thread *thread, uint64_t name)
{
	struct agent_now *now = &agent.now;
	const uint32_t number = (uint32_t)(thread - agent.threads);
	if (is_alone(thread))
		return;
	for (uint32_t i = 0; i < now->asked_length; i++)
		if (now->asked[i].digest == name && now->asked[i].thread == number)
			return;
	if (now->asked_length == AGENT_ASKED) {
		now->asked_all = true;
		return;
	}
	now->asked[now->asked_length].digest = name;
	now->asked[now->asked_length++].thread = number;
}

bool written_may_ask(const struct agent_thread *thread, uint64_t folder, uint64_t path)
{
	struct stat found;
	/* A path that can't be read is the kernel's. */
	if (look(folder, path, &found, AT_SYMLINK_NOFOLLOW) == -EFAULT)
		return true;
	const uint64_t name = agent_name_digest((const char *)path);
	if (agent.now.written_length > 0 && is_written(folder, path, name))
		return false;
	note_asked(thread, name);
	return true;
}

/* Where it isn't there yet: the folder that it would be in. False: it has no name there. */
static bool folder_of(const struct wish *wish, char folder[PATH_MAX])
{
	const char *path = (const char *)wish->path, *last = last_part(path);
	const size_t length = (size_t)(last - path);
	if (!*last || length >= PATH_MAX)
		return false;
	memcpy(folder, path, length);
	memcpy(folder + length, ".", 2);
	return true;
}

static uint64_t umask_now(void)
{
	const int64_t mask = own_call(SYS_umask, 0, 0, 0, 0, 0, 0);
	own_call(SYS_umask, (uint64_t)mask, 0, 0, 0, 0, 0);
	return (uint64_t)mask;
}

/* It can be made there, and would be like this. */
static bool can_be_made(const struct wish *wish, struct stat *file)
{
	char folder[PATH_MAX];
	struct stat found;
	if (look(wish->folder, wish->path, &found, AT_SYMLINK_NOFOLLOW) != -ENOENT ||
	    !folder_of(wish, folder))
		return false;
	const uint64_t path = (uint64_t)(uintptr_t)folder;
	const int64_t opened = own_call(SYS_openat, wish->folder, path, O_PATH | O_CLOEXEC, 0, 0, 0);
	if (opened < 0)
		return false;
	const bool good = files_is_kept(opened) && look(wish->folder, path, &found, 0) == 0 &&
			  own_call(SYS_faccessat2, wish->folder, path, W_OK | X_OK, AT_EACCESS, 0, 0) == 0;
	own_call(SYS_close, (uint64_t)opened, 0, 0, 0, 0, 0);
	const gid_t group = (gid_t)own_call(SYS_getegid, 0, 0, 0, 0, 0, 0);
	*file = (struct stat){.st_dev = found.st_dev,
			      .st_nlink = 1,
			      .st_mode = (mode_t)(S_IFREG | (wish->mode & ~umask_now() & 0777)),
			      .st_uid = (uid_t)own_call(SYS_geteuid, 0, 0, 0, 0, 0, 0),
			      .st_gid = found.st_mode & S_ISGID ? found.st_gid : group,
			      .st_blksize = found.st_blksize};
	return good && !(wish->mode & ~UINT64_C(0777));
}

static int64_t open_there(const struct wish *wish, uint64_t access)
{
	return own_call(SYS_openat, wish->folder, wish->path, access | O_CLOEXEC | (wish->flags & O_NOFOLLOW),
			0, 0, 0);
}

/* What is there can be opened so, which changes nothing; *refused: it can't, and the kernel says why. */
static bool can_be_opened(const struct agent_thread *thread, const struct wish *wish, const struct stat *file,
			  int64_t *refused)
{
	if (!S_ISREG(file->st_mode) || file->st_mode & (S_ISUID | S_ISGID) || !files_note(thread, file) ||
	    files_has_open(file) || (!(wish->flags & O_TRUNC) && file->st_size > COPIED_MOST))
		return false;
	const int64_t opened = open_there(wish, wish->flags & O_ACCMODE);
	if (opened < 0) {
		*refused = opened;
		return true;
	}
	const bool good = files_is_kept(opened);
	own_call(SYS_close, (uint64_t)opened, 0, 0, 0, 0, 0);
	return good;
}

static bool fill(uint64_t made, const struct wish *wish, uint64_t size)
{
	const int64_t from = open_there(wish, O_RDONLY);
	int64_t part = 1;
	for (uint64_t done = 0; from >= 0 && done < size && part > 0; done += (uint64_t)part)
		part = own_call(SYS_sendfile, made, (uint64_t)from, 0, size - done, 0, 0);
	if (from >= 0)
		own_call(SYS_close, (uint64_t)from, 0, 0, 0, 0, 0);
	return from >= 0 && part > 0 && own_call(SYS_lseek, made, 0, SEEK_SET, 0, 0, 0) == 0;
}

/* The file in memory, by the number that the kernel gives to what is opened next; negative: there is none. */
static int64_t make(const struct wish *wish, const struct stat *file)
{
	const int64_t made = own_call(SYS_memfd_create, (uint64_t)(uintptr_t) "written",
				      wish->flags & O_CLOEXEC ? MFD_CLOEXEC : 0, 0, 0, 0, 0);
	const bool emptied = !wish->there || wish->flags & O_TRUNC || file->st_size == 0;
	if (made < 0)
		return made;
	if (made < AGENT_FILES && (emptied || fill((uint64_t)made, wish, (uint64_t)file->st_size)) &&
	    own_call(SYS_fcntl, (uint64_t)made, F_SETFL, wish->flags & O_APPEND, 0, 0, 0) == 0)
		return made;
	own_call(SYS_close, (uint64_t)made, 0, 0, 0, 0, 0);
	return -1;
}

static bool is_known(const struct agent_thread *thread, const struct wish *wish)
{
	return !(wish->flags & ~(uint64_t)ALLOWED) && (wish->flags & O_ACCMODE) != O_ACCMODE &&
	       agent.now.written_length < AGENT_NAMES &&
	       !is_asked_by_others(thread, agent_name_digest((const char *)wish->path));
}

static void note(int64_t made, const struct wish *wish, const struct stat *file)
{
	struct agent_now *now = &agent.now;
	now->written[now->written_length].digest = agent_name_digest((const char *)wish->path);
	now->written[now->written_length].device = file->st_dev;
	now->written[now->written_length++].inode = file->st_ino; /* 0: it wasn't there */
	written[made].flags = wish->flags | LARGE;
	written[made].file = *file;
	written[made].made = !wish->there;
}

bool written_open(struct agent_thread *thread, uint64_t folder, uint64_t path, uint64_t flags, uint64_t mode,
		  int64_t *result)
{
	struct wish wish = {folder, path, flags, mode, false};
	struct stat file;
	const int64_t found = look(folder, path, &file, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0);
	*result = found;
	wish.there = found == 0;
	if (found != 0 && (found != -ENOENT || !(flags & O_CREAT)))
		return true;
	if (!is_known(thread, &wish))
		return false;
	*result = wish.there && flags & O_CREAT && flags & O_EXCL ? -EEXIST : 0;
	if (*result == 0 &&
	    !(wish.there ? can_be_opened(thread, &wish, &file, result) : can_be_made(&wish, &file)))
		return false;
	if (*result < 0)
		return true;
	*result = make(&wish, &file);
	if (*result < 0)
		return false;
	note(*result, &wish, &file);
	return true;
}

void written_closed(uint32_t descriptor)
{
	written[descriptor].flags = 0;
}

bool written_is(uint64_t descriptor)
{
	const uint32_t number = (uint32_t)descriptor;
	return number < AGENT_FILES && written[number].flags && !agent.now.closed[number];
}

/* As it is at the beginning, in memory. */
static bool take(uint32_t descriptor)
{
	struct stat now;
	if (own_call(SYS_fstat, descriptor, (uint64_t)(uintptr_t)&now, 0, 0, 0, 0) != 0)
		return false;
	unsigned char *bytes = keep((uint64_t)now.st_size + 1);
	if (!bytes)
		return false;
	written[descriptor].bytes = bytes;
	written[descriptor].size = (uint64_t)now.st_size;
	written[descriptor].place = own_call(SYS_lseek, descriptor, 0, SEEK_CUR, 0, 0, 0);
	written[descriptor].flags = REGION->written[descriptor].flags | LARGE;
	written[descriptor].file = REGION->written[descriptor].file;
	written[descriptor].made = true;
	return own_call(SYS_pread64, descriptor, (uint64_t)(uintptr_t)bytes, (uint64_t)now.st_size, 0, 0,
			0) == now.st_size;
}

bool written_begin(void)
{
	bool good = true;
	for (uint32_t i = 0; good && i < AGENT_FILES; i++)
		good = !REGION->written[i].flags || take(i);
	return good;
}

void written_start(void)
{
	memcpy(agent.now.written, REGION->names, REGION->names_length * sizeof agent.now.written[0]);
	agent.now.written_length = REGION->names_length;
}

void written_use(uint32_t descriptor)
{
	written[descriptor].used = written[descriptor].bytes != NULL;
}

/* What the kernel has written once it takes again. */
void written_put_back(void)
{
	for (uint32_t i = 0; i < AGENT_FILES; i++) {
		if (!written[i].used)
			continue;
		own_call(SYS_ftruncate, i, written[i].size, 0, 0, 0, 0);
		own_call(SYS_fcntl, i, F_SETFL, 0, 0, 0, 0);
		own_call(SYS_pwrite64, i, (uint64_t)(uintptr_t)written[i].bytes, written[i].size, 0, 0, 0);
		own_call(SYS_fcntl, i, F_SETFL, written[i].flags & O_APPEND, 0, 0, 0);
		own_call(SYS_lseek, i, (uint64_t)written[i].place, SEEK_SET, 0, 0, 0);
		written[i].used = false;
	}
}

bool written_any(void)
{
	for (uint32_t i = 0; i < AGENT_FILES; i++)
		if (written[i].used)
			return true;
	return false;
}

bool written_reads(uint64_t descriptor)
{
	return !written_is(descriptor) || (written[(uint32_t)descriptor].flags & O_ACCMODE) == O_RDWR;
}

int64_t written_flags(uint64_t descriptor)
{
	return (int64_t)(written[(uint32_t)descriptor].flags & (O_ACCMODE | O_APPEND | LARGE));
}

static bool tell(const void *from, const void *to)
{
	struct agent_now *now = &agent.now;
	if (now->told_length == AGENT_TOLD)
		return false;
	now->told[now->told_length++] =
	    (struct agent_range){(uint64_t)(uintptr_t)from, (uint64_t)(uintptr_t)to};
	return true;
}

/* What the kernel makes up of it is another in each execution: its number, how much room it takes, and its times. */
int64_t written_ask(uint32_t descriptor, struct stat *told)
{
	const struct stat *file = &written[descriptor].file;
	const int64_t result = own_call(SYS_fstat, descriptor, (uint64_t)(uintptr_t)told, 0, 0, 0, 0);
	if (result != 0)
		return result;
	told->st_dev = file->st_dev;
	told->st_nlink = file->st_nlink;
	told->st_mode = file->st_mode;
	told->st_uid = file->st_uid;
	told->st_gid = file->st_gid;
	told->st_blksize = file->st_blksize;
	if (!written[descriptor].made)
		told->st_ino = file->st_ino;
	const bool room = (!written[descriptor].made || tell(&told->st_ino, &told->st_ino + 1)) &&
			  tell(&told->st_blocks, &told->st_ctim + 1);
	if (!room)
		agent_refuse(AGENT_BY_ROOM, SYS_fstat);
	return 0;
}
