import { defaultTreeAdapter, type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { attribute, type Element, rawText } from "./dom.ts";
import type { Page } from "./page.ts";

/** A `meta` with `http-equiv="refresh"`. */
export interface Refresh {
  /** The `meta`, or the `noscript` that contains it: its content is text until it is needed. */
  element: Element;
  /** Its content as written; undefined without one. */
  content: string | undefined;
  /** When it redirects or reloads the page; null if browsers ignore it. */
  seconds: number | null;
  /** As written; null to reload the page itself. */
  address: string | null;
  /** Only visitors without scripts get it. */
  isWithoutScripts: boolean;
}

/** A time, then nothing, or a separator and an address (HTML standard, 4.2.5.3). */
const timeAndAddress =
  /^[\t\n\f\r ]*(?:(\d+)[\d.]*|\.[\d.]*)(?:$|[;,\t\n\f\r ]\s*[;,]?\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*)))/is;
/** What is longer is cut off, to bound the time that reading takes. */
const maxContentLength = 2000;
const maxNoscriptLength = 20_000;

const isRefresh = (httpEquiv: string | undefined): boolean =>
  httpEquiv?.trim().toLowerCase() === "refresh";

function readContent(content: string | undefined): Pick<Refresh, "seconds" | "address"> {
  const found = timeAndAddress.exec((content ?? "").slice(0, maxContentLength));
  if (!found) return { seconds: null, address: null };
  const [, seconds = "0", ...addresses] = found;
  const address = addresses.find((one) => one !== undefined)?.trim() ?? "";
  return { seconds: Number(seconds), address: address === "" ? null : address };
}

/** The contents of the refreshes in the text of a `noscript`. */
function contentsIn(noscript: Element): (string | undefined)[] {
  const text = rawText(noscript).slice(0, maxNoscriptLength);
  if (!/http-equiv/i.test(text)) return [];
  const { childNodes } = parseFragment(text, { scriptingEnabled: false });
  const metas = childNodes.filter(
    (node): node is DefaultTreeAdapterTypes.Element =>
      defaultTreeAdapter.isElementNode(node) && node.tagName === "meta",
  );
  const valueOf = (meta: DefaultTreeAdapterTypes.Element, name: string) =>
    meta.attrs.find((one) => one.name === name)?.value;
  return metas
    .filter((meta) => isRefresh(valueOf(meta, "http-equiv")))
    .map((meta) => valueOf(meta, "content"));
}

/** What a `meta` asks for; null if it isn't a refresh. */
export function readRefresh(meta: Element): Refresh | null {
  if (!isRefresh(attribute(meta, "http-equiv"))) return null;
  const content = attribute(meta, "content");
  return { element: meta, content, ...readContent(content), isWithoutScripts: false };
}

/** The refreshes in a `noscript`. */
export const refreshesIn = (noscript: Element): Refresh[] =>
  contentsIn(noscript).map((content) => {
    const { seconds, address } = readContent(content);
    return { element: noscript, content, seconds, address, isWithoutScripts: true };
  });

/** The refreshes of a page: first those for everyone, then those for visitors without scripts. */
export function refreshesOf(page: Page): Refresh[] {
  const forEveryone = page.all("meta").flatMap((meta) => readRefresh(meta) ?? []);
  return [...forEveryone, ...page.all("noscript").flatMap(refreshesIn)];
}

/**
 * Whether the page only redirects to another one. A redirect for visitors without scripts doesn't
 * count: everyone else sees the page.
 */
export function isRedirectPage(page: Page): boolean {
  const first = page
    .all("meta")
    .map(readRefresh)
    .find((refresh) => typeof refresh?.seconds === "number");
  return first?.seconds === 0 && first.address !== null;
}
