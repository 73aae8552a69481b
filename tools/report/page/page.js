'use strict';
/* The page of `norn report`. Everything shown comes from the object in the element `data`, and is added
   to the page as text, never as HTML. This part: elements, the program that is shown, summary. */

const data = JSON.parse(document.getElementById('data').textContent);

/* What is shown: indices of compilation and program. */
const shown = {compilation: 0, program: 0};

const byId = (id) => document.getElementById(id);
const compilation = () => data.compilations[shown.compilation];
const program = () => compilation().programs[shown.program];

function fill(element, attributes, children) {
  for (const name in attributes)
    if (attributes[name] !== undefined) element.setAttribute(name, attributes[name]);
  element.append(...children);
  return element;
}

function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

/* A number without insignificant digits. */
function format(number) {
  return number.toLocaleString('en-US', {maximumFractionDigits: 2});
}

function plural(count, what) {
  return `${format(count)} ${what}${count === 1 ? '' : what.endsWith('ch') ? 'es' : 's'}`;
}

function unitClass(name) {
  const index = program().unit_titles.findIndex((unit) => unit[0] === name);
  return `unit-${index < 0 ? 6 : index % 6}`;
}

/* Rows of a table of reasons. */
const MAX_LISTED = 100;

/* A table of rows of cells; a cell is text, a number, or an element. `left` are columns of text. */
function table(caption, head, rows, left) {
  const side = (k) => (left.includes(k) ? 'text' : undefined);
  const cell = (tag, content, k) =>
    content instanceof Element ? content : make(tag, {class: side(k)}, String(content));
  const result = make('table', {}, make('thead', {}, make('tr', {}, ...head.map((text, k) => cell('th', text, k)))));
  if (caption) result.prepend(make('caption', {}, caption));
  result.append(make('tbody', {}, ...rows.map((row) => make('tr', {}, ...row.map((content, k) => cell('td', content, k))))));
  return result;
}

/* --- Summary --- */

function card(title, value, ...notes) {
  return make('div', {class: 'card'}, make('span', {}, title), make('b', {}, value), ...notes.map((note) => make('span', {}, note)));
}

function occupancy(self) {
  const line = /^ *(occupancy: .*)$/m.exec(self.summary);
  return line ? line[1] : '';
}

function hasLongest(self) {
  return Object.values(self.figures.units).some((unit) => 'longest' in unit);
}

function showCards() {
  const self = program(), figures = self.figures;
  const bound = Math.max(figures.critical_path, figures.unit_path);
  const title = (self.unit_titles.find((unit) => unit[0] === figures.bound) || ['', ''])[1];
  byId('cards').replaceChildren(
    card('Bound by', figures.bound ? `${figures.bound}, ${plural(figures.cycles, 'cycle')}` : 'nothing', title,
      hasLongest(self) ? `longest path ${format(figures.longest_cycles)}` : 'no longest path: endless, or loops of several entries'),
    card('Instructions', format(figures.instructions),
      `${plural(figures.moves + figures.constant_moves, 'move')}, ${plural(figures.branches, 'branch')}, ${plural(figures.nops, 'NOP')}`,
      `${plural(figures.bytes, 'byte')}`),
    card('Registers', `${format(figures.most_live)} live at most`, figures.work_registers ? `the highest is r${figures.work_registers - 1}` : 'none is named', occupancy(self)),
    card('One warp alone', `${format(figures.alone_cycles)} cycles`,
      bound ? `${format(figures.alone_cycles / bound)} times the lower bound` : '',
      `critical path ${format(figures.critical_path)}, busiest unit ${format(figures.unit_path)}`),
    card('Messages', format(figures.messages), `${plural(figures.waits, 'instruction')} ${figures.waits === 1 ? 'waits' : 'wait'}`, `${format(figures.least_messages)} at the least, if all were merged`),
    card('Spills', `${format(figures.spills)} stores, ${format(figures.fills)} fills`, plural(self.spilled_count, 'value')));
  if ('estimated_cycles' in figures)
    byId('cards').append(card('Executed', `${format(figures.estimated_cycles)} cycles`, `${format(figures.executed)} instructions of warps`));
}

function showUnits() {
  const self = program(), units = self.figures.units;
  const most = Math.max(...Object.values(units).map((unit) => unit.total), 1e-9);
  byId('units').replaceChildren(...self.unit_titles.flatMap(([name, title]) => {
    const bar = make('i', {});
    bar.style.width = `${(100 * units[name].total) / most}%`;
    return [make('span', {}, name + (name === self.figures.bound ? ' (bound)' : '')),
      make('div', {class: `bar ${unitClass(name)}`, title}, bar),
      make('span', {}, `${plural(units[name].total, 'cycle')}, ${units[name].instructions} instr.`)];
  }));
}

function showTitle() {
  const self = program();
  document.title = `${data.file} - Norn report`;
  byId('title').textContent = data.file;
  byId('subtitle').textContent =
    `${self.part}, ${self.target} ${self.architecture}, ${compilation().options || 'default options'}`;
  byId('foot').textContent = `norn ${data.norn}. Cycles are those of a core for one thread, or of the timing model for one warp; see doc/statistics.md and doc/report.md.`;
}

/* --- Difference --- */

/* The change in percent; if the old value is 0, the new value itself. */
function change(name, before, after) {
  const text = before ? `${after > before ? '+' : ''}${format((100 * (after - before)) / before)}%` : `+${format(after)}`;
  const worth = (data.better[name] || 0) * (after - before);
  return make('td', {class: worth > 0 ? 'better' : worth < 0 ? 'worse' : undefined}, text + (worth > 0 ? ', better' : worth < 0 ? ', worse' : ''));
}

function showFiguresOfBoth(one, other) {
  const names = Object.keys(one.figures).filter((name) => typeof one.figures[name] === 'number' && name in other.figures &&
    one.figures[name] !== other.figures[name]);
  const rows = names.map((name) => [name.replaceAll('_', ' '), format(one.figures[name]), format(other.figures[name]),
    change(name, one.figures[name], other.figures[name])]);
  const labels = data.compilations.map((self) => self.options || 'default options');
  byId('difference-figures').replaceChildren(rows.length ? table('All other figures are the same.', ['figure', ...labels, 'change'], rows, [0])
    : make('p', {}, 'All figures are the same.'));
}

/* Pairs of lines of both, equal except for registers if possible: the longest common subsequence. */
function align(one, other) {
  const key = (row) => row.text.replace(/\^?@?\br\d+(:r\d+)*/g, 'r').replace(/\.wait\d*\b|\.slot\d|\bL\d+/g, '');
  const a = one.map(key), b = other.map(key), width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let k = b.length - 1; k >= 0; k--)
      longest[i * width + k] = a[i] === b[k] ? longest[(i + 1) * width + k + 1] + 1
        : Math.max(longest[(i + 1) * width + k], longest[i * width + k + 1]);
  const pairs = [];
  for (let i = 0, k = 0; i < a.length || k < b.length;) {
    if (i < a.length && k < b.length && a[i] === b[k]) pairs.push([i++, k++]);
    else if (i < a.length && (k === b.length || longest[(i + 1) * width + k] >= longest[i * width + k + 1])) pairs.push([i++, -1]);
    else pairs.push([-1, k++]);
  }
  return pairs;
}

const MAX_ALIGNED = 2000;

function showCodeOfBoth(one, other) {
  const place = byId('difference-code');
  if (Math.max(one.code.length, other.code.length) > MAX_ALIGNED) {
    place.replaceChildren(make('p', {}, `Left out: more than ${MAX_ALIGNED} instructions.`));
    return;
  }
  const line = (rows, i, sign) => make('td', {class: `text ${i >= 0 && sign ? (sign === '-' ? 'worse' : 'better') : ''}`},
    make('code', {}, i < 0 ? '' : `${sign || ' '} ${rows[i].text}`));
  const rows = align(one.code, other.code).map(([i, k]) => [i < 0 ? '' : i, line(one.code, i, k < 0 ? '-' : ''),
    k < 0 ? '' : k, line(other.code, k, i < 0 ? '+' : '')]);
  const labels = data.compilations.map((self) => self.options || 'default options');
  place.replaceChildren(table('Registers, slots and waits are not compared.', ['', labels[0], '', labels[1]], rows, [1, 3]));
}

/* The same program in both compilations, if there are two and both have it. */
function showDifference() {
  const pair = data.compilations.map((self) => self.programs[shown.program]);
  byId('difference').hidden = pair.length < 2 || !pair[0] || !pair[1];
  if (byId('difference').hidden) return;
  showFiguresOfBoth(pair[0], pair[1]);
  showCodeOfBoth(pair[0], pair[1]);
}
