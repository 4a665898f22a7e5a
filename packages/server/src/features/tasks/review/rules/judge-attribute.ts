import { stemsOf } from "../../scope/derive-scope.ts";
import {
  imageValueProblem,
  isKnownAlt,
  isOwnId,
  isExternalLink,
  linkProblem,
  noteMarkup,
  pathOfLink,
} from "./judge-markup.ts";
import { containsQuote, isAsWritten, judgeText, maxTextLength } from "./judge-text.ts";
import {
  addProblem,
  isAcceptedElsewhere,
  type PageReviewContext,
  addAccepted,
  shorten,
} from "./review-context.ts";
import { sectionText } from "./named-passage.ts";
import { imageAddresses } from "./site-view.ts";
import type { PageChange, Pair } from "./tree-diff.ts";
import { type PageNode, textOf } from "./tree.ts";

/** The part of a page that contains something. */
export interface PageArea {
  inHead: boolean;
  inMain: boolean;
  inForm: boolean;
  inShared: boolean;
  hidden: boolean;
}

export function addOutsideProblem(context: PageReviewContext, what: string): void {
  addProblem(context, "outside", what);
}

function judgeImageAttribute(
  context: PageReviewContext,
  change: PageChange & { kind: "attribute" },
): void {
  const { scope, inScope, accepted } = context;
  const { name, before, after } = change;
  const [old, young] = [before.attributes.get(name), after.attributes.get(name)];
  if (name === "alt") {
    // An image's alt text belongs to the image; other alt texts aren't part of a task about images.
    const isOther = before.attributes.get("src") !== after.attributes.get("src");
    const allowed =
      inScope &&
      (scope.kinds.includes("alt") || (scope.kinds.includes("images") && isOther)) &&
      isFound(context, before, scope.only.images, "src");
    if (!allowed && !isAcceptedElsewhere(accepted, old ?? "", young ?? ""))
      return addOutsideProblem(context, "an alt text");
    if (young === undefined || young.length > maxTextLength.alt)
      return addOutsideProblem(context, "an alt text that was removed or is too long");
    // The content of an attached image is unknown here: its alt text is the library's or the
    // owner's.
    if (isOther && context.media.size > 0 && !isKnownAlt(young, context))
      return addOutsideProblem(
        context,
        `an alt text that the library doesn’t have, “${shorten(young)}”`,
      );
    if (!isAcceptedElsewhere(accepted, old ?? "", young) && !isAsWritten(context, old ?? "", young))
      return addOutsideProblem(
        context,
        `different words from the quoted ones, “${shorten(young)}”`,
      );
    if (judgeText(context, old ?? "", young)) addAccepted(accepted.texts, old ?? "", young);
    return;
  }
  const isEchoed = imageAddresses(before).every((address, i) => {
    const next = imageAddresses(after)[i] ?? "";
    return address === next || accepted.images.get(address)?.has(next);
  });
  if (!isEchoed && !(inScope && scope.kinds.includes("images")))
    return addOutsideProblem(context, `an image (${name})`);
  const source = before.attributes.get("src") ?? "";
  const others = [...accepted.images.keys()].filter((one) => one !== source);
  if (!isEchoed && !scope.allowsSeveralParts && others.length > 0)
    return addOutsideProblem(context, `another image (${name})`);
  if (young === undefined) return;
  const problem = imageValueProblem(name, young, context);
  if (problem !== null) return void noteMarkup(context, problem);
  if (name === "src") addAccepted(accepted.images, old ?? "", young);
}

/**
 * Whether an element is the one a finding is about, by its address; true if the finding has none.
 */
function isFound(
  context: PageReviewContext,
  { attributes }: PageNode,
  targets: readonly string[] | null,
  name: "href" | "src",
): boolean {
  if (targets === null) return true;
  const written = attributes.get(name) ?? "";
  const path = pathOfLink(written, context)?.path;
  const fragment = /#.*$/s.exec(written)?.[0] ?? "";
  return targets.some(
    (target) => target === written || (path !== undefined && target === path + fragment),
  );
}

const maxLinks = 1;

/** Whether the task names where a link leads now, and no other link has changed with it. */
function isLinkAbout(
  context: PageReviewContext,
  { after, before, around }: PageChange & { kind: "attribute" },
  href: string,
): boolean {
  const { scope, links, path } = context;
  links.add(`${before.attributes.get("href")} ${href}`);
  if (!scope.allowsSeveralParts && links.size > maxLinks) return false;
  if (scope.targets.length === 0) return true;
  const to = pathOfLink(href, context)?.path ?? "";
  const stems = stemsOf(to === "/" ? "home front" : to);
  const isNamed =
    scope.targets.some((target) => target === to || stems.includes(target)) || to === path;
  return isNamed && containsQuote(context, [textOf(before), textOf(after), sectionText(around)]);
}

/**
 * Whether a link of a passage may change its target: the one that the task or its finding is about.
 */
export function isRequestedLink(
  context: PageReviewContext,
  { before, after }: Pair,
  around: readonly Pair[],
): boolean {
  const [old = "", young = ""] = [before.attributes.get("href"), after.attributes.get("href")];
  if (old === young || context.accepted.links.get(old)?.has(young)) return true;
  const change = { kind: "attribute", name: "href", before, after, around } as const;
  const isRequested =
    isFound(context, before, context.scope.only.links, "href") &&
    isLinkAbout(context, change, young);
  if (isRequested) addAccepted(context.accepted.links, old, young);
  return isRequested;
}

function judgeHref(
  context: PageReviewContext,
  change: PageChange & { kind: "attribute" },
  place: PageArea,
): void {
  const { scope, inScope, accepted } = context;
  const [old = "", young = ""] = [
    change.before.attributes.get("href"),
    change.after.attributes.get("href"),
  ];
  const isLink = change.after.tag === "a" && !place.inForm;
  const isEchoed = accepted.links.get(old)?.has(young) ?? false;
  const allowed = (place.inMain && inScope) || (place.inShared && scope.kinds.includes("shared"));
  if (!isLink || (!isEchoed && !(allowed && scope.kinds.includes("links"))))
    return void noteMarkup(context, `a link leads elsewhere, “${shorten(young)}”`);
  if (isExternalLink(old, context))
    return void noteMarkup(context, `the link to “${shorten(old)}” is changed`);
  const problem = linkProblem(young, context);
  if (problem !== null) return void noteMarkup(context, problem);
  if (!isEchoed && !isFound(context, change.before, scope.only.links, "href"))
    return void noteMarkup(context, `another link leads elsewhere, “${shorten(young)}”`);
  if (!isEchoed && !isLinkAbout(context, change, young)) {
    return void noteMarkup(context, `a link leads elsewhere, “${shorten(young)}”`);
  }
  addAccepted(accepted.links, old, young);
}

function scopeHasColors({ scope: { style } }: PageReviewContext): boolean {
  return (["accent", "background", "text"] as const).every((aspect) => style.includes(aspect));
}

/** Judges an attribute that was added, removed, or changed. */
export function judgeAttribute(
  context: PageReviewContext,
  change: PageChange & { kind: "attribute" },
  place: PageArea,
): void {
  const { name, before, after } = change;
  const [old = "", young = ""] = [before.attributes.get(name), after.attributes.get(name)];
  if (place.inForm) return addOutsideProblem(context, `a form (${after.tag} ${name})`);
  if (
    after.tag === "html" &&
    name === "data-look" &&
    context.themes.has(young) &&
    scopeHasColors(context)
  )
    return;
  if (name === "href") return judgeHref(context, change, place);
  if (
    after.tag === "img" &&
    place.inMain &&
    /^(?:src|srcset|alt|width|height|sizes|loading|decoding|fetchpriority|style)$/.test(name)
  )
    return judgeImageAttribute(context, change);
  if (
    name === "id" &&
    place.inMain &&
    (young === "" || isOwnId(young, after, context)) &&
    isOwnId(old, before, context)
  )
    return;
  if (
    name === "datetime" &&
    place.inMain &&
    context.inScope &&
    /^[\d\-T:.Z+ PYMWDHS]{1,40}$/.test(young)
  )
    return;
  if (/^(?:aria-label|title)$/.test(name) && isAcceptedElsewhere(context.accepted, old, young))
    return;
  noteMarkup(context, `${after.tag} ${name}`);
}
