#!/bin/bash
# What is to hold of every state (--always, --never) and to come about (--ltl): found, told with its values, kept in schedules, and seen under
# reduction. Bad expressions are told with their column.
. tests/lib.sh

# ends STATUS COMMAND...: its output in $SCRATCH/out.
ends() {
	local wanted=$1
	shift
	timeout -k 10 150 "$@" </dev/null >"$SCRATCH/out" 2>&1
	[ $? -eq "$wanted" ] || { show "$SCRATCH/out" && false; }
}

ACCOUNTS=$BUILD/targets/accounts
# checks STATUS OPTION...: the same of a search.
checks() {
	local wanted=$1
	shift
	rm -f "$SCRATCH/a.sched"
	ends "$wanted" "$FMC" check --json "$SCRATCH/result.json" -o "$SCRATCH/a.sched" "$@"
}

field() {
	"$BUILD/tests/json" "$SCRATCH/result.json" "$1"
}

SUM='accounts[0].balance + accounts[1].balance == 200'
judge "money on its way is missed" checks 1 --always "$SUM" -- "$ACCOUNTS"
says "and told" "^invariant: after transition [0-9]+, T2 mutex_lock lock, '.*' is false: accounts\[0\].balance = 90, accounts\[1\].balance = 100" \
    'replayed twice with the same result' 'The default schedule fails so'
judge "the kind is for programs, too" [ "$(field findings.0.kind)" = invariant ]
judge "the schedule keeps what was to hold" grep -qFx "property always $SUM" "$SCRATCH/a.sched"
judge "and how it ended" grep -qx 'end violated 1 T2' "$SCRATCH/a.sched"
judge "it replays" ends 0 "$FMC" replay "$SCRATCH/a.sched"
says "as recorded" 'Replayed [0-9]+ transitions: invariant as recorded'
judge "it is shown" ends 0 "$FMC" show "$SCRATCH/a.sched"
says "with what was seen" 'invariant: after transition'
judge "GDB stands where it doesn't hold" ends 0 "$FMC" gdb -q --batch -ex 'print accounts[0].balance' "$SCRATCH/a.sched"
says "and shows the value" '^\$1 = 90'
sed "s/^property always .*/property always accounts[0].balance > 0/" "$SCRATCH/a.sched" >"$SCRATCH/other.sched"
judge "without what was to hold it has another end" ends 1 "$FMC" replay "$SCRATCH/other.sched"
sed "s/^property .*/property sometimes 1/" "$SCRATCH/a.sched" >"$SCRATCH/other.sched"
judge "a schedule with an unknown property is refused" ends 65 "$FMC" replay "$SCRATCH/other.sched"
says "with its line" 'other.sched:[0-9]+: expected what is to hold'
judge "an operator's last state counts" checks 1 --never 'exited(T2) && exited(T3)' -- "$ACCOUNTS"
says "with whose it was" "T3 [a-z_]+.*, 'exited\(T2\) && exited\(T3\)' is true"
judge "a random failure is cut down" checks 1 --strategy random --seed 5 --never 'moved == 2 && accounts[0].balance < 90' -- "$ACCOUNTS"
judge "two workers find it" checks 1 --jobs 2 --strategy dfs --never 'moved == 2' -- "$ACCOUNTS"
judge "each that doesn't hold is told once" checks 1 --all --strategy dfs --always 'moved < 1' --always 'moved < 2' -- "$ACCOUNTS"
judge "which are as many" [ "$(grep -c '^invariant:' "$SCRATCH/out")" -eq 1 ]

# What holds is seen in fewer executions than there are, and the result is said to be for states between transitions.
for strategy in dfs source optimal cb; do
	judge "$strategy: what holds does" checks 0 --require-complete --strategy $strategy \
	    --always 'accounts[0].balance >= 70 && (moved > 0 || accounts[1].balance == 100)' -- "$ACCOUNTS"
	says "$strategy: and is told" '^No failure found' 'looked at between two transitions'
	judge "$strategy: what doesn't is found" checks 1 --strategy $strategy --never 'moved == 1 && holds(T3, lock)' -- "$ACCOUNTS"
	judge "$strategy: through an index as well" checks 1 --strategy $strategy --always 'accounts[moved].balance < 120' -- "$ACCOUNTS"
done

# Every kind of variable: whatever holds from the first state to the last.
while read -r expression; do
	judge "holds: $expression" checks 0 --strategy dfs --always "$expression" -- "$ACCOUNTS"
done <<'X'
head->next->value == 2 && head->next->next == 0
(*head).value == 1 && &first == head && !bytes
letter == 'a' && accounts[0].rate == 1.5 && accounts[1].rate < 0.75f
state == IDLE || state == DONE
accounts.c::which <= 1 && 'accounts.c'::which >= 0
accounts[1].tries <= 2 && accounts[1].frozen == 0
table[1][2] == 0 || table[1][2] >= 10L
move::calls <= 2 && calls >= 0
level == -3 && (unsigned char)level == 253 && flag
*(signed char *)&level == -3
!waits(T1, lock) && !at(T1, move)
((struct list *)&first)->next->value == 2 && (enum state)7 == DONE && *&level == -3
!T1::mine
X

# Formulas: of states that come about, or don't, in executions that end and in those that go round for ever.
STARVES=$BUILD/samples/writer_starves
judge "a writer that starves is a loop" ends 1 "$FMC" check --seed 1 --json "$SCRATCH/result.json" -o "$SCRATCH/w.sched" \
    --prop wants='wants == 1' --ltl 'G (wants -> F {wrote == 1})' -- "$STARVES"
says "with its transitions" "^ltl: 'G \(wants -> F \{wrote == 1\}\)' isn't fulfilled while transitions ([0-9]+) to [0-9]+ repeat for ever" \
    'repeats for ever from transition'
judge "the schedule keeps formula and proposition" grep -qFx 'property ltl G (wants -> F {wrote == 1})' "$SCRATCH/w.sched"
judge "as they were given" grep -qFx 'property prop wants=wants == 1' "$SCRATCH/w.sched"
judge "and that it is a loop" grep -qE '^end unfulfilled-loop [0-9]+$' "$SCRATCH/w.sched"
judge "it replays" ends 0 "$FMC" replay "$SCRATCH/w.sched"
judge "and goes on for ever" ends 0 "$FMC" replay --rounds 20 "$SCRATCH/w.sched"
says "with the same state each time" 'Went round transitions [0-9]+ to [0-9]+ 20 more times: each time all memory'
judge "one that ends" checks 1 --strategy dfs --always 'moved < 1' -- "$ACCOUNTS"
judge "doesn't" ends 0 "$FMC" replay --rounds 2 "$SCRATCH/a.sched"
says "as is told" 'there is no loop to go round'
judge "it is drawn" ends 0 "$FMC" show --no-replay --format html -o "$SCRATCH/w.html" "$SCRATCH/w.sched"
judge "GDB follows it to its end" ends 0 "$FMC" gdb -q --batch -ex 'print wants' -ex 'print wrote' "$SCRATCH/w.sched"
says "where nothing has come about" '^\$1 = 1' '^\$2 = 0'
sed '/^property prop/d' "$SCRATCH/w.sched" >"$SCRATCH/other.sched"
judge "a name without a meaning is told" ends 65 "$FMC" replay "$SCRATCH/other.sched"
says "with its column" "--ltl 'G \(wants -> F \{wrote == 1\}\)', column 4: there is no proposition 'wants'"
judge "a cycle that the formula allows is no failure" ends 0 "$FMC" check --strategy random --seed 1 --executions 30 \
    --ltl 'G {wants <= 1}' -- "$STARVES"
says "but nothing is complete" "The search isn't complete" 'cycles that go on for ever, as the formulas allow'
cat >"$SCRATCH/serve.c" <<'X'
#include <pthread.h>
#include <sched.h>
int turn;
static void *serve(void *unused)
{
	for (;;) {
		turn = !turn;
		sched_yield();
	}
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, serve, NULL);
	pthread_join(thread, NULL);
	return 0;
}
X
"${CC:-cc}" -g -O1 -pthread "$SCRATCH/serve.c" -o "$SCRATCH/serve" || exit 1
for strategy in auto dfs optimal; do
	judge "$strategy: unless all states were come to" ends 0 "$FMC" check --strategy $strategy --require-complete \
	    --ltl 'G (F {turn == 0} && F {turn == 1})' -- "$SCRATCH/serve"
done
judge "and what no cycle fulfils" ends 1 "$FMC" check --strategy dfs -o "$SCRATCH/serve.sched" --ltl 'F G {turn == 0}' -- "$SCRATCH/serve"
judge "what doesn't come about before the end" checks 1 --strategy dfs --ltl 'F {moved == 3}' -- "$ACCOUNTS"
says "is told then" "isn't fulfilled when the program ends: moved == 3 is false"
judge "what can't come about any more" checks 1 --strategy dfs --ltl '{moved == 0} U {accounts[0].balance == 90}' -- "$ACCOUNTS"
says "is told at once" "can't be fulfilled any more: "
for strategy in dfs optimal cb; do
	judge "$strategy: what comes about in every order" checks 0 --require-complete --strategy $strategy --prop both='exited(T2) && exited(T3)' \
	    --ltl 'F both && G (both -> {moved == 2}) && {moved == 0} U {moved == 1}' -- "$ACCOUNTS"
	says "$strategy: what commutes is told" 'between two transitions \(independent ones change nothing of it\)'
	judge "$strategy: and what doesn't" checks 1 --strategy $strategy --ltl 'F {table[1][2] == 10} -> G !{table[1][2] == 20}' -- "$ACCOUNTS"
	judge "$strategy: with the next state" checks 1 --strategy $strategy --ltl 'G ({moved == 1} -> X {moved == 2})' -- "$ACCOUNTS"
	judge "$strategy: which holds" checks 0 --require-complete --strategy $strategy --ltl 'G ({moved == 1} -> X {moved >= 1})' -- "$ACCOUNTS"
	says "$strategy: in all orders, as is told" 'between two transitions \(with X in a formula none are independent\)'
	judge "$strategy: nothing has been left out" [ "$(field reduced)" = false ]
done
judge "a name that isn't one" ends 64 "$FMC" check --ltl 'F x' -- "$ACCOUNTS"
says "is told" "^fmc: --ltl 'F x', column 3: there is no proposition 'x'"
judge "a formula that isn't one" ends 64 "$FMC" check --ltl 'F (x' -- "$ACCOUNTS"
says "is told, too" "column 5: '\)' is expected"
judge "a formula that is too large" ends 64 "$FMC" check --ltl "!(true $(printf ' && F {moved == %d}' {1..13}))" -- "$ACCOUNTS"
says "is told with what to do" 'column 1: its automaton would have more than [0-9]+ states: '
judge "an expression in it that isn't one" ends 64 "$FMC" check --ltl 'F {moved = 1}' -- "$ACCOUNTS"
says "is told with its column" "column 10: '=' would change"
judge "a variable that there isn't" checks 64 --strategy dfs --ltl 'F {mved == 1}' -- "$ACCOUNTS"
says "is told where it is" "^fmc: --ltl, in 'mved == 1', column 1: there is no variable 'mved'; did you mean 'moved'"
judge "what a formula leaves is no part of a state" ends 64 "$FMC" check --strategy dfs --prune-states --ltl 'F {moved == 1}' -- "$ACCOUNTS"
says "as is told" '^fmc: --prune-states and --ltl'
judge "nor what chosen variables leave out" ends 64 "$FMC" check --strategy dfs --prune-states --state moved --always 'which < 2' -- "$ACCOUNTS"
judge "what holds of a state holds of equal ones" checks 1 --strategy dfs --prune-states --never 'moved == 2 && table[1][2] == 10' -- "$ACCOUNTS"
judge "a proposition without an expression" ends 64 "$FMC" check --prop G=moved -- "$ACCOUNTS"
says "is refused" '--prop needs NAME=EXPRESSION'

# Whenever a thread comes to a place: line TEXT, the number of the line of a target that says it.
line() {
	grep -nF "$2" "tests/targets/$1" | head -n 1 | cut -d : -f 1
}
SPOTS=$BUILD/targets/spots
DEPOSIT=spots.c:$(line spots.c '/* deposit */')
judge "what doesn't hold at a line is found" checks 1 --assert-at "$DEPOSIT" 'share < 0.5 || amount < 4' -- "$SPOTS"
says "and told with place and values" \
    "^invariant: after transition [0-9]+, T[23] mutex_lock lock, at $DEPOSIT, 'share < 0.5 .*' is false: share = 0.5, amount = [0-9]+" \
    "^T[23] work: came to where this doesn't hold; holds lock" "  deposit  spots.c:${DEPOSIT#*:}" 'replayed twice with the same result'
judge "the schedule keeps it" grep -qFx "property assert-at $DEPOSIT share < 0.5 || amount < 4" "$SCRATCH/a.sched"
judge "it replays" ends 0 "$FMC" replay "$SCRATCH/a.sched"
says "as recorded" 'Replayed [0-9]+ transitions: invariant as recorded'
judge "GDB stands at the line, before it is executed" ends 0 "$FMC" gdb -q --batch -ex 'print amount >= 4 && share >= 0.5' -ex 'info line *$pc' "$SCRATCH/a.sched"
says "with its variables" '^\$1 = 1' "^Line ${DEPOSIT#*:} of .*spots.c. starts at"
judge "two workers find it" checks 1 --jobs 2 --strategy dfs --assert-at "$DEPOSIT" 'total < 8' -- "$SPOTS"
judge "one word will do" checks 1 --assert-at "$DEPOSIT total < 8" -- "$SPOTS"
for level in O0 O2; do
	judge "$level: parameters and locals" checks 0 --strategy source --granularity sync --assert-at "$DEPOSIT" \
	    'amount >= 4 && share >= 0 && pair->first > 0 && holds(self, lock) && rounds <= 4' -- "$SPOTS.$level"
	judge "$level: that don't hold" checks 1 --strategy source --assert-at "$DEPOSIT" 'share < 0.5' -- "$SPOTS.$level"
	judge "$level: what is thread-local is the thread's own" checks 1 --strategy source \
	    --assert-at "spots.c:$(line spots.c '/* rounds */')" 'rounds < 3' -- "$SPOTS.$level"
done
# Under reduction what is looked at in the middle of transitions orders them; of all that there is nothing is left out.
OTHER=spots.c:$(line spots.c '/* call */')
for strategy in dfs source optimal cb; do
	judge "$strategy: what others have changed is seen" checks 1 --strategy $strategy --granularity sync --assert-at "$OTHER" 'pair.first != 2 || i != 0 || total != 8' -- "$SPOTS"
	judge "$strategy: and what never is" checks 0 --strategy $strategy --granularity sync --assert-at "$OTHER" 'pair.first != 2 || i != 1 || total >= 6' -- "$SPOTS"
done
judge "of code put in line each copy counts" checks 1 --assert-at "spots.c:$(line spots.c '/* twice */')" 'number < 2' -- "$SPOTS"
judge "the beginning of the program, too" checks 1 --assert-at "spots.c:$(line spots.c '/* begin */')" 'i > 0' -- "$SPOTS"
says "where nothing has happened yet" '^invariant: before the first transition, at '
NEVER=spots.c:$(line spots.c '/* never */')
judge "where nobody comes nothing is wrong" checks 0 --granularity sync --assert-at "$NEVER" 'total < 0' -- "$SPOTS"
says "and nothing was looked at, as is told" "^No thread came to $NEVER in any execution: 'total < 0' was never looked at there"
judge "in JSON, too" [ "$(field unreached.0)" = "$NEVER" ]
judge "a function is a place" checks 1 --assert-at deposit 'amount < 4' -- "$SPOTS"
strip --strip-debug -o "$SCRATCH/spots" "$SPOTS"
judge "or an instruction of it, without debug information" checks 1 --assert-at deposit+0 'total < 8' -- "$SCRATCH/spots"
judge "where lines aren't known" checks 64 --assert-at "$DEPOSIT" 'total < 8' -- "$SCRATCH/spots"
says "as is told" 'the program has no debug information of lines'
judge "a line without code" checks 64 --assert-at spots.c:3 'total' -- "$SPOTS"
says "is told with the nearest that have" "^fmc: --assert-at spots.c:3: line 3 of spots.c has no code; the first that has is [0-9]+$"
judge "one between others" checks 64 --assert-at "spots.c:$(line spots.c '/* nothing */')" 'total' -- "$SPOTS"
says "with both" 'has no code; the nearest that have are [0-9]+ and [0-9]+$'
judge "a file that there isn't" checks 64 --assert-at spot.c:3 'total' -- "$SPOTS"
says "with what was meant" "there is no code of a file 'spot.c'; did you mean 'spots.c'"
judge "a place that isn't one" ends 64 "$FMC" check --assert-at spots.c:x 'total' -- "$SPOTS"
says "is told with what there is" 'a place is FILE:LINE, FUNCTION, FUNCTION\+0x12 or 0xADDRESS'
judge "the middle of an instruction" checks 64 --assert-at deposit+1 'total' -- "$SPOTS"
says "is none" 'no instruction of the program begins at'
judge "a place without an expression" ends 64 "$FMC" check --assert-at spots.c:12
says "is refused" 'needs an expression after the place'

# What C++ has names for.
CXX=$BUILD/targets/spots_cxx
TAKEN=spots_cxx.cc:$(line spots_cxx.cc '// taken')
while read -r expression; do
	judge "at its place: $expression" checks 1 --granularity sync --strategy source --assert-at "$TAKEN" "$expression" -- "$CXX"
done <<'X'
mine > 70
balance > 70 && this->serial == 7
state != State::BUSY
state != bank::State::IDLE && count < 2
taken < 20
all < 2
X
while read -r expression; do
	judge "between two transitions: $expression" checks 1 --granularity sync --strategy source --always "$expression" -- "$CXX"
done <<'X'
bank::Counted::all < 2
bank::shared.count < 2 && Counted::all >= 0
bank::account.Counted::count < 2
((bank::Account *)bank::counted)->serial == 7 && ((Account *)bank::counted)->balance > 70
bank::Counted::MOST == 5 && bank::HIGH == 4 && account.count < 1
exited(T2) || T2::taken < 5
X
judge "a pointer to a base is another one" checks 0 --granularity sync --strategy source \
    --always 'bank::counted == (bank::Counted *)&bank::account && (long)bank::counted != (long)&bank::account' -- "$CXX"

# refuses COLUMN WHAT EXPRESSION: a bad expression, before anything is searched.
refuses() {
	judge "refused: $3" checks 64 --strategy dfs --always "$3" -- "$ACCOUNTS"
	says "says where: $3" "^fmc: --always '.*', column $1: $2"
}
refuses 5 "there is no variable 'mved'; did you mean 'moved'\\?" '1 + mved'
refuses 13 "'accounts\[0\]' has no member 'blance'; it has balance" 'accounts[0].blance == 1'
refuses 7 "'table' has the elements 0 to 1" 'table[2][0] == 0'
refuses 1 "'mine' is thread-local: T2::mine is that of T2" 'mine == 0'
refuses 1 "'moved' isn't thread-local" 'T2::moved == 0'
refuses 1 "'amount' is a local variable of move" 'amount != 0'
refuses 2 "there is no type 'lst'" '(lst *)head == 0'
refuses 9 "'list' is a structure" '(struct list)head == 0'
refuses 1 "'self' is the thread that comes to a place" 'holds(self, lock)'
refuses 8 "there is no function 'mve'; did you mean 'move'\\?" 'at(T2, mve)'
refuses 8 'line 3 of accounts.c has no code' 'at(T2, accounts.c:3)'
refuses 1 "'accounts' is an array" 'accounts == 0'
refuses 1 "'\*head' is a structure" '*head == 1'
refuses 7 "'=' would change the program" 'moved = 1'
refuses 1 'foo\(\) would be a call' 'foo(1)'
refuses 8 "'moved' is no pointer" 'moved->next == 0'
refuses 6 "'head' is a pointer: its members are after '->'" 'head.value == 1'
finish
