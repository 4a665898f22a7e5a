import { isTypo } from "./dictated-text.ts";
import { isEntryBlock } from "./entry-text.ts";
import {
  isRequestedLink,
  judgeAttribute,
  addOutsideProblem,
  type PageArea,
} from "./judge-attribute.ts";
import { judgeHeadChange } from "./judge-head.ts";
import {
  isAcceptedElsewhere,
  type PageReviewContext,
  addAccepted,
  shorten,
} from "./review-context.ts";
import { isExternalLink, markupProblem, noteMarkup, removeProblem } from "./judge-markup.ts";
import { isAsWritten, judgeText, maxTextLength } from "./judge-text.ts";
import { unrelatedChangeReason } from "./named-passage.ts";
import { isHidden } from "./site-view.ts";
import type { PageChange, Pair } from "./tree-diff.ts";
import { isElement, passagesOf, type PageNode, markupShape, textOf, walk } from "./tree.ts";

function placeOf(around: readonly Pair[], self: PageNode): PageArea {
  const nodes = [...around.map(({ after }) => after), self];
  const has = (pattern: RegExp) => nodes.some(({ tag }) => pattern.test(tag));
  const inMain = has(/^main$/);
  return {
    inHead: has(/^head$/),
    inMain,
    inForm: has(/^(?:form|input|select|textarea|button|option|fieldset|label|dialog)$/),
    inShared: !inMain && has(/^(?:header|footer|nav)$/),
    hidden: [...around.flatMap(({ before, after }) => [before, after]), self].some(isHidden),
  };
}

const linksOf = (node: PageNode): PageNode[] =>
  [...walk(node)].filter(({ tag, attributes }) => tag === "a" && attributes.has("href"));

const hrefsOf = (node: PageNode): string[] =>
  linksOf(node).map(({ attributes }) => attributes.get("href") ?? "");

/** Whether changed or removed links of a passage are those that the task is about. */
function areRequestedLinks(
  context: PageReviewContext,
  { before, after }: Pair,
  around: readonly Pair[],
): boolean {
  const [old, young] = [linksOf(before), linksOf(after)];
  if (old.length !== young.length) return context.scope.only.links === null;
  return old.every((link, i) =>
    isRequestedLink(context, { before: link, after: young[i] ?? link }, around),
  );
}

function without(list: readonly string[], taken: readonly string[]): string[] {
  const left = [...taken];
  return list.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Whether the inline elements of a passage are unchanged, plain, or known. */
function judgeInline(
  context: PageReviewContext,
  { before, after }: Pair,
  around: readonly Pair[],
): boolean {
  const { scope } = context;
  const old = new Set([...walk(before)].map(({ id }) => id));
  for (const child of after.children) {
    if (child.tag === "#text" || old.has(child.id)) continue;
    const problem = markupProblem(child, context);
    const retained =
      problem !== null &&
      before.children.some((one) => one.tag === child.tag && sameButText(one, child));
    if (problem !== null && !retained) return noteMarkup(context, problem);
  }
  const [oldHrefs, newHrefs] = [hrefsOf(before), hrefsOf(after)];
  const lost = without(oldHrefs, newHrefs);
  const gone =
    lost.find((href) => isExternalLink(href, context)) ??
    (scope.kinds.includes("links") || scope.allowsRemovals ? undefined : lost[0]);
  if (gone !== undefined) return noteMarkup(context, `the link to “${shorten(gone)}” is gone`);
  // A link with the same text and another target is a change of the link.
  const isSwap = lost.length > 0 && without(newHrefs, oldHrefs).length > 0;
  const isBound = isSwap || scope.only.links !== null;
  const swapped =
    (isSwap && !scope.kinds.includes("links")) ||
    (isBound && !areRequestedLinks(context, { before, after }, around));
  return swapped
    ? noteMarkup(
        context,
        `a link leads elsewhere, “${shorten(without(newHrefs, oldHrefs)[0] ?? "")}”`,
      )
    : true;
}

/** The same element with another text. */
function sameButText(before: PageNode, after: PageNode): boolean {
  const attributes = (node: PageNode) =>
    JSON.stringify([...node.attributes].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const elements = (node: PageNode) => node.children.filter(isElement);
  return (
    before.tag === after.tag &&
    attributes(before) === attributes(after) &&
    elements(before).length === elements(after).length &&
    elements(before).every((one, i) => sameButText(one, elements(after)[i] as PageNode))
  );
}

/** Whether only links differ, as was allowed elsewhere. */
function isLinkEcho({ accepted }: PageReviewContext, before: PageNode, after: PageNode): boolean {
  const [old, young] = [hrefsOf(before), hrefsOf(after)];
  if (old.length !== young.length || textOf(before) !== textOf(after)) return false;
  const shapes = (node: PageNode) =>
    [...walk(node)].map((one) => (isElement(one) ? markupShape(one) : one.tag)).join();
  return (
    shapes(before) === shapes(after) &&
    old.every((href, i) => href === young[i] || accepted.links.get(href)?.has(young[i] ?? ""))
  );
}

/** The year in a footer follows the changelog. */
function isNewYear({ entry }: PageReviewContext, before: string, after: string): boolean {
  const year = entry?.at.slice(0, 4);
  if (year === undefined) return false;
  const old = /\b(?:19|20)\d\d\b/.exec(before)?.[0];
  return old !== undefined && Number(old) < Number(year) && before.replace(old, year) === after;
}

/** Whether a text belongs to an image that the task is about. */
function isOfFigure({
  scope,
  around,
}: {
  scope: PageReviewContext["scope"];
  around: readonly Pair[];
}): boolean {
  return scope.kinds.includes("images") && around.some(({ after }) => after.tag === "figure");
}

const isNumbering = /^\d{1,3}\.?$/;

/** Whether a field's label differs only by a typo, and nothing else of the form differs. */
function isLabelTypo(
  { scope, inScope }: PageReviewContext,
  { before, after, around }: PageChange & { kind: "passage" },
  place: PageArea,
  [old, young]: readonly [string, string],
): boolean {
  const isPlain = (tag: string) => !/^(?:button|option|select|textarea|dialog)$/.test(tag);
  const nodes = [...around.map((pair) => pair.after), after];
  return (
    place.inMain &&
    inScope &&
    scope.kinds.includes("text") &&
    nodes.some(({ tag }) => tag === "label") &&
    nodes.every(({ tag }) => isPlain(tag)) &&
    sameButText(before, after) &&
    isTypo(old, young)
  );
}

function judgePassage(
  context: PageReviewContext,
  change: PageChange & { kind: "passage" },
  place: PageArea,
): void {
  const { before, after, around } = change;
  const { accepted, scope, inScope } = context;
  const [old, young] = [textOf(before), textOf(after)];
  const isLabel = isLabelTypo(context, change, place, [old, young]);
  if (place.inForm && !isLabel) return addOutsideProblem(context, `a form, “${shorten(young)}”`);
  if (place.hidden || /^(?:script|style|template|noscript|textarea)$/.test(after.tag))
    return void noteMarkup(context, `hidden content (${after.tag})`);
  const sameMarkup = old !== young ? true : sameButText(before, after);
  if (old === young && sameMarkup) return;
  if (old === young && isLinkEcho(context, before, after)) return;
  if (
    place.inMain &&
    after.attributes.get("aria-hidden") === "true" &&
    isNumbering.test(old) &&
    isNumbering.test(young)
  ) {
    accepted.removableTexts.add(old);
    return;
  }
  if (isAcceptedElsewhere(accepted, old, young) || isNewYear(context, old, young)) {
    if (judgeInline(context, change, around)) accepted.removableTexts.add(old);
    return;
  }
  const isShared = place.inShared && scope.kinds.includes("shared");
  const isText =
    place.inMain &&
    inScope &&
    (scope.kinds.includes("text") || (scope.kinds.includes("links") && old === young));
  const isCaption = inScope && isOfFigure({ scope, around });
  if (!isShared && !isText && !isCaption)
    return addOutsideProblem(context, `text, “${shorten(young || old)}”`);
  const beside = unrelatedChangeReason(context, around, before, { before: old, after: young });
  if (beside !== null) return addOutsideProblem(context, beside);
  if (!judgeText(context, old, young) || !judgeInline(context, change, around)) return;
  addAccepted(accepted.texts, old, young);
  accepted.added.add(young);
  accepted.removed.add(old);
}

/** Whether an element adds or removes only what was allowed elsewhere. */
function isEchoBlock(texts: readonly string[], allowed: ReadonlySet<string>): boolean {
  return texts.length > 0 && texts.every((text) => allowed.has(text));
}

/** Whether an unchanged element may move among its siblings. */
function isMoveAllowed(
  context: PageReviewContext,
  place: PageArea,
  texts: readonly string[],
): boolean {
  const { accepted, scope, inScope } = context;
  if (place.inForm || place.hidden || place.inHead) return false;
  const isText = place.inMain && inScope && scope.kinds.includes("text") && scope.allowsRemovals;
  const isShared = place.inShared && scope.kinds.includes("shared");
  if (isText || isShared) {
    for (const text of texts) accepted.moved.add(text);
    return true;
  }
  return texts.length > 0 && place.inMain && texts.every((text) => accepted.moved.has(text));
}

function judgeAdded(
  context: PageReviewContext,
  { node, around }: PageChange & { kind: "added" },
  place: PageArea,
  moved: boolean,
): void {
  const { accepted, scope, inScope } = context;
  const texts = [...passagesOf(node)];
  const first = shorten(texts[0] ?? node.tag);
  if (moved && isMoveAllowed(context, place, texts)) return;
  if (place.inForm || !place.inMain || place.hidden)
    return addOutsideProblem(context, `something new outside the text, “${first}”`);
  const problem = markupProblem(node, context);
  if (problem !== null) return void noteMarkup(context, problem);
  if (isEntryBlock(context, texts) || isEchoBlock(texts, accepted.added)) return;
  if (!inScope || !scope.kinds.includes("text"))
    return addOutsideProblem(context, `a new passage, “${first}”`);
  const beside = unrelatedChangeReason(context, around, node, {
    before: "",
    after: texts.join(" "),
  });
  if (beside !== null) return addOutsideProblem(context, beside);
  for (const text of texts) {
    const isWritten = isNumbering.test(text) || isAsWritten(context, "", text);
    if (!context.accepted.removed.has(text) && !isWritten)
      return addOutsideProblem(context, `more text than the task asks for, “${shorten(text)}”`);
    if (!judgeText(context, "", text)) return;
  }
  for (const one of walk(node)) {
    const alt = one.tag === "img" ? one.attributes.get("alt") : undefined;
    if (alt !== undefined && (alt.length > maxTextLength.alt || !judgeText(context, "", alt)))
      return;
  }
  for (const text of texts) accepted.added.add(text);
}

function judgeRemoved(
  context: PageReviewContext,
  { node, around }: PageChange & { kind: "removed" },
  place: PageArea,
  moved: boolean,
): void {
  const { accepted, scope, inScope } = context;
  const texts = [...passagesOf(node)];
  const first = shorten(texts[0] ?? node.tag);
  if (node.tag === "#comment") return;
  if (moved && isMoveAllowed(context, place, texts)) return;
  if (place.inForm || !place.inMain)
    return addOutsideProblem(context, `something outside the text was removed, “${first}”`);
  if (isLeftInChangelog(context, texts) || isEchoBlock(texts, accepted.removed)) {
    for (const text of texts) accepted.removableTexts.add(text);
    return;
  }
  const problem = removeProblem(node, context);
  if (problem !== null) return void noteMarkup(context, problem);
  const isCaption = node.tag === "figcaption" && isOfFigure({ scope, around });
  if (!inScope || !(isCaption || (scope.kinds.includes("text") && scope.allowsRemovals)))
    return addOutsideProblem(context, `a passage is gone, “${first}”`);
  const beside = unrelatedChangeReason(context, around, node, {
    before: texts.join(" "),
    after: "",
  });
  if (beside !== null) return addOutsideProblem(context, beside);
  if (!isAsWritten(context, texts.join(" "), ""))
    return addOutsideProblem(context, `more is removed than the task asks for, “${first}”`);
  if (!judgeText(context, texts.join(" "), "")) return;
  for (const text of texts) accepted.removed.add(text);
}

/** A short list of the latest entries loses its last one, which is still in the changelog. */
function isLeftInChangelog({ entry, next }: PageReviewContext, texts: readonly string[]): boolean {
  if (entry === null || texts.length === 0 || !next.isPage("/changelog/")) return false;
  const retained = new Set(passagesOf(next.page("/changelog/")));
  return texts.every((text) => retained.has(text));
}

/** Judges all differences of one page. */
export function judgePage(context: PageReviewContext, changes: readonly PageChange[]): void {
  const idsOf = (kind: "added" | "removed") =>
    changes.flatMap((change) => (change.kind === kind ? change.node.id : []));
  const [added, removed] = [new Set(idsOf("added")), new Set(idsOf("removed"))];
  for (const change of changes) {
    const self = change.kind === "added" || change.kind === "removed" ? change.node : change.after;
    const place = placeOf(change.around, self);
    if (place.inHead) judgeHeadChange(context, change);
    else if (change.kind === "attribute") judgeAttribute(context, change, place);
    else if (change.kind === "passage") judgePassage(context, change, place);
    else if (change.kind === "added")
      judgeAdded(context, change, place, removed.has(change.node.id));
    else judgeRemoved(context, change, place, added.has(change.node.id));
  }
}
