import {
  containsQuote,
  matchesKeywords,
  matchesDictation,
  isAsWritten,
  keepsOtherSentences,
  quotesHeading,
} from "./judge-text.ts";
import { type PageReviewContext, shorten } from "./review-context.ts";
import type { Pair } from "./tree-diff.ts";
import { type PageNode, textOf } from "./tree.ts";

/** The text around a change that identifies its part of the page. */
export function sectionText(around: readonly Pair[]): string {
  const section = around.findLast(({ before }) =>
    /^(?:section|article|aside|li|figure|details)$/.test(before.tag),
  );
  const parent = around.at(-1);
  const isList =
    parent !== undefined && parent.before.tag !== "main" && parent.before.tag !== "body";
  return `${section ? textOf(section.before) : ""} ${isList ? textOf(parent.before) : ""}`;
}

const container = /^(?:section|article|aside|header|footer|nav|figure|details|dl)$/;

/**
 * The part of the page that contains a change: the nearest meaningful one, otherwise the outermost.
 */
function regionOf(around: readonly Pair[], self: PageNode): PageNode {
  const found = around.findLast(({ before }) => container.test(before.tag));
  const main = around.findIndex(({ before }) => before.tag === "main");
  return found?.before ?? around[main + 2]?.before ?? self;
}

/** Whether a task about one part of a page changes only one. */
function staysInRegion(
  { regions, scope }: PageReviewContext,
  around: readonly Pair[],
  self: PageNode,
): boolean {
  regions.add(regionOf(around, self));
  return scope.allowsSeveralParts || scope.isMinorEdit || regions.size <= 1;
}

/** Why a change of a text isn't what the task is about; null if it is. */
export function unrelatedChangeReason(
  context: PageReviewContext,
  around: readonly Pair[],
  self: PageNode,
  { before, after }: { before: string; after: string },
): string | null {
  const region = regionOf(around, self);
  const section = `${sectionText(around)} ${region === self ? "" : textOf(region)}`;
  const first = shorten(after || before);
  // A quote from a text means that text; a quote of a heading means what follows it.
  const isChange = before !== "" && after !== "";
  const nearby = isChange && !quotesHeading(context) ? [] : [section];
  if (!containsQuote(context, [before, after, ...nearby]))
    return `a different passage from the quoted one, “${first}”`;
  // A task about an image names the image, not what follows it.
  const isCaption =
    context.scope.kinds.includes("images") && around.some((pair) => pair.after.tag === "figure");
  if (!isCaption && !matchesKeywords(context, [before, after, section]))
    return `a different passage from the one that the task names, “${first}”`;
  if (!matchesDictation(context, before, after))
    return `different words from the quoted ones, “${first}”`;
  if (isChange && !keepsOtherSentences(context, before, after))
    return `a different sentence from the one that the task names, “${first}”`;
  if (isChange && !isAsWritten(context, before, after))
    return `more text than the task asks for, “${first}”`;
  return staysInRegion(context, around, self)
    ? null
    : `another part of the page as well, “${first}”`;
}
