/* The columns: texts from source to machine code, with related rows linked.

   Rows are linked by the line of the IR text that they came from (the source's by the lines of IR
   that came from them), values by their numbers. */

const PANES = [
  {key: 'source', title: 'Source'},
  {key: 'ir', title: 'IR'},
  {key: 'optimized', title: 'Optimized IR'},
  {key: 'selected', title: 'Selected code'},
  {key: 'allocated', title: 'Allocated code'},
  {key: 'code', title: 'Machine code'},
];

/* Which columns are open, by key; filled at the start. */
const open = {};

/* For the program that is shown: panes by key with rows and elements; rows by line of IR; elements and
   rows by value. */
let listing;

/* The current selection: {pane, index, value}; value is undefined for a whole row. */
let active = null, pinned = false;

function textOf(key) {
  return key === 'source' || key === 'ir' ? data[key] : program()[key];
}

/* --- Contents of rows --- */

/* The rows of a text: {text, lines: of IR, values}. */
function rowsOfText(key) {
  const text = textOf(key);
  if (key === 'source') {
    const lines = text.lines.map(() => []);
    data.ir.from.forEach((from, i) => from && lines[from - 1] && lines[from - 1].push(i + 1));
    return text.lines.map((line, i) => ({text: line, lines: lines[i]}));
  }
  return text.lines.map((line, i) => ({
    text: line,
    lines: key === 'ir' ? [i + 1] : text.from[i] ? [text.from[i]] : [],
    values: key === 'ir' ? undefined : text.values[i],
  }));
}

/* The values in the registers of an instruction, according to the text with its registers: a list for
   the registers that the assembly names, in its order; undefined if they do not match. */
function valuesOfRegisters(assembly, allocated, values) {
  const named = (allocated.match(/%\w+(@r\d+)?/g) || []).map((text, k) => ({
    register: /@r(\d+)/.test(text) ? Number(/@r(\d+)/.exec(text)[1]) : -1, value: values[k]}))
    .filter((entry) => entry.register >= 0);
  const registers = (assembly.match(/\br\d+(:r\d+)*\b/g) || []).map((text) => Number(/\d+/.exec(text)[0]));
  if (named.length === registers.length && named.every((entry, k) => entry.register === registers[k]))
    return named.map((entry) => entry.value);
  return registers.map((register) => {
    const found = new Set(named.filter((entry) => entry.register === register).map((entry) => entry.value));
    return found.size === 1 ? [...found][0] : undefined;
  });
}

function rowsOfCode() {
  const self = program(), allocated = self.allocated;
  const names = new Map();
  for (const block of self.blocks) if (block.name) names.set(block.first, block.name);
  return self.code.map((inst, i) => {
    const line = allocated.code[i];
    const exists = line !== undefined && allocated.lines[line] !== undefined;
    return {...inst, lines: inst.line ? [inst.line] : [], block: names.get(i),
      values: exists ? valuesOfRegisters(inst.text, allocated.lines[line], allocated.values[line]) : []};
  });
}

/* --- Creating a column --- */

function addTo(map, key, item) {
  if (!map.has(key)) map.set(key, []);
  map.get(key).push(item);
}

/* Adds a line to an element, with its values as separate elements. */
function appendText(place, row, pattern, valueAt, pane, index) {
  const comment = pane.key === 'source' ? -1 : row.text.indexOf(';');
  const code = comment < 0 ? row.text : row.text.slice(0, comment);
  let end = 0, count = 0;
  for (const match of pattern ? code.matchAll(pattern) : []) {
    const value = valueAt(match[0], count++);
    if (value === undefined) continue;
    place.append(code.slice(end, match.index));
    end = match.index + match[0].length;
    const isNameless = pane.key !== 'code' && program().names[value] === null;
    const token = make('span', {class: 'value', 'data-value': value}, isNameless ? `%#${value}` : match[0]);
    place.append(token);
    addTo(listing.tokens, value, {pane, index, token});
  }
  place.append(code.slice(end));
  if (comment >= 0) place.append(make('span', {class: 'comment'}, row.text.slice(comment)));
}

function makeTextRow(pane, row, i) {
  const code = make('span', {});
  const valueAt = pane.key === 'ir' ? (text) => listing.numbers.get(text.slice(1)) : (text, k) => (row.values || [])[k];
  appendText(code, row, pane.key === 'source' ? null : /%\w+/g, valueAt, pane, i);
  const isLabel = pane.key !== 'source' && /^[\w]+(\(.*\))?:$/.test(row.text);
  return make('div', {class: isLabel ? 'row label' : 'row'}, make('span', {class: 'n'}, String(i + 1)), code);
}

function stallOf(row) {
  return row.stall ? row.stall[0] + row.stall[1] + row.stall[2] : 0;
}

function makeCodeRow(pane, row, i) {
  const code = make('span', {});
  appendText(code, row, /\br\d+(:r\d+)*\b/g, (text, k) => row.values[k], pane, i);
  const element = make('div', {class: 'row'}, make('span', {class: 'n'}, String(i)),
    make('span', {class: `unit ${unitClass(row.unit)}`}, row.unit || '-'), code);
  if (row.origin) element.append(make('span', {class: 'why'}, row.origin));
  if (stallOf(row)) element.append(make('span', {class: 'wait'}, `${format(stallOf(row))} cycles`));
  return element;
}

function makeLabel(text) {
  return make('div', {class: 'row label'}, make('span', {class: 'n'}), text);
}

/* Rows of a chunk: a browser draws only visible chunks. Heights and widths are known in advance, so that nothing moves then. */
const CHUNK = 100, ROW_HEIGHT = 18;

function makeChunks(rows) {
  const inner = make('div', {});
  let longest = 0;
  for (let at = 0; at < rows.length; at += CHUNK) {
    const part = rows.slice(at, at + CHUNK), chunk = make('div', {class: 'chunk'}, ...part);
    chunk.style.containIntrinsicSize = `auto ${part.length * ROW_HEIGHT}px`;
    for (const row of part) longest = Math.max(longest, row.textContent.length);
    inner.append(chunk);
  }
  inner.style.minWidth = `calc(${longest}ch + 8em)`;
  return inner;
}

/* The rows' elements, stored in row.element, with names of blocks between them. */
function fillPane(pane) {
  const rows = [];
  pane.rows.forEach((row, i) => {
    if (pane.key === 'code' && (row.label || row.block))
      rows.push(makeLabel([row.label, row.block].filter(Boolean).join('  ; ')));
    row.element = pane.key === 'code' ? makeCodeRow(pane, row, i) : makeTextRow(pane, row, i);
    row.element.id = `${pane.key}-${i}`;
    row.element.setAttribute('role', 'option');
    row.element.dataset.index = i;
    rows.push(row.element);
  });
  if (pane.total > pane.rows.length)
    rows.push(make('div', {class: 'row left-out'}, `  ${pane.total - pane.rows.length} more are left out (--lines).`));
  pane.list.replaceChildren(makeChunks(rows));
  pane.isFilled = true;
}

function noteOf(pane) {
  const text = pane.key === 'code' ? null : textOf(pane.key);
  if (pane.key === 'code') return `${pane.total} instructions`;
  if (pane.key === 'ir') return data.language === 'IR' ? 'as written' : `of ${data.language}`;
  return text.pass ? `after ${text.pass}` : '';
}

function makePane(definition) {
  const pane = {...definition, isFilled: false};
  pane.rows = pane.key === 'code' ? rowsOfCode() : rowsOfText(pane.key);
  pane.total = pane.key === 'code' ? program().code_count : textOf(pane.key).total;
  pane.list = make('div', {class: 'rows', tabindex: 0, role: 'listbox', 'aria-label': pane.title});
  pane.element = make('div', {class: 'pane', id: `pane-${pane.key}`}, make('h3', {}, `${pane.title} `, make('small', {}, noteOf(pane))), pane.list);
  pane.rows.forEach((row, i) => row.lines.forEach((line) => addTo(listing.byLine, line, {pane, index: i})));
  pane.list.addEventListener('mouseover', (event) => pinned || look(placeOf(pane, event.target)));
  pane.list.addEventListener('mouseleave', () => pinned || look(null));
  pane.list.addEventListener('click', (event) => press(placeOf(pane, event.target)));
  pane.list.addEventListener('keydown', (event) => pressKey(pane, event));
  return pane;
}

/* The row, and value, at an element. */
function placeOf(pane, element) {
  const row = element.closest('.row[data-index]'), token = element.closest('[data-value]');
  return row ? {pane, index: Number(row.dataset.index), value: token ? Number(token.dataset.value) : undefined} : null;
}

/* --- The selection --- */

let marked = [];

function mark(element, name) {
  if (!element) return;
  element.classList.add(name);
  marked.push([element, name]);
}

function openPanes() {
  return Object.values(listing.panes).filter((pane) => open[pane.key]);
}

/* The rows that are related to the selection. */
function relatedTo(at) {
  const found = new Map(), row = at.pane.rows[at.index];
  const add = ({pane, index}) => found.set(`${pane.key}-${index}`, {pane, index});
  if (at.value !== undefined) {
    (listing.tokens.get(at.value) || []).forEach(add);
    for (const line of row.lines) (listing.byLine.get(line) || []).filter(({pane}) => pane.key === 'source').forEach(add);
  } else {
    for (const line of row.lines) (listing.byLine.get(line) || []).forEach(add);
  }
  add(at);
  return [...found.values()];
}

function look(at) {
  for (const [element, name] of marked) element.classList.remove(name);
  marked = [];
  active = at;
  if (at) {
    mark(at.pane.rows[at.index].element, pinned ? 'pinned' : 'cursor');
    for (const {pane, index} of relatedTo(at)) mark(pane.rows[index] && pane.rows[index].element, 'linked');
    if (at.value !== undefined) for (const {token} of listing.tokens.get(at.value) || []) mark(token, 'hit');
  }
  byId('detail').textContent = at ? describe(at) : 'Nothing is looked at.';
  markDrawings(at && at.pane.key === 'code' ? at.index : relatedCode(at));
}

/* The first instruction that is related to the selection. */
function relatedCode(at) {
  const place = at && relatedTo(at).find(({pane}) => pane.key === 'code');
  return place ? place.index : -1;
}

/* Scrolls only this column to a row. */
function reveal(pane, index) {
  const row = pane.rows[index];
  if (!row || !row.element) return;
  const list = pane.list.getBoundingClientRect(), place = row.element.getBoundingClientRect();
  if (place.top < list.top || place.bottom > list.bottom)
    pane.list.scrollTop += place.top - list.top - list.height / 3;
}

function revealRelated(at) {
  const first = new Map();
  for (const {pane, index} of relatedTo(at)) if (!first.has(pane)) first.set(pane, index);
  first.set(at.pane, at.index);
  for (const [pane, index] of first) reveal(pane, index);
}

/* Pins the selection, or releases it. */
function press(at) {
  const same = at && pinned && active && active.pane === at.pane && active.index === at.index && active.value === at.value;
  pinned = Boolean(at) && !same;
  look(at && !same ? at : null);
  if (pinned) revealRelated(at);
}

/* Shows an instruction that was chosen in a drawing. */
function showInstruction(index) {
  const pane = listing.panes.code;
  if (index >= pane.rows.length) return;
  if (!open.code) toggle('code');
  pinned = true;
  look({pane, index});
  revealRelated(active);
}

function pressKey(pane, event) {
  const here = active && active.pane === pane ? active : {pane, index: -1};
  const page = Math.max(1, Math.floor(pane.list.clientHeight / ROW_HEIGHT) - 1);
  const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity};
  let next = null;
  if (event.key in steps) {
    const index = Math.min(Math.max(here.index + steps[event.key], 0), pane.rows.length - 1);
    next = {pane, index};
  } else if ((event.key === 'ArrowLeft' || event.key === 'ArrowRight') && here.index >= 0) {
    const tokens = [...pane.rows[here.index].element.querySelectorAll('[data-value]')].map((token) => Number(token.dataset.value));
    const values = [undefined, ...new Set(tokens)];
    const at = values.indexOf(here.value) + (event.key === 'ArrowRight' ? 1 : -1);
    next = {pane, index: here.index, value: values[(at + values.length) % values.length]};
  } else if (event.key === 'Enter' && here.index >= 0) {
    event.preventDefault();
    press(here);
    return;
  }
  if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  if (pinned) pinned = false;
  look(next);
  pane.list.setAttribute('aria-activedescendant', `${pane.key}-${next.index}`);
  revealRelated(next);
}

/* --- The selection in words --- */

const CAUSES = {
  results: 'a later instruction reads what it brings', registers: 'a later instruction overwrites its registers',
  order: 'what follows must come after it', end: 'the program ends', other: 'nothing near needs it', nothing: 'nothing can be under way',
};
const ORIGINS = {
  constants: 'brings a constant to a register', uniforms: 'brings a uniform or special value to a register',
  arguments: 'brings an argument to the parameter of a block', groups: 'brings words side by side, or takes them apart',
  copies: 'keeps a value in two registers', fixed: 'brings an operand to the register that an instruction wants',
  room: 'moves a value out of the way', spills: 'stores a value for which there is no register', fills: 'loads such a value again',
};

function describeInstruction(row, index) {
  const title = program().titles[row.name];
  const parts = [`Instruction ${index}${title ? `, ${row.name} (${title})` : ''}: unit ${row.unit || '-'}, issued in cycle ${format(row.at)}, ${row.live} registers live before it`];
  if (row.depth) parts[0] += `, in ${plural(row.depth, 'loop')}`;
  if (row.slot !== undefined) parts[0] += `, signals slot ${row.slot}`;
  if (row.origin) parts.push(`It ${ORIGINS[row.origin] || row.origin}.`);
  if (row.stall) parts.push(`Stalled ${format(row.stall[0])} cycles for results, ${format(row.stall[1])} for messages, ${format(row.stall[2])} for its unit` +
    (row.waited_for !== undefined ? `; longest for instruction ${row.waited_for}.` : '.'));
  if (row.executed) parts.push(`Executed: issued ${plural(row.executed.issues, 'time')}` +
    (row.executed.stall ? `, stalled ${format(row.executed.stall[0] + row.executed.stall[1] + row.executed.stall[2])} cycles of warps.` : '.'));
  for (const wait of listing.waits.get(index) || [])
    parts.push(`Waits for slot ${wait.slot}${wait.message !== undefined ? ` (instruction ${wait.message}, ${wait.unit})` : ''}: ${CAUSES[wait.cause] || wait.cause}` +
      (wait.needed_by !== undefined ? ` (instruction ${wait.needed_by}).` : '.'));
  return parts.join('\n');
}

function describeValue(at) {
  const places = listing.tokens.get(at.value) || [];
  const counts = new Map();
  for (const {pane} of places) counts.set(pane.title, (counts.get(pane.title) || 0) + 1);
  const name = program().names[at.value];
  const registers = new Set(places.filter(({pane}) => pane.key === 'code').map(({token}) => token.textContent));
  return `Value ${name === null ? `%#${at.value}, which the compiler made` : `%${name}`}: ${[...counts].map(([title, count]) => `${title} ${count}`).join(', ')}` +
    (registers.size ? `. Registers: ${[...registers].join(', ')}.` : '.');
}

/* The description of the operation in a line of IR. Its mnemonic has suffixes after the name. */
function meaningOf(text) {
  const match = /^(?:.* = |\s*)([\w.]+)/.exec(text);
  for (let name = match ? match[1] : ''; name; name = name.slice(0, Math.max(name.lastIndexOf('.'), 0)))
    if (Object.hasOwn(data.operations, name)) return `${name}: ${data.operations[name]}.`;
  return null;
}

function describe(at) {
  const row = at.pane.rows[at.index];
  const parts = [];
  if (at.value !== undefined) parts.push(describeValue(at));
  if (at.pane.key === 'code') parts.push(describeInstruction(row, at.index));
  if (!parts.length) {
    const counts = new Map();
    for (const {pane} of relatedTo(at)) if (pane !== at.pane) counts.set(pane.title, (counts.get(pane.title) || 0) + 1);
    parts.push(`${at.pane.title}, line ${at.index + 1}: ` +
      ([...counts].map(([title, count]) => `${plural(count, 'line')} of ${title}`).join(', ') || 'nothing in the other columns came of it') + '.');
  }
  const meaning = at.pane.key === 'ir' || at.pane.key === 'optimized' ? meaningOf(row.text) : null;
  if (meaning) parts.push(meaning);
  return parts.join('\n');
}

/* --- All columns --- */

function chooseColumns() {
  const width = window.innerWidth, hasSource = Boolean(data.source);
  const keys = width < 700 ? [hasSource ? 'source' : 'ir', 'code']
    : width < 1300 ? [hasSource ? 'source' : 'ir', 'optimized', 'code']
    : hasSource ? ['source', 'optimized', 'selected', 'code'] : ['ir', 'optimized', 'selected', 'code'];
  for (const pane of PANES) open[pane.key] = keys.includes(pane.key);
}

function toggle(key) {
  open[key] = !open[key];
  showPanes();
}

function showPanes() {
  for (const pane of Object.values(listing.panes)) {
    pane.element.hidden = !open[pane.key];
    if (open[pane.key] && !pane.isFilled) fillPane(pane);
  }
  byId('pane-buttons').replaceChildren(...Object.values(listing.panes).map((pane) => {
    const button = make('button', {type: 'button', 'aria-pressed': open[pane.key]}, pane.title);
    button.addEventListener('click', () => toggle(pane.key));
    return button;
  }));
  look(active);
}

function showListing() {
  const self = program();
  listing = {panes: {}, byLine: new Map(), tokens: new Map(), waits: new Map(), numbers: new Map()};
  self.names.forEach((name, number) => name !== null && listing.numbers.set(name, number));
  for (const wait of self.figures.waits_for) addTo(listing.waits, wait.instruction, wait);
  for (const definition of PANES)
    if (definition.key === 'code' || textOf(definition.key)) listing.panes[definition.key] = makePane(definition);
  active = null;
  pinned = false;
  marked = [];
  byId('panes').replaceChildren(...Object.values(listing.panes).map((pane) => pane.element));
  showPanes();
}
