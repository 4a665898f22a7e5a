import { fileTypeOf } from "./file-type.ts";
import { addProblem, type PageReviewContext, shorten } from "./review-context.ts";
import { imageAddresses, isHidden, isStyleMark } from "./site-view.ts";
import { isElement, type PageNode, markupShape, textOf, walk } from "./tree.ts";

const plainElements = new Set(
  "p ul ol li dl dt dd h2 h3 h4 h5 h6 blockquote q cite hr br strong em b i small sup sub code kbd abbr time span a wbr table caption thead tbody tfoot tr th td".split(
    " ",
  ),
);
const ownPages =
  /^\/(?:admin|api|account|devconsole|_preview|_astro|pagefind|\.well-known)(?:\/|$)/i;

/** The path of a link on a page; null if it doesn't lead to the site. */
export function pathOfLink(
  href: string,
  { path, origin }: Pick<PageReviewContext, "path" | "origin">,
): { path: string; search: string } | null {
  // oxlint-disable-next-line no-control-regex
  if (/[\\\u0000-\u001f]/.test(href) || href !== href.trim()) return null;
  const base = origin ?? "https://site.invalid";
  const url = URL.parse(href, new URL(encodeURI(path), base).href);
  if (!url || url.origin !== new URL(base).origin || url.username !== "" || url.password !== "")
    return null;
  try {
    return { path: decodeURIComponent(url.pathname), search: url.search };
  } catch {
    return null;
  }
}

/** Why a new link can't go live unattended; null if it leads to a page of the site. */
export function linkProblem(href: string, context: PageReviewContext): string | null {
  const to = pathOfLink(href, context);
  if (to === null) return `a link to “${shorten(href)}”`;
  if (context.siteMarkup.hrefs.has(href) && to.search === "" && !ownPages.test(to.path))
    return null;
  if (to.search !== "" || ownPages.test(to.path)) return `a link to “${shorten(href)}”`;
  if (!context.next.isPage(to.path)) return `a link to “${shorten(href)}”, which isn’t a page`;
  return context.next.manifest.redirects?.[to.path] === undefined
    ? null
    : `a link to “${shorten(href)}”, which redirects`;
}

/** Links to other sites and to people. */
export function isExternalLink(
  href: string,
  context: Pick<PageReviewContext, "path" | "origin">,
): boolean {
  const to = pathOfLink(href, context);
  return to === null || to.search !== "" || ownPages.test(to.path);
}

const placeholder =
  /^(?:background-image:url\(data:image\/webp;base64,[A-Za-z0-9+/=]{1,4000}\);?)?(?:view-transition-name:[\w-]{1,80};?)?$/;
const imageValues: Readonly<Record<string, RegExp>> = {
  width: /^\d{1,5}$/,
  height: /^\d{1,5}$/,
  loading: /^(?:lazy|eager)$/,
  decoding: /^(?:async|sync|auto)$/,
  fetchpriority: /^(?:high|low|auto)$/,
  sizes: /^[\w\s().,:%<>=-]{1,200}$/,
  style: placeholder,
};

/** Whether an attached image's description is the library's or the owner's. */
export function isKnownAlt(value: string, { altTexts, scope }: PageReviewContext): boolean {
  return altTexts.has(value) || scope.quotes.includes(value.replace(/\s+/g, " ").trim());
}

/** Why an attribute of an image can't go live unattended. */
export function imageValueProblem(
  name: string,
  value: string,
  context: PageReviewContext,
): string | null {
  const { media, siteMarkup, next } = context;
  const problem = `the image “${shorten(value)}”`;
  if (name === "src" || name === "srcset") {
    const node = { attributes: new Map([[name, value]]) } as unknown as PageNode;
    for (const address of imageAddresses(node)) {
      const to = pathOfLink(address, context);
      if (to === null || to.search !== "") return problem;
      const entry = next.entry(to.path);
      // In a task with attached images, only these may be inserted.
      const isOwn = media.size > 0 ? media.has(to.path) : siteMarkup.images.has(address);
      if (!isOwn || !entry || !entry.type.startsWith("image/")) return problem;
      if (entry.type !== fileTypeOf(next, to.path))
        return `${problem}, which isn’t what its name says`;
    }
    return null;
  }
  return imageValues[name]?.test(value) ? null : problem;
}

function slug(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** Whether an ID only repeats the element's text, as generated ones do. */
export function isOwnId(
  id: string,
  node: PageNode,
  { entry }: Pick<PageReviewContext, "entry">,
): boolean {
  const plain = slug(id);
  if (plain === "" || plain.length < 2) return false;
  if (entry !== null) {
    const digits = entry.at.replace(/\D/g, "").slice(0, 14);
    if (
      id.startsWith(digits) &&
      slug(entry.title).startsWith(slug(id.slice(digits.length)).slice(0, 200))
    )
      return true;
  }
  return slug(textOf(node)).startsWith(plain);
}

function attributesWithoutOwn(node: PageNode, { siteMarkup }: PageReviewContext): string[] {
  return [...node.attributes].flatMap(([name, value]) => {
    if (isStyleMark(name) && (value === "" || value === "true") && siteMarkup.styleMarks.has(name))
      return [];
    return /^(?:id|href|datetime)$/.test(name) ||
      (node.tag === "img" &&
        (name === "src" || name === "srcset" || name === "alt" || name in imageValues))
      ? []
      : [name];
  });
}

/** Elements that most visitors never see: existing ones don't justify more of them. */
const unseenElements = new Set(
  "noscript template script style object iframe audio video canvas select datalist dialog map progress meter".split(
    " ",
  ),
);

function elementProblem(node: PageNode, context: PageReviewContext): string | null {
  const { siteMarkup, scope } = context;
  if (unseenElements.has(node.tag)) return `an element that may hide its content (${node.tag})`;
  const isKnown = siteMarkup.shapes.has(markupShape(node));
  const isPlain = plainElements.has(node.tag) && attributesWithoutOwn(node, context).length === 0;
  if (isHidden(node)) return `a hidden element (${node.tag})`;
  if (!isKnown && !isPlain) {
    return node.tag === "img" &&
      scope.kinds.includes("images") &&
      attributesWithoutOwn(node, context).length === 0
      ? null
      : `a kind of element that the site doesn’t use (${node.tag})`;
  }
  return null;
}

function valueProblem(node: PageNode, context: PageReviewContext): string | null {
  for (const [name, value] of node.attributes) {
    if (name === "href") {
      const problem = node.tag === "a" ? linkProblem(value, context) : `an address in ${node.tag}`;
      if (problem !== null) return problem;
    }
    if (name === "id" && !isOwnId(value, node, context)) return `an id, “${shorten(value)}”`;
    if (name === "datetime" && !/^[\d\-T:.Z+ PYMWDHS]{1,40}$/.test(value))
      return `a time, “${shorten(value)}”`;
    if (node.tag === "img" && (name in imageValues || name === "src" || name === "srcset")) {
      const problem = imageValueProblem(name, value, context);
      if (problem !== null) return problem;
      const isAttached = context.media.has(node.attributes.get("src") ?? "");
      const alt = node.attributes.get("alt") ?? "";
      if (name === "src" && isAttached && !isKnownAlt(alt, context))
        return `an alt text that the library doesn’t have, “${shorten(alt)}”`;
    } else if (name === "style") return "a style attribute";
  }
  return null;
}

/** The first thing about a new element and its content that no rule allows, except its texts. */
export function markupProblem(node: PageNode, context: PageReviewContext): string | null {
  if (node.tag === "#text") return null;
  if (!isElement(node)) return "a comment";
  if (node.tag === "svg:svg") return context.siteMarkup.drawings.has(node.id) ? null : "a drawing";
  const problem = elementProblem(node, context) ?? valueProblem(node, context);
  if (problem !== null) return problem;
  for (const child of node.children) {
    const inner = markupProblem(child, context);
    if (inner !== null) return inner;
  }
  return null;
}

const irreplaceable = new Set(
  "form input select textarea button option fieldset iframe object embed script style h1 main nav dialog".split(
    " ",
  ),
);

/** Why an element can't be removed unattended; null for passages. */
export function removeProblem(node: PageNode, context: PageReviewContext): string | null {
  for (const one of walk(node)) {
    if (!isElement(one)) continue;
    if (irreplaceable.has(one.tag)) return `the ${one.tag} is gone`;
    const href = one.tag === "a" ? one.attributes.get("href") : undefined;
    if (href !== undefined && isExternalLink(href, context))
      return `the link to “${shorten(href)}” is gone`;
  }
  return null;
}

export function noteMarkup(context: PageReviewContext, problem: string): false {
  addProblem(context, "markup", problem);
  return false;
}
