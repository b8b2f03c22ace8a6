/* Locks of a library that is linked. */
void spin_lock(int i);
void spin_unlock(int i);
#define lock spin_lock
#define unlock spin_unlock
#include "both.h"
int main(void)
{
	return cross();
}
