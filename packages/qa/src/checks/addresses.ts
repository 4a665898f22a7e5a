import type { Evidence } from "../finding.ts";
import { attribute, type Element } from "../page/dom.ts";
import type { Page } from "../page/page.ts";
import { candidatesOf } from "../page/srcset.ts";
import { readAddress, type Target } from "../site/address.ts";
import type { PathEntry, Site } from "../site/site.ts";

/** An address that a page refers to, and what for. */
export interface Reference {
  element: Element;
  /** The address as written. */
  raw: string;
  target: Target;
  /** The descriptor of a srcset candidate: `480w`, `2x`. */
  descriptor?: string;
}

const lists = new WeakMap<Page, Reference[]>();
const imageReferences = new WeakMap<Page, Reference[]>();

/** The links that a visitor can follow: `a` and `area` elements with an address. */
export function linksOf(page: Page, site: Site): readonly Reference[] {
  const known = lists.get(page);
  if (known) return known;
  const found = page.all("a", "area").flatMap((element) => {
    const raw = attribute(element, "href");
    return raw === undefined
      ? []
      : [{ element, raw, target: readAddress(raw, page.base, site.origin) }];
  });
  lists.set(page, found);
  return found;
}

/** A link to an address of the site. */
export type InsideReference = Reference & { target: Target & { kind: "inside" } };

const brokenLinks = new WeakMap<Page, readonly InsideReference[]>();

/** The links of a page whose target on the site doesn't exist. */
export function brokenLinksOf(page: Page, site: Site): readonly InsideReference[] {
  const known = brokenLinks.get(page);
  if (known) return known;
  const found = linksOf(page, site).filter((link): link is InsideReference =>
    isBroken(site, link.target),
  );
  brokenLinks.set(page, found);
  return found;
}

/** The addresses in an attribute of the selected elements. */
export function referencesOf(
  page: Page,
  site: Site,
  elements: readonly Element[],
  name: string,
): Reference[] {
  return elements.flatMap((element) => {
    const raw = attribute(element, name);
    if (raw === undefined) return [];
    return [{ element, raw, target: readAddress(raw, page.base, site.origin) }];
  });
}

/** The candidates of every srcset of a page. */
export function srcsetReferences(page: Page, site: Site): Reference[] {
  const elements = [...page.all("img", "source", "link")];
  return elements.flatMap((element) => {
    const value = attribute(element, element.name === "link" ? "imagesrcset" : "srcset");
    if (value === undefined) return [];
    return candidatesOf(value).map(({ address, descriptor }) => {
      const target = readAddress(address, page.base, site.origin);
      return { element, raw: address, descriptor, target };
    });
  });
}

/** Whether an address points to something that doesn't exist on the site. */
export function isBroken(site: Site, target: Target): boolean {
  return target.kind === "inside" && site.resolve(target.path, target.search) === undefined;
}

/** The path of an address on this site; any other address as written. */
export function formatTarget({ target, raw }: Reference): string {
  if (target.kind !== "inside") return raw;
  return target.path + (target.fragment === "" ? "" : `#${target.fragment}`);
}

/** The part of a check's result that says which link it is about. */
interface LinkSubject {
  target: string;
  formerTarget?: string;
  byElement?: boolean;
  byComponent?: boolean;
}

/**
 * What a finding about a link is about: its target. A place on the page itself (`#menu`) is another
 * one on each page, so there it is the element with the address as written: a template's is one.
 */
export function targetOf(link: Reference, target = formatTarget(link)): LinkSubject {
  const written = link.raw.trim();
  if (!/^#./.test(written)) return { target };
  return { target: written, formerTarget: target, byElement: true, byComponent: true };
}

/**
 * The response at an address of the site, as evidence; undefined for a site read from its files.
 */
export function findResponse(site: Site, target: Target): Evidence {
  if (target.kind !== "inside") return {};
  const response = site.response?.(target.path, target.search);
  if (!response) return {};
  const { status, reason, hops } = response;
  return {
    status,
    ...(reason !== null && { reason }),
    ...(hops.length > 0 && { hops: hops.map((hop) => ({ url: hop.url, status: hop.status })) }),
  };
}

/** As many redirects as browsers follow. */
const maxHops = 20;

/** Reads the target of a redirect: `Site` returns this site's own paths decoded. */
function readLeadsTo(to: string, origin: string | null): Target {
  const [, path = "", search = "", fragment = ""] =
    /^(\/(?!\/)[^?#]*)(\?[^#]*)?(?:#(.*))?$/s.exec(to) ?? [];
  return path === ""
    ? readAddress(to, "/", origin)
    : { kind: "inside", path, search, fragment, absolute: false };
}

/** Where a visitor who opens an address ends up. */
export interface Destination {
  entry: PathEntry & { kind: "file" };
  /** The fragment of the address, unless a redirect replaces it. */
  fragment: string;
}

/**
 * The file that a visitor of an address of the site gets, after redirects; undefined for anything
 * else.
 */
export function destinationOf(site: Site, target: Target): Destination | undefined {
  let at = target;
  for (let hops = 0; hops <= maxHops && at.kind === "inside"; hops++) {
    const place = site.resolve(at.path, at.search);
    if (place?.kind === "file") return { entry: place, fragment: at.fragment };
    if (place?.kind !== "redirect") return undefined;
    const to = readLeadsTo(place.to, site.origin);
    const keeps = to.kind === "inside" && to.fragment === "" && !place.byPage;
    at = keeps ? { ...to, fragment: at.fragment } : to;
  }
  return undefined;
}

/** The file at an address of the site, after redirects; undefined for anything else. */
export function fileAt(site: Site, target: Target): (PathEntry & { kind: "file" }) | undefined {
  return destinationOf(site, target)?.entry;
}

/** The images of a page: the addresses in `src` and in every `srcset`. */
export function imageReferencesOf(page: Page, site: Site): readonly Reference[] {
  const known = imageReferences.get(page);
  if (known) return known;
  const found = [
    ...referencesOf(page, site, page.all("img"), "src"),
    ...srcsetReferences(page, site),
  ];
  imageReferences.set(page, found);
  return found;
}
