/* What has been learned, as bytes: each as a schedule's line has it. */
#include "supervisor/cli/kept/learned.h"

#include <stdlib.h>

static void save_loops(const struct loops *loops, uint32_t from, struct saver *saver)
{
	const uint32_t length = loops ? loops_length(loops) : from;
	save_number(saver, length - from);
	for (uint32_t i = from; i < length; i++) {
		char text[LOOP_TEXT];
		loop_print(&loops->at[i], text);
		save_text(saver, text);
	}
}

static void save_shared(const struct shared *shared, uint32_t from, struct saver *saver)
{
	const uint32_t length = shared ? shared_length(shared) : from;
	save_number(saver, length - from);
	for (uint32_t i = from; i < length; i++) {
		char text[SHARED_TEXT];
		shared_print(&shared->at[i], text);
		save_text(saver, text);
	}
}

void learned_save(const struct loops *loops, uint32_t loops_from, const struct shared *shared,
		  uint32_t shared_from, struct saver *saver)
{
	save_loops(loops, loops_from, saver);
	save_shared(shared, shared_from, saver);
}

bool learned_load(struct loops *loops, struct shared *shared, struct loader *loader)
{
	bool good = true;
	for (size_t left = load_count(loader, 1); left > 0 && good; left--) {
		struct loop loop;
		char *text = load_text(loader);
		good = text && loop_parse(text, &loop);
		free(text);
		if (good)
			(void)loops_add(loops, &loop);
	}
	for (size_t left = load_count(loader, 1); left > 0 && good; left--) {
		struct shared_descriptor descriptor;
		char *text = load_text(loader);
		good = text && shared_parse(text, &descriptor);
		free(text);
		if (good)
			(void)shared_add(shared, &descriptor);
	}
	return good && !loader->failed;
}

void promoted_save(const struct promoted *promoted, struct saver *saver)
{
	save_number(saver, promoted ? promoted->length : 0);
	for (size_t i = 0; promoted && i < promoted->length; i++) {
		char text[MODULE_PLACE_TEXT];
		module_place_print(&promoted->at[i], text);
		save_text(saver, text);
	}
}

static bool load_place(struct promoted *promoted, struct loader *loader)
{
	struct module_place place;
	const char *rest;
	char *text = load_text(loader);
	const bool good =
	    text && module_place_parse(text, &place, &rest) && !*rest && promoted_add(promoted, &place);
	free(text);
	return good;
}

bool promoted_load(struct promoted *promoted, struct loader *loader)
{
	bool good = true;
	for (size_t left = load_count(loader, 1); left > 0 && good; left--)
		good = load_place(promoted, loader);
	return good && !loader->failed;
}
