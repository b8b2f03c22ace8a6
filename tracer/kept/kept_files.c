#include <fmc/tracer/array.h>
#include <fmc/tracer/kept_files.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Of all files together so much is copied. */
#define MOST_BYTES ((off_t)1 << 30)

/* How a name was before; st_mode 0: there was nothing. */
struct kept {
	char *path;
	struct stat was;
	bool recent; /* it may be changed without showing in `was` */
	int content; /* of a regular file: a copy; -1: it hasn't been changed yet */
	int itself;  /* one that has several names, whichever of them are left; -1 */
	char *link;  /* where a symbolic link leads */
};

struct kept_files {
	struct kept
	    *at; /* in the order in which they were changed first: what is in a new folder comes after it */
	size_t length, room;
	off_t copied;
	bool changed;
	char missed[PATH_MAX + 128];
};

struct kept_files *kept_files_new(void)
{
	return calloc(1, sizeof(struct kept_files));
}

static void release(struct kept *kept)
{
	if (kept->content >= 0)
		close(kept->content);
	if (kept->itself >= 0)
		close(kept->itself);
	free(kept->link);
	free(kept->path);
}

void kept_files_free(struct kept_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->length; i++)
		release(&files->at[i]);
	free(files->at);
	free(files);
}

/* The first one is told. */
static void miss(struct kept_files *files, const char *path, const char *why)
{
	if (!files->missed[0])
		snprintf(files->missed, sizeof files->missed, "%s: %s", path, why);
}

static bool copy_bytes(int from, int to)
{
	char bytes[1 << 16];
	ssize_t length;
	while ((length = read(from, bytes, sizeof bytes)) > 0)
		for (ssize_t done = 0, part; done < length; done += part)
			if ((part = write(to, bytes + done, (size_t)(length - done))) < 0)
				return false;
	return length == 0;
}

/* A file without a name, which goes with fmc. */
static int open_nameless(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0) {
		FILE *file = tmpfile();
		fd = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
		if (file)
			fclose(file);
	}
	return fd;
}

/* Its content as it is now; to look at it changes nothing but the time of the last access. */
static void keep_content(struct kept_files *files, struct kept *kept)
{
	if (files->copied + kept->was.st_size > MOST_BYTES)
		return miss(files, kept->path, "too large to be copied");
	const int from = open(kept->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	kept->content = from < 0 ? -1 : open_nameless();
	if (kept->content >= 0 && !copy_bytes(from, kept->content)) {
		close(kept->content);
		kept->content = -1;
	}
	if (kept->content < 0)
		miss(files, kept->path, strerror(errno));
	else
		files->copied += kept->was.st_size;
	if (from >= 0)
		close(from);
}

static char *read_link(const char *path)
{
	char target[PATH_MAX];
	const ssize_t length = readlink(path, target, sizeof target - 1);
	return length < 0 ? NULL : strndup(target, (size_t)length);
}

/* Where it is, or would be. */
static size_t place_of(const struct kept_files *files, const char *path)
{
	size_t from = 0, to = files->length;
	while (from < to) {
		const size_t middle = (from + to) / 2;
		if (strcmp(files->at[middle].path, path) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_mode && b->st_mode && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Times of files go forward by ticks of the kernel's, or by whole seconds: until the next one a change of the same size leaves none. Newer
 * kernels give those that have been looked at finer ones, where the file system has them.
 */
static bool is_recent(const struct stat *file)
{
	const time_t grain = file->st_ctim.tv_nsec ? 0 : 2;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	const time_t over = file->st_ctim.tv_sec + grain;
	return over > now.tv_sec || (over == now.tv_sec && file->st_ctim.tv_nsec >= now.tv_nsec);
}

/* Under another name it may have been changed since. */
static void take_over(const struct kept_files *files, struct kept *kept)
{
	for (size_t i = 0; i < files->length; i++) {
		const struct kept *other = &files->at[i];
		if (!is_same_file(&other->was, &kept->was))
			continue;
		kept->was = other->was;
		kept->recent = other->recent;
		kept->content = other->content < 0 ? -1 : fcntl(other->content, F_DUPFD_CLOEXEC, 0);
		return;
	}
}

static struct kept *add(struct kept_files *files, size_t place, const char *path)
{
	struct kept kept = {.path = strdup(path), .content = -1, .itself = -1};
	if (!kept.path || !ARRAY_GROW(files->at, files->length, files->room)) {
		free(kept.path);
		miss(files, path, "out of memory");
		return NULL;
	}
	if (lstat(path, &kept.was) != 0) {
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			miss(files, path, strerror(errno));
		kept.was = (struct stat){0};
	}
	kept.recent = is_recent(&kept.was);
	if (S_ISLNK(kept.was.st_mode))
		kept.link = read_link(path);
	if (S_ISREG(kept.was.st_mode) && kept.was.st_nlink > 1)
		kept.itself = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (kept.itself >= 0)
		take_over(files, &kept);
	memmove(&files->at[place + 1], &files->at[place], (files->length++ - place) * sizeof kept);
	files->at[place] = kept;
	return &files->at[place];
}

void kept_files_before(struct kept_files *files, const char *path, enum kept_part part)
{
	const size_t place = place_of(files, path);
	const bool known = place < files->length && strcmp(files->at[place].path, path) == 0;
	struct kept *kept = known ? &files->at[place] : add(files, place, path);
	files->changed = true;
	if (kept && S_ISREG(kept->was.st_mode) && kept->content < 0 && part != KEPT_METADATA) {
		keep_content(files, kept);
		for (size_t i = 0; i < files->length && kept->content >= 0; i++)
			if (files->at[i].content < 0 && is_same_file(&files->at[i].was, &kept->was))
				files->at[i].content = fcntl(kept->content, F_DUPFD_CLOEXEC, 0);
	}
}

bool kept_files_made(const struct kept_files *files, const char *path)
{
	struct stat now;
	const size_t place = place_of(files, path);
	return place < files->length && strcmp(files->at[place].path, path) == 0 && lstat(path, &now) == 0 &&
	       (now.st_mode & S_IFMT) != (files->at[place].was.st_mode & S_IFMT);
}

bool kept_files_changed(const struct kept_files *files)
{
	return files->changed;
}

bool kept_files_any(const struct kept_files *files)
{
	return files->length > 0;
}

const char *kept_files_name(const struct kept_files *files, size_t i, struct stat *was)
{
	if (i >= files->length)
		return NULL;
	*was = files->at[i].was;
	return files->at[i].path;
}

const char *kept_files_missed(const struct kept_files *files)
{
	return files->missed[0] ? files->missed : NULL;
}

static bool is_same_kind(const struct stat *a, const struct stat *b)
{
	return (a->st_mode & S_IFMT) == (b->st_mode & S_IFMT);
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/*
 * Each write to it sets the time of its last change, which restoring has set back; and whatever is done to it, that of its status, which
 * nobody can set. Another file may have got its number meanwhile, and be as old.
 */
static bool is_as_before(const struct kept *kept, const struct stat *now)
{
	return now->st_dev == kept->was.st_dev && now->st_ino == kept->was.st_ino &&
	       now->st_size == kept->was.st_size && now->st_mode == kept->was.st_mode &&
	       now->st_uid == kept->was.st_uid && now->st_gid == kept->was.st_gid &&
	       is_same_time(&now->st_mtim, &kept->was.st_mtim) &&
	       is_same_time(&now->st_ctim, &kept->was.st_ctim);
}

/* It has got lost under this name, but not under others. */
static bool link_again(const struct kept *kept)
{
	char itself[32];
	snprintf(itself, sizeof itself, "/proc/self/fd/%d", kept->itself);
	return kept->itself >= 0 && linkat(AT_FDCWD, itself, AT_FDCWD, kept->path, AT_SYMLINK_FOLLOW) == 0;
}

static bool make_again(const struct kept *kept)
{
	const mode_t mode = kept->was.st_mode;
	if (S_ISLNK(mode))
		return kept->link && symlink(kept->link, kept->path) == 0;
	if (S_ISDIR(mode))
		return mkdir(kept->path, mode & 07777) == 0;
	if (S_ISREG(mode) && link_again(kept))
		return true;
	if (S_ISREG(mode) || S_ISFIFO(mode) || S_ISSOCK(mode))
		return mknod(kept->path, mode, 0) == 0;
	errno = ENOTSUP;
	return false;
}

/* It may be one that others have under another name, too: the file stays, its bytes are written anew. */
static bool write_again(const struct kept *kept)
{
	(void)chmod(kept->path,
		    (kept->was.st_mode & 07777) | S_IWUSR); /* as it is to be it may not be written to */
	const int to = open(kept->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_TRUNC);
	const bool written =
	    to >= 0 && lseek(kept->content, 0, SEEK_SET) == 0 && copy_bytes(kept->content, to);
	if (to >= 0)
		close(to);
	return written;
}

static bool set_metadata(struct kept *kept)
{
	const struct timespec times[2] = {kept->was.st_atim, kept->was.st_mtim};
	struct stat now;
	if (lstat(kept->path, &now) != 0)
		return false;
	if ((now.st_uid != kept->was.st_uid || now.st_gid != kept->was.st_gid) &&
	    lchown(kept->path, kept->was.st_uid, kept->was.st_gid) != 0)
		return false;
	if ((!S_ISLNK(now.st_mode) && chmod(kept->path, kept->was.st_mode & 07777) != 0) ||
	    utimensat(AT_FDCWD, kept->path, times, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	if (lstat(kept->path, &now) != 0)
		return false;
	/* It may be another file by now. */
	kept->was.st_dev = now.st_dev;
	kept->was.st_ino = now.st_ino;
	kept->was.st_ctim = now.st_ctim;
	kept->recent = is_recent(&now);
	return true;
}

/* To look is less than to write, which would make it recent again. */
static bool has_content(const struct kept *kept)
{
	char one[1 << 14], other[1 << 14];
	const int file = open(kept->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool same = file >= 0;
	ssize_t length = 1;
	for (off_t at = 0; same && length > 0; at += length) {
		length = pread(file, one, sizeof one, at);
		same = length >= 0 && pread(kept->content, other, sizeof other, at) == length &&
		       memcmp(one, other, (size_t)length) == 0;
	}
	if (file >= 0)
		close(file);
	return same;
}

static bool is_unchanged(struct kept *kept, const struct stat *now)
{
	if (!is_as_before(kept, now))
		return false;
	const bool unchanged = !kept->recent || kept->content < 0 || has_content(kept);
	kept->recent = is_recent(now);
	return unchanged;
}

static bool is_same_link(const struct kept *kept)
{
	char *link = read_link(kept->path);
	const bool same = link && kept->link && strcmp(link, kept->link) == 0;
	free(link);
	return same;
}

/* Is it, or can it become, what there was? */
static bool can_stay(const struct kept *kept, const struct stat *now)
{
	return is_same_kind(now, &kept->was) && (!S_ISLNK(now->st_mode) || is_same_link(kept)) &&
	       (kept->itself < 0 || now->st_ino == kept->was.st_ino);
}

static bool remove_others(const struct kept *kept)
{
	struct stat now;
	if (lstat(kept->path, &now) != 0 || can_stay(kept, &now))
		return true;
	return (S_ISDIR(now.st_mode) ? rmdir(kept->path) : unlink(kept->path)) == 0;
}

static bool restore(struct kept *kept)
{
	struct stat now;
	const bool there = lstat(kept->path, &now) == 0;
	if (there && (S_ISLNK(now.st_mode) || is_unchanged(kept, &now)))
		return true;
	if (!there && !make_again(kept))
		return false;
	if (S_ISREG(kept->was.st_mode) && kept->content >= 0 && !write_again(kept))
		return false;
	return set_metadata(kept);
}

/* What is in a folder goes before it, and comes after it. */
void kept_files_restore(struct kept_files *files)
{
	if (!files->changed)
		return;
	for (size_t i = files->length; i-- > 0;)
		if (!remove_others(&files->at[i]))
			miss(files, files->at[i].path, strerror(errno));
	for (size_t i = 0; i < files->length; i++)
		if (files->at[i].was.st_mode && !restore(&files->at[i]))
			miss(files, files->at[i].path, strerror(errno));
	files->changed = false;
}
