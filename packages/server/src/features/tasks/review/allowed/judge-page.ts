import { isSlip } from "./dictated-text.ts";
import { isEntryBlock } from "./entry-text.ts";
import { isLinkAsked, judgeAttribute, outside, type Place } from "./judge-attribute.ts";
import { judgeHeadChange } from "./judge-head.ts";
import { isEcho, type PageJudgement, remember, shortly } from "./judgement.ts";
import { leadsOutside, markupProblem, noteMarkup, removalProblem } from "./judge-markup.ts";
import { isAsWritten, judgeText, maxTextLength } from "./judge-text.ts";
import { besideTask } from "./named-passage.ts";
import { isHidden } from "./site-view.ts";
import type { PageChange, Pair } from "./tree-diff.ts";
import { isElement, passagesOf, type PageNode, skinOf, textOf, walk } from "./tree.ts";

function placeOf(around: readonly Pair[], self: PageNode): Place {
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

/** Whether links of a passage that lead elsewhere, or are gone, are those that the task is about. */
function areLinksAsked(
  judgement: PageJudgement,
  { before, after }: Pair,
  around: readonly Pair[],
): boolean {
  const [old, young] = [linksOf(before), linksOf(after)];
  if (old.length !== young.length) return judgement.scope.only.links === null;
  return old.every((link, i) =>
    isLinkAsked(judgement, { before: link, after: young[i] ?? link }, around),
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

/** Whether the inline elements of a passage are as before, plain, or known. */
function judgeInline(
  judgement: PageJudgement,
  { before, after }: Pair,
  around: readonly Pair[],
): boolean {
  const { scope } = judgement;
  const old = new Set([...walk(before)].map(({ id }) => id));
  for (const child of after.children) {
    if (child.tag === "#text" || old.has(child.id)) continue;
    const problem = markupProblem(child, judgement);
    const kept =
      problem !== null &&
      before.children.some((one) => one.tag === child.tag && sameButText(one, child));
    if (problem !== null && !kept) return noteMarkup(judgement, problem);
  }
  const [oldHrefs, newHrefs] = [hrefsOf(before), hrefsOf(after)];
  const lost = without(oldHrefs, newHrefs);
  const gone =
    lost.find((href) => leadsOutside(href, judgement)) ??
    (scope.kinds.includes("links") || scope.removals ? undefined : lost[0]);
  if (gone !== undefined) return noteMarkup(judgement, `the link to “${shortly(gone)}” is gone`);
  // A link that leads elsewhere under the same words is a change of the link.
  const isSwap = lost.length > 0 && without(newHrefs, oldHrefs).length > 0;
  const isBound = isSwap || scope.only.links !== null;
  const swapped =
    (isSwap && !scope.kinds.includes("links")) ||
    (isBound && !areLinksAsked(judgement, { before, after }, around));
  return swapped
    ? noteMarkup(
        judgement,
        `a link leads elsewhere, “${shortly(without(newHrefs, oldHrefs)[0] ?? "")}”`,
      )
    : true;
}

/** An element as it was, with other words in it. */
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

/** Whether nothing but links differs, as was allowed elsewhere. */
function isLinkEcho({ accepted }: PageJudgement, before: PageNode, after: PageNode): boolean {
  const [old, young] = [hrefsOf(before), hrefsOf(after)];
  if (old.length !== young.length || textOf(before) !== textOf(after)) return false;
  const skins = (node: PageNode) =>
    [...walk(node)].map((one) => (isElement(one) ? skinOf(one) : one.tag)).join();
  return (
    skins(before) === skins(after) &&
    old.every((href, i) => href === young[i] || accepted.links.get(href)?.has(young[i] ?? ""))
  );
}

/** The year in a footer follows the changelog. */
function isNewYear({ entry }: PageJudgement, before: string, after: string): boolean {
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
  scope: PageJudgement["scope"];
  around: readonly Pair[];
}): boolean {
  return scope.kinds.includes("images") && around.some(({ after }) => after.tag === "figure");
}

const isNumbering = /^\d{1,3}\.?$/;

/** Whether the words of a field's label, and nothing else of the form, differ by a slip of the pen. */
function isLabelSlip(
  { scope, inScope }: PageJudgement,
  { before, after, around }: PageChange & { kind: "passage" },
  place: Place,
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
    isSlip(old, young)
  );
}

function judgePassage(
  judgement: PageJudgement,
  change: PageChange & { kind: "passage" },
  place: Place,
): void {
  const { before, after, around } = change;
  const { accepted, scope, inScope } = judgement;
  const [old, young] = [textOf(before), textOf(after)];
  const isLabel = isLabelSlip(judgement, change, place, [old, young]);
  if (place.inForm && !isLabel) return outside(judgement, `a form, “${shortly(young)}”`);
  if (place.hidden || /^(?:script|style|template|noscript|textarea)$/.test(after.tag))
    return void noteMarkup(judgement, `what nobody sees (${after.tag})`);
  const sameMarkup = old !== young ? true : sameButText(before, after);
  if (old === young && sameMarkup) return;
  if (old === young && isLinkEcho(judgement, before, after)) return;
  if (
    place.inMain &&
    after.attributes.get("aria-hidden") === "true" &&
    isNumbering.test(old) &&
    isNumbering.test(young)
  ) {
    accepted.left.add(old);
    return;
  }
  if (isEcho(accepted, old, young) || isNewYear(judgement, old, young)) {
    if (judgeInline(judgement, change, around)) accepted.left.add(old);
    return;
  }
  const isShared = place.inShared && scope.kinds.includes("shared");
  const isText =
    place.inMain &&
    inScope &&
    (scope.kinds.includes("text") || (scope.kinds.includes("links") && old === young));
  const isCaption = inScope && isOfFigure({ scope, around });
  if (!isShared && !isText && !isCaption)
    return outside(judgement, `text, “${shortly(young || old)}”`);
  const beside = besideTask(judgement, around, before, { before: old, after: young });
  if (beside !== null) return outside(judgement, beside);
  if (!judgeText(judgement, old, young) || !judgeInline(judgement, change, around)) return;
  remember(accepted.texts, old, young);
  accepted.added.add(young);
  accepted.removed.add(old);
}

/** Whether nothing but what was allowed elsewhere comes or goes with an element. */
function isEchoBlock(texts: readonly string[], allowed: ReadonlySet<string>): boolean {
  return texts.length > 0 && texts.every((text) => allowed.has(text));
}

/** Whether something may stand elsewhere among its neighbors than before, as it is. */
function isMoveAllowed(judgement: PageJudgement, place: Place, texts: readonly string[]): boolean {
  const { accepted, scope, inScope } = judgement;
  if (place.inForm || place.hidden || place.inHead) return false;
  const isText = place.inMain && inScope && scope.kinds.includes("text") && scope.removals;
  const isShared = place.inShared && scope.kinds.includes("shared");
  if (isText || isShared) {
    for (const text of texts) accepted.moved.add(text);
    return true;
  }
  return texts.length > 0 && place.inMain && texts.every((text) => accepted.moved.has(text));
}

function judgeAdded(
  judgement: PageJudgement,
  { node, around }: PageChange & { kind: "added" },
  place: Place,
  moved: boolean,
): void {
  const { accepted, scope, inScope } = judgement;
  const texts = [...passagesOf(node)];
  const first = shortly(texts[0] ?? node.tag);
  if (moved && isMoveAllowed(judgement, place, texts)) return;
  if (place.inForm || !place.inMain || place.hidden)
    return outside(judgement, `something new outside the text, “${first}”`);
  const problem = markupProblem(node, judgement);
  if (problem !== null) return void noteMarkup(judgement, problem);
  if (isEntryBlock(judgement, texts) || isEchoBlock(texts, accepted.added)) return;
  if (!inScope || !scope.kinds.includes("text"))
    return outside(judgement, `a new passage, “${first}”`);
  const beside = besideTask(judgement, around, node, { before: "", after: texts.join(" ") });
  if (beside !== null) return outside(judgement, beside);
  for (const text of texts) {
    const isWritten = isNumbering.test(text) || isAsWritten(judgement, "", text);
    if (!judgement.accepted.removed.has(text) && !isWritten)
      return outside(judgement, `more than the task asks for in words, “${shortly(text)}”`);
    if (!judgeText(judgement, "", text)) return;
  }
  for (const one of walk(node)) {
    const alt = one.tag === "img" ? one.attributes.get("alt") : undefined;
    if (alt !== undefined && (alt.length > maxTextLength.alt || !judgeText(judgement, "", alt)))
      return;
  }
  for (const text of texts) accepted.added.add(text);
}

function judgeRemoved(
  judgement: PageJudgement,
  { node, around }: PageChange & { kind: "removed" },
  place: Place,
  moved: boolean,
): void {
  const { accepted, scope, inScope } = judgement;
  const texts = [...passagesOf(node)];
  const first = shortly(texts[0] ?? node.tag);
  if (node.tag === "#comment") return;
  if (moved && isMoveAllowed(judgement, place, texts)) return;
  if (place.inForm || !place.inMain)
    return outside(judgement, `something is gone outside the text, “${first}”`);
  if (isLeftInChangelog(judgement, texts) || isEchoBlock(texts, accepted.removed)) {
    for (const text of texts) accepted.left.add(text);
    return;
  }
  const problem = removalProblem(node, judgement);
  if (problem !== null) return void noteMarkup(judgement, problem);
  const isCaption = node.tag === "figcaption" && isOfFigure({ scope, around });
  if (!inScope || !(isCaption || (scope.kinds.includes("text") && scope.removals)))
    return outside(judgement, `a passage is gone, “${first}”`);
  const beside = besideTask(judgement, around, node, { before: texts.join(" "), after: "" });
  if (beside !== null) return outside(judgement, beside);
  if (!isAsWritten(judgement, texts.join(" "), ""))
    return outside(judgement, `more than the task asks for is gone, “${first}”`);
  if (!judgeText(judgement, texts.join(" "), "")) return;
  for (const text of texts) accepted.removed.add(text);
}

/** A short list of the latest entries loses its last one, which the changelog still has. */
function isLeftInChangelog({ entry, next }: PageJudgement, texts: readonly string[]): boolean {
  if (entry === null || texts.length === 0 || !next.isPage("/changelog/")) return false;
  const kept = new Set(passagesOf(next.page("/changelog/")));
  return texts.every((text) => kept.has(text));
}

/** Judges all differences of one page. */
export function judgePage(judgement: PageJudgement, changes: readonly PageChange[]): void {
  const idsOf = (kind: "added" | "removed") =>
    changes.flatMap((change) => (change.kind === kind ? change.node.id : []));
  const [added, removed] = [new Set(idsOf("added")), new Set(idsOf("removed"))];
  for (const change of changes) {
    const self = change.kind === "added" || change.kind === "removed" ? change.node : change.after;
    const place = placeOf(change.around, self);
    if (place.inHead) judgeHeadChange(judgement, change);
    else if (change.kind === "attribute") judgeAttribute(judgement, change, place);
    else if (change.kind === "passage") judgePassage(judgement, change, place);
    else if (change.kind === "added")
      judgeAdded(judgement, change, place, removed.has(change.node.id));
    else judgeRemoved(judgement, change, place, added.has(change.node.id));
  }
}
