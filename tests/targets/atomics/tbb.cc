/* TBB's. */
#include <tbb/spin_mutex.h>
static tbb::spin_mutex locks[2];
#define lock(i)	  locks[i].lock()
#define unlock(i) locks[i].unlock()
#include "both.h"
int main()
{
	return cross();
}
