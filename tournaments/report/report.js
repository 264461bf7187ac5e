"use strict";
const read = id => JSON.parse(document.getElementById(id).textContent);
const data = read("matches-data"), packed = read("replays-data"), entrants = read("entrants-data"), replay = read("replay-data");
const $ = id => document.getElementById(id);
const PAGE = 50;
let shown = PAGE, selected = [], open = null, origin = null;

function node(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== false) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A match is [id, entrants by seat, places by seat, faults in words by entrant].
function fits([id, seats, , faults]) {
  const one = $("one").value, other = $("other").value, wanted = $("wanted").value.trim();
  return (one === "" || seats.includes(Number(one))) && (other === "" || seats.includes(Number(other)))
    && (wanted === "" || id.includes(wanted)) && (!$("faulty").checked || Object.keys(faults).length > 0);
}

function row(match) {
  const [id, seats, places, faults] = match;
  const players = seats.map((entrant, seat) => node("span", {}, node("small", {style: "display:inline"}, `${seat}: `),
    places[seat] === 1 ? node("b", {}, `${places[seat]}. ${data.names[entrant]}`) : `${places[seat]}. ${data.names[entrant]}`));
  const outcasts = seats.filter(entrant => data.out.includes(entrant)).map(entrant => data.names[entrant]);
  const told = [...new Set(outcasts)].map(name => `does not count: ${name} is disqualified; `).join("") + Object.entries(faults).map(([entrant, words]) => `${data.names[entrant]}: ${words}`).join("; ");
  const buttons = id in packed
    ? ["", ...seats.keys()].map(seat => node("button", {type: "button", "data-replay": id, "data-seat": seat,
        "aria-label": `replay ${id}` + (seat === "" ? ", all cards open" : ` as seat ${seat}, ${data.names[seats[seat]]}, saw it`)},
        seat === "" ? "open" : String(seat)))
    : [node("small", {}, `referee replay matches/${id}.jsonl`)];
  return node("tr", {}, node("td", {}, node("a", {href: `matches/${id}.jsonl`, title: "the log of this match"}, id)), node("td", {}, ...buttons),
    node("td", {}, ...players), node("td", {}, told || "–"));
}

function list() {
  selected = data.matches.filter(fits);
  $("list").replaceChildren(...selected.slice(0, shown).map(row));
  $("found").textContent = `${selected.length} of ${data.matches.length} matches`;
  $("more").hidden = selected.length <= shown;
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), char => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

const escaped = text => text.replace(/[&<>"]/g, char => `&#${char.charCodeAt(0)};`);

// The page of a match goes into a frame of its own, which tells us when Escape is pressed in it.
// A hand or a turn that is given is shown first.
async function show(id, seat, hand = null, turn = null) {
  if (!(id in packed)) return;
  const text = await unpack(packed[id]);
  const parts = {...replay, data: text, title: escaped(JSON.parse(text).title)};
  parts.script += `
    addEventListener("keydown", event => { if (event.key === "Escape") parent.postMessage("close", "*"); });
    $("view").value = ${JSON.stringify(String(seat))};
    $("view").dispatchEvent(new Event("change"));
    go(Math.max(0, frames.findIndex(one => ${turn !== null ? `one.turn === ${Number(turn)}` : `one.hand === ${Number(hand ?? -1)}`})));`;
  open = {id, seat};
  if ($("entrant").hidden) origin = null;
  $("frame").srcdoc = replay.page.replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
  const place = playable(0);
  $("before").disabled = playable(-1) === null;
  $("after").disabled = playable(1) === null;
  $("which").textContent = `match ${place}`;
  if (!$("viewer").open) $("viewer").showModal();
  const where = [["match", id], ["seat", seat], ["hand", hand], ["turn", turn]].filter(([, value]) => value !== null && value !== "");
  history.replaceState(null, "", "#" + where.map(pair => pair.join("=")).join("&"));
}

// The match that many steps from the open one, among those that are listed and can be replayed.
function playable(step) {
  const ids = selected.map(match => match[0]).filter(id => id in packed);
  const at = ids.indexOf(open.id);
  return step === 0 ? open.id : at < 0 ? null : ids[at + step] ?? null;
}

function go(step) {
  const id = playable(step);
  if (id !== null) show(id, open.seat);
}

for (const [id, all] of [["one", "anyone"], ["other", "anyone"]]) {
  $(id).append(node("option", {value: ""}, all), ...data.names.map((name, number) => node("option", {value: number}, name)));
}
for (const id of ["one", "other", "wanted", "faulty"]) $(id).addEventListener("input", () => { shown = PAGE; list(); });
$("more").onclick = () => { shown += PAGE; list(); };
$("list").addEventListener("click", event => {
  const button = event.target.closest("[data-replay]");
  if (button) show(button.dataset.replay, button.dataset.seat);
});
for (const button of document.querySelectorAll("[data-pair]")) {
  button.onclick = () => {
    [$("one").value, $("other").value] = button.dataset.pair.split(" ");
    shown = PAGE;
    list();
    $("matches").scrollIntoView();
    $("one").focus({preventScroll: true});
  };
}
$("close").onclick = () => $("viewer").close();
$("before").onclick = () => go(-1);
$("after").onclick = () => go(1);
$("viewer").addEventListener("close", () => {
  $("frame").srcdoc = "";
  // Unless somebody has gone elsewhere meanwhile.
  if (location.hash.startsWith("#match=")) history.replaceState(null, "", origin ?? "#matches");
});
addEventListener("message", event => { if (event.source === $("frame").contentWindow && event.data === "close") $("viewer").close(); });

const replays = Object.keys(packed).length;
const kept = replays === data.played ? "Every match can be replayed here." :
  `${replays} of ${data.played} matches can be replayed here; the others, from their logs, with the command that is given.`;
const listed = data.matches.length < data.played ? ` ${data.matches.length} are listed; those of a deal set that is still being played are left out.` : "";
$("kept").textContent = kept + listed;
list();

function rows(heads, made) {
  if (!made.length) return node("p", {}, "None.");
  const head = node("tr", {}, ...heads.map(text => node("th", {scope: "col"}, text)));
  return node("table", {}, node("thead", {}, head), node("tbody", {}, ...made.map(cells => node("tr", {}, ...cells.map(cell => node("td", {}, cell))))));
}

// A button that replays a match from a seat, or, where the match is not in this page, the command that does.
function replayer(id, seat, place, words) {
  if (!(id in packed)) {
    return node("code", {}, `referee replay matches/${id}.jsonl --seat ${seat}` + Object.entries(place).map(([key, value]) => ` --${key} ${value}`).join(""));
  }
  const button = node("button", {type: "button", "aria-label": `${words} of match ${id}, as seat ${seat} saw it`}, words);
  button.onclick = () => { origin = location.hash; show(id, seat, place.hand ?? null, place.turn ?? null); };
  return button;
}
const log = id => node("a", {href: `matches/${id}.jsonl`, title: "the log of this match"}, id);

// The page of an entrant: its own address, the rest of the report out of sight.
function page(number) {
  const one = entrants[number];
  $("entrant-name").textContent = data.names[number];
  $("entrant-facts").replaceChildren(...one.facts.map(fact => node("li", {}, fact)));
  $("entrant-faults").replaceChildren(rows(["match", "replay", "fault", "what came of it", "explanation"], one.faults.map(([id, seat, turn, fault, detail, came]) =>
    [log(id), turn ? replayer(id, seat, {turn}, `turn ${turn}`) : replayer(id, seat, {}, "start"), fault.replace("_", " "), came, detail])));
  $("entrant-slow").replaceChildren(rows(["match", "replay", "time"], one.slow.map(([ms, id, turn, seat]) =>
    [log(id), replayer(id, seat, {turn}, `turn ${turn}`), ms < 1000 ? `${ms} ms` : `${ms / 1000} s`])));
  const points = one.lost.some(([had]) => had > 0);
  $("entrant-lost").replaceChildren(rows(["match", "replay", ...(points ? ["points of the others"] : [])], one.lost.map(([had, id, hand, seat]) =>
    [log(id), replayer(id, seat, {hand}, `hand ${hand}`), ...(points ? [String(had)] : [])])));
}

function route() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const number = data.names.indexOf(asked.get("entrant"));
  const alone = number >= 0;
  if (asked.has("match")) return show(asked.get("match"), asked.get("seat") ?? "", asked.get("hand"), asked.get("turn"));
  $("entrant").hidden = !alone;
  document.body.classList.toggle("one", alone);
  if (alone) {
    page(number);
    scrollTo({top: 0, behavior: "instant"});
    $("entrant-name").focus({preventScroll: true});
  } else if (location.hash) {
    // The section was out of sight when the browser went to look for it.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }
}
addEventListener("hashchange", route);
route();
