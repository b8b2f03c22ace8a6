/* Completion in bash. It needs nothing but bash itself. */
#include "supervisor/cli/options/completion.h"

static const char beginning[] =
    "# Completion of fmc's command lines in bash; made by: fmc completion bash\n"
    "\n"
    "# Those of these words that begin like the present one.\n"
    "_fmc_words() {\n"
    "	mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "# Files, only those of a pattern if there is one, and folders.\n"
    "_fmc_files() {\n"
    "	compopt -o filenames 2>/dev/null\n"
    "	mapfile -t COMPREPLY < <(\n"
    "		if [ $# -gt 0 ]; then\n"
    "			compgen -f -X \"!$1\" -- \"$cur\"\n"
    "			compgen -d -- \"$cur\"\n"
    "		else\n"
    "			compgen -f -- \"$cur\"\n"
    "		fi\n"
    "	)\n"
    "}\n"
    "\n"
    "_fmc_programs() {\n"
    "	_fmc_files\n"
    "	[[ $cur == */* ]] || mapfile -O ${#COMPREPLY[@]} -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
    "}\n"
    "\n"
    "# The user's, by number and by name.\n"
    "_fmc_processes() {\n"
    "	_fmc_words \"$(ps -u \"$(id -u)\" -o pid= -o comm= 2>/dev/null)\"\n"
    "}\n"
    "\n";

/* bash makes words of their own of '=' and ':', wherever they are. */
static const char walk[] =
    "	# Which option's value is being typed, if one's is; whether options are over, and how many words are "
    "none.\n"
    "	for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "		word=${COMP_WORDS[i]}\n"
    "		if [[ -n $ended || $word != -?* ]]; then\n"
    "			operands=$((operands + 1))\n"
    "			[[ $command != @(check|run|gdb) ]] || ended=yes\n"
    "		elif [ \"$word\" = -- ]; then\n"
    "			ended=yes\n"
    "		elif [[ $valued == *\" $word \"* ]]; then\n"
    "			i=$((i + 1))\n"
    "			if [ \"${COMP_WORDS[i]}\" = = ]; then\n"
    "				[ $i -lt $COMP_CWORD ] || cur=\n"
    "				i=$((i + 1))\n"
    "			fi\n"
    "			[ $i -lt $COMP_CWORD ] || option=$word\n"
    "			while [[ $((i + 1)) -lt $COMP_CWORD && ${COMP_WORDS[i + 1]} == [=:] ]]; do\n"
    "				i=$((i + 2))\n"
    "			done\n"
    "			[ $i -lt $COMP_CWORD ] || [ -n \"$option\" ] || return\n"
    "		fi\n"
    "	done\n";

/* By command: what the words that are no options are. */
static const char operands[] =
    "	if [[ -z $ended && $cur == -* ]]; then\n"
    "		_fmc_words \"$options --\"\n"
    "		return\n"
    "	fi\n"
    "	case $command in\n"
    "	check | run) if [ $operands -eq 0 ]; then _fmc_programs; else _fmc_files; fi ;;\n"
    "	gdb) if [ $operands -eq 0 ]; then _fmc_files '*.sched'; else _fmc_files; fi ;;\n"
    "	replay | show | minimize | gdbserver | export) [ $operands -gt 0 ] || _fmc_files '*.sched' ;;\n"
    "	certificate) [ $operands -gt 0 ] || _fmc_files ;;\n"
    "	merge) _fmc_files ;;\n"
    "	attach) [ $operands -gt 0 ] || _fmc_processes ;;\n"
    "	core) [ $operands -gt 1 ] || _fmc_files ;;\n"
    "	completion) [ $operands -gt 0 ] || _fmc_words 'bash zsh' ;;\n"
    "	help) [ $operands -gt 0 ] || _fmc_words \"$commands\" ;;\n"
    "	esac\n";

static void print_commands(FILE *stream)
{
	fprintf(stream, "	local commands='");
	for (enum command command = 0; command < COMMANDS; command++)
		fprintf(stream, "%s%s", command ? " " : "", command_name(command));
	fprintf(stream, "'\n"
			"	if [ \"$COMP_CWORD\" -le 1 ]; then\n"
			"		_fmc_words \"$commands --help --version\"\n"
			"		return\n"
			"	fi\n");
}

/* The options of one command, and which of them take a value, each between blanks. */
static void print_options(enum command command, FILE *stream)
{
	const struct option_spec *spec;
	fprintf(stream, "	%s)\n		options='", command_name(command));
	for (size_t i = 0; (spec = completion_option(command, &i)) != NULL;) {
		fprintf(stream, " --%s", spec->name);
		if (spec->letter)
			fprintf(stream, " -%c", spec->letter);
	}
	fprintf(stream, "'\n		valued=' ");
	for (size_t i = 0; (spec = completion_option(command, &i)) != NULL;) {
		if (spec->value)
			fprintf(stream, "--%s ", spec->name);
		if (spec->value && spec->letter)
			fprintf(stream, "-%c ", spec->letter);
	}
	fprintf(stream, "'\n		;;\n");
}

/* What to offer as values; an option takes the same with each command. */
static void print_values(FILE *stream)
{
	const struct option_spec *spec;
	bool printed[ID_HELP - ID_OUTPUT + 1] = {false}; /* by id */
	fprintf(stream, "	case $option in\n");
	for (size_t i = 0; (spec = option_spec(i)) != NULL; i++) {
		const char *const *words = option_words(spec->id);
		if (printed[spec->id - ID_OUTPUT] || !(words || completion_wants_file(spec)))
			continue;
		printed[spec->id - ID_OUTPUT] = true;
		fprintf(stream, "	--%s", spec->name);
		if (spec->letter)
			fprintf(stream, " | -%c", spec->letter);
		fprintf(stream, ") %s", words ? "_fmc_words '" : "_fmc_files");
		for (size_t w = 0; words && words[w]; w++)
			fprintf(stream, "%s%s", w ? " " : "", words[w]);
		fprintf(stream, "%s ;;\n", words ? "'" : "");
	}
	fprintf(stream, "	esac\n	[ -z \"$option\" ] || return\n");
}

void completion_bash(FILE *stream)
{
	fputs(beginning, stream);
	fprintf(stream, "_fmc() {\n"
			"	local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-}\n"
			"	local options= valued= option= ended= word i operands=0\n"
			"	COMPREPLY=()\n");
	print_commands(stream);
	fprintf(stream, "	case $command in\n");
	for (enum command command = 0; command < COMMAND_HELP; command++)
		print_options(command, stream);
	fprintf(stream, "	esac\n");
	fputs(walk, stream);
	print_values(stream);
	fputs(operands, stream);
	fprintf(stream, "}\n"
			"\n"
			"complete -F _fmc fmc\n");
}
