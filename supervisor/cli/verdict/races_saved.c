/* Races for a later run, with their stacks: what has shown them isn't run again. */
#include "supervisor/cli/verdict/races.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>

static void save_report(const struct thread_report *report, struct saver *saver)
{
	save_text(saver, report->name);
	save_number(saver, report->frames_length);
	for (size_t i = 0; i < report->frames_length; i++) {
		const struct frame *frame = &report->frames[i];
		save_number(saver, frame->address);
		save_text(saver, frame->function);
		save_text(saver, frame->file);
		save_text(saver, frame->source);
		save_signed(saver, frame->line);
		save_text(saver, frame->module);
		save_number(saver, frame->offset);
		save_number(saver, frame->library);
		save_number(saver, frame->inlined);
	}
}

static void load_frame(struct frame *frame, struct loader *loader)
{
	frame->address = load_number(loader);
	frame->function = load_text(loader);
	frame->file = load_text(loader);
	frame->source = load_text(loader);
	frame->line = (int)load_signed(loader);
	frame->module = load_text(loader);
	frame->offset = load_number(loader);
	frame->library = load_bool(loader);
	frame->inlined = load_bool(loader);
}

#define FRAME_LEAST 9

static void load_report(struct thread_report *report, struct loader *loader)
{
	report->name = load_text(loader);
	const size_t length = load_count(loader, FRAME_LEAST);
	for (size_t i = 0; i < length && !loader->failed; i++) {
		if (!ARRAY_DOUBLE(report->frames, report->frames_length)) {
			load_refuse(loader);
			return;
		}
		struct frame *frame = &report->frames[report->frames_length++];
		*frame = (struct frame){0};
		load_frame(frame, loader);
	}
}

static void save_side(const struct race_side *side, struct saver *saver)
{
	save_number(saver, side->thread);
	save_number(saver, side->write);
	save_number(saver, side->frees);
	save_text(saver, side->place);
	save_text(saver, side->function);
	save_report(&side->report, saver);
	save_number(saver, side->promotable);
	char text[MODULE_PLACE_TEXT];
	module_place_print(&side->promotes, text);
	save_text(saver, side->promotable ? text : NULL);
}

static void load_promotes(struct race_side *side, struct loader *loader)
{
	const char *rest;
	char *text = load_text(loader);
	if (side->promotable && !(text && module_place_parse(text, &side->promotes, &rest) && !*rest))
		load_refuse(loader);
	free(text);
}

static void load_side(struct race_side *side, struct loader *loader)
{
	side->thread = (uint32_t)load_most(loader, UINT32_MAX);
	side->write = load_bool(loader);
	side->frees = load_bool(loader);
	side->place = load_text(loader);
	side->function = load_text(loader);
	load_report(&side->report, loader);
	side->promotable = load_bool(loader);
	load_promotes(side, loader);
}

static void save_race(const struct race *race, struct saver *saver)
{
	save_text(saver, race->variable);
	save_number(saver, race->doubt);
	for (int i = 0; i < 2; i++)
		save_side(&race->sides[i], saver);
	save_number(saver, race->block.thread);
	save_number(saver, race->block.address);
	save_number(saver, race->block.size);
	save_number(saver, race->block.early);
	save_report(&race->block.report, saver);
	save_number(saver, race->pairs_length);
	for (size_t i = 0; i < race->pairs_length; i++) {
		save_number(saver, race->pairs[i].one);
		save_number(saver, race->pairs[i].other);
	}
}

static void load_race(struct race *race, struct loader *loader)
{
	race->variable = load_text(loader);
	race->doubt = (enum race_doubt)load_most(loader, DOUBTS - 1);
	for (int i = 0; i < 2; i++)
		load_side(&race->sides[i], loader);
	race->block.thread = (uint32_t)load_most(loader, UINT32_MAX);
	race->block.address = load_number(loader);
	race->block.size = load_number(loader);
	race->block.early = load_bool(loader);
	load_report(&race->block.report, loader);
	race->pairs_length = load_most(loader, RACE_PAIRS);
	for (size_t i = 0; i < race->pairs_length; i++) {
		race->pairs[i].one = load_number(loader);
		race->pairs[i].other = load_number(loader);
	}
	if (!race->variable || !race->sides[0].place || !race->sides[1].place)
		load_refuse(loader);
}

void race_list_save(const struct race_list *list, struct saver *saver)
{
	save_number(saver, list ? list->length : 0);
	for (size_t i = 0; list && i < list->length; i++)
		save_race(&list->at[i], saver);
}

bool race_list_load(struct race_list *list, struct loader *loader)
{
	const size_t length = load_count(loader, 2);
	for (size_t i = 0; i < length && !loader->failed; i++) {
		struct race race = {0};
		load_race(&race, loader);
		/* What is refused isn't kept, nor what nobody wants. */
		if (list && !loader->failed)
			(void)race_list_add(list, &race);
		else
			race_release(&race);
	}
	return !loader->failed;
}
