#include "tracer/answers/answers.h"

const struct answers answers = {
    .answer = emulate_syscall,
    .outside = outside_call,
    .before_call = numbers_before_call,
    .after_call = numbers_after_call,
    .at_birth = numbers_at_birth,
    .at_exit = numbers_at_exit,
    .at_signal = numbers_of_sender,
    .before_childs_call = numbers_before_childs_call,
};
