import { isElement, isPassage, pairKey, type PageNode, textOf, TooLarge } from "./tree.ts";

/** An element in both versions. */
export interface Pair {
  before: PageNode;
  after: PageNode;
}

/** A difference between two versions of a page, with the enclosing elements, outermost first. */
export type PageChange = { around: readonly Pair[] } & (
  | { kind: "attribute"; before: PageNode; after: PageNode; name: string }
  | { kind: "passage"; before: PageNode; after: PageNode }
  | { kind: "added"; node: PageNode }
  | { kind: "removed"; node: PageNode }
);

const maxSize = { changes: 600, cells: 4_000_000 } as const;

interface Comparison {
  changes: PageChange[];
  /** The number of node pairs that may still be compared. */
  cells: number;
}

/** The longest common subsequence by a key, as pairs of indexes. */
function commonPairs(
  before: readonly PageNode[],
  after: readonly PageNode[],
  keyOf: (node: PageNode) => string | number,
  comparison: Comparison,
): [number, number][] {
  const width = after.length + 1;
  comparison.cells -= (before.length + 1) * width;
  if (comparison.cells < 0) throw new TooLarge("too much of it has changed");
  const keys = { before: before.map(keyOf), after: after.map(keyOf) };
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const same = keys.before[i] === keys.after[j];
      lengths[i * width + j] = same
        ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
        : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
    }
  }
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (keys.before[i] === keys.after[j]) pairs.push([i++, j++]);
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** The ranges between pairs. */
function* gaps(pairs: readonly [number, number][], lengths: [number, number]) {
  let [i, j] = [0, 0];
  for (const [x, y] of [...pairs, lengths]) {
    if (x > i || y > j) yield { before: [i, x] as const, after: [j, y] as const };
    [i, j] = [x + 1, y + 1];
  }
}

function note(comparison: Comparison, change: PageChange): void {
  if (comparison.changes.length >= maxSize.changes)
    throw new TooLarge("too much of it has changed");
  comparison.changes.push(change);
}

function compareAttributes(
  before: PageNode,
  after: PageNode,
  around: readonly Pair[],
  comparison: Comparison,
) {
  for (const name of new Set([...before.attributes.keys(), ...after.attributes.keys()])) {
    if (before.attributes.get(name) === after.attributes.get(name)) continue;
    note(comparison, { kind: "attribute", before, after, name, around });
  }
}

const isBlank = (node: PageNode) => node.tag === "#text" && node.text.trim() === "";

/** An element's text without numbers: a renumbered list has the same items. */
const wordsKey = (node: PageNode) =>
  `${isElement(node) ? pairKey(node) : node.tag} ${textOf(node).replace(/\d+/g, "#")}`;
const kindKey = (node: PageNode) => (isElement(node) ? pairKey(node) : node.tag);

type Stretch = readonly PageNode[];

function noteRest(
  before: Stretch,
  after: Stretch,
  around: readonly Pair[],
  comparison: Comparison,
): void {
  const pairs = commonPairs(before, after, kindKey, comparison);
  const [old, young] = [new Set(pairs.map(([i]) => i)), new Set(pairs.map(([, j]) => j))];
  for (const [i, j] of pairs) {
    compareNodes(before[i] as PageNode, after[j] as PageNode, around, comparison);
  }
  for (const [i, node] of before.entries()) {
    if (!old.has(i) && !isBlank(node)) note(comparison, { kind: "removed", node, around });
  }
  for (const [j, node] of after.entries()) {
    if (!young.has(j) && !isBlank(node)) note(comparison, { kind: "added", node, around });
  }
}

/** Compares changed elements: pairs those with the same text first, then those of the same kind. */
function compareStretch(
  before: Stretch,
  after: Stretch,
  around: readonly Pair[],
  comparison: Comparison,
): void {
  const alike = commonPairs(before, after, wordsKey, comparison);
  for (const [i, j] of alike) {
    compareNodes(before[i] as PageNode, after[j] as PageNode, around, comparison);
  }
  for (const gap of gaps(alike, [before.length, after.length])) {
    noteRest(before.slice(...gap.before), after.slice(...gap.after), around, comparison);
  }
}

function compareChildren(
  before: PageNode,
  after: PageNode,
  around: readonly Pair[],
  comparison: Comparison,
) {
  const [old, young] = [before.children, after.children];
  let start = 0;
  while (start < old.length && start < young.length && old[start]?.id === young[start]?.id)
    start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < young.length - start &&
    old[old.length - 1 - end]?.id === young[young.length - 1 - end]?.id
  ) {
    end += 1;
  }
  const middle = [
    old.slice(start, old.length - end),
    young.slice(start, young.length - end),
  ] as const;
  const same = commonPairs(...middle, ({ id }) => id, comparison);
  for (const gap of gaps(same, [middle[0].length, middle[1].length])) {
    compareStretch(
      middle[0].slice(...gap.before),
      middle[1].slice(...gap.after),
      around,
      comparison,
    );
  }
}

const whole = new Set(["script", "style", "template", "title", "textarea", "option"]);

function compareNodes(
  before: PageNode,
  after: PageNode,
  around: readonly Pair[],
  comparison: Comparison,
): void {
  if (before.id === after.id) return;
  if (!isElement(before) && before.tag !== "#document") {
    if (before.tag === "#text" && isBlank(before) && isBlank(after)) return;
    note(comparison, { kind: "removed", node: before, around });
    note(comparison, { kind: "added", node: after, around });
    return;
  }
  compareAttributes(before, after, around, comparison);
  const inner = [...around, { before, after }];
  const sameChildren =
    before.children.length === after.children.length &&
    before.children.every((child, i) => child.id === after.children[i]?.id);
  if (sameChildren) return;
  if (whole.has(after.tag) || (isPassage(before) && isPassage(after))) {
    note(comparison, { kind: "passage", before, after, around });
    return;
  }
  compareChildren(before, after, inner, comparison);
}

/** All differences between two versions of a page. Throws `TooLarge`. */
export function diffPages(before: PageNode, after: PageNode): PageChange[] {
  const comparison: Comparison = { changes: [], cells: maxSize.cells };
  compareNodes(before, after, [], comparison);
  return comparison.changes;
}
