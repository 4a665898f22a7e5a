import { type Cascaded, uncertain } from "./cascade.ts";
import { findClosingParenthesis } from "./text.ts";

/** The maximum length of a value after substitution. */
const maxCharacters = 10_000;

/** The custom properties of an element, including inherited ones. */
export interface CustomProperties {
  /** Undefined if there is none, or only an invalid one. */
  get(name: string): Cascaded | undefined;
}

/** Registered properties with their defaults. */
export type Registered = ReadonlyMap<string, { initial: string; inherits: boolean }>;

export function rootProperties(registered: Registered): CustomProperties {
  return { get: (name) => registered.get(name)?.initial };
}

/** The properties of an element that declares some itself. */
export function declareProperties(
  declared: ReadonlyMap<string, Cascaded>,
  parent: CustomProperties,
  registered: Registered,
): CustomProperties {
  const memo = new Map<string, Cascaded | undefined>();
  const open = new Set<string>();
  const own: CustomProperties = {
    get(name) {
      if (memo.has(name)) return memo.get(name);
      // A property that depends on itself is invalid (CSS Variables 1, 2.3).
      if (open.has(name)) return undefined;
      open.add(name);
      const value = read(name);
      open.delete(name);
      memo.set(name, value);
      return value;
    },
  };
  const inherited = (name: string) =>
    registered.get(name)?.inherits === false ? registered.get(name)?.initial : parent.get(name);
  const read = (name: string): Cascaded | undefined => {
    const value = declared.get(name);
    if (value === undefined || value === "inherit" || value === "unset") return inherited(name);
    if (value === uncertain) return uncertain;
    if (value === "initial") return registered.get(name)?.initial;
    if (value === "revert" || value === "revert-layer") return uncertain;
    return substitute(value, own);
  };
  return own;
}

/**
 * Substitutes `var()` with the values of custom properties. Undefined if one without a fallback is
 * missing: then the whole declaration is invalid.
 */
export function substitute(
  value: string,
  properties: CustomProperties,
  depth = 0,
): Cascaded | undefined {
  if (!/\b(?:var|env|attr|if)\(/i.test(value)) return value;
  if (depth > 30 || /\b(?:env|attr|if)\(/i.test(value)) return uncertain;
  let text = "";
  let rest = value;
  for (let at = rest.search(/\bvar\(/i); at >= 0; at = rest.search(/\bvar\(/i)) {
    const end = findClosingParenthesis(rest, at + 3);
    if (end < 0) return undefined;
    const inside = rest.slice(at + 4, end - 1);
    const comma = inside.indexOf(",");
    const name = (comma < 0 ? inside : inside.slice(0, comma)).trim();
    let found = properties.get(name);
    if (found === undefined) {
      if (comma < 0) return undefined;
      found = substitute(inside.slice(comma + 1).trim(), properties, depth + 1);
    }
    if (found === undefined || found === uncertain) return found;
    text += rest.slice(0, at) + found;
    rest = rest.slice(end);
    if (text.length > maxCharacters) return uncertain;
  }
  return (text + rest).trim();
}
