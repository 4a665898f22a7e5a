import type { StyleAspect, TaskScope } from "../../schema.ts";
import { shorten } from "./review-context.ts";
import type { SheetDeclaration } from "./sheet.ts";
import { colorsOf, isUsualChange } from "./token-value.ts";

/** The live theme. */
export interface LiveTokens {
  /** Values of the tokens that apply to every theme. */
  tokens: ReadonlyMap<string, string>;
  /** Tokens already used as a foreground. */
  front: ReadonlySet<string>;
}

/** Declarations that a task may change in a rule, and which aspect they belong to. */
const aspects: Readonly<Record<string, readonly StyleAspect[]>> = {
  color: ["accent", "text"],
  "text-decoration-color": ["line", "accent"],
  "text-decoration-thickness": ["line"],
  "text-underline-offset": ["line"],
  "font-size": ["size"],
  "font-weight": ["size"],
  "line-height": ["size"],
  gap: ["spacing"],
  "row-gap": ["spacing"],
  "column-gap": ["spacing"],
  "padding-top": ["spacing"],
  "padding-bottom": ["spacing"],
  "padding-block": ["spacing"],
  "margin-top": ["spacing"],
  "margin-bottom": ["spacing"],
  "margin-block": ["spacing"],
  "border-radius": ["radius"],
};

/** Elements, classes, and the builder's marks: no states or other conditions. */
const plainSelector = /^[\w\s.,>*-]*(?:\[data-astro-cid-[a-z0-9]+\][\w\s.,>*-]*)*$/;
const token = /^var\((--[\w-]+)\)$/;

function resolved(value: string, { tokens }: LiveTokens): string {
  const name = token.exec(value)?.[1];
  return (name === undefined ? undefined : tokens.get(name)) ?? value;
}

const lines = /^(\d*\.?\d+)(px|em)$/;

function isAllowedValue(
  before: string | undefined,
  { property, value }: SheetDeclaration,
  theme: LiveTokens,
): boolean {
  if (property === "color" || property === "text-decoration-color") {
    const name = token.exec(value)?.[1];
    const isColor = name !== undefined && colorsOf(theme.tokens.get(name) ?? "") !== null;
    return isColor && theme.front.has(name) && !/line|control|bg|surface|^--on-/.test(name);
  }
  if (property === "font-weight") return /^[3-8]\d0$/.test(value);
  if (property === "text-decoration-thickness" || property === "text-underline-offset") {
    const [, amount, unit] = lines.exec(value) ?? [];
    return (
      amount !== undefined && Number(amount) > 0 && Number(amount) <= (unit === "px" ? 4 : 0.4)
    );
  }
  if (before === undefined) return false;
  const aspect =
    property.startsWith("font") || property === "line-height"
      ? "size"
      : property === "border-radius"
        ? "radius"
        : "spacing";
  return isUsualChange(property, aspect, resolved(before, theme), resolved(value, theme));
}

/**
 * Why an added or changed declaration needs review; null for a few kinds, in an unconditional rule,
 * within limits. Its effect on pages is checked in a browser.
 */
export function declarationProblem(
  before: SheetDeclaration | undefined,
  after: SheetDeclaration,
  { scope, theme }: { scope: TaskScope; theme: LiveTokens },
): string | null {
  const { condition, selector, property, value } = after;
  const known = Object.hasOwn(aspects, property) ? aspects[property] : undefined;
  const isAbout = known?.some((aspect) => scope.style.includes(aspect)) ?? false;
  const isPlain = condition === "" && selector !== "" && plainSelector.test(selector);
  return isAbout && isPlain && isAllowedValue(before?.value, after, theme)
    ? null
    : `a rule (${shorten(`${condition} ${selector}`)}: ${property}: ${shorten(value)})`;
}
