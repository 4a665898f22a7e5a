import { adapter, type Htmlparser2TreeAdapterMap } from "parse5-htmlparser2-tree-adapter";
import { html, type TreeAdapter } from "parse5";

type Element = Htmlparser2TreeAdapterMap["element"];

/** Shared by all elements without prefixes and namespaces, which are nearly all. */
const none: Record<string, string> = Object.freeze(Object.create(null));

/** The class of its elements, which the adapter doesn't export. */
const { constructor } = adapter.createElement("html", html.NS.HTML, []);
const ElementOf = constructor as new (
  name: string,
  attribs: Record<string, string>,
  children: Element["children"],
) => Element;

/**
 * The tree of `parse5-htmlparser2-tree-adapter` in about half the memory: source positions are left
 * to the parser, and prefixes are only stored if there are any.
 */
export const sourceTree: TreeAdapter<Htmlparser2TreeAdapterMap> = {
  ...adapter,
  createElement(name, namespace, attributes) {
    const attribs: Record<string, string> = {};
    let hasPrefix = false;
    for (const attribute of attributes) {
      attribs[attribute.name] = attribute.value;
      hasPrefix ||= attribute.prefix !== undefined || attribute.namespace !== undefined;
    }
    const element = new ElementOf(name, attribs, []);
    element.namespace = namespace;
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
  /** Adds the attributes of a second `html` or `body` to the first; neither has prefixes. */
  adoptAttributes({ attribs }, attributes) {
    for (const { name, value } of attributes) {
      if (!Object.hasOwn(attribs, name)) attribs[name] = value;
    }
  },
  setNodeSourceCodeLocation() {},
  updateNodeSourceCodeLocation() {},
};
