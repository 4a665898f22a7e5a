import { evidenceOf } from "../fix/evidence.ts";
import type { FindingRow } from "../findings/store.ts";
import type { FindingSource } from "./finding-source.ts";

/**
 * Checks whose defects are made where an element is written, whatever it shows: all elements from
 * one line have one cause. Links, texts, and pairs of colors have their cause elsewhere.
 */
const ofElements =
  /^(?:a11y\.(?:axe\.(?!color-contrast|link-in-text)|heading-skip$|target-size$|focus-trap-and-order$)|img\.(?:alt-missing|link-no-alt|dimensions-missing|lazy-above-fold|oversized)$|link\.(?:no-text|empty-href|target-blank-opener|nofollow-internal)$|resp\.text-clipped$)/;

/** The attribute that a check misses, which a component may leave to whoever uses it. */
const missingAttributes: Readonly<Record<string, RegExp>> = {
  "img.alt-missing": /\balt\b/,
  "a11y.axe.image-alt": /\balt\b/,
  "img.link-no-alt": /\balt\b/,
  "img.dimensions-missing": /\b(?:width|height)\b/,
  "img.lazy-above-fold": /\bloading\b/,
};

/** Whether all defects of a check from one line of the source have one cause. */
export const isOfElements = (check: string): boolean => ofElements.test(check);

/**
 * Whether the tag at a line decides what a check misses. If it takes the attribute from a property,
 * or may, the cause is where the component is used. Empty: the tag is unknown.
 */
export function isDecidedByTag(check: string, tag: string): boolean {
  const attribute = missingAttributes[check];
  if (attribute === undefined) return true;
  return tag !== "" && !attribute.test(tag) && !/\{\s*\.\.\./.test(tag);
}

const written = /^([\w@./[\]()-]{1,300}):(\d{1,7})$/;

/** The source of a finding that was grouped by its component; null for all others. */
export function componentOf(
  row: Pick<FindingRow, "check_id" | "evidence" | "target" | "reporter">,
): Extract<FindingSource, { kind: "file" }> | null {
  if (row.reporter !== null || row.target !== null || !isOfElements(row.check_id)) return null;
  const { component } = evidenceOf(row);
  const [, file, line] = (typeof component === "string" && written.exec(component)) || [];
  return file === undefined ? null : { kind: "file", file, line: Number(line) };
}

/** A source as in a component's evidence; null if its name has other characters. */
export function componentName(file: string, line: number): string | null {
  const name = `${file}:${line}`;
  return written.test(name) ? name : null;
}
