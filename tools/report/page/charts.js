/* Charts over the instructions and over time, and tables of reasons. */

const CHART = {left: 46, right: 14, top: 12, height: 190, bottom: 24};

/* About `count` steps of an axis, each 1, 2 or 5 times a power of ten. */
function stepOf(range, count) {
  const rough = Math.max(range / count, 1), power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
}

/* --- Register pressure --- */

function drawLimits(x0, x1, yOf, self) {
  const limits = [[self.half_file, `${self.half_file}: twice the threads up to here`], [2 * self.half_file, `${2 * self.half_file}: all registers`]];
  return limits.filter(([at]) => at && yOf(at) >= CHART.top - 1).flatMap(([at, text]) => [
    draw('line', {class: 'limit', x1: x0, x2: x1, y1: yOf(at), y2: yOf(at)}),
    draw('text', {x: x0 + 6, y: yOf(at) + 14, class: 'faint'}, text)]);
}

function showPressure() {
  const self = program(), place = byId('pressure-chart'), rows = self.code, figures = self.figures;
  byId('pressure-hint').textContent = `Registers that hold something needed later, before each instruction; at most ${figures.most_live} ` +
    `of ${2 * self.half_file || 'the'} registers. Choose a place to see its instruction.`;
  if (!rows.length) return place.replaceChildren();
  const width = Math.max(place.clientWidth, Math.min(3 * rows.length, 20000) + CHART.left + CHART.right) - 2;
  const half = self.half_file || 32, most = figures.most_live > half ? 2 * half : half;
  const bottom = CHART.top + CHART.height, x1 = width - CHART.right;
  const xOf = (i) => CHART.left + ((x1 - CHART.left) * i) / rows.length;
  const yOf = (live) => bottom - (CHART.height * live) / most;
  let path = `M${CHART.left},${bottom}`;
  rows.forEach((row, i) => (path += ` L${xOf(i)},${yOf(row.live)} L${xOf(i + 1)},${yOf(row.live)}`));
  const svg = draw('svg', {width, height: bottom + CHART.bottom, role: 'img', 'aria-label': 'Live registers by instruction'},
    draw('path', {class: 'area', d: `${path} L${x1},${bottom} Z`}));
  for (let at = 0; at <= most; at += most / 4)
    svg.append(draw('line', {class: 'grid', x1: CHART.left, x2: x1, y1: yOf(at), y2: yOf(at)}),
      draw('text', {x: CHART.left - 8, y: yOf(at) + 4, 'text-anchor': 'end', class: 'faint'}, String(at)));
  const step = stepOf(rows.length, width / 90);
  for (let at = 0; at < rows.length; at += step)
    svg.append(draw('text', {x: xOf(at), y: bottom + 17, class: 'faint', 'text-anchor': 'middle'}, String(at)));
  svg.append(...drawLimits(CHART.left, x1, yOf, self));
  svg.append(draw('line', {class: 'here', id: 'pressure-here', y1: CHART.top, y2: bottom, visibility: 'hidden'}));
  svg.dataset.left = CHART.left;
  const indexAt = (event) => Math.floor(((event.clientX - svg.getBoundingClientRect().left - CHART.left) / (x1 - CHART.left)) * rows.length);
  svg.addEventListener('click', (event) => rows[indexAt(event)] && showInstruction(indexAt(event)));
  place.replaceChildren(svg);
  pressureX = (i) => xOf(i + 0.5);
}

let pressureX = () => 0;

/* --- Timeline --- */

const LANE = {left: 118, height: 18, gap: 4, top: 26};
let timeScale = 1;

/* The end of the wait for the message of instruction `index`: after the first wait for its slot. */
function endOfMessage(index, waitsBySlot, rows, end) {
  const waits = waitsBySlot.get(rows[index].slot) || [];
  let low = 0, high = waits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (waits[middle] >= index) high = middle;
    else low = middle + 1;
  }
  const row = rows[waits[low]];
  return row ? row.at + 1 + (row.stall ? row.stall[1] : 0) : end;
}

function lanesOf(self) {
  const slots = [...new Set(self.code.filter((row) => row.slot !== undefined).map((row) => row.slot))].sort((a, b) => a - b);
  const units = self.unit_titles.filter(([name]) => self.code.some((row) => row.unit === name));
  return [{key: 'waits', title: 'waiting'},
    ...units.map(([name]) => ({key: `unit ${name}`, title: name === self.figures.bound ? `${name} (bound)` : name})),
    ...(self.code.some((row) => row.unit && !units.some(([name]) => name === row.unit)) ? [{key: 'unit other', title: 'no unit'}] : []),
    ...slots.map((slot) => ({key: `slot ${slot}`, title: `slot ${slot}`}))];
}

/* Bars: {lane, from, to, index, kind, text}. */
function barsOf(self, lanes, end) {
  const known = new Set(lanes.map((lane) => lane.key)), bars = [], waitsBySlot = new Map();
  for (const wait of self.figures.waits_for) addTo(waitsBySlot, wait.slot, wait.instruction);
  self.code.forEach((row, index) => {
    const lane = known.has(`unit ${row.unit}`) ? `unit ${row.unit}` : 'unit other';
    bars.push({lane, index, from: row.at, to: row.at + 1, kind: unitClass(row.unit), text: row.text});
    if (row.slot !== undefined)
      bars.push({lane: `slot ${row.slot}`, index, from: row.at, to: endOfMessage(index, waitsBySlot, self.code, end), kind: unitClass(row.unit), text: row.text});
    if (!row.stall) return;
    const [result, message, unit] = row.stall;
    if (result) bars.push({lane: 'waits', index, from: row.at - result - unit, to: row.at - unit, kind: 'stall-result', text: `${format(result)} cycles for a result`});
    if (unit) bars.push({lane: 'waits', index, from: row.at - unit, to: row.at, kind: 'stall-unit', text: `${format(unit)} cycles for its unit`});
    if (message) bars.push({lane: 'waits', index, from: row.at + 1, to: row.at + 1 + message, kind: 'stall-message', text: `${format(message)} cycles for messages`});
  });
  return bars;
}

/* Patterns, so that kinds of waits differ not only by color. */
function hatches() {
  const hatch = (id, color, angle) => draw('pattern', {id, width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: `rotate(${angle})`},
    draw('rect', {width: 5, height: 5, fill: color, opacity: 0.35}), draw('rect', {width: 2, height: 5, fill: color}));
  return draw('defs', {}, hatch('hatch-result', '#56b4e9', 45), hatch('hatch-message', '#e69f00', -45), hatch('hatch-unit', '#cc79a7', 0));
}

function drawAxis(svg, end, xOf, height) {
  const step = stepOf(end, (xOf(end) - xOf(0)) / 90);
  for (let at = 0; at <= end; at += step)
    svg.append(draw('line', {class: 'grid', x1: xOf(at), x2: xOf(at), y1: LANE.top - 6, y2: height}),
      draw('text', {x: xOf(at), y: 14, class: 'faint', 'text-anchor': 'middle'}, String(at)));
}

/* If messages share a slot, each has a bar; bars of slots are thinner and translucent, so that overlaps show. */
function drawBars(bars, rowOf, xOf) {
  return bars.map((bar) => {
    const isSlot = bar.lane.startsWith('slot'), x = xOf(bar.from);
    const element = draw('rect', {class: `bar ${bar.kind}`, x, width: Math.max(xOf(bar.to) - x - 0.5, 1.5), y: rowOf.get(bar.lane) + (isSlot ? 3 : 1),
      height: LANE.height - (isSlot ? 6 : 2), rx: isSlot ? 3 : 0, opacity: isSlot ? 0.75 : undefined, 'data-index': bar.index});
    /* Created on demand: there are many, and few are pointed at. */
    element.addEventListener('mouseenter', () =>
      element.replaceChildren(draw('title', {}, `${bar.index}: ${bar.text}\ncycles ${format(bar.from)} to ${format(bar.to)}`)));
    return element;
  });
}

function showTimeline() {
  const self = program(), place = byId('timeline');
  const last = self.code[self.code.length - 1];
  byId('time-hint').textContent = 'One warp alone, each instruction once, in the order of the text, by the timing model. ' +
    'A message occupies its slot until an instruction has waited for it.';
  if (!last || !self.figures.alone_cycles) return place.replaceChildren(make('p', {}, 'There is no timing model of this code.'));
  const end = self.code_count > self.code.length ? last.at + 1 : Math.max(self.figures.alone_cycles, last.at + 1);
  const lanes = lanesOf(self), height = LANE.top + lanes.length * (LANE.height + LANE.gap);
  const width = Math.min(Math.max((place.clientWidth - LANE.left - 16) * timeScale, 200), 60000) + LANE.left + 14;
  const xOf = (cycle) => LANE.left + ((width - LANE.left - 14) * cycle) / end;
  const rowOf = new Map(lanes.map((lane, i) => [lane.key, LANE.top + i * (LANE.height + LANE.gap)]));
  const svg = draw('svg', {width, height, role: 'img', 'aria-label': 'Units and slots over time'}, hatches());
  for (const lane of lanes)
    svg.append(draw('rect', {class: 'lane', x: LANE.left, y: rowOf.get(lane.key), width: width - LANE.left - 14, height: LANE.height}),
      draw('text', {x: LANE.left - 8, y: rowOf.get(lane.key) + 13, 'text-anchor': 'end', 'font-weight': lane.title.endsWith('(bound)') ? 700 : 400}, lane.title));
  drawAxis(svg, end, xOf, height);
  svg.append(...drawBars(barsOf(self, lanes, end), rowOf, xOf));
  svg.append(draw('line', {class: 'here', id: 'time-here', y1: LANE.top - 4, y2: height, visibility: 'hidden'}));
  svg.addEventListener('click', (event) => event.target.dataset.index && showInstruction(Number(event.target.dataset.index)));
  place.replaceChildren(svg);
  timeX = (i) => xOf(self.code[i].at);
}

let timeX = () => 0;

function showTimeButtons() {
  byId('time-buttons').replaceChildren(...[[1, 'whole'], [4, '\u00d7 4'], [16, '\u00d7 16']].map(([scale, title]) => {
    const button = make('button', {type: 'button', 'aria-pressed': scale === timeScale}, title);
    button.addEventListener('click', () => {
      timeScale = scale;
      showTimeButtons();
      showTimeline();
      markDrawings(active ? relatedCode(active) : -1);
    });
    return button;
  }));
  const swatch = (name) => draw('svg', {width: 16, height: 12}, draw('rect', {class: `bar ${name}`, width: 16, height: 12}));
  const key = (icon, text) => make('span', {class: 'key'}, icon, text);
  byId('time-legend').replaceChildren(key(swatch('stall-result'), 'waits for a result'), key(swatch('stall-message'), 'waits for messages'),
    key(swatch('stall-unit'), 'waits for its unit'),
    ...program().unit_titles.map(([name, title]) => key(make('i', {class: unitClass(name)}), `${name}: ${title}`)));
}

/* Marks an instruction (-1: none) in all drawings. */
function markDrawings(index) {
  const exists = index >= 0 && index < program().code.length;
  for (const [id, x] of [['pressure-here', pressureX], ['time-here', timeX]]) {
    const line = byId(id);
    if (!line) continue;
    line.setAttribute('visibility', exists ? 'visible' : 'hidden');
    if (!exists) continue;
    line.setAttribute('x1', x(index));
    line.setAttribute('x2', x(index));
  }
  for (const block of document.querySelectorAll('#graph .block'))
    block.classList.toggle('current', exists && index >= Number(block.dataset.first) && index < Number(block.dataset.end));
}

/* --- Spills, loops, waits --- */

function reasonOf(value) {
  if (value.reason === 'parameter') return 'its block has too many parameters';
  if (value.reason === 'block') return 'no register where paths join or a loop begins';
  return (value.distance === undefined ? 'its next use is after the loop' : `its next use is the farthest, ${value.distance} instructions away`) +
    (value.needed_line ? `, when line ${value.needed_line} needed registers` : '');
}

function showSpills(self) {
  const spilled = self.figures.spilled.slice(0, MAX_LISTED), more = self.spilled_count - spilled.length;
  const rows = spilled.map((value) => [value.name ? `%${value.name}` : 'a value', value.definition, value.line || '', value.words, value.stores,
    value.fills, value.recomputed, value.depth, make('td', {class: 'text why'}, reasonOf(value))]);
  byId('spills').replaceChildren(spilled.length
    ? table(`Values that left the registers${more ? ` (${more} more are left out)` : ''}`,
      ['value', 'computed by', 'line', 'registers', 'stores', 'fills', 'again', 'loops', make('th', {class: 'text'}, 'why')], rows, [0, 1])
    : make('p', {}, 'No value was spilled.'));
}

function showLoops(self) {
  const loops = self.figures.loop_list, more = loops.length - MAX_LISTED;
  const rows = loops.slice(0, MAX_LISTED).map((loop) => [loop.first, loop.depth, loop.instructions,
    loop.trips || (loop.most_trips ? `at most ${loop.most_trips}` : loop.symbol)]);
  byId('loops').replaceChildren(...(rows.length ? [table(`Loops${more > 0 ? ` (${more} more are left out)` : ''}`, ['at', 'depth', 'instructions', 'times'], rows, [])] : []));
  if (self.figures.longest_sum) byId('loops').append(make('p', {}, `Longest path: ${self.figures.longest_sum} cycles`));
}

function showWaits(self) {
  const counts = new Map();
  for (const wait of self.figures.waits_for) {
    const key = `${wait.cause}${wait.unit ? `, ${wait.unit}` : ''}`;
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  const list = [...counts].map(([key, count]) => `${key}: ${count}`).join('; ');
  byId('waits').replaceChildren(make('p', {}, list ? `Waits by cause and unit of the message: ${list}.` : 'Nothing waits for messages.'));
}

function showReasons() {
  const self = program();
  showSpills(self);
  showLoops(self);
  showWaits(self);
  byId('figures-text').textContent = self.summary;
}
