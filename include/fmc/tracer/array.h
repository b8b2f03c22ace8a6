#ifndef FMC_TRACER_ARRAY_H
#define FMC_TRACER_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>

/*
 * Arrays that grow. `at` and `room` are variables; all three macros are false without memory, and then nothing has changed.
 *
 * ARRAY_RESERVE: room for `wanted` elements, of which there is for `room` now (0 at first); it doubles.
 * ARRAY_GROW: room for one more than `length`, the same way.
 * ARRAY_ONE_MORE: an array without a room of its own, of exactly `length` elements, gets one more.
 * ARRAY_DOUBLE: an array without a room of its own that has grown by this alone has room for one more than `length`.
 */
#define ARRAY_RESERVE(at, wanted, room)                                                                      \
	({                                                                                                   \
		const __typeof__((room) + 0) wanted_ = (wanted);                                             \
		__typeof__((room) + 0) larger_ = (room) ? (room) : 8;                                        \
		while (larger_ < wanted_)                                                                    \
			larger_ *= 2;                                                                        \
		const bool fits_ = wanted_ <= (room);                                                        \
		void *moved_ = fits_ ? NULL : reallocarray((at), larger_, sizeof *(at));                     \
		if (moved_) {                                                                                \
			(at) = moved_;                                                                       \
			(room) = larger_;                                                                    \
		}                                                                                            \
		fits_ || moved_;                                                                             \
	})

#define ARRAY_GROW(at, length, room) ARRAY_RESERVE(at, (length) + 1, room)

#define ARRAY_ONE_MORE(at, length)                                                                           \
	({                                                                                                   \
		void *moved_ = reallocarray((at), (size_t)(length) + 1, sizeof *(at));                       \
		if (moved_)                                                                                  \
			(at) = moved_;                                                                       \
		moved_ != NULL;                                                                              \
	})

#define ARRAY_DOUBLE(at, length)                                                                             \
	(((length) & ((length)-1)) != 0 || ({                                                                \
		 void *moved_ = reallocarray((at), (length) ? 2 * (size_t)(length) : 1, sizeof *(at));       \
		 if (moved_)                                                                                 \
			 (at) = moved_;                                                                      \
		 moved_ != NULL;                                                                             \
	 }))

#endif
