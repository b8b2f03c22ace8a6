#include "breakpoints/names/lock_kind.h"
#include "breakpoints/names/name.h"

#include <dwarf.h>
#include <string.h>

/*
 * The word for a kind is its scope and its name; what stands in brackets behind the name, and what the scope is divided into on the way, says
 * nothing of it. What has no scope is C's.
 */
struct kind {
	const char *scope, *name, *word;
};

#define PLAIN(name)                                                                                          \
	{                                                                                                    \
		"", name, name                                                                               \
	}
#define SCOPED(scope, name)                                                                                  \
	{                                                                                                    \
		scope, name, scope name                                                                      \
	}

static const struct kind kinds[] = {
    PLAIN("GMutex"),
    PLAIN("GRecMutex"),
    PLAIN("GRWLock"),
    PLAIN("GCond"),
    PLAIN("GOnce"),
    PLAIN("QMutex"),
    PLAIN("QBasicMutex"),
    PLAIN("QRecursiveMutex"),
    PLAIN("QReadWriteLock"),
    PLAIN("QSemaphore"),
    PLAIN("QWaitCondition"),
    PLAIN("omp_lock_t"),
    PLAIN("omp_nest_lock_t"),
    SCOPED("std::", "mutex"),
    SCOPED("std::", "timed_mutex"),
    SCOPED("std::", "recursive_mutex"),
    SCOPED("std::", "recursive_timed_mutex"),
    SCOPED("std::", "shared_mutex"),
    SCOPED("std::", "shared_timed_mutex"),
    SCOPED("std::", "condition_variable"),
    SCOPED("std::", "condition_variable_any"),
    SCOPED("std::", "once_flag"),
    SCOPED("std::", "latch"),
    SCOPED("std::", "barrier"),
    SCOPED("std::", "counting_semaphore"),
    SCOPED("std::sync::", "Mutex"),
    SCOPED("std::sync::", "RwLock"),
    SCOPED("std::sync::", "Condvar"),
    SCOPED("std::sync::", "Barrier"),
    SCOPED("std::sync::", "Once"),
    SCOPED("std::sync::", "OnceLock"),
    SCOPED("std::sync::", "LazyLock"),
    SCOPED("tbb::", "mutex"),
    SCOPED("tbb::", "rw_mutex"),
    SCOPED("tbb::", "spin_mutex"),
    SCOPED("tbb::", "spin_rw_mutex"),
    SCOPED("tbb::", "queuing_mutex"),
    SCOPED("tbb::", "queuing_rw_mutex"),
    SCOPED("tbb::", "speculative_spin_mutex"),
    SCOPED("boost::", "mutex"),
    SCOPED("boost::", "timed_mutex"),
    SCOPED("boost::", "recursive_mutex"),
    SCOPED("boost::", "shared_mutex"),
    SCOPED("boost::", "condition_variable"),
};

/* Up to what stands in brackets: of a template, a generic type. */
static bool is_called(const char *name, const char *wanted)
{
	const size_t length = strlen(wanted);
	return strncmp(name, wanted, length) == 0 && (name[length] == 0 || name[length] == '<');
}

/* The type's own name, or one of its typedefs' on the way; *at is what has it. */
static const struct kind *find(Dwarf_Die *type, Dwarf_Die *at)
{
	*at = *type;
	for (;;) {
		const int tag = dwarf_tag(at);
		const char *name = dwarf_diename(at);
		for (size_t i = 0; name && i < sizeof kinds / sizeof kinds[0]; i++)
			if (is_called(name, kinds[i].name))
				return &kinds[i];
		if ((tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type) ||
		    !type_of(at, at))
			return NULL;
	}
}

const char *lock_kind(Dwarf_Die *type)
{
	Dwarf_Die at;
	char scope[256];
	struct text text = {.at = scope, .room = sizeof(scope)};
	const struct kind *kind = find(type, &at), *end = kinds + sizeof kinds / sizeof kinds[0];
	if (!kind)
		return NULL;
	scope[0] = 0;
	type_scopes(&text, &at);
	for (const char *name = dwarf_diename(&at); kind < end; kind++)
		if (is_called(name, kind->name) && strncmp(scope, kind->scope, strlen(kind->scope)) == 0 &&
		    (*kind->scope || !*scope))
			return kind->word;
	return NULL;
}
