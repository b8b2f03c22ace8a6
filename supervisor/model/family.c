/* The table of families. */
#include "supervisor/state/family.h"
#include "supervisor/memory/memory.h"
#include "supervisor/model/families.h"
#include "supervisor/objects/objects.h"
#include "supervisor/threads/threads.h"

static const struct family *const families[CLASS_ALL] = {
    [CLASS_NONE] = &family_other,
    [CLASS_THREAD] = &family_thread,
    [CLASS_MUTEX] = &family_mutex,
    [CLASS_COND] = &family_cond,
    [CLASS_RWLOCK] = &family_rwlock,
    [CLASS_BARRIER] = &family_barrier,
    [CLASS_SPIN] = &family_spin,
    [CLASS_ONCE] = &family_once,
    [CLASS_SEM] = &family_sem,
    [CLASS_FUTEX] = &family_futex,
    [CLASS_MEMORY] = &family_memory,
    [CLASS_PIPE... CLASS_SOCKET] = &family_kernel,
    [CLASS_FILE_LOCK... CLASSES - 1] = &family_tried,
    [CLASS_USER... CLASS_ALL - 1] = &family_user,
};

const struct family *family_of(enum object_class class)
{
	return families[class];
}
