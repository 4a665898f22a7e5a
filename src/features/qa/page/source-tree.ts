import { adapter, type Htmlparser2TreeAdapterMap } from "parse5-htmlparser2-tree-adapter";
import type { TreeAdapter } from "parse5";

type SourceAdapter = TreeAdapter<Htmlparser2TreeAdapterMap>;
type Location = NonNullable<Htmlparser2TreeAdapterMap["element"]["sourceCodeLocation"]>;

/** What elements without prefixes and namespaces have in common: nearly all. */
const none: Record<string, string> = Object.freeze(Object.create(null));

/** Says that an element is closed by a tag of its own; where is not kept. */
const closed = Object.freeze({
  startLine: 0,
  startCol: 0,
  startOffset: 0,
  endLine: 0,
  endCol: 0,
  endOffset: 0,
});

/**
 * The tree of `parse5-htmlparser2-tree-adapter` in about half the memory: of the source it keeps
 * where elements begin and end, not where each attribute and text is.
 */
export const sourceTree: SourceAdapter = {
  ...adapter,
  createElement(name, namespace, attributes) {
    const element = adapter.createElement(name, namespace, []);
    const attribs: Record<string, string> = {};
    let hasPrefix = false;
    for (const attribute of attributes) {
      attribs[attribute.name] = attribute.value;
      hasPrefix ||= attribute.prefix !== undefined || attribute.namespace !== undefined;
    }
    element.attribs = attribs;
    element["x-attribsNamespace"] = none;
    element["x-attribsPrefix"] = none;
    if (!hasPrefix) return element;
    element["x-attribsNamespace"] = Object.fromEntries(
      attributes.map(({ name: key, namespace: value }) => [key, value ?? ""]),
    );
    element["x-attribsPrefix"] = Object.fromEntries(
      attributes.map(({ name: key, prefix }) => [key, prefix ?? ""]),
    );
    return element;
  },
  setNodeSourceCodeLocation(node, location) {
    if (!location || !("attribs" in node)) return;
    const { startLine, startCol, startOffset, endLine, endCol, endOffset } = location;
    node.sourceCodeLocation = { startLine, startCol, startOffset, endLine, endCol, endOffset };
  },
  updateNodeSourceCodeLocation(node, end) {
    const known = node.sourceCodeLocation as Location | null | undefined;
    if (!known) return;
    known.endLine = end.endLine ?? known.endLine;
    known.endCol = end.endCol ?? known.endCol;
    known.endOffset = end.endOffset ?? known.endOffset;
    if ("endTag" in end) known.endTag = closed;
  },
};
