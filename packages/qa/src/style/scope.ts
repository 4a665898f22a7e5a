import { type Cascaded, type Style, uncertain } from "./cascade.ts";
import { type CustomProperties, substitute } from "./custom.ts";

/** The keywords that every property accepts. */
export const keywords = new Set(["inherit", "initial", "unset", "revert", "revert-layer"]);

/** What the value of an element's property depends on. */
export interface Scope {
  style: Style;
  custom: CustomProperties;
}

/** The value of a property with its variables substituted; undefined if there is no valid one. */
export function valueOf({ style, custom }: Scope, property: string): Cascaded | undefined {
  const value = style.get(property);
  if (value === undefined || value === uncertain) return value;
  const mark = /^(background|font|animation|-webkit-background-clip):/.exec(value);
  const substituted = substitute(mark ? value.slice(mark[0].length) : value, custom);
  if (substituted === undefined || substituted === uncertain) return substituted;
  if (keywords.has(substituted.toLowerCase())) return substituted.toLowerCase();
  return mark ? mark[0] + substituted : substituted;
}

/** Resolves `unset`, depending on whether the property is inherited. */
export function keyword(value: Cascaded | undefined, inherits: boolean): Cascaded | undefined {
  if (value === undefined) return undefined;
  if (value === "unset") return inherits ? "inherit" : "initial";
  return value === "revert" || value === "revert-layer" ? uncertain : value;
}
