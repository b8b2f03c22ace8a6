/* Completion in zsh: a function for its completion system. */
#include "supervisor/cli/options/completion.h"
#include "supervisor/cli/options/help.h"

#include <string.h>

/* What the words are that are no options, as _arguments takes it. */
static const char *operands(enum command command)
{
	switch (command) {
	case COMMAND_CHECK:
	case COMMAND_RUN:
		return "'1:program:_fmc_programs' '*::argument:_normal'";
	case COMMAND_GDB:
		return "'1:schedule:_files -g \"*.sched\"' '*:option of GDB:_files'";
	case COMMAND_ATTACH:
		return "'1:process:_fmc_processes'";
	case COMMAND_CORE:
		return "'1:core file:_files' '2:program:_fmc_programs'";
	case COMMAND_MERGE:
		return "'*:file:_files'";
	case COMMAND_COMPLETION:
		return "'1:shell:(bash zsh)'";
	default:
		return "'1:schedule:_files -g \"*.sched\"'";
	}
}

/* In brackets, between single quotes. */
static void print_text(const char *text, FILE *stream)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", stream);
		else
			fprintf(stream, "%s%c", strchr("[]\\:", *text) ? "\\" : "", *text);
}

/* "-o+" and "--output=": the value comes in the same word or in the next one. */
static void print_option(const struct option_spec *spec, FILE *stream)
{
	const char *const *words = option_words(spec->id), *joined = spec->value ? "=" : "";
	fprintf(stream, " \\\n		");
	if (spec->letter)
		fprintf(stream, "'(-%c --%s)'{-%c%s,--%s%s}'[", spec->letter, spec->name, spec->letter,
			spec->value ? "+" : "", spec->name, joined);
	else
		fprintf(stream, "'%s--%s%s[", spec->id == ID_WAKEUP ? "*" : "", spec->name, joined);
	print_text(spec->text, stream);
	fprintf(stream, "]");
	if (spec->value)
		fprintf(stream, ":%s:%s", spec->value,
			words			      ? "("
			: completion_wants_file(spec) ? "_files"
						      : "");
	for (size_t w = 0; words && words[w]; w++)
		fprintf(stream, "%s%s", w ? " " : "", words[w]);
	fprintf(stream, "%s'", words ? ")" : "");
}

static void print_commands(FILE *stream)
{
	fprintf(stream, "	fmc_commands=(");
	for (enum command command = 0; command < COMMANDS; command++) {
		fprintf(stream, "\n		'%s:", command_name(command));
		print_text(help_brief(command), stream);
		fprintf(stream, "'");
	}
	fprintf(stream, "\n	)\n");
}

static void print_arguments(enum command command, FILE *stream)
{
	const struct option_spec *spec;
	fprintf(stream, "	%s)\n		_arguments -s -S", command_name(command));
	for (size_t i = 0; (spec = completion_option(command, &i)) != NULL;)
		print_option(spec, stream);
	fprintf(stream, " \\\n		%s\n		;;\n", operands(command));
}

void completion_zsh(FILE *stream)
{
	fprintf(stream,
		"#compdef fmc\n"
		"# Completion of fmc's command lines in zsh; made by: fmc completion zsh\n"
		"\n"
		"_fmc_programs() {\n"
		"	_alternative 'commands:command:_command_names -e' 'files:file:_files -g \"*(-*)\"'\n"
		"}\n"
		"\n"
		"_fmc_processes() {\n"
		"	_alternative 'numbers:number:_pids' 'names:name:_process_names'\n"
		"}\n"
		"\n"
		"_fmc() {\n"
		"	local -a fmc_commands\n");
	print_commands(stream);
	fprintf(stream, "	if (( CURRENT == 2 )); then\n"
			"		_describe -t commands command fmc_commands\n"
			"		return\n"
			"	fi\n"
			"	shift words\n"
			"	(( CURRENT-- ))\n"
			"	case $words[1] in\n");
	for (enum command command = 0; command < COMMAND_HELP; command++)
		print_arguments(command, stream);
	fprintf(stream, "	help)\n"
			"		(( CURRENT > 2 )) || _describe -t commands command fmc_commands\n"
			"		;;\n"
			"	esac\n"
			"}\n"
			"\n"
			"_fmc \"$@\"\n");
}
