"use strict";
/*
 * Draws the schedules of the page: a column for each thread, a row for each transition. Every text is set as text, never
 * as markup. A run is one schedule: the first is what the page is about, the second, if any, stands beside it. State i of
 * a run is the one before its row i, the state after the last row is the end.
 */
(function () {

const data = JSON.parse(document.getElementById("data").textContent);
const ROW = 22, CHUNK = 100, NUMBER = 56, GUTTER = 36, PLACE = 140, NARROWEST = 66, WIDEST = 300;
/* So many rows are drawn at once, where the browser's own search finds them; of more only those near what is looked at. */
const MOST_AT_ONCE = 8000;
/* With few threads columns needn't be so narrow that their texts lie over each other: rather scroll. */
const FEW = 10, NARROWEST_OF_FEW = 96;
/* Columns this wide have room for whole sentences. */
const ROOMY = 220;
/* Of a monospaced letter, in pixels, and what a cell has besides. */
const LETTER = 7.6, MARGIN = 26, MOST_LETTERS = 36;
/* Columns narrower than this have thin bars without names. */
const NAMED = 140;
const MOST_LANES = 6;

const HEADS = data.runs.length > 1 ? 60 : 46;

const table = document.getElementById("table");
const scroller = document.getElementById("scroller");
const details = document.getElementById("details");
const find = document.getElementById("find");

/* An element with properties and children; strings become text. */
function make(tag, properties, ...children) {
	const element = Object.assign(document.createElement(tag), properties);
	element.append(...children);
	return element;
}

function place(element, left, top, width, height) {
	element.style.left = left + "px";
	if (top !== null)
		element.style.top = top + "px";
	if (width)
		element.style.width = width + "px";
	if (height)
		element.style.height = height + "px";
	return element;
}

/* What is looked for. */
let query = "";

/* What the lists of the data mean. */
function readRow(row, i) {
	const [thread, op, rest, object, object2, where, inside, stack] = row;
	return {i, thread, op, rest, object, object2, where, inside, stack, cell: null, hit: false};
}

function readSpan(span) {
	const [waits, thread, object, from, to, words, by, shared] = span;
	return {waits, thread, object, from, to, words, by, shared, parts: []};
}

const runs = data.runs.map((run, number) => Object.assign(run, {
	number,
	prefix: number ? "p" : "t",
	rows: run.rows.map(readRow),
	spans: run.spans.map(readSpan),
	bad: run.verdict !== "none",
	box: null,
}));

/* Each object has a hue of its own as long as there are enough that can be told apart. */
const hues = new Map();
function hue(object) {
	if (!hues.has(object))
		hues.set(object, [212, 28, 140, 280, 50, 180, 330, 95, 250, 5][hues.size % 10]);
	return hues.get(object);
}

function rowText(row) {
	const objects = row.object2 ? row.object + ", " + row.object2 : row.object;
	return row.op + (objects ? " " + objects : "") + row.rest;
}

/* Everything that a search looks at. */
function searched(run, row) {
	return [run.threads[row.thread], rowText(row), row.where, row.inside].join(" ").toLowerCase();
}

/* Show which object an element is about. Threads, of which there may be many, take no colour away from others. */
function tint(element, object) {
	element.dataset.object = object;
	if (/^T\d+$/.test(object))
		element.classList.add("neutral");
	else
		element.style.setProperty("--h", hue(object));
}

function objectMark(object) {
	const mark = make("span", {className: "object", textContent: object});
	tint(mark, object);
	return mark;
}

/* The operation with its objects marked, into an element. */
function appendOperation(element, row) {
	element.append(row.op);
	if (row.object)
		element.append(" ", objectMark(row.object));
	if (row.object2)
		element.append(row.object ? ", " : " ", objectMark(row.object2));
	element.append(row.rest);
}

/* A lane in the thread's column for each thing that it holds at a time. */
function layLanes(run) {
	run.lanes = run.threads.map(() => []);
	for (const span of run.spans) {
		if (span.waits)
			continue;
		const ends = run.lanes[span.thread];
		let lane = ends.findIndex((to) => to <= span.from);
		if (lane < 0)
			lane = Math.min(ends.length, MOST_LANES - 1);
		ends[lane] = Math.max(ends[lane] || 0, span.to);
		span.lane = lane;
	}
}

/* The last column of each run has room for the longest text, since something else is written after it. */
const LAST = MARGIN + LETTER * runs.reduce((most, run) => run.rows.reduce((length, row) =>
	Math.min(MOST_LETTERS, Math.max(length, rowText(row).length)), most), 12);

/* So wide would columns get. */
function columnWidth(places) {
	const count = runs.reduce((sum, run) => sum + run.threads.length, 0);
	const room = scroller.clientWidth - NUMBER - 24 - runs.length * places - (runs.length - 1) * GUTTER;
	const width = Math.floor((room - runs.length * LAST) / Math.max(count - runs.length, 1));
	return width < LAST ? width : Math.floor(room / Math.max(count, 1));
}

/* Where columns are; how wide depends on how many there are. Places give way to a second run. */
function layColumns() {
	const few = runs.every((run) => run.threads.length <= FEW);
	const least = few ? NARROWEST_OF_FEW : NARROWEST;
	const places = runs.length > 1 && columnWidth(PLACE) < least ? 0 : PLACE;
	const width = Math.max(least, Math.min(WIDEST, columnWidth(places)));
	let x = NUMBER + 4;
	for (const run of runs) {
		layLanes(run);
		run.x = x;
		run.columns = run.threads.map((name, t) => x + t * width);
		run.barWidth = width >= NAMED ? 14 : 5;
		run.width = width;
		x += run.threads.length * width + Math.max(0, LAST - width);
		run.placeX = x;
		run.places = places;
		x += places + GUTTER;
	}
	return x - GUTTER + 20;
}

function barsOf(run, thread) {
	return run.lanes[thread].length * (run.barWidth + 2);
}

function drawHeads(width) {
	const heads = make("div", {id: "heads"}, make("span", {className: "corner"}));
	heads.setAttribute("role", "row");
	for (const run of runs) {
		run.threads.forEach((name, t) => {
			const [number, ...rest] = name.split(" ");
			const head = make("div", {className: "head", title: name}, number,
					  make("small", {textContent: rest.join(" ")}));
			head.setAttribute("role", "columnheader");
			heads.append(place(head, run.columns[t], null, run.width - 6));
		});
		if (runs.length > 1) {
			const side = make("div", {className: "head side", textContent: run.number ? "beside it" : "this schedule"});
			heads.append(place(side, run.x, 0));
		}
	}
	heads.style.width = width + "px";
	heads.style.height = HEADS + "px";
	return heads;
}

function drawCell(run, row) {
	const cell = make("span", {className: "cell", id: run.prefix + (row.i + 1), tabIndex: -1});
	cell.setAttribute("role", "gridcell");
	cell.setAttribute("aria-label", (row.i + 1) + ", " + run.threads[row.thread] + ": " + rowText(row) +
			  (row.where ? ", " + row.where : ""));
	if (run.number && row.i < data.part)
		cell.classList.add("same");
	if (run.bad && row.i === run.rows.length - 1)
		cell.classList.add("last");
	appendOperation(cell, row);
	cell.classList.toggle("hit", row.hit);
	row.cell = cell;
	return place(cell, run.columns[row.thread] + barsOf(run, row.thread), null);
}

/* Of a long name the end with the number of the line says most. */
function placeText(where) {
	const most = Math.floor(PLACE / LETTER) - 1;
	return where.length > most ? "…" + where.slice(1 - most) : where;
}

/* Row i, of all runs that go so far; a run's end has a row without a transition. */
function drawRow(i) {
	const element = make("div", {className: "row"});
	element.setAttribute("role", "row");
	if (i === data.part)
		Object.assign(element, {className: "row parts", title: "here they part"});
	const ends = runs.some((run) => run.rows.length === i), goes = runs.some((run) => run.rows.length > i);
	element.append(make("span", {className: "number", textContent: goes ? i + 1 : ends ? "end" : ""}));
	if (runs[0].loop >= 0 && i >= runs[0].loop && i < runs[0].rows.length)
		element.classList.add("loop");
	for (const run of runs) {
		if (i >= run.rows.length)
			continue;
		element.append(drawCell(run, run.rows[i]));
		if (!run.places)
			continue;
		const where = make("span", {className: "place", textContent: placeText(run.rows[i].where), title: run.rows[i].inside});
		element.append(place(where, run.placeX + 8, null, PLACE - 8));
	}
	return element;
}

/* As much of what a thread waits for as there is room for. */
function waitText(run, span) {
	if (run.width < NAMED)
		return span.object;
	const words = span.words.replace(/, in .*/, "");
	return run.width < ROOMY ? words.replace(/^waits for /, "") : words;
}

function isSpanHit(span) {
	return query !== "" && span.object === query;
}

/* The part of a span from top to bottom within one chunk. */
function drawPart(run, span, chunk, top, bottom, begins, ends) {
	const x = run.columns[span.thread], left = span.waits ? barsOf(run, span.thread) :
		span.lane * (run.barWidth + 2);
	const element = make("div", {className: span.waits ? "wait" : "bar"});
	tint(element, span.object);
	element.setAttribute("aria-hidden", "true");
	element.classList.toggle("from", begins);
	element.classList.toggle("to", ends);
	element.classList.toggle("hit", isSpanHit(span));
	element.classList.toggle("shared", Boolean(span.shared));
	element.title = run.threads[span.thread] + (span.waits ? " " + span.words : " holds " + span.object) +
		", transitions " + (span.from + (span.waits ? 1 : 0)) + " to " + (span.to > run.rows.length ? "the end" : span.to);
	if (span.waits) {
		element.append(make("span", {textContent: waitText(run, span)}));
	} else {
		if (run.barWidth > 5 && bottom - top > 2 * ROW)
			element.append(span.object);
	}
	span.parts.push(element);
	chunk.append(place(element, x + left, top, span.waits ? run.width - left - 6 : run.barWidth, bottom - top));
}

/* From where to where a span goes, in pixels. */
function reach(run, span) {
	const open = span.to > run.rows.length, shift = span.waits ? 0 : -ROW / 2;
	return [span.from * ROW + shift, open ? span.to * ROW : span.to * ROW + shift];
}

/* A hundred rows and the parts of all spans that touch them; drawn when they are to be seen. */
let chunks = [];

function makeChunks(width, length) {
	chunks = [];
	for (let first = 0; first < length; first += CHUNK) {
		const count = Math.min(CHUNK, length - first);
		const element = make("div", {className: "chunk"});
		element.setAttribute("role", "rowgroup");
		element.style.containIntrinsicSize = width + "px " + count * ROW + "px";
		element.style.height = count * ROW + "px";
		chunks.push({element, first, count, spans: [], drawn: false});
	}
	for (const run of runs) {
		for (const span of run.spans) {
			span.parts = [];
			const [from, to] = reach(run, span);
			for (let c = Math.floor(Math.max(from, 0) / ROW / CHUNK); c < chunks.length && c * ROW * CHUNK < to; c++)
				chunks[c].spans.push([run, span]);
		}
	}
}

function drawChunk(chunk) {
	if (chunk.drawn)
		return;
	chunk.drawn = true;
	const top = chunk.first * ROW, bottom = top + CHUNK * ROW;
	for (let i = chunk.first; i < chunk.first + chunk.count; i++)
		chunk.element.append(drawRow(i));
	for (const [run, span] of chunk.spans) {
		const [from, to] = reach(run, span);
		drawPart(run, span, chunk.element, Math.max(from, top) - top, Math.min(to, bottom) - top, from >= top, to <= bottom);
	}
}

const near = new IntersectionObserver((entries) => entries.forEach((entry) => {
	if (entry.isIntersecting)
		drawChunk(chunks[entry.target.dataset.chunk]);
}), {root: scroller, rootMargin: "2000px"});

function drawChunks(length) {
	near.disconnect();
	chunks.forEach((chunk, c) => {
		chunk.element.dataset.chunk = c;
		if (length <= MOST_AT_ONCE)
			drawChunk(chunk);
		else
			near.observe(chunk.element);
	});
}

function cellOf(row) {
	drawChunk(chunks[Math.floor(row.i / CHUNK)]);
	return row.cell;
}

function drawEnding(run) {
	const box = make("div", {className: "ending " + (run.bad ? "bad" : "good"), id: run.number ? "pend" : "end",
				 tabIndex: -1, textContent: run.ending});
	if (run.loop >= 0)
		box.append(make("div", {textContent: "Repeats for ever from transition " + (run.loop + 1) + " on."}));
	run.box = box;
	table.append(place(box, run.x, HEADS + (run.rows.length + 1) * ROW + 4,
			   Math.max(260, Math.min(640, run.threads.length * run.width))));
}

function drawTable() {
	const width = layColumns(), last = Math.max(...runs.map((run) => run.rows.length));
	table.replaceChildren(drawHeads(width));
	table.style.width = width + "px";
	makeChunks(width, last + 1);
	table.append(...chunks.map((chunk) => chunk.element));
	drawChunks(last + 1);
	runs.forEach(drawEnding);
	if (runs.length > 1 && data.part <= last) {
		const line = make("div", {className: "part"});
		line.style.top = HEADS + data.part * ROW + "px";
		table.append(line);
	}
	table.append(place(make("div", {ariaHidden: "true"}), 0, null, 1, 140));
}

/* A link to a transition. */
function linkTo(run, i, text) {
	return make("a", {href: "#" + run.prefix + (i + 1), textContent: text});
}

function named(run, i) {
	return (i + 1) + ", " + run.threads[run.rows[i].thread].split(" ")[0] + " " + rowText(run.rows[i]);
}

function appendStack(element, frames) {
	const list = make("ol", {start: 0, className: "stack"});
	for (const [inside, where] of frames)
		list.append(make("li", {}, inside || "?", " ", make("small", {textContent: where})));
	element.append(list);
}

function appendArrows(run, i) {
	const words = [["created by", "creates"], ["made possible by", "lets go on"], ["the thread's last was", "is joined by"]];
	for (const [kind, from, to] of run.arrows) {
		if (to === i)
			details.append(make("p", {}, words[kind][0] + " ", linkTo(run, from, named(run, from))));
		else if (from === i)
			details.append(make("p", {}, words[kind][1] + " ", linkTo(run, to, named(run, to))));
	}
}

/* Who holds what and waits for what in state i. */
function appendState(run, i) {
	const list = make("ul", {});
	run.threads.forEach((name, t) => {
		const now = run.spans.filter((span) => span.thread === t && span.from <= i && i < span.to);
		if (!now.length)
			return;
		const item = make("li", {}, name.split(" ")[0]);
		const held = now.filter((span) => !span.waits), waits = now.filter((span) => span.waits);
		held.forEach((span, n) => item.append(n ? ", " : " holds ", objectMark(span.object)));
		waits.forEach((span) => item.append((held.length ? "; " : " ") + span.words));
		list.append(item);
	});
	if (list.children.length)
		details.append(make("h3", {textContent: "Before it"}), list);
}

function appendUnknown(run) {
	if (!run.replayed)
		details.append(make("p", {textContent: "The program wasn't run for this page: who holds and waits for " +
					  "what, and stacks, aren't known."}));
}

function showTransition(run, row) {
	const line = make("code", {});
	appendOperation(line, row);
	details.replaceChildren(
		make("h2", {textContent: "Transition " + (row.i + 1) + ", " + run.threads[row.thread]}),
		make("p", {}, line));
	if (row.where)
		details.append(make("p", {textContent: row.where + (row.inside ? ", in " + row.inside : "")}));
	if (run.number === 0 && row.i === data.part)
		details.append(make("p", {className: "bad"}, make("b", {textContent: "Here it parts from the schedule beside it."})));
	appendArrows(run, row.i);
	if (row.stack >= 0) {
		details.append(make("h3", {textContent: "Stack"}));
		appendStack(details, run.stacks[row.stack]);
	}
	appendState(run, row.i);
	appendUnknown(run);
}

function showEnding(run) {
	details.replaceChildren(make("h2", {textContent: run.number ? "How the schedule beside it ends" : "How it ends"}),
				make("p", {className: run.bad ? "bad" : "good"}, make("b", {textContent: run.ending})));
	if (runs.length > 1 && run.number === 0 && data.part < run.rows.length)
		details.append(make("p", {}, "Parts from the schedule beside it at ",
				    linkTo(run, data.part, named(run, data.part)), "."));
	if (runs.length > 1)
		details.append(make("p", {textContent: "Beside it: " + data.about}));
	const exited = run.threads.filter((name, t) => run.states[t] && run.states[t][0] === "has exited");
	run.states.forEach(([state, frames], t) => {
		if (state === "has exited")
			return;
		details.append(make("h3", {textContent: run.threads[t]}), make("p", {textContent: state}));
		if (frames.length)
			appendStack(details, frames);
	});
	if (exited.length)
		details.append(make("h3", {textContent: "Threads that have exited"}),
			       make("p", {textContent: exited.map((name) => name.split(" ")[0]).join(", ")}));
	if (run.output.length)
		details.append(make("h3", {textContent: "Output"}), make("pre", {textContent: run.output.join("\n")}));
	appendUnknown(run);
}

/* The chosen transition; a row equal to the number of transitions is the end. */
let chosen = {run: runs[0], i: runs[0].rows.length};

function elementOf(at) {
	return at.i < at.run.rows.length ? cellOf(at.run.rows[at.i]) : at.run.box;
}

function choose(run, i, focus) {
	const old = elementOf(chosen);
	old.classList.remove("on");
	old.tabIndex = -1;
	chosen = {run, i: Math.max(0, Math.min(i, run.rows.length))};
	const now = elementOf(chosen);
	now.classList.add("on");
	now.tabIndex = 0;
	if (chosen.i < run.rows.length)
		showTransition(run, run.rows[chosen.i]);
	else
		showEnding(run);
	details.scrollTop = 0;
	if (!focus)
		return;
	history.replaceState(null, "", "#" + now.id);
	now.focus({preventScroll: true});
	reveal(now);
}

/* Scroll no more than it takes; sideways only if the beginning of the text is out of sight. */
function reveal(element) {
	const box = element.getBoundingClientRect(), frame = scroller.getBoundingClientRect();
	const top = frame.top + 60, bottom = frame.bottom - 60;
	if (box.top < top || box.bottom > bottom)
		scroller.scrollTop += box.top - (top + bottom) / 2;
	if (box.left < frame.left + NUMBER + 4)
		scroller.scrollLeft += box.left - frame.left - NUMBER - 30;
	else if (box.left + 160 > frame.right)
		scroller.scrollLeft += Math.min(box.left - frame.left - NUMBER - 30, box.left + 260 - frame.right);
}

/* The next row from the chosen one on that will do, forwards or back. */
function step(forwards, wanted) {
	const rows = chosen.run.rows, by = forwards ? 1 : -1;
	for (let i = chosen.i + by; i >= 0 && i < rows.length; i += by)
		if (wanted(rows[i]))
			return choose(chosen.run, i, true);
}

/* Names of all objects. */
const names = new Set();
for (const run of runs)
	for (const row of run.rows)
		names.add(row.object).add(row.object2);
names.delete("");

function isHit(run, row) {
	if (/^T\d+$/.test(query) && run.threads[row.thread].split(" ")[0] === query)
		return true;
	if (names.has(query))
		return row.object === query || row.object2 === query;
	return searched(run, row).includes(query.toLowerCase());
}

function search(text) {
	let count = 0;
	query = text;
	table.classList.toggle("filtered", query !== "");
	for (const run of runs) {
		for (const row of run.rows) {
			row.hit = query !== "" && isHit(run, row);
			count += row.hit;
			if (row.cell)
				row.cell.classList.toggle("hit", row.hit);
		}
		for (const span of run.spans)
			for (const part of span.parts)
				part.classList.toggle("hit", isSpanHit(span));
	}
	document.getElementById("matches").textContent = query === "" ? "" : count + " found";
}

function searchFor(object) {
	find.value = find.value === object ? "" : object;
	search(find.value);
}

function onKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (event.target === find) {
		if (event.key === "Escape") {
			find.value = "";
			search("");
		}
		if (event.key === "Escape" || event.key === "Enter") {
			if (event.key === "Enter")
				step(true, (row) => isHit(chosen.run, row)) || elementOf(chosen).focus();
			else
				elementOf(chosen).focus({preventScroll: true});
			event.preventDefault();
		}
		return;
	}
	const now = chosen.run.rows[chosen.i];
	const same = (row) => query !== "" ? isHit(chosen.run, row) :
		now && now.object !== "" && (row.object === now.object || row.object2 === now.object);
	const own = (row) => now && row.thread === now.thread;
	const keys = {
		j: () => choose(chosen.run, chosen.i + 1, true),
		k: () => choose(chosen.run, chosen.i - 1, true),
		n: () => step(true, same),
		p: () => step(false, same),
		t: () => step(true, own),
		T: () => step(false, own),
		b: () => choose(runs[(chosen.run.number + 1) % runs.length], chosen.i, true),
		g: () => choose(chosen.run, 0, true),
		G: () => choose(chosen.run, chosen.run.rows.length, true),
		"/": () => find.focus(),
		Escape: () => { find.value = ""; search(""); },
	};
	keys.ArrowDown = keys.j;
	keys.ArrowUp = keys.k;
	keys.Home = keys.g;
	keys.End = keys.G;
	if (!Object.hasOwn(keys, event.key) || (event.target.closest("aside, header") && event.key.length > 1))
		return;
	event.preventDefault();
	keys[event.key]();
}

function onClick(event) {
	const mark = event.target.closest("[data-object]");
	const cell = event.target.closest(".cell"), box = event.target.closest(".ending");
	if (mark && mark.dataset.object)
		searchFor(mark.dataset.object);
	if (cell)
		choose(runs[cell.id[0] === "p" ? 1 : 0], Number(cell.id.slice(1)) - 1, true);
	else if (box)
		choose(runs[box.id === "pend" ? 1 : 0], Infinity, true);
}

/* To what the address names; false if it names nothing. */
function follow() {
	const match = /^#([tp])(\d+|end)$|^#(end)$/.exec(location.hash);
	const run = match && runs[match[1] === "p" ? 1 : 0];
	if (!run)
		return false;
	choose(run, match[2] && match[2] !== "end" ? Number(match[2]) - 1 : run.rows.length, true);
	return true;
}

function drawHeader() {
	const [run] = runs;
	const name = (data.command[0] || "").split("/").pop();
	const command = [name, ...data.command.slice(1)].join(" ");
	document.title = (run.bad ? run.verdict : "schedule") + (name ? ": " + command : "");
	document.getElementById("title").textContent = command || "A schedule";
	const ending = document.getElementById("ending");
	ending.className = run.bad ? "bad" : "good";
	ending.append(make("b", {textContent: run.bad ? run.verdict : "end"}),
		      " " + run.ending.replace(/^[a-z-]+: /, ""));
	const jumps = [["First", runs[0], 0], [run.bad ? "Failure" : "End", runs[0], Infinity]];
	if (run.loop >= 0)
		jumps.splice(1, 0, ["Begin of the loop", run, run.loop]);
	if (runs.length > 1)
		jumps.splice(1, 0, ["Where they part", run, data.part]);
	for (const [text, to, i] of jumps)
		document.getElementById("jumps").append(
			make("button", {type: "button", textContent: text, onclick: () => choose(to, i, true)}));
}

let width = 0;
function draw() {
	width = scroller.clientWidth;
	drawTable();
	search(find.value);
	choose(chosen.run, chosen.i, false);
}

drawHeader();
draw();
if (!follow())
	showEnding(runs[0]);
addEventListener("hashchange", follow);
addEventListener("resize", () => width === scroller.clientWidth || draw());
document.addEventListener("keydown", onKey);
document.addEventListener("click", onClick);
let waiting = 0;
find.addEventListener("input", () => {
	clearTimeout(waiting);
	waiting = setTimeout(() => search(find.value), 80);
});

})();
