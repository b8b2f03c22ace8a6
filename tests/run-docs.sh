#!/bin/bash
# Manual pages: well formed, and they name every option that the commands have.
. tests/lib.sh

for page in man/*.[1357]; do
	if command -v mandoc >/dev/null; then
		mandoc -T lint -W warning "$page" >"$SCRATCH/lint"
		judge "$page is well formed" [ ! -s "$SCRATCH/lint" ]
		show "$SCRATCH/lint"
	else
		skip "$page: no mandoc"
	fi
done
for command in check run replay show minimize certificate gdb gdbserver export attach core merge; do
	options=$("$FMC" help $command | grep -oE -- '--[a-z][a-z-]+' | sort -u)
	[ -n "$options" ] || fail "fmc help $command names no option"
	for option in $options; do
		grep -Eq "^\.(It|Op) .*Fl -${option#--}( |\$)" man/fmc-$command.1
		judge "fmc-$command(1) describes $option" [ $? -eq 0 ]
	done
	for option in $(grep -oE '^\.It .*Fl -[a-z-]+' man/fmc-$command.1 | grep -oE 'Fl -[a-z-]+' | sed 's/Fl /-/'); do
		grep -q -- "$option" <<<"$options"
		judge "fmc $command has $option" [ $? -eq 0 ]
	done
done
finish
