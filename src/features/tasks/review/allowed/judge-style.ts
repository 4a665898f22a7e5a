import type { TaskScope } from "../../schema.ts";
import { shortly } from "./judgement.ts";
import { readSheet, type Sheet, type SheetDeclaration } from "./sheet.ts";
import {
  aspectOf,
  colorsOf,
  contrastOf,
  familiesOf,
  isGenericFamily,
  isUsualChange,
} from "./token-value.ts";
import { TooLarge } from "./tree.ts";

const root = /^(?::root|html)?(?:\[data-(?:look|theme)=["']?[\w-]{1,40}["']?\])?$/;

function isToken({ condition, selector, property }: SheetDeclaration): boolean {
  return condition === "" && selector !== "" && root.test(selector) && property.startsWith("--");
}

type Tokens = ReadonlyMap<string, string>;

/** The tokens of each look: what it says itself, over what holds for all. */
function looksOf({ declarations }: Sheet): Map<string, Map<string, string>> {
  const tokens = declarations.filter(isToken);
  const base = new Map(
    tokens
      .filter(({ selector }) => selector === ":root" || selector === "html")
      .map(({ property, value }) => [property, value]),
  );
  const looks = new Map([["", base]]);
  for (const { selector, property, value } of tokens) {
    if (selector === ":root" || selector === "html") continue;
    const own = looks.get(selector) ?? new Map(base);
    looks.set(selector, own.set(property, value));
  }
  return looks;
}

/** The tokens that something is painted with, and those that it is painted on. */
function usesOf({ declarations }: Sheet): { front: Set<string>; back: Set<string> } {
  const [front, back] = [new Set<string>(), new Set<string>()];
  for (const { property, value } of declarations) {
    if (property.startsWith("--")) continue;
    for (const [, token = ""] of value.matchAll(/var\(\s*(--[\w-]+)/g)) {
      if (/^background/.test(property)) back.add(token);
      else if (
        /color$|^fill$|^stroke$|^border|^outline|^(?:-webkit-)?text-decoration/.test(property)
      )
        front.add(token);
    }
  }
  return { front, back };
}

/** A pair of tokens that could be told apart before and can't any more; null without. */
function lostContrast(
  before: Tokens,
  after: Tokens,
  { front, back }: ReturnType<typeof usesOf>,
): string | null {
  for (const one of front) {
    for (const other of back) {
      const colors = [before.get(one), before.get(other), after.get(one), after.get(other)].map(
        (value) => (value === undefined ? null : colorsOf(value)),
      );
      const [oldFront, oldBack, newFront, newBack] = colors;
      if (!oldFront || !oldBack || !newFront || !newBack) continue;
      for (const theme of [0, 1] as const) {
        const was = contrastOf(oldFront[theme], oldBack[theme]);
        const is = contrastOf(newFront[theme], newBack[theme]);
        for (const least of [4.5, 3]) {
          if (was >= least && is < least)
            return `${one} on ${other} has a contrast of ${is.toFixed(1)} (${theme === 0 ? "light" : "dark"})`;
        }
      }
    }
  }
  return null;
}

function knownFamilies({ declarations }: Sheet): Set<string> {
  const names = new Set<string>();
  for (const { condition, property, value } of declarations) {
    const isFace = condition === "@font-face" && property === "font-family";
    if (!isFace && !/^--font/.test(property)) continue;
    for (const name of familiesOf(value) ?? []) names.add(name);
  }
  return names;
}

function valueProblem(
  before: SheetDeclaration,
  after: SheetDeclaration,
  { scope, families }: { scope: TaskScope; families: Set<string> },
): string | null {
  const what = `${after.property}: ${shortly(after.value)}`;
  if (!isToken(before))
    return `a rule (${shortly(`${after.condition} ${after.selector}`)}: ${what})`;
  const aspect = aspectOf(after.property);
  if (aspect === null || !scope.style.includes(aspect)) return `a value of the theme, ${what}`;
  if (aspect === "font") {
    const names = familiesOf(after.value);
    const isKnown =
      names !== null && names.every((name) => families.has(name) || isGenericFamily(name));
    return isKnown && isGenericFamily(names.at(-1) ?? "") ? null : `a font, ${what}`;
  }
  if (aspect === "size" || aspect === "spacing" || aspect === "radius") {
    return isUsualChange(after.property, aspect, before.value, after.value)
      ? null
      : `a large change of the theme, ${what}`;
  }
  return colorsOf(before.value) !== null && colorsOf(after.value) !== null
    ? null
    : `a color, ${what}`;
}

/** What in a changed style sheet no rule allows: all but values of tokens that the task is about. */
export function styleProblems(before: string, after: string, scope: TaskScope): string[] {
  let sheets: { live: Sheet; next: Sheet };
  try {
    sheets = { live: readSheet(before), next: readSheet(after) };
  } catch (error) {
    if (error instanceof TooLarge) return [`a style sheet: ${error.message}`];
    throw error;
  }
  const { live, next } = sheets;
  const other = next.shape.findIndex((part, i) => part !== live.shape[i]);
  if (other >= 0 || next.shape.length !== live.shape.length)
    return [`rules, such as “${shortly(next.shape[other] ?? "one that is gone")}”`];
  const families = knownFamilies(live);
  const problems = next.declarations.flatMap((declaration, i) => {
    const old = live.declarations[i] as SheetDeclaration;
    return old.value === declaration.value
      ? []
      : (valueProblem(old, declaration, { scope, families }) ?? []);
  });
  const uses = usesOf(live);
  const looks = looksOf(next);
  for (const [look, tokens] of looksOf(live)) {
    const lost = problems.length > 0 ? null : lostContrast(tokens, looks.get(look) ?? tokens, uses);
    if (lost !== null) problems.push(lost);
  }
  return problems;
}
