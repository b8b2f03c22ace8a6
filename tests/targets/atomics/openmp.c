/* OpenMP's locks. */
#include <omp.h>
int main(void)
{
	omp_lock_t locks[2];
	omp_init_lock(&locks[0]);
	omp_init_lock(&locks[1]);
#pragma omp parallel num_threads(2)
	{
		int i = omp_get_thread_num();
		omp_set_lock(&locks[i]);
		omp_set_lock(&locks[!i]);
		omp_unset_lock(&locks[!i]);
		omp_unset_lock(&locks[i]);
	}
	return 0;
}
