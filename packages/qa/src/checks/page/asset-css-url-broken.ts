import type { Check, PageReport } from "../../check.ts";
import { attribute, rawText } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import { readAddress } from "../../site/address.ts";
import type { Site } from "../../site/site.ts";
import { type SheetAddress, styleAttributeAddresses } from "../../style/addresses.ts";
import { sheetPath } from "../../style/page-styles.ts";
import { readSheet } from "../../style/sheet.ts";
import { findResponse, isBroken } from "../addresses.ts";

function* broken(
  addresses: readonly SheetAddress[],
  base: string,
  site: Site,
  where: string,
): Generator<PageReport> {
  for (const { address, line } of addresses) {
    const target = readAddress(address, base, site.origin);
    if (target.kind !== "inside" || address.startsWith("#") || !isBroken(site, target)) continue;
    const place = where === "" ? "" : `, line ${line} of ${where}`;
    yield {
      target: target.path,
      // A style sheet is the same on every page that uses it.
      shared: where !== "",
      at: "",
      evidence: {
        css: where === "" ? base : where,
        line,
        target: target.path,
        ...findResponse(site, target),
      },
      message: `A style sheet refers to ${target.path}, which doesn’t exist${place}.`,
    };
  }
}

function* sheetAddresses(page: Page, site: Site): Generator<PageReport> {
  for (const link of page.all("link")) {
    if (!/\bstylesheet\b/i.test(attribute(link, "rel") ?? "")) continue;
    const target = readAddress(attribute(link, "href") ?? "", page.base, site.origin);
    const path = sheetPath(target, site);
    const sheet = path === null ? undefined : site.sheet(path);
    if (path !== null && sheet) yield* broken(sheet.addresses, path, site, path);
  }
}

/** Reports a broken address in a style sheet, or in a `style` element or attribute. */
export const assetCssUrlBroken: Check = {
  id: "asset.css-url-broken",
  category: "links",
  severity: "error",
  *run(page, site) {
    yield* sheetAddresses(page, site);
    for (const style of page.all("style")) {
      yield* broken(readSheet(rawText(style)).addresses, page.path, site, "");
    }
    for (const element of page.having("style")) {
      const text = attribute(element, "style");
      if (text === undefined) continue;
      const addresses = styleAttributeAddresses(text).map((address) => {
        return { address, kind: "image" as const, line: 1, range: "" };
      });
      yield* broken(addresses, page.path, site, "");
    }
  },
};
