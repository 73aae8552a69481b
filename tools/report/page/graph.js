/* The graph of blocks, in layers: a block is below all its predecessors, ignoring back edges. Within
   a layer, blocks are ordered by the mean position of their neighbors, then moved toward them. */

const MAX_BLOCKS = 300;
const NODE = {width: 170, height: 40, gap: 26, layer: 78};

/* The edges between the blocks that are shown: {from, to, isTaken, isBack}. */
function edgesOf(blocks) {
  const edges = [];
  blocks.forEach((block, from) => {
    for (const [to, isTaken] of [[block.next, false], [block.target, true]])
      if (to !== undefined && to < blocks.length && !(isTaken && to === block.next)) edges.push({from, to, isTaken, isBack: false});
  });
  markBackEdges(blocks.length, edges);
  return edges;
}

/* A back edge leads to a block that the depth-first walk from the entry has not left yet. */
function markBackEdges(count, edges) {
  const out = Array.from({length: count}, () => []), state = new Uint8Array(count);
  for (const edge of edges) out[edge.from].push(edge);
  for (let root = 0; root < count; root++) {
    if (state[root]) continue;
    const stack = [[root, 0]];
    state[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1], edge = out[top[0]][top[1]++];
      if (!edge) {
        state[top[0]] = 2;
        stack.pop();
      } else if (state[edge.to] === 1) {
        edge.isBack = true;
      } else if (!state[edge.to]) {
        state[edge.to] = 1;
        stack.push([edge.to, 0]);
      }
    }
  }
}

/* The layer of each block: one more than that of its lowest predecessor. */
function findLayers(count, edges) {
  const layer = new Array(count).fill(0), waiting = new Array(count).fill(0);
  const forward = edges.filter((edge) => !edge.isBack);
  for (const edge of forward) waiting[edge.to]++;
  const ready = [...waiting.keys()].filter((block) => !waiting[block]);
  const out = Array.from({length: count}, () => []);
  for (const edge of forward) out[edge.from].push(edge.to);
  while (ready.length) {
    const block = ready.pop();
    for (const to of out[block]) {
      layer[to] = Math.max(layer[to], layer[block] + 1);
      if (!--waiting[to]) ready.push(to);
    }
  }
  return layer;
}

/* Nodes by layer; an edge over several layers has a narrow node in each layer in between, edge.through. */
function makeLayers(blocks, edges) {
  const layerOf = findLayers(blocks.length, edges), layers = [];
  const add = (layer, node) => {
    (layers[layer] = layers[layer] || []).push(node);
    return node;
  };
  const nodes = blocks.map((block, i) => add(layerOf[i], {layer: layerOf[i], width: NODE.width, up: [], down: []}));
  for (const edge of edges) {
    edge.through = [];
    if (edge.isBack) continue;
    let last = nodes[edge.from];
    for (let layer = layerOf[edge.from] + 1; layer <= layerOf[edge.to]; layer++) {
      const node = layer === layerOf[edge.to] ? nodes[edge.to] : add(layer, {layer, width: 8, up: [], down: []});
      if (node !== nodes[edge.to]) edge.through.push(node);
      last.down.push(node);
      node.up.push(last);
      last = node;
    }
  }
  return {nodes, layers};
}

function mean(nodes, fallback) {
  return nodes.length ? nodes.reduce((sum, node) => sum + node.x, 0) / nodes.length : fallback;
}

/* Positions the nodes of a layer, in their order, as close as possible to their wanted positions. */
function spread(layer, wanted) {
  let left = -Infinity;
  layer.forEach((node, i) => {
    node.x = Math.max(wanted[i], left + node.width / 2);
    left = node.x + node.width / 2 + NODE.gap;
  });
  const shift = layer.reduce((sum, node, i) => sum + wanted[i] - node.x, 0) / layer.length;
  for (const node of layer) node.x += shift;
}

function placeNodes(layers) {
  layers.forEach((layer) => layer.forEach((node, i) => (node.x = i * (NODE.width + NODE.gap))));
  for (let round = 0; round < 12; round++) {
    const isDown = round % 2 === 0;
    for (const layer of isDown ? layers : [...layers].reverse()) {
      const near = (node) => (isDown ? node.up : node.down);
      if (round < 8) {
        const rank = new Map(layer.map((node) => [node, mean(near(node), node.x)]));
        layer.sort((a, b) => rank.get(a) - rank.get(b));
      }
      spread(layer, layer.map((node) => mean(near(node), node.x)));
    }
  }
  const least = Math.min(...layers.flat().map((node) => node.x - node.width / 2));
  for (const node of layers.flat()) node.x -= least - 10;
}

const topOf = (node) => 10 + node.layer * NODE.layer;

/* The path of an edge, and where its arrow is. */
function routeDown(edge, nodes) {
  const from = nodes[edge.from], to = nodes[edge.to];
  const points = [{x: from.x + (edge.isTaken ? 12 : -12), y: topOf(from) + NODE.height},
    ...edge.through.flatMap((node) => [{x: node.x, y: topOf(node)}, {x: node.x, y: topOf(node) + NODE.height}]),
    {x: to.x + (edge.isTaken ? 6 : -6), y: topOf(to) - 6}];
  let path = `M${points[0].x},${points[0].y}`;
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1], b = points[i], half = (a.y + b.y) / 2;
    path += ` C${a.x},${half} ${b.x},${half} ${b.x},${b.y}`;
  }
  const end = points[points.length - 1];
  return {path, arrow: `${end.x - 4},${end.y - 1} ${end.x + 4},${end.y - 1} ${end.x},${end.y + 6}`};
}

/* Back edges run to the right of everything between their ends. */
function routeBack(edge, nodes, layers, lane) {
  const from = nodes[edge.from], to = nodes[edge.to];
  const right = Math.max(...layers.slice(to.layer, from.layer + 1).flat().map((node) => node.x + node.width / 2)) + 14 + 9 * lane;
  const a = {x: from.x + from.width / 2, y: topOf(from) + NODE.height * 0.65}, b = {x: to.x + to.width / 2 + 6, y: topOf(to) + NODE.height * 0.35};
  return {right, path: `M${a.x},${a.y} C${right},${a.y} ${right},${a.y} ${right},${(a.y + b.y) / 2} S${right},${b.y} ${b.x},${b.y}`,
    arrow: `${b.x + 1},${b.y - 4} ${b.x + 1},${b.y + 4} ${b.x - 6},${b.y}`};
}

function cutName(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}\u2026` : text;
}

function drawBlock(block, index, node, loops) {
  const loop = loops.get(block.first), last = block.end - 1;
  const name = block.name || (index ? `block ${index}` : 'entry');
  const range = `${block.first}${last > block.first ? `\u2013${last}` : ''}: ${block.end - block.first} instr.`;
  const trips = loop ? `, loop \u00d7 ${loop.trips || (loop.most_trips ? `\u2264 ${loop.most_trips}` : loop.symbol)}` : '';
  const group = draw('g', {class: `block${loop ? ' loop' : ''}${block.unreached ? ' unreached' : ''}`, tabindex: 0, role: 'button',
    transform: `translate(${node.x - NODE.width / 2},${topOf(node)})`, 'data-first': block.first, 'data-end': block.end},
    draw('title', {}, `${name}, ${range}${trips}${block.ends ? ', ends the program' : ''}${block.unreached ? ', no way from the entry leads here' : ''}`),
    draw('rect', {width: NODE.width, height: NODE.height, rx: block.ends ? 14 : 4}),
    draw('text', {x: NODE.width / 2, y: 17, 'text-anchor': 'middle', 'font-weight': 600}, cutName(name, 22)),
    draw('text', {x: NODE.width / 2, y: 32, 'text-anchor': 'middle', class: 'faint'}, cutName(range + trips, 28)));
  group.addEventListener('click', () => showInstruction(block.first));
  group.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    showInstruction(block.first);
  });
  return group;
}

function showGraph() {
  const self = program(), blocks = self.blocks, place = byId('graph');
  const loops = new Map(self.figures.loop_list.map((loop) => [loop.first, loop]));
  const missing = self.block_count - blocks.length;
  if (!blocks.length || blocks.length > MAX_BLOCKS) {
    byId('flow-hint').textContent = blocks.length ? `Left out: ${self.block_count} blocks, more than ${MAX_BLOCKS}.` : 'There is no code.';
    place.replaceChildren();
    return;
  }
  byId('flow-hint').textContent = `${plural(blocks.length, 'block')}${missing ? ` (${missing} more are left out)` : ''}. Blue edges are branches taken, gray ones go on to the next block, ` +
    'dashed ones go back; round blocks end the program. A block that is chosen is shown in the code.';
  const edges = edgesOf(blocks), {nodes, layers} = makeLayers(blocks, edges);
  placeNodes(layers);
  let width = Math.max(...nodes.map((node) => node.x + node.width / 2)) + 14, lane = 0;
  const drawn = edges.map((edge) => {
    const route = edge.isBack ? routeBack(edge, nodes, layers, lane++ % 6) : routeDown(edge, nodes);
    width = Math.max(width, (route.right || 0) + 10);
    const kind = edge.isTaken ? ' taken' : '';
    return draw('g', {}, draw('path', {class: `edge${kind}${edge.isBack ? ' back' : ''}`, d: route.path, 'stroke-width': 1.5}),
      draw('polygon', {class: `arrow${kind}`, points: route.arrow}));
  });
  const height = layers.length * NODE.layer;
  place.replaceChildren(draw('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'Control-flow graph'},
    ...drawn, ...blocks.map((block, i) => drawBlock(block, i, nodes[i], loops))));
}
