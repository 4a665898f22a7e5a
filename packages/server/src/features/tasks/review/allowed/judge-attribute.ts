import { stemsOf } from "../../scope/derive-scope.ts";
import {
  imageValueProblem,
  isKnownAlt,
  isOwnId,
  leadsOutside,
  linkProblem,
  noteMarkup,
  pathOfLink,
} from "./judge-markup.ts";
import { holdsQuote, isAsWritten, judgeText, maxTextLength } from "./judge-text.ts";
import { addProblem, isEcho, type PageJudgement, remember, shortly } from "./judgement.ts";
import { sectionText } from "./named-passage.ts";
import { imageAddresses } from "./site-view.ts";
import type { PageChange, Pair } from "./tree-diff.ts";
import { type PageNode, textOf } from "./tree.ts";

/** Which part of a page something stands in. */
export interface Place {
  inHead: boolean;
  inMain: boolean;
  inForm: boolean;
  inShared: boolean;
  hidden: boolean;
}

export function outside(judgement: PageJudgement, what: string): void {
  addProblem(judgement, "outside", what);
}

function judgeImageAttribute(
  judgement: PageJudgement,
  change: PageChange & { kind: "attribute" },
): void {
  const { scope, inScope, accepted } = judgement;
  const { name, before, after } = change;
  const [old, young] = [before.attributes.get(name), after.attributes.get(name)];
  if (name === "alt") {
    // The alt text of an image goes with the image; others are no part of a task about images.
    const isOther = before.attributes.get("src") !== after.attributes.get("src");
    const allowed =
      inScope &&
      (scope.kinds.includes("alt") || (scope.kinds.includes("images") && isOther)) &&
      isFound(judgement, before, scope.only.images, "src");
    if (!allowed && !isEcho(accepted, old ?? "", young ?? ""))
      return outside(judgement, "an alt text");
    if (young === undefined || young.length > maxTextLength.alt)
      return outside(judgement, "an alt text that is gone or long");
    // What an attached image shows can't be told here: its alt text is the library's or the owner's.
    if (isOther && judgement.media.size > 0 && !isKnownAlt(young, judgement))
      return outside(judgement, `an alt text that the library doesn’t have, “${shortly(young)}”`);
    if (!isEcho(accepted, old ?? "", young) && !isAsWritten(judgement, old ?? "", young))
      return outside(judgement, `other words than the quoted ones, “${shortly(young)}”`);
    if (judgeText(judgement, old ?? "", young)) remember(accepted.texts, old ?? "", young);
    return;
  }
  const isEchoed = imageAddresses(before).every((address, i) => {
    const next = imageAddresses(after)[i] ?? "";
    return address === next || accepted.images.get(address)?.has(next);
  });
  if (!isEchoed && !(inScope && scope.kinds.includes("images")))
    return outside(judgement, `an image (${name})`);
  const source = before.attributes.get("src") ?? "";
  const others = [...accepted.images.keys()].filter((one) => one !== source);
  if (!isEchoed && !scope.wide && others.length > 0)
    return outside(judgement, `another image (${name})`);
  if (young === undefined) return;
  const problem = imageValueProblem(name, young, judgement);
  if (problem !== null) return void noteMarkup(judgement, problem);
  if (name === "src") remember(accepted.images, old ?? "", young);
}

/** Whether an element is the one that a finding is about, by its address; true where none is. */
function isFound(
  judgement: PageJudgement,
  { attributes }: PageNode,
  targets: readonly string[] | null,
  name: "href" | "src",
): boolean {
  if (targets === null) return true;
  const written = attributes.get(name) ?? "";
  const path = pathOfLink(written, judgement)?.path;
  const fragment = /#.*$/s.exec(written)?.[0] ?? "";
  return targets.some(
    (target) => target === written || (path !== undefined && target === path + fragment),
  );
}

const maxLinks = 1;

/** Whether the task's words name where a link leads now, and no other link has changed with it. */
function isLinkAbout(
  judgement: PageJudgement,
  { after, before, around }: PageChange & { kind: "attribute" },
  href: string,
): boolean {
  const { scope, links, path } = judgement;
  links.add(`${before.attributes.get("href")} ${href}`);
  if (!scope.wide && links.size > maxLinks) return false;
  if (scope.targets.length === 0) return true;
  const to = pathOfLink(href, judgement)?.path ?? "";
  const stems = stemsOf(to === "/" ? "home front" : to);
  const isNamed =
    scope.targets.some((target) => target === to || stems.includes(target)) || to === path;
  return isNamed && holdsQuote(judgement, [textOf(before), textOf(after), sectionText(around)]);
}

/** Whether a link of a passage may lead elsewhere now: the one that the task, or its finding, is about. */
export function isLinkAsked(
  judgement: PageJudgement,
  { before, after }: Pair,
  around: readonly Pair[],
): boolean {
  const [old = "", young = ""] = [before.attributes.get("href"), after.attributes.get("href")];
  if (old === young || judgement.accepted.links.get(old)?.has(young)) return true;
  const change = { kind: "attribute", name: "href", before, after, around } as const;
  const isAsked =
    isFound(judgement, before, judgement.scope.only.links, "href") &&
    isLinkAbout(judgement, change, young);
  if (isAsked) remember(judgement.accepted.links, old, young);
  return isAsked;
}

function judgeHref(
  judgement: PageJudgement,
  change: PageChange & { kind: "attribute" },
  place: Place,
): void {
  const { scope, inScope, accepted } = judgement;
  const [old = "", young = ""] = [
    change.before.attributes.get("href"),
    change.after.attributes.get("href"),
  ];
  const isLink = change.after.tag === "a" && !place.inForm;
  const isEchoed = accepted.links.get(old)?.has(young) ?? false;
  const allowed = (place.inMain && inScope) || (place.inShared && scope.kinds.includes("shared"));
  if (!isLink || (!isEchoed && !(allowed && scope.kinds.includes("links"))))
    return void noteMarkup(judgement, `a link leads elsewhere, “${shortly(young)}”`);
  if (leadsOutside(old, judgement))
    return void noteMarkup(judgement, `the link to “${shortly(old)}” is changed`);
  const problem = linkProblem(young, judgement);
  if (problem !== null) return void noteMarkup(judgement, problem);
  if (!isEchoed && !isFound(judgement, change.before, scope.only.links, "href"))
    return void noteMarkup(judgement, `another link leads elsewhere, “${shortly(young)}”`);
  if (!isEchoed && !isLinkAbout(judgement, change, young)) {
    return void noteMarkup(judgement, `a link leads elsewhere, “${shortly(young)}”`);
  }
  remember(accepted.links, old, young);
}

function scopeHasColors({ scope: { style } }: PageJudgement): boolean {
  return (["accent", "background", "text"] as const).every((aspect) => style.includes(aspect));
}

/** Judges an attribute that has come, gone or changed. */
export function judgeAttribute(
  judgement: PageJudgement,
  change: PageChange & { kind: "attribute" },
  place: Place,
): void {
  const { name, before, after } = change;
  const [old = "", young = ""] = [before.attributes.get(name), after.attributes.get(name)];
  if (place.inForm) return outside(judgement, `a form (${after.tag} ${name})`);
  if (
    after.tag === "html" &&
    name === "data-look" &&
    judgement.looks.has(young) &&
    scopeHasColors(judgement)
  )
    return;
  if (name === "href") return judgeHref(judgement, change, place);
  if (
    after.tag === "img" &&
    place.inMain &&
    /^(?:src|srcset|alt|width|height|sizes|loading|decoding|fetchpriority|style)$/.test(name)
  )
    return judgeImageAttribute(judgement, change);
  if (
    name === "id" &&
    place.inMain &&
    (young === "" || isOwnId(young, after, judgement)) &&
    isOwnId(old, before, judgement)
  )
    return;
  if (
    name === "datetime" &&
    place.inMain &&
    judgement.inScope &&
    /^[\d\-T:.Z+ PYMWDHS]{1,40}$/.test(young)
  )
    return;
  if (/^(?:aria-label|title)$/.test(name) && isEcho(judgement.accepted, old, young)) return;
  noteMarkup(judgement, `${after.tag} ${name}`);
}
