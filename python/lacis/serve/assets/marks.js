// Three drawings of one fabric, from coarse to fine: groups, switches, and all nodes; each a list of points and of edges whose
// members are ports. The finest one that needs few marks for what is in sight is drawn.

export const MOST = 2000;

const build = (fabric, title, pointOf, count, pointX, pointY, nameOf) => {
  const bundles = new Map();
  const { near, far, portNodes } = fabric;
  for (let i = 0; i < near.length; i++) {
    const a = pointOf(portNodes[near[i]]);
    const b = pointOf(portNodes[far[i]]);
    if (a === b) continue;
    const key = a < b ? a * count + b : b * count + a;
    const bundle = bundles.get(key);
    if (bundle) bundle.push(i); else bundles.set(key, [i]);
  }
  const edges = bundles.size;
  const level = {
    title, count, x: pointX, y: pointY, nameOf, pointOf, edges,
    a: new Uint32Array(edges), b: new Uint32Array(edges), start: new Uint32Array(edges + 1), members: new Uint32Array(near.length),
  };
  let at = 0;
  let edge = 0;
  for (const [key, cables] of bundles) {
    level.a[edge] = Math.floor(key / count);
    level.b[edge] = key % count;
    for (const cable of cables) level.members[at++] = cable;
    level.start[++edge] = at;
  }
  level.value = new Float32Array(edges).fill(NaN);
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

// By rack a node's group is its rack, whose hosts are one point in the middle drawing.
const byRack = (fabric) => {
  const { groups, group_names: names, switches } = fabric;
  const [gx, gy] = centres(fabric, (node) => groups[node], names.length);
  const coarse = build(fabric, "racks", (node) => groups[node], names.length, gx, gy, (g) => names[g]);
  const bunch = (node) => (node < switches ? node : switches + groups[node]);
  const count = switches + names.length;
  const [mx, my] = centres(fabric, bunch, count);
  const middle = build(fabric, "switches", bunch, count, mx, my, (p) => (p < switches ? fabric.names[p] : `hosts of ${names[p - switches]}`));
  const fine = build(fabric, "nodes", (node) => node, fabric.names.length, fabric.x, fabric.y, (node) => fabric.names[node]);
  return [fine, middle, coarse];
};

export const drawings = (fabric) => {
  if (fabric.corners) return byRack(fabric);
  const total = fabric.names.length;
  // Hosts of a leaf are one point in the middle drawing; in the coarse one they are part of their leaf's group.
  const leafOf = new Int32Array(total).fill(-1);
  for (let i = 0; i < fabric.near.length; i++) {
    const a = fabric.portNodes[fabric.near[i]];
    const b = fabric.portNodes[fabric.far[i]];
    const [low, high] = a < b ? [a, b] : [b, a];
    if (high >= fabric.switches && low < fabric.switches && leafOf[high] < 0) leafOf[high] = low;
  }
  const groupOfSwitch = (node) => fabric.groups[node < fabric.switches || leafOf[node] < 0 ? node : leafOf[node]];
  const groupCount = fabric.group_names.length;
  const [gx, gy] = centres(fabric, groupOfSwitch, groupCount);
  // By level, too: a pod's leaves and spines stand apart from its middle.
  const coarse = build(fabric, "groups", groupOfSwitch, groupCount, gx, gy, (g) => fabric.group_names[g]);
  const bunch = (node) => (node < fabric.switches ? node : leafOf[node] < 0 ? node : fabric.switches + leafOf[node]);
  const middleCount = Math.max(total, 2 * fabric.switches);
  const [mx, my] = centres(fabric, (node) => bunch(node), middleCount);
  const middle = build(fabric, "switches", bunch, middleCount, mx, my,
    (p) => (p < fabric.switches ? fabric.names[p] : `hosts of ${fabric.names[p - fabric.switches] ?? fabric.names[p]}`));
  const fine = build(fabric, "nodes", (node) => node, total, fabric.x, fabric.y, (node) => fabric.names[node]);
  return [fine, middle, coarse];
};

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
