import { attribute, type Element } from "../page/dom.ts";
import type { Page } from "../page/page.ts";
import { candidatesOf } from "../page/srcset.ts";
import { readAddress, type Target } from "../site/address.ts";
import type { Site } from "../site/site.ts";

/** An address in a page, with what it is for. */
export interface Reference {
  element: Element;
  /** As it is written. */
  raw: string;
  target: Target;
}

const lists = new WeakMap<Page, Reference[]>();

/** What a visitor can follow: `a` and `area` with an address. */
export function linksOf(page: Page, site: Site): readonly Reference[] {
  const known = lists.get(page);
  if (known) return known;
  const found = page.all("a", "area").flatMap((element) => {
    const raw = attribute(element, "href");
    return raw === undefined
      ? []
      : [{ element, raw, target: readAddress(raw, page.path, site.origin) }];
  });
  lists.set(page, found);
  return found;
}

/** Addresses of some elements' attribute. */
export function referencesOf(
  page: Page,
  site: Site,
  elements: readonly Element[],
  name: string,
): Reference[] {
  return elements.flatMap((element) => {
    const raw = attribute(element, name);
    if (raw === undefined) return [];
    return [{ element, raw, target: readAddress(raw, page.path, site.origin) }];
  });
}

/** The candidates of every srcset of a page. */
export function srcsetReferences(page: Page, site: Site): Reference[] {
  const elements = [...page.all("img", "source", "link")];
  return elements.flatMap((element) => {
    const value = attribute(element, element.name === "link" ? "imagesrcset" : "srcset");
    if (value === undefined) return [];
    return candidatesOf(value).map(({ address }) => {
      return { element, raw: address, target: readAddress(address, page.path, site.origin) };
    });
  });
}

/** Whether an address leads to nothing on the site. */
export function isBroken(site: Site, target: Target): boolean {
  return target.kind === "inside" && site.at(target.path) === undefined;
}

/** The path of an address inside the site; the address as written for all others. */
export function shownTarget({ target, raw }: Reference): string {
  if (target.kind !== "inside") return raw;
  return target.path + (target.fragment === "" ? "" : `#${target.fragment}`);
}
