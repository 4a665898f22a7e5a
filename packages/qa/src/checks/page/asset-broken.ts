import type { Check, PageReport } from "../../check.ts";
import { attribute, type Element } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import type { Site } from "../../site/site.ts";
import { findResponse, isBroken, referencesOf } from "../addresses.ts";
import { canBeFilled } from "../needs-script.ts";

const loaded = /\b(?:stylesheet|preload|modulepreload|icon|apple-touch-icon|manifest|mask-icon)\b/i;
const kinds: Readonly<Record<string, string>> = {
  script: "The script",
  iframe: "The frame",
  video: "The video",
  audio: "The audio file",
  source: "The video",
  track: "The subtitles",
  embed: "The file",
  link: "The file",
};

/** What a page loads besides images: element and attribute. */
function loads(page: Page): [elements: readonly Element[], attribute: string][] {
  const media = page
    .all("source")
    .filter(({ parent }) => !!parent && "name" in parent && parent.name !== "picture");
  return [
    [page.all("link").filter((link) => loaded.test(attribute(link, "rel") ?? "")), "href"],
    [page.all("script", "iframe", "video", "audio", "track", "embed").concat(media), "src"],
    [page.all("video"), "poster"],
    [page.all("object"), "data"],
  ];
}

/** Attributes in which scripts that load late look for the address. */
const loadedLate = /^data-(?:[\w-]*-)?(?:src|href|poster|lazy)$/;

/** What has an empty address, and gets none in another way. */
function* emptyAddresses(page: Page, site: Site): Generator<PageReport> {
  for (const [elements, name] of loads(page)) {
    for (const element of elements) {
      if (attribute(element, name)?.trim() !== "" || name === "poster") continue;
      if (Object.keys(element.attribs).some((one) => loadedLate.test(one))) continue;
      yield {
        at: element,
        evidence: { kind: element.name, url: "" },
        // A player or a frame may be empty until someone opens it.
        ...(canBeFilled(page, site) && { severity: "notice", confidence: "review" }),
        message: `${kinds[element.name] ?? "The file"} has an empty address.`,
      };
    }
  }
}

/** Reports a file that the page needs and that doesn't exist. */
export const assetBroken: Check = {
  id: "asset.broken",
  category: "links",
  severity: "error",
  *run(page, site) {
    yield* emptyAddresses(page, site);
    for (const [elements, name] of loads(page)) {
      for (const { element, target } of referencesOf(page, site, elements, name)) {
        if (target.kind !== "inside" || !isBroken(site, target)) continue;
        const what = name === "poster" ? "The poster image" : (kinds[element.name] ?? "The file");
        yield {
          target: target.path,
          at: element,
          evidence: { kind: element.name, url: target.path, ...findResponse(site, target) },
          message: `${what} ${target.path} doesn’t exist.`,
        };
      }
    }
  },
};
