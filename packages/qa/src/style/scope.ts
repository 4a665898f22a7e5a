import { type Cascaded, type Style, unsure } from "./cascade.ts";
import { type CustomProperties, substitute } from "./custom.ts";

/** The words that any property takes. */
export const keywords = new Set(["inherit", "initial", "unset", "revert", "revert-layer"]);

/** What the value of an element's property is found from. */
export interface Scope {
  style: Style;
  custom: CustomProperties;
}

/** The value of a property with its variables put in; undefined where nothing valid is said. */
export function valueOf({ style, custom }: Scope, property: string): Cascaded | undefined {
  const value = style.get(property);
  if (value === undefined || value === unsure) return value;
  const mark = /^(background|font|animation|-webkit-background-clip):/.exec(value);
  const said = substitute(mark ? value.slice(mark[0].length) : value, custom);
  if (said === undefined || said === unsure) return said;
  if (keywords.has(said.toLowerCase())) return said.toLowerCase();
  return mark ? mark[0] + said : said;
}

/** `unset` in its meaning for an inherited property and for one that is not. */
export function keyword(said: Cascaded | undefined, inherits: boolean): Cascaded | undefined {
  if (said === undefined) return undefined;
  if (said === "unset") return inherits ? "inherit" : "initial";
  return said === "revert" || said === "revert-layer" ? unsure : said;
}
