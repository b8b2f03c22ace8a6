/* Qt's. */
#include <QMutex>
static QMutex locks[2];
#define lock(i)	  locks[i].lock()
#define unlock(i) locks[i].unlock()
#include "both.h"
int main()
{
	return cross();
}
