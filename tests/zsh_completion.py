#!/usr/bin/python3
"""zsh_completion.py FOLDER: for each line of standard input, a command line, ask zsh with FOLDER in its fpath how it goes on there, and
print a line: the command line, a tab, the matches with blanks between them."""
import os
import pty
import sys

# Matches aren't shown but told: compadd is asked for those that it would add.
SETUP = r"""
unsetopt zle_bracketed_paste prompt_cr prompt_sp; PS1= PS2=
fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; zstyle ':completion:*' verbose no
compadd() {
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
	typeset -g -a told; local -a matches; builtin compadd -A matches -D matches "$@"; told+=("${matches[@]}"); builtin compadd "$@"
}
ask() { told=(); zle complete-word; print -r -- "<""<${(j: :)told}>"">"; BUFFER= }
zle -C complete-word complete-word _main_complete; zle -N ask; bindkey '^T' ask; print "<""<ready>"">"
"""

master, slave = pty.openpty()
pid = os.fork()
if pid == 0:
    os.close(master)
    os.setsid()
    for descriptor in 0, 1, 2:
        os.dup2(slave, descriptor)
    os.environ["TERM"] = "dumb"
    os.execvp("zsh", ["zsh", "-f", "-i"])
os.close(slave)


def told():
    """What is between the next << and >>."""
    text = b""
    while b">>" not in text:
        text += os.read(master, 4096)
    return text[text.rindex(b"<<") + 2 : text.index(b">>")].decode()


for line in SETUP.strip().splitlines():
    os.write(master, (line % sys.argv[1] if "%s" in line else line).encode() + b"\n")
told()
for line in sys.stdin.read().splitlines():
    os.write(master, line.encode() + b"\x14")
    print(line + "\t" + told().replace("\r\n", " "))
os.close(master)
