/* Both orders, or with `ordered` the same one. */
void spin_lock(int i);
void spin_unlock(int i);
#ifdef ordered
#define lock(i) spin_lock((i) == first_is(first))
#define unlock(i) spin_unlock((i) == first_is(first))
#define first_is(first) ((first) != NULL)
#else
#define lock spin_lock
#define unlock spin_unlock
#endif
#include "both.h"
int main(void)
{
	return cross();
}
