import type { TaskScope } from "../../schema.ts";
import { shorten } from "./review-context.ts";
import { declarationProblem, type LiveTokens } from "./judge-declaration.ts";
import {
  declarationsOf,
  readSheet,
  type Sheet,
  type SheetDeclaration,
  type SheetRule,
} from "./sheet.ts";
import {
  aspectOf,
  colorsOf,
  contrastOf,
  familiesOf,
  isGenericFamily,
  isUsualChange,
} from "./token-value.ts";
import { TooLarge } from "./tree.ts";

const root = /^(?::root|html)?(?:\[data-(?:look|accent|theme)=["']?[\w-]{1,40}["']?\])?$/;

function isToken({ condition, selector, property }: SheetDeclaration): boolean {
  return condition === "" && selector !== "" && root.test(selector) && property.startsWith("--");
}

type Tokens = ReadonlyMap<string, string>;

/** The tokens of each theme: its own values over the general ones. */
function tokensByTheme(sheet: Sheet): Map<string, Map<string, string>> {
  const tokens = declarationsOf(sheet).filter(isToken);
  const base = new Map(
    tokens
      .filter(({ selector }) => selector === ":root" || selector === "html")
      .map(({ property, value }) => [property, value]),
  );
  const themes = new Map([["", base]]);
  for (const { selector, property, value } of tokens) {
    if (selector === ":root" || selector === "html") continue;
    const own = themes.get(selector) ?? new Map(base);
    themes.set(selector, own.set(property, value));
  }
  return themes;
}

/** The tokens used as foregrounds and as backgrounds. */
function usesOf(sheet: Sheet): { front: Set<string>; back: Set<string> } {
  const [front, back] = [new Set<string>(), new Set<string>()];
  for (const { property, value } of declarationsOf(sheet)) {
    if (property.startsWith("--")) continue;
    for (const [, token = ""] of value.matchAll(/var\(\s*(--[\w-]+)/g)) {
      if (property.startsWith("background")) back.add(token);
      else if (
        /color$|^fill$|^stroke$|^border|^outline|^(?:-webkit-)?text-decoration/.test(property)
      )
        front.add(token);
    }
  }
  return { front, back };
}

/** A pair of tokens that was distinguishable before and isn't any more; null if there is none. */
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

function knownFamilies(sheet: Sheet): Set<string> {
  const names = new Set<string>();
  for (const { condition, property, value } of declarationsOf(sheet)) {
    const isFace = condition === "@font-face" && property === "font-family";
    if (!isFace && !property.startsWith("--font")) continue;
    for (const name of familiesOf(value) ?? []) names.add(name);
  }
  return names;
}

function tokenProblem(
  before: SheetDeclaration,
  after: SheetDeclaration,
  { scope, families }: { scope: TaskScope; families: Set<string> },
): string | null {
  const what = `${after.property}: ${shorten(after.value)}`;
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

/** What no rule of ours allows in a changed style rule. */
function ruleProblems(
  before: SheetRule,
  after: SheetRule,
  given: { scope: TaskScope; families: Set<string>; theme: LiveTokens },
): string[] {
  const names = (rule: SheetRule) => rule.declarations.map(({ property }) => property);
  const old = new Map(before.declarations.map((one) => [one.property, one]));
  const isSame = names(before).join() === names(after).join();
  const isSet =
    new Set(names(before)).size === names(before).length &&
    new Set(names(after)).size === names(after).length;
  if (!isSame && !isSet) return [`a rule (${shorten(after.key)})`];
  const gone = isSame
    ? undefined
    : before.declarations.find(({ property }) => !names(after).includes(property));
  if (gone) return [`a rule loses ${gone.property} (${shorten(after.key)})`];
  return after.declarations.flatMap((declaration, i) => {
    const was = isSame ? before.declarations[i] : old.get(declaration.property);
    if (was?.value === declaration.value) return [];
    const what =
      was && isToken(declaration)
        ? tokenProblem(was, declaration, given)
        : declarationProblem(was, declaration, given);
    return what ?? [];
  });
}

/**
 * What isn't allowed in a changed style sheet: everything except values of tokens that the task is
 * about, and a few declarations of unconditional rules.
 */
export function styleProblems(before: string, after: string, scope: TaskScope): string[] {
  let sheets: { live: Sheet; next: Sheet };
  try {
    sheets = { live: readSheet(before), next: readSheet(after) };
  } catch (error) {
    if (error instanceof TooLarge) return [`a style sheet: ${error.message}`];
    throw error;
  }
  const { live, next } = sheets;
  const other = next.rules.find(({ key }, i) => key !== live.rules[i]?.key);
  if (other || next.rules.length !== live.rules.length) {
    return [`rules, such as “${shorten(other?.key ?? "one that is gone")}”`];
  }
  const uses = usesOf(live);
  const theme: LiveTokens = { tokens: tokensByTheme(live).get("") ?? new Map(), front: uses.front };
  const given = { scope, families: knownFamilies(live), theme };
  const problems = next.rules.flatMap((rule, i) =>
    ruleProblems(live.rules[i] as SheetRule, rule, given),
  );
  const themes = tokensByTheme(next);
  for (const [themeName, tokens] of tokensByTheme(live)) {
    const lost =
      problems.length > 0 ? null : lostContrast(tokens, themes.get(themeName) ?? tokens, uses);
    if (lost !== null) problems.push(lost);
  }
  return problems;
}
