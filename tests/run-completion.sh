#!/bin/bash
# Completion in bash and zsh: what is offered are the options of each command, and the words that are their values.
. tests/lib.sh
COMMANDS='check run replay show minimize certificate gdb gdbserver export attach core merge completion'

# options COMMAND: those that its help names, with their letters.
options() {
	"$FMC" help "$1" | sed -nE 's/^  (    |(-.), )(--[a-z-]+).*/\2 \3/p' | tr -s ' \n' '\n' | sed '/^$/d' | sort -u
}

# offered LINE: how bash goes on at the end of this command line; a word that is typed begins like all matches. As bash has the line
# taken apart: = and : are words of their own.
offered() {
	bash --norc -c '
		. "$1"
		line=${2//=/ = }
		read -r -a COMP_WORDS <<<"${line//:/ : }"
		[[ $2 != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$2 COMP_POINT=${#2}
		_fmc
		[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' bash "$SCRATCH/fmc.bash" "$1"
}

# goes_on LINE WORD...: these are offered, and no others.
goes_on() {
	local line=$1
	shift
	offered "$line" | sort >"$SCRATCH/out"
	judge "bash: '$line'" cmp -s "$SCRATCH/out" <([ $# -eq 0 ] || printf '%s\n' "$@" | sort)
}

"$FMC" completion bash >"$SCRATCH/fmc.bash"
judge "the script for bash is one" bash -n "$SCRATCH/fmc.bash"
bash --norc -c '. "$1"; complete -p fmc' bash "$SCRATCH/fmc.bash" >"$SCRATCH/out"
says "bash is told of it" '^complete -F _fmc fmc$'
for command in $COMMANDS; do
	options $command >"$SCRATCH/options"
	offered "fmc $command -" | grep -vx -- -- | sort >"$SCRATCH/out"
	judge "bash: every option of fmc $command" [ -s "$SCRATCH/options" -a -z "$(diff "$SCRATCH/options" "$SCRATCH/out")" ]
done

goes_on 'fmc ch' check
goes_on 'fmc c' check certificate core completion
goes_on 'fmc --v' --version
goes_on 'fmc help at' attach
goes_on 'fmc completion ' bash zsh
goes_on 'fmc check --timeouts ' any ordered
goes_on 'fmc check --timeouts=' any ordered
goes_on 'fmc check --timeouts=o' ordered
goes_on 'fmc check --strategy p' pct pos
goes_on 'fmc check --strategy pct:3 --see' --seed
goes_on 'fmc check --wakeup cond=fifo --wakeup mutex=lifo --see' --seed
goes_on 'fmc check --wakeup=cond=fifo --see' --seed
goes_on 'fmc check --seed 3 --see' --seed
goes_on 'fmc check --seed '
goes_on 'fmc merge README.m' README.md
goes_on 'fmc merge LICENSE README.m' README.md
goes_on 'fmc check --json README.m' README.md
goes_on 'fmc check -o README.m' README.md
goes_on 'fmc check --color a' auto always
goes_on 'fmc check samples/once.c READ' README.md
goes_on 'fmc check -- samples/onc' samples/once.c
goes_on 'fmc check samples/once.c --see'
goes_on 'fmc replay --lo' --loose
goes_on 'fmc show a.sched --form' --format
goes_on 'fmc gdb a.sched --loo'
judge "bash: a program of PATH" grep -qx sleep <(offered 'fmc check slee')
judge "bash: a process" grep -qx $$ <(offered "fmc attach $$")
: >"$SCRATCH/a.sched"
: >"$SCRATCH/a.text"
mkdir "$SCRATCH/a.folder"
goes_on "fmc replay $SCRATCH/a" "$SCRATCH/a.sched" "$SCRATCH/a.folder"

mkdir "$SCRATCH/functions"
"$FMC" completion zsh >"$SCRATCH/functions/_fmc"
if command -v zsh >/dev/null; then
	judge "the script for zsh is one" zsh -n "$SCRATCH/functions/_fmc"
	{
		printf 'fmc %s -\n' $COMMANDS
		printf 'fmc %s\n' '' 'check --timeouts ' 'check --timeouts=o' 'check --strategy p' 'check samples/onc' 'check slee' 'help at' \
		    'completion '
	} | timeout -k 10 600 python3 tests/zsh_completion.py "$SCRATCH/functions" >"$SCRATCH/zsh"
	for command in $COMMANDS; do
		sed -n "s/^fmc $command -\t//p" "$SCRATCH/zsh" | tr ' ' '\n' | grep -vxE -- '-?' | sort -u >"$SCRATCH/out"
		judge "zsh: every option of fmc $command" [ -z "$(diff <(options $command) "$SCRATCH/out")" ]
	done
	cp "$SCRATCH/zsh" "$SCRATCH/out"
	says "zsh: commands" $'^fmc \tcheck run replay .*'
	says "zsh: values" $'^fmc check --timeouts \tany ordered$' $'^fmc check --timeouts=o\tordered$' $'^fmc check --strategy p\tpct pos$'
	says "zsh: a program's file" $'^fmc check samples/onc\t.*once\.c'
	says "zsh: a program of PATH" $'^fmc check slee\t.*sleep'
	says "zsh: what else words are" $'^fmc help at\t.*attach' $'^fmc completion \tbash zsh$'
else
	skip "zsh isn't installed"
fi
finish
