"use strict";
/*
 * What a person does with the page, done by a script that run-page.sh adds to a copy of it. Each check becomes a line "ok   NAME"
 * or "FAIL NAME" in an element that the browser prints with the rest.
 */
(async function () {

const data = JSON.parse(document.getElementById("data").textContent);
const lines = [], [run] = data.runs;
const scroller = document.getElementById("scroller"), details = document.getElementById("details");

function check(name, good, ...seen) {
	lines.push(good ? "ok   " + name : "FAIL " + name + ": " + seen.join(" | "));
}

function press(key) {
	document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
}

/* Not all of it may be drawn. */
const whole = Math.max(...data.runs.map((one) => one.rows.length)) < 8000;
const found = (n) => document.getElementById("matches").textContent === n + " found" && (count(".cell.hit") === n || !whole);
const count = (selector) => document.querySelectorAll(selector).length;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/*
 * The browser draws, and tells of a new address, when it sees fit: what doesn't come in 5 seconds fails in the check that follows. They are
 * of its own time, of which it is given 100: it lets them pass as soon as nothing is left to do, and on a busy machine before it has drawn at first.
 * So there is something to do, which takes a millisecond or two of everybody's time.
 */
async function until(there, tries = 250) {
	for (; tries > 0 && !there(); tries--) {
		for (let i = 0, sum = 0; i < 1e6; i++)
			sum += i;
		await pause(20);
	}
}

/* In [thread, operation, rest, object, second object, place, function, stack] of a row, */
const OBJECT = 3, OBJECT2 = 4, STACK = 7;

function checkDrawing() {
	for (const [number, one] of data.runs.entries()) {
		const prefix = "#" + "tp"[number];
		const drawn = (row, i) => document.querySelector(prefix + (i + 1))?.textContent.startsWith(row[1]);
		if (whole)
			check("each transition of run " + number + " is a cell", one.rows.every(drawn));
		else
			check("so are many, where they are looked at", count(".cell") < 2000 && one.rows.slice(0, 40).every(drawn), count(".cell"));
		const ending = document.getElementById(number ? "pend" : "end");
		check("the end of run " + number + " is told", ending.textContent.startsWith(one.ending), ending.textContent);
		check("and coloured", ending.classList.contains(one.verdict === "none" ? "good" : "bad"));
	}
	const spans = data.runs.flatMap((one) => one.spans);
	const held = spans.filter((span) => !span[0]).length, waits = spans.length - held;
	check("each thing held has a bar", !whole || count(".bar.from") === held && count(".bar") >= held, held, count(".bar.from"));
	check("each wait is hatched", !whole || count(".wait.from") === waits, waits, count(".wait.from"));
	check("the last transition of a failure is marked", !whole || count(".cell.last") === data.runs.filter((one) => one.verdict !== "none").length);
	check("the line where two schedules part", count(".part") === data.runs.length - 1);
	check("each thread has a heading", count(".head:not(.side)") === data.runs.reduce((sum, one) => sum + one.threads.length, 0));
	check("the headline names the program", document.title.includes(data.command[0].split("/").pop()), document.title);
}

/* Bars begin in the middle of the row that takes an object, and end in that of the row that gives it away. */
function checkBars() {
	const heads = document.getElementById("heads").getBoundingClientRect().bottom;
	const bar = document.querySelector(".bar.from"), span = run.spans.find((one) => !one[0]);
	if (!span)
		return;
	const top = bar.getBoundingClientRect().top - heads + scroller.scrollTop;
	check("a bar begins in the row before its first state", top === (span[3] - 0.5) * 22, top, span[3]);
}

function checkStacks() {
	const i = run.rows.findIndex((row) => row[STACK] >= 0 && run.stacks[row[STACK]].length > 1);
	if (i < 0)
		return check("without a replay the page says so", details.textContent.includes("wasn't run"));
	document.getElementById("t" + (i + 1)).click();
	const stack = run.stacks[run.rows[i][STACK]];
	const shown = [...details.querySelectorAll(".stack li")].map((item) => item.textContent);
	check("a click shows the stack", shown.length === stack.length && shown.every((text, f) =>
		text === (stack[f][0] || "?") + " " + stack[f][1]), shown);
	check("and the address", location.hash === "#t" + (i + 1), location.hash);
	document.getElementById("end").click();
	check("the end shows every thread's", count("#details h3") > 0 && run.states.every(([state]) => details.textContent.includes(state.replace("has exited", "have exited"))));
}

function checkObjects() {
	const i = run.rows.findIndex((row) => row[OBJECT] !== "" && !/^T\d+$/.test(row[OBJECT]));
	if (i < 0)
		return;
	const name = run.rows[i][OBJECT];
	const wanted = data.runs.flatMap((one) => one.rows).filter((row) => row[OBJECT] === name || row[OBJECT2] === name);
	document.querySelector("#t" + (i + 1) + " .object").click();
	check("a click on an object finds its transitions", found(wanted.length), name, wanted.length, count(".cell.hit"));
	check("and its bars", count(".bar.hit") > 0 || !run.replayed);
	const next = run.rows.findIndex((row, k) => k > i && (row[OBJECT] === name || row[OBJECT2] === name));
	press("n");
	check("n goes to the next one", next < 0 || location.hash === "#t" + (next + 1), location.hash, next + 1);
	press("p");
	check("p goes back", next < 0 || location.hash === "#t" + (i + 1), location.hash, i + 1);
	press("Escape");
	check("Escape shows all again", count(".filtered") === 0 && count(".hit") === 0);
}

function checkKeys() {
	press("g");
	check("g goes to the first", location.hash === "#t1", location.hash);
	press("j");
	check("j goes on", location.hash === "#t2" && document.activeElement.id === "t2", location.hash);
	press("k");
	check("k goes back", location.hash === "#t1", location.hash);
	check("one transition can be reached by Tab", count(".cell[tabindex='0'], .ending[tabindex='0']") === 1);
	press("G");
	check("G goes to the end", location.hash === "#end", location.hash);
	if (data.runs.length > 1) {
		press("b");
		check("b goes to the schedule beside it", location.hash.startsWith("#p"), location.hash);
	}
	location.hash = "#t2";
}

async function checkFind() {
	await until(() => details.textContent.includes("Transition 2,"));
	check("an address leads to its transition", details.textContent.includes("Transition 2,"), details.textContent.slice(0, 40));
	const find = document.getElementById("find");
	find.value = "thread_CREATE";
	find.dispatchEvent(new Event("input"));
	const wanted = data.runs.flatMap((one) => one.rows).filter((row) => row[1] === "thread_create").length;
	await until(() => found(wanted));
	check("find", found(wanted), wanted, count(".cell.hit"));
	find.value = "";
	find.dispatchEvent(new Event("input"));
	await until(() => count(".hit") === 0);
}

/* The middle, which nobody has looked at. */
async function checkMiddle() {
	const middle = Math.ceil(run.rows.length / 2), chosen = run.rows[middle - 1];
	location.hash = "#t" + middle;
	await until(() => document.getElementById("t" + middle)?.classList.contains("on"));
	const cell = document.getElementById("t" + middle), box = cell.getBoundingClientRect();
	check("any transition can be gone to", cell.textContent.startsWith(chosen[1]) && cell.classList.contains("on") &&
	      box.top > 0 && box.top < innerHeight, box.top);
	check("with those around it", document.getElementById("t" + Math.max(1, middle - 10)) !== null);
}

async function checkScrolling() {
	scroller.scrollTop = scroller.scrollHeight;
	scroller.scrollLeft = 40;
	await until(() => scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1);
	const heads = document.getElementById("heads").getBoundingClientRect();
	check("headings stay in sight", heads.top === scroller.getBoundingClientRect().top, heads.top);
	press("g");
	press("G");
	const end = document.getElementById("end").getBoundingClientRect();
	check("what is chosen is in sight", end.top > heads.bottom && end.top < innerHeight, end.top);
}

const loaded = performance.now();
try {
	await until(() => document.getElementById("t1"), 4000);
	checkDrawing();
	checkBars();
	checkStacks();
	checkObjects();
	checkKeys();
	await checkFind();
	await checkMiddle();
	await checkScrolling();
} catch (error) {
	check("no exception", false, error.stack);
}
check("nothing is loaded", performance.getEntriesByType("resource").length === 0);
check("no markup came from names", !window.broken && count("img, iframe, object, embed, script[src], link:not([rel=icon])") === 0);
lines.push("drawn after " + Math.round(loaded) + " ms");
document.body.append(Object.assign(document.createElement("pre"), {id: "checks", textContent: lines.join("\n")}));

})();
