import {
  addProblem,
  isAcceptedElsewhere,
  type PageReviewContext,
  addAccepted,
  shorten,
} from "./review-context.ts";
import { judgeData } from "./judge-data.ts";
import { pathOfLink } from "./judge-markup.ts";
import { matchesDictation, isAsWritten, judgeText, maxTextLength } from "./judge-text.ts";
import type { PageChange } from "./tree-diff.ts";
import { type PageNode, textOf } from "./tree.ts";

const sharePath = /^\/og\/[0-9a-f]{32}\.png$/;

function nameOf(node: PageNode): string {
  return (node.attributes.get("name") ?? node.attributes.get("property") ?? "").toLowerCase();
}

function judgeWords(
  context: PageReviewContext,
  what: "title" | "description",
  before: string,
  after: string,
): void {
  const { accepted, inScope, scope } = context;
  if (before === after) return;
  if (isAcceptedElsewhere(accepted, before, after)) return;
  if (!inScope || !scope.kinds.includes("meta"))
    return addProblem(context, "outside", `the ${what} for search engines`);
  if (after === "" || after.length > maxTextLength[what])
    return addProblem(context, "outside", `a ${what} that is empty or too long`);
  // A title may end with the site's name.
  const own = what === "title" ? after.replace(/\s[·|–—-]\s[^·|]{1,60}$/u, "") : after;
  const old = what === "title" ? before.replace(/\s[·|–—-]\s[^·|]{1,60}$/u, "") : before;
  const isWritten = isAsWritten(context, before, after) || isAsWritten(context, old, own);
  if (!matchesDictation(context, before, after) || !isWritten)
    return addProblem(
      context,
      "outside",
      `different words from the quoted ones, “${shorten(after)}”`,
    );
  if (judgeText(context, before, after)) addAccepted(accepted.texts, before, after);
}

/**
 * The address of a share image: one drawn by the build from the page's texts, or an earlier one.
 */
function isShareImage(context: PageReviewContext, before: string, after: string): boolean {
  const to = pathOfLink(after, context);
  if (to === null || to.search !== "" || URL.parse(before)?.origin !== URL.parse(after)?.origin)
    return false;
  return sharePath.test(to.path) && context.next.entry(to.path) !== undefined;
}

/** A share image shows the page's texts. */
function isOfPage({ next, path }: PageReviewContext, text: string): boolean {
  const words = new Set(textOf(next.page(path)).split(/[^\p{L}\p{N}]+/u));
  return (
    text.length <= 400 &&
    text.split(/[^\p{L}\p{N}]+/u).every((word) => word === "" || words.has(word))
  );
}

function judgeContent(
  context: PageReviewContext,
  change: PageChange & { kind: "attribute" },
): void {
  const [old = "", young = ""] = [
    change.before.attributes.get("content"),
    change.after.attributes.get("content"),
  ];
  const name = nameOf(change.after);
  if (/^(?:description|og:description|twitter:description)$/.test(name))
    return judgeWords(context, "description", old, young);
  if (/^(?:og:title|twitter:title)$/.test(name)) return judgeWords(context, "title", old, young);
  if (/^(?:og:image|twitter:image)$/.test(name) && isShareImage(context, old, young)) return;
  if (
    /^(?:og:image:alt|twitter:image:alt)$/.test(name) &&
    (isAcceptedElsewhere(context.accepted, old, young) || isOfPage(context, young))
  )
    return;
  addProblem(context, "markup", `the page’s head (${name || "meta"})`);
}

/** A font preloaded by a page with another theme, if it is live already. */
function isThemeFont({ live, next, scope, themes }: PageReviewContext, node: PageNode): boolean {
  const { attributes } = node;
  const href = attributes.get("href") ?? "";
  if (node.tag !== "link" || attributes.get("rel") !== "preload" || attributes.get("as") !== "font")
    return false;
  const isLive =
    /^\/_astro\/[\w.-]+\.woff2$/.test(href) &&
    live.entry(href) !== undefined &&
    live.entry(href)?.hash === next.entry(href)?.hash;
  return isLive && attributes.size <= 5 && scope.style.includes("accent") && themes.size > 0;
}

/** Judges a difference in the head of a page. */
export function judgeHeadChange(context: PageReviewContext, change: PageChange): void {
  if (change.kind === "passage") {
    const { before, after } = change;
    if (after.tag === "title") return judgeWords(context, "title", textOf(before), textOf(after));
    if (after.tag === "script" && after.attributes.get("type") === "application/ld+json")
      return judgeData(context, before.children[0]?.text ?? "", after.children[0]?.text ?? "");
  }
  if (change.kind === "attribute") {
    const { before, after, name } = change;
    const [old = "", young = ""] = [before.attributes.get(name), after.attributes.get(name)];
    if (after.tag === "meta" && name === "content") return judgeContent(context, change);
    if (
      after.tag === "link" &&
      name === "href" &&
      after.attributes.get("rel") === "stylesheet" &&
      context.sheets.get(old) === young
    )
      return;
  }
  if (
    change.kind === "added" &&
    change.node.tag === "meta" &&
    nameOf(change.node) === "description" &&
    change.node.attributes.size === 2
  ) {
    return judgeWords(context, "description", "", change.node.attributes.get("content") ?? "");
  }
  if (change.kind === "removed" && change.node.tag === "#comment") return;
  if ((change.kind === "added" || change.kind === "removed") && isThemeFont(context, change.node))
    return;
  if (change.kind === "attribute" && change.name === "href" && isThemeFont(context, change.after))
    return;
  const self = "node" in change ? change.node : change.after;
  addProblem(
    context,
    "markup",
    `the page’s head (${shorten([self.tag, ...self.attributes.values()].join(" "))})`,
  );
}
