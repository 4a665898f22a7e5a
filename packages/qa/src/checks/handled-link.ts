import {
  ancestorsOf,
  attribute,
  type Element,
  elementsBelow,
  rawText,
  roleOf,
} from "../page/dom.ts";
import type { Page } from "../page/page.ts";
import { readAddress } from "../site/address.ts";
import type { Site } from "../site/site.ts";

/** Attributes that show that a script handles the click. */
const taken =
  /^(?:on[a-z]|@|x-on:|v-on:|ng-|hx-|data-(?:bs-|action|toggle|target|dismiss|open|close|modal|lightbox|cookie|consent))|^aria-(?:haspopup|expanded|controls|pressed)$/;

/** Whether a link's attributes show that a script handles the click. */
export const isHandledByScript = (link: Element): boolean =>
  roleOf(link) !== "" || Object.keys(link.attribs).some((name) => taken.test(name));

/** Attributes of script libraries, such as `uk-toggle`, `v-slot`, or `data-controller`. */
const directive = /^(?!aria-|accept-|http-)[a-z]+[-:]/;
const maxAround = 5;

/**
 * Whether a script library may handle a link: the link, what it contains, or what is around it
 * (within a few elements) has attributes that HTML doesn't know.
 */
export function mayBeHandledByLibrary(link: Element): boolean {
  const around = [...ancestorsOf(link).take(maxAround)];
  const within = [...elementsBelow(link).take(maxAround)];
  return [link, ...around, ...within].some(({ attribs }) =>
    Object.keys(attribs).some((name) => directive.test(name)),
  );
}

const readsFragment = /\bhashchange\b|\blocation\s*\.\s*hash\b|\bpopstate\b/;
const handling = new WeakMap<Page, boolean>();

/** Whether a script of a page reacts to fragments, so that they needn't name a place. */
export function handlesFragments(page: Page, site: Site): boolean {
  const known = handling.get(page);
  if (known !== undefined) return known;
  const handles = page.all("script").some((element) => {
    const src = attribute(element, "src");
    if (src === undefined) return readsFragment.test(rawText(element));
    const target = readAddress(src, page.base, site.origin);
    if (target.kind !== "inside") return false;
    const script = site.files[target.path];
    if (!script) return false;
    // Many pages share a script, and builds share what is kept: by its content, not its path.
    const { reads } = site.memoize(`fragments ${script.hash}`, () => ({
      reads: readsFragment.test(site.text(target.path) ?? ""),
    }));
    return reads;
  });
  handling.set(page, handles);
  return handles;
}
