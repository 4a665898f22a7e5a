import { type Check, quote, type PageReport } from "../../check.ts";
import { attribute, type Element, rawText } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import { candidatesOf } from "../../page/srcset.ts";
import { readAddress } from "../../site/address.ts";
import type { Site } from "../../site/site.ts";
import { type SheetAddress, styleAttributeAddresses } from "../../style/addresses.ts";
import { sheetPath } from "../../style/page-styles.ts";
import { readSheet } from "../../style/sheet.ts";

/** The attributes by which elements load something. */
const loading: Readonly<Record<string, readonly string[]>> = {
  img: ["src", "srcset"],
  source: ["src", "srcset"],
  script: ["src"],
  iframe: ["src"],
  video: ["src", "poster"],
  audio: ["src"],
  track: ["src"],
  embed: ["src"],
  object: ["data"],
  input: ["src"],
};

/** Content that is displayed but can't run anything. */
const passive = new Set(["img", "video", "audio", "source", "track", "input"]);

/** Whether an address is unencrypted and not on this machine, which browsers trust. */
const isUnencrypted = (address: string): boolean =>
  /^\s*http:\/\/(?!(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/?#]|$))/i.test(address);

function addressesOf(element: Element): string[] {
  if (element.name === "link") {
    const rel = attribute(element, "rel") ?? "";
    if (!/\b(?:stylesheet|preload|modulepreload|icon)\b/i.test(rel)) return [];
    const sizes = candidatesOf(attribute(element, "imagesrcset") ?? "");
    return [attribute(element, "href") ?? "", ...sizes.map(({ address }) => address)];
  }
  return (loading[element.name] ?? []).flatMap((name) => {
    const value = attribute(element, name) ?? "";
    return name === "srcset" ? candidatesOf(value).map(({ address }) => address) : [value];
  });
}

const upgrade = /(?:^|[;,\n])\s*upgrade-insecure-requests\s*(?:[;,\n]|$)/i;

/** Whether the page makes browsers upgrade all requests to HTTPS. */
function isUpgraded(page: Page, site: Site): boolean {
  const [path = "", search] = page.path.split(/(?=\?)/);
  const header = site.response?.(path, search)?.headers["content-security-policy"] ?? "";
  const metas = page
    .all("meta")
    .filter(
      (meta) => attribute(meta, "http-equiv")?.trim().toLowerCase() === "content-security-policy",
    );
  return [header, ...metas.map((meta) => attribute(meta, "content") ?? "")].some((policy) =>
    upgrade.test(policy),
  );
}

/** Reported as a browser reports it: a style sheet's resources are the same on all pages. */
function* ofSheet(addresses: readonly SheetAddress[]): Generator<PageReport> {
  for (const { address, kind } of addresses) {
    if (!isUnencrypted(address)) continue;
    const [target = ""] = (URL.parse(address)?.href ?? address).split(/[?#]/);
    const type = kind === "image" ? "passive" : "active";
    yield {
      target,
      shared: true,
      evidence: { url: target, type },
      message: `${quote(target)} is loaded over HTTP.`,
    };
  }
}

function* ofSheets(page: Page, site: Site): Generator<PageReport> {
  for (const link of page.all("link")) {
    if (!/\bstylesheet\b/i.test(attribute(link, "rel") ?? "")) continue;
    const target = readAddress(attribute(link, "href") ?? "", page.base, site.origin);
    const path = sheetPath(target, site);
    yield* ofSheet((path === null ? undefined : site.sheet(path)?.addresses) ?? []);
  }
  for (const style of page.all("style")) {
    const text = rawText(style);
    if (/http:/i.test(text)) yield* ofSheet(readSheet(text).addresses);
  }
  for (const element of page.having("style")) {
    const named = styleAttributeAddresses(attribute(element, "style") ?? "");
    yield* ofSheet(named.map((address) => ({ address, kind: "image", line: 1, range: "" })));
  }
}

/** Reports a resource that an HTTPS page loads over HTTP: browsers block it. */
export const secMixedContent: Check = {
  id: "sec.mixed-content",
  category: "security",
  severity: "error",
  *run(page, site) {
    if (site.origin?.startsWith("http:")) return;
    const found: PageReport[] = page.elements.flatMap((element) =>
      addressesOf(element)
        .filter(isUnencrypted)
        .map((address) => ({
          target: address,
          at: element,
          evidence: { url: address, type: passive.has(element.name) ? "passive" : "active" },
          message: `${quote(address)} is loaded over HTTP.`,
        })),
    );
    found.push(...ofSheets(page, site));
    if (found.length > 0 && !isUpgraded(page, site)) yield* found;
  },
};
