/* How a site gets its door: from the code around it, after those whose bytes it relies on, or at an instruction ahead of it. */
#include "breakpoints/sampler/sampler_state.h"

#include <string.h>

#define DEEPEST	  64 /* doors that rely on each other's bytes */
#define FAR_AHEAD 64 /* bytes before a site */
#define FAR_BACK  64 /* instructions after it */
#define MOST_ANEW 3  /* doors of a site, after its first one */

/* What a door is made by. */
struct request {
	struct sampler *sampler;
	struct target *target;
	unsigned depth;
	bool refused; /* what a door would rely on has to be changed */
};

static bool read_code(void *context, uint64_t address, struct door_code *code)
{
	const struct request *request = context;
	code->address = address;
	if (target_read(request->target, address, code->bytes, sizeof code->bytes) != STATUS_OK)
		return false;
	memcpy(code->planted, code->bytes, sizeof code->planted);
	planting_reveal(request->sampler, address, code->bytes, sizeof code->bytes);
	memcpy(code->original, code->bytes, sizeof code->original);
	entries_hide(request->sampler->entries, address, code->original, sizeof code->original);
	/* What is in a PAUSE's place does for a stub, too. */
	for (size_t k = 0; k < sizeof code->original; k++)
		if (code->bytes[k] == NOP_INSTRUCTION)
			code->original[k] = NOP_INSTRUCTION;
	return true;
}

bool making_code(const struct sampler *sampler, struct target *target, uint64_t address,
		 uint8_t code[TOUCHED_CODE])
{
	struct request request = {.sampler = (struct sampler *)sampler, .target = target};
	struct door_code read;
	if (!read_code(&request, address, &read))
		return false;
	memcpy(code, read.original, TOUCHED_CODE);
	return true;
}

static struct stub_site site_of(void *context, uint64_t address)
{
	struct sampler *sampler = ((const struct request *)context)->sampler;
	struct site *site = planting_site(sampler, address);
	if (site && site->call && drain_number_call(sampler, site))
		return (struct stub_site){.number = site->number - 1, .call = &site->values};
	const bool logged = site && !site->call && site->bytes && site_is_watched(sampler, site) &&
			    drain_number(sampler, site);
	return logged ? (struct stub_site){.number = site->number - 1,
					   .bytes = site->bytes,
					   .writes = site->writes}
		      : (struct stub_site){.number = STUB_SILENT};
}

static bool has_door(void *context, uint64_t address)
{
	const struct sampler *sampler = ((const struct request *)context)->sampler;
	const struct site *site = planting_site(sampler, address);
	const struct door *door = site ? site_door(sampler, site) : NULL;
	/* Where memory is touched by a function of a library's, a trap has to stay. */
	if (site && (site->call || site->relied || (door && door->own) ||
		     (!site->bytes && site_is_watched(sampler, site))))
		return true;
	return planting_is_ahead(sampler, address);
}

static bool make(struct request *request, struct site *site, unsigned wanted);

static bool rely(void *context, uint64_t address, unsigned wanted)
{
	struct request *request = context;
	struct site *site = planting_site(request->sampler, address);
	if (!site)
		return false;
	struct request deeper = {request->sampler, request->target, request->depth + 1, false};
	const struct door *door = site_door(request->sampler, site);
	const bool made = !door && !site->relied && !site->blind && site_is_watched(request->sampler, site) &&
			  deeper.depth < DEEPEST && make(&deeper, site, wanted);
	/* A trap without a stub to be passed by has to be taken out for that. */
	const bool stuck = site->blind || (site->planted && !site->door);
	request->refused |= stuck;
	site->relied |= !stuck;
	return made;
}

/* What an entry of its stands for, from its code. */
static void learn(const struct sampler *sampler, const struct target *target, struct site *site)
{
	static const struct user_regs_struct nowhere;
	struct touched at[TOUCHED_MOST];
	struct request request = {.sampler = (struct sampler *)sampler, .target = (struct target *)target};
	struct door_code code;
	if (site->call || site->bytes || site->blind || !read_code(&request, site->address, &code) ||
	    operands_touched(sampler->operands, site->address, code.original, &nowhere, at) != 1 ||
	    at[0].size > UINT16_MAX)
		return;
	site->bytes = (uint16_t)at[0].size;
	site->writes = at[0].write;
}

static void learn_around(const struct request *request, const struct site *site)
{
	const struct sampler *sampler = request->sampler;
	for (size_t i = (size_t)(site - sampler->sites.at);
	     i < sampler->sites.length && sampler->sites.at[i].address < site->address + DOOR_JUMP; i++)
		learn(sampler, request->target, &sampler->sites.at[i]);
}

static struct door_maker maker_for(struct request *request)
{
	return (struct door_maker){
	    .context = request, .read = read_code, .site = site_of, .rely = rely, .has_door = has_door};
}

static bool make(struct request *request, struct site *site, unsigned wanted)
{
	const struct door_maker maker = maker_for(request);
	struct sampler *sampler = request->sampler;
	learn_around(request, site);
	struct door *door = doors_make(&sampler->doors, &maker, site->address,
				       sites_met(&sampler->sites, site->address), wanted);
	if (!door)
		return false;
	if (request->refused)
		door->own = 0;
	site->door = (uint32_t)(door - sampler->doors.at) + 1;
	planting_open(request->sampler, request->target, door);
	return door->planted;
}

/* A site there has to be one that nobody asks about, or to have a door that can give way to another one. */
static bool gives_way(const struct sampler *sampler, const struct site *site)
{
	const struct door *door = site_door(sampler, site);
	if (site->relied || site->call || site->blind)
		return false;
	return door ? door->planted && door->own == DOOR_JUMP : !site_is_watched(sampler, site);
}

static bool may_have_jump(const struct sampler *sampler, uint64_t address)
{
	const struct site *site = planting_site(sampler, address);
	if (site && !gives_way(sampler, site))
		return false;
	for (size_t i = 0; i < sampler->doors.length; i++) {
		const struct door *door = &sampler->doors.at[i];
		if (door->own && door->at != address && door->at < address + DOOR_JUMP &&
		    address < door->at + DOOR_JUMP)
			return false;
	}
	return !planting_is_ahead(sampler, address);
}

static bool read_instruction(struct request *request, uint64_t address, struct door_code *code,
			     struct instruction *instruction, enum flow *flow, uint64_t *target)
{
	if (!read_code(request, address, code) ||
	    !instruction_parse(code->original, sizeof(code->original), address, instruction))
		return false;
	*flow = instruction_flow(instruction, target);
	return true;
}

/* The last instruction from `address` on that can have a jump, and that leads on to the site; 0: there is none. */
static uint64_t find_between(struct request *request, uint64_t address, const struct site *site)
{
	struct door_code code;
	struct instruction instruction;
	enum flow flow;
	uint64_t target, found = 0;
	while (address < site->address) {
		if (!read_instruction(request, address, &code, &instruction, &flow, &target) ||
		    (flow != FLOW_ON && flow != FLOW_BRANCH))
			return 0;
		if (site->address - address >= DOOR_JUMP && may_have_jump(request->sampler, address))
			found = address;
		address += instruction.length;
	}
	return address == site->address ? found : 0;
}

/* From the sites before it on: of one that another's stub stands for it is that other one that leads on. */
static uint64_t find_before(struct request *request, const struct site *site)
{
	uint64_t found = 0;
	for (const struct site *from = site; from > request->sampler->sites.at && !found;) {
		from--;
		if (site->address - from->address > FAR_AHEAD || site - from > STUB_PIECES)
			break;
		found = find_between(request, from->address, site);
	}
	return found;
}

/*
 * What is ahead of an instruction can't be read from there. It is certain from sites before on as far as they go on, and where
 * what comes after the site leads back to, as in loops.
 */
static uint64_t find_ahead(struct request *request, const struct site *site)
{
	struct door_code code;
	struct instruction instruction;
	enum flow flow = FLOW_ON;
	uint64_t target, found = find_before(request, site), address = site->address;
	for (unsigned i = 0; i < FAR_BACK && !found && (flow == FLOW_ON || flow == FLOW_BRANCH); i++) {
		if (!read_instruction(request, address, &code, &instruction, &flow, &target))
			return 0;
		if ((flow == FLOW_BRANCH || flow == FLOW_JUMP) && target < site->address &&
		    site->address - target <= FAR_AHEAD)
			found = find_between(request, target, site);
		address += instruction.length;
	}
	return found;
}

/* A site that can have no jump is met by its trap: one ahead of it saves that to those who come from there. */
static void make_ahead(struct request *request, struct site *site)
{
	const struct door_maker maker = maker_for(request);
	struct sampler *sampler = request->sampler;
	const uint64_t ahead = find_ahead(request, site);
	struct site *before = ahead ? planting_site(sampler, ahead) : NULL;
	struct door *door = ahead ? doors_make_ahead(&sampler->doors, &maker, site->address, ahead,
						     sites_met(&sampler->sites, ahead))
				  : NULL;
	if (!door)
		return;
	site->ahead = (uint32_t)(door - sampler->doors.at) + 1;
	struct door *replaced = before ? site_door(sampler, before) : NULL;
	if (before)
		before->held = false;
	planting_open(request->sampler, request->target, door);
	if (!door->planted) {
		door->own = 0;
		site->ahead = 0;
	} else if (replaced) {
		replaced->own = 0;
		replaced->planted = false;
		before->door = site->ahead;
	}
	if (before)
		before->held = true;
}

/* When its trap is met the second time, and later, when more around it have doors. */
static bool may_try_ahead(const struct sampler *sampler, struct site *site)
{
	const struct door *door = site_door(sampler, site);
	if (!sampler->logs || !door || door->own || site->ahead || site->met_again == UINT8_MAX)
		return false;
	site->met_again++;
	return site->met_again == 1 || site->met_again == 16 || site->met_again == 128;
}

/* A stub that has the site's instruction, though it begins with another one. */
static const struct piece *piece_of(const struct sampler *sampler, const struct site *site)
{
	const struct door *door = site_door(sampler, site);
	return door ? door_piece(door, site->address) : NULL;
}

/*
 * The site's door has a jump, which isn't there: the code that its stub stands for has become another one meanwhile, such as the head of a loop
 * in which rounds are counted. It is given up.
 */
static void give_up(struct sampler *sampler, struct site *site)
{
	struct door *door = site_door(sampler, site);
	if (!door || !door->own || door->planted || site->relied || site->stands ||
	    site->made_anew == MOST_ANEW)
		return;
	door->own = 0;
	site->door = 0;
	site->made_anew++;
}

/* The same of the door at an instruction ahead of it. */
static void give_up_ahead(struct sampler *sampler, struct site *site)
{
	struct door *door = site->ahead ? &sampler->doors.at[site->ahead - 1] : NULL;
	struct site *before = door ? planting_site(sampler, door->at) : NULL;
	if (!door || door->planted || (before && (before->relied || before->stands)) ||
	    site->made_anew == MOST_ANEW)
		return;
	if (before && before->door == site->ahead)
		before->door = 0;
	door->own = 0;
	site->ahead = 0;
	site->met_again = 0;
	site->made_anew++;
}

uint64_t making_pass(struct sampler *sampler, struct target *target, struct site *site)
{
	struct request request = {sampler, target, 0, false};
	if (sampler->logs) {
		give_up(sampler, site);
		give_up_ahead(sampler, site);
	}
	if (sampler->logs && !site->door && !site->relied)
		(void)make(&request, site, DOOR_ANY);
	else if (may_try_ahead(sampler, site))
		make_ahead(&request, site);
	const struct piece *piece = piece_of(sampler, site);
	const struct door *door = site_door(sampler, site);
	return piece ? door->stub.at + piece->copy : 0;
}
