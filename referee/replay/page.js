"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const U = 30;
const frames = [];
for (const delta of data.frames) {
  const before = frames.length ? frames[frames.length - 1] : {hands: {}};
  frames.push({...before, ...delta, hands: {...before.hands, ...delta.hands}});
}
let at = Math.min(data.start, Math.max(frames.length - 1, 0));
let view = data.viewer;
let timer = null;

function html(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}
function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

// Dominoes: every half is drawn upright about its centre; a tile that lies is turned as a whole.
const PIPS = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];
function half(number, x, y) {
  return PIPS[Number(number)].map(place => svg("circle", {
    class: "pip", r: U * 0.095, cx: x + (place % 3 - 1) * U * 0.27, cy: y + (Math.floor(place / 3) - 1) * U * 0.27}));
}
function tile(first, second, x, y, degrees, style) {
  return svg("g", {transform: `translate(${x} ${y}) rotate(${degrees})`},
    svg("rect", {class: `tile ${style}`, x: -U / 2 + 1, y: -U + 1, width: U - 2, height: 2 * U - 2, rx: 4}),
    svg("line", {class: "bar-line", x1: -U / 2 + 5, x2: U / 2 - 5, y1: 0, y2: 0}),
    ...half(first, 0, -U / 2), ...half(second, 0, U / 2));
}

class Layout {
  constructor() { this.nodes = []; this.box = [0, 0, 0, 0]; }
  grow(x, y, w, h) {
    const b = this.box;
    this.box = [Math.min(b[0], x - w), Math.min(b[1], y - h), Math.max(b[2], x + w), Math.max(b[3], y + h)];
  }
  // Lays a tile whose near edge is centred on (x, y), going towards (dx, dy); gives the middle and the far edge.
  lay([piece, near, far], x, y, dx, dy, frame) {
    const double = near === far;
    const length = double ? U : 2 * U;
    const cx = x + dx * length / 2, cy = y + dy * length / 2;
    const along = dx ? (dx > 0 ? -90 : 90) : (dy > 0 ? 0 : 180);
    const style = (frame.last.includes(piece) ? "last" : "") + (piece === frame.spinner ? " spinner" : "");
    this.nodes.push(tile(near, far, cx, cy, double ? along + 90 : along, style));
    const across = double ? 2 * U : U;
    this.grow(cx, cy, dx ? length / 2 : across / 2, dx ? across / 2 : length / 2);
    return {cx, cy, x: x + dx * length, y: y + dy * length, double};
  }
  // An arm runs straight for a while and then turns, so that the table stays broad rather than high.
  arm(tiles, x, y, dy, turn, frame) {
    let dx = 0, straight = 0, goes = dy;
    let place = {x, y};
    for (const one of tiles) {
      if (goes && straight >= 4 * U) {
        dx = turn;
        const end = place.double ? U : U / 2;
        place = {x: place.cx + dx * end, y: place.double ? place.cy : place.cy + goes * U / 2};
        goes = 0;
      }
      place = this.lay(one, place.x, place.y, dx, goes, frame);
      if (goes) straight += place.double ? U : 2 * U;
    }
    return place;
  }
  label(text, x, y) { this.nodes.push(svg("text", {class: "end", x, y}, text)); this.grow(x, y, 8, 10); }
}

function line(frame) {
  const rows = [[]];
  let room = 30;
  for (const one of frame.line) {
    const size = one[1] === one[2] ? 1 : 2;
    if (room < size) { rows.push([]); room = 30; }
    rows[rows.length - 1].push(one);
    room -= size;
  }
  const parts = rows.map((row, number) => {
    const layout = new Layout();
    let place = {x: 0, y: 0};
    if (number) layout.label("…", -12, 4);
    const length = row.reduce((sum, one) => sum + (one[1] === one[2] ? U : 2 * U), 0);
    for (const one of row) {
      place = layout.lay(one, place.x, place.y, 1, 0, frame);
      if (one[0] === frame.spinner) {
        const turn = place.cx < length / 2 ? 1 : -1;
        layout.arm(frame.up, place.cx, place.cy - U, -1, turn, frame);
        layout.arm(frame.down, place.cx, place.cy + U, 1, turn, frame);
      }
    }
    if (number < rows.length - 1) layout.label("…", place.x + 12, 4);
    return layout;
  });
  let top = 0, right = 0, left = 0;
  const groups = parts.map(({nodes, box}) => {
    const group = svg("g", {transform: `translate(0 ${top - box[1]})`}, ...nodes);
    top += box[3] - box[1] + U / 2;
    right = Math.max(right, box[2]);
    left = Math.min(left, box[0]);
    return group;
  });
  const spare = Math.max(0, 20 * U - (right - left)) / 2;
  [left, right] = [left - spare, right + spare];
  return svg("svg", {viewBox: `${left - 8} -8 ${right - left + 16} ${Math.max(top, 3 * U) + 8}`}, ...groups);
}

// Cards
const COLOURS = {D: "#c22f2f", H: "#c22f2f", S: "#20241f", C: data.deck === "spanish-40" ? "#c22f2f" : "#20241f",
  O: "#a8780a", E: "#2457a6", B: "#2b7a3c"};
function card(piece, x, y, style) {
  const letter = piece.slice(-1);
  const suit = data.suits.find(one => one.letter === letter);
  return svg("g", {transform: `translate(${x} ${y})`},
    svg("rect", {class: `tile ${style}`, width: 34, height: 46, rx: 4}),
    svg("text", {class: "rank", x: 17, y: 20, fill: COLOURS[letter]}, piece.slice(0, -1)),
    svg("text", {class: "suit", x: 17, y: 38, fill: COLOURS[letter]}, suit.symbol));
}
function rows(frame) {
  const picture = svg("svg", {viewBox: `0 0 ${112 + data.ranks.length * 38} ${data.suits.length * 52}`});
  data.suits.forEach((suit, row) => {
    picture.append(svg("text", {class: "label", x: 4, y: row * 52 + 30}, `${suit.symbol} ${suit.name}`));
    data.ranks.forEach((rank, column) => {
      const piece = rank + suit.letter, x = 108 + column * 38, y = row * 52 + 2;
      picture.append(frame.cards.includes(piece)
        ? card(piece, x, y, frame.last.includes(piece) ? "last" : "")
        : svg("rect", {class: "slot", x, y, width: 34, height: 46, rx: 4}));
    });
  });
  return picture;
}

function held(piece) {
  if (data.suits.length) return svg("svg", {width: 34, height: 46, viewBox: "-1 -1 36 48"}, card(piece, 0, 0, ""));
  const [high, low] = piece.split("-");
  return svg("svg", {width: 24, height: 48, viewBox: `${-U / 2} ${-U} ${U} ${2 * U}`}, tile(high, low, 0, 0, 0, ""));
}
function back() {
  return svg("svg", {width: 18, height: 30, viewBox: "0 0 18 30"},
    svg("rect", {class: "back", x: 1, y: 1, width: 16, height: 28, rx: 3}));
}
function said(frame) {
  const open = view === null || view === frame.seat;
  if (frame.kind === "note") return open && frame.more ? frame.more : `${name(frame.seat)} ${frame.did}`;
  return [frame.who && frame.who + ":", frame.did, open ? frame.more : ""].filter(Boolean).join(" ");
}
function name(seat) { return seat === null || !data.seats[seat] ? "" : data.seats[seat].name + ":"; }

function seats(frame) {
  return data.seats.map((seat, number) => {
    const holds = frame.hands[number] || {pieces: null, count: 0};
    const out = holds.count === null;
    const open = frame.over || view === null || view === number;
    const facts = [`seat ${number}`];
    if (seat.side !== null) facts.push(`pair ${seat.side}`);
    facts.push(out ? "out of the match" : `${holds.count} in hand`);
    if (data.passes && frame.passes.length) facts.push(`passes ${frame.passes[number]}`);
    if (frame.next === number) facts.push("to act");
    const pieces = out ? [] : holds.pieces !== null && open ? holds.pieces.map(held) : Array.from({length: holds.count}, back);
    return html("div", {class: `seat${frame.next === number ? " next" : ""}${out ? " out" : ""}`},
      html("header", {}, html("strong", {}, seat.name), html("span", {}, facts.join(" · "))),
      html("div", {class: "pieces"}, ...pieces));
  });
}

function list(frame) {
  const items = [];
  frames.forEach((one, number) => {
    if (one.hand !== frame.hand) return;
    const button = html("button", {"aria-current": number === at ? "true" : null},
      html("b", {}, one.kind === "turn" ? String(one.turn) : ""), html("span", {}, said(one)), html("i", {}, one.how));
    button.onclick = () => go(number);
    items.push(html("li", {}, button));
  });
  return items;
}

function draw() {
  if (!frames.length) { $("said").textContent = "Nothing has happened yet."; return; }
  const frame = frames[at];
  $("slider").value = at;
  $("where").textContent = `${at + 1} / ${frames.length}`;
  $("hand").value = frame.hand;
  $("said").replaceChildren(said(frame), html("small", {}, frame.how));
  const bare = data.suits.length ? frame.hand < 0 : !frame.line.length;
  $("table").replaceChildren(bare ? "nothing on the table yet" : data.suits.length ? rows(frame) : line(frame));
  const ends = frame.ends && !frame.over ? Object.entries(frame.ends).map(([arm, number]) => `${arm} ${number}`) : [];
  $("count").textContent = [ends.length ? `open ends: ${ends.join(", ")}` : "",
    frame.stock ? `stock: ${frame.stock}` : "", frame.count].filter(Boolean).join(" · ");
  $("seats").replaceChildren(...seats(frame));
  $("list").replaceChildren(...list(frame));
  const current = $("list").querySelector("[aria-current]");
  if (current) $("list").scrollTop = current.offsetTop - $("list").offsetTop - $("list").clientHeight / 2;
  $("back").disabled = $("hand-back").disabled = at === 0;
  $("on").disabled = $("hand-on").disabled = at === frames.length - 1;
}
function go(number) { at = Math.max(0, Math.min(frames.length - 1, number)); draw(); }
function goHand(step) {
  if (!frames.length) return;
  const hand = frames[at].hand;
  const first = frames.findIndex(one => one.hand === hand);
  if (step < 0 && at > first) return go(first);
  const target = frames.findIndex(one => one.hand === hand + step);
  go(target >= 0 ? target : step < 0 ? 0 : frames.length - 1);
}
function run() {
  if (timer) { clearInterval(timer); timer = null; } else {
    if (at === frames.length - 1) go(0);
    timer = setInterval(() => { if (at >= frames.length - 1) run(); else go(at + 1); }, 900);
  }
  $("run").textContent = timer ? "stop" : "run";
}

$("title").textContent = data.title;
$("facts").textContent = [...data.facts, `begun ${data.begun}`, ...(data.running ? ["the log ends before the match"] : [])].join(" · ");
$("slider").max = Math.max(frames.length - 1, 0);
$("slider").oninput = event => go(Number(event.target.value));
$("back").onclick = () => go(at - 1);
$("on").onclick = () => go(at + 1);
$("hand-back").onclick = () => goHand(-1);
$("hand-on").onclick = () => goHand(1);
$("run").onclick = run;
for (const hand of new Set(frames.map(one => one.hand))) $("hand").append(html("option", {value: hand}, hand < 0 ? "–" : String(hand)));
$("hand").onchange = event => go(frames.findIndex(one => one.hand === Number(event.target.value)));
if (data.viewer === null) $("view").append(html("option", {value: ""}, "everything"));
data.seats.forEach((seat, number) => {
  if (data.viewer === null || data.viewer === number) $("view").append(html("option", {value: number}, `what seat ${number} saw: ${seat.name}`));
});
$("view").disabled = data.viewer !== null;
$("view").onchange = event => { view = event.target.value === "" ? null : Number(event.target.value); draw(); };
document.addEventListener("keydown", event => {
  if (["SELECT", "INPUT"].includes(event.target.tagName) || event.altKey || event.ctrlKey || event.metaKey) return;
  const keys = {ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), PageUp: () => goHand(-1), PageDown: () => goHand(1),
    Home: () => go(0), End: () => go(frames.length - 1)};
  if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); run(); }
  else if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
draw();
