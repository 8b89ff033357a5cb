// Three drawings of one fabric, from fine to coarse: all nodes, switches, and boxes or racks; each a list of points and of edges
// whose members are cables. The finest one that needs few marks for what is in sight is drawn.

export const MOST = 2000;

const build = (fabric, title, pointOf, count, pointX, pointY, nameOf) => {
  const bundles = new Map();
  const { near, far, portNodes } = fabric;
  for (let i = 0; i < near.length; i++) {
    const a = pointOf(portNodes[near[i]]);
    const b = pointOf(portNodes[far[i]]);
    if (a === b || a < 0 || b < 0) continue;
    const key = a < b ? a * count + b : b * count + a;
    const bundle = bundles.get(key);
    if (bundle) bundle.push(i); else bundles.set(key, [i]);
  }
  const edges = bundles.size;
  const level = {
    title, x: pointX, y: pointY, nameOf, pointOf, edges,
    a: new Uint32Array(edges), b: new Uint32Array(edges), start: new Uint32Array(edges + 1), members: new Uint32Array(near.length),
    lines: [], boxOf: () => -1,
  };
  let at = 0;
  let edge = 0;
  for (const [key, cables] of bundles) {
    level.a[edge] = Math.floor(key / count);
    level.b[edge] = key % count;
    for (const cable of cables) level.members[at++] = cable;
    level.start[++edge] = at;
  }
  level.value = new Float64Array(edges).fill(NaN);
  return level;
};

const centres = (fabric, groupOf, count) => {
  const x = new Float32Array(count), y = new Float32Array(count), n = new Uint32Array(count);
  fabric.x.forEach((_, node) => {
    const group = groupOf(node);
    x[group] += fabric.x[node]; y[group] += fabric.y[node]; n[group]++;
  });
  return [x.map((sum, g) => sum / (n[g] || 1)), y.map((sum, g) => sum / (n[g] || 1))];
};

const nodesOf = (fabric) => build(fabric, "nodes", (node) => node, fabric.names.length, fabric.x, fabric.y, (node) => fabric.names[node]);

// By rack a node's group is its rack, whose hosts are one point in the middle drawing.
const byRack = (fabric) => {
  const { groups, group_names: names, switches } = fabric;
  const [gx, gy] = centres(fabric, (node) => groups[node], names.length);
  const coarse = build(fabric, "racks", (node) => groups[node], names.length, gx, gy, (g) => names[g]);
  const bunch = (node) => (node < switches ? node : switches + groups[node]);
  const count = switches + names.length;
  const [mx, my] = centres(fabric, bunch, count);
  const middle = build(fabric, "switches", bunch, count, mx, my, (p) => (p < switches ? fabric.names[p] : `hosts of ${names[p - switches]}`));
  return [nodesOf(fabric), middle, coarse];
};

// Lines and boxes of the drawing stand for the edges and points that they show.
const shaped = (level, { lines, boxes }, boxOf) => {
  const known = new Map(lines.map((line) => [line.ends[0] * boxes.length + line.ends[1], line]));
  for (let edge = 0; edge < level.edges; edge++) {
    const [low, high] = [boxOf(level.a[edge]), boxOf(level.b[edge])].sort((one, other) => one - other);
    if (low >= 0) level.lines[edge] = known.get(low * boxes.length + high);
  }
  return Object.assign(level, { boxOf });
};

export const drawings = (fabric) => {
  if (fabric.corners) return byRack(fabric);
  const { switches, shapes } = fabric;
  const total = fabric.names.length;
  // Hosts of a leaf are one point in the middle drawing.
  const leafOf = new Int32Array(total).fill(-1);
  for (let i = 0; i < fabric.near.length; i++) {
    const a = fabric.portNodes[fabric.near[i]];
    const b = fabric.portNodes[fabric.far[i]];
    const [low, high] = a < b ? [a, b] : [b, a];
    if (high >= switches && low < switches && leafOf[high] < 0) leafOf[high] = low;
  }
  const bunch = (node) => (node < switches || leafOf[node] < 0 ? node : total + leafOf[node]);
  const [mx, my] = centres(fabric, bunch, total + switches);
  const middle = build(fabric, "switches", bunch, total + switches, mx, my, (p) => (p < total ? fabric.names[p] : `hosts of ${fabric.names[p - total]}`));
  const fine = nodesOf(fabric);
  if (!shapes) return [fine, middle];
  const boxOf = (node) => (node < switches ? fabric.box[node] : -1);
  const { boxes } = shapes;
  const [bx, by] = [boxes.map((box) => (box.left + box.right) / 2), boxes.map((box) => (box.top + box.bottom) / 2)];
  const coarse = shaped(build(fabric, "boxes", boxOf, boxes.length, bx, by, (n) => boxes[n].title), shapes, (n) => n);
  return shapes.isFolded ? [fine, middle, coarse] : [shaped(fine, shapes, boxOf), shaped(middle, shapes, boxOf), coarse];
};

// The same drawings, for other values.
export const again = (levels) => levels.map((level) => ({ ...level, value: new Float64Array(level.edges).fill(NaN) }));

// The highest value of the ports of each edge, in either direction.
export const assess = (levels, fabric, values) => {
  const { near, far } = fabric;
  for (const level of levels) {
    for (let edge = 0; edge < level.edges; edge++) {
      let most = NaN;
      for (let i = level.start[edge]; i < level.start[edge + 1]; i++) {
        const cable = level.members[i];
        const one = values[near[cable]];
        const other = values[far[cable]];
        if (!(Math.abs(most) >= Math.abs(one)) && !Number.isNaN(one)) most = one;
        if (!(Math.abs(most) >= Math.abs(other)) && !Number.isNaN(other)) most = other;
      }
      level.value[edge] = most;
    }
  }
};

// The edges in sight, at most so many; none where there are more. Where asked, only those with an end in sight.
export const visible = (level, left, top, right, bottom, most, out, withEnd = false) => {
  const { x, y, a, b } = level;
  let count = 0;
  for (let edge = 0; edge < level.edges; edge++) {
    const ax = x[a[edge]], bx = x[b[edge]], ay = y[a[edge]], by = y[b[edge]];
    if ((ax < left && bx < left) || (ax > right && bx > right) || (ay < top && by < top) || (ay > bottom && by > bottom)) continue;
    if (withEnd && !(ax >= left && ax <= right && ay >= top && ay <= bottom) && !(bx >= left && bx <= right && by >= top && by <= bottom)) continue;
    if (count === most) return -1;
    out[count++] = edge;
  }
  return count;
};
