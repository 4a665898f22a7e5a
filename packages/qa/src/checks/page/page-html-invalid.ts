import type { Check, PageReport } from "../../check.ts";
import { ancestorsOf, attribute, closest, type Element } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import { isRedirectPage, refreshesOf } from "../../page/refresh.ts";

/** What each error of the parser means for the page. */
const meanings: Readonly<Record<string, string>> = {
  "duplicate-attribute": "An element has the same attribute twice; only the first one counts",
  "eof-before-tag-name": "The page ends in the middle of a tag",
  "eof-in-comment": "A comment never ends, and hides the rest of the page",
  "eof-in-element-that-can-contain-only-text": "A script or style never ends",
  "eof-in-tag": "The page ends in the middle of a tag",
  "invalid-first-character-of-tag-name": "An end tag has no name and is ignored",
  "missing-attribute-value": "An attribute has no value after its equals sign",
  "missing-doctype": "The page has no doctype, so browsers use an outdated mode",
  "non-void-html-element-start-tag-with-trailing-solidus":
    "An element ends with a slash, which doesn’t close it",
  "unexpected-character-in-attribute-name": "A tag has a missing or an extra quotation mark",
  "unexpected-character-in-unquoted-attribute-value": "A tag has a missing quotation mark",
  "unexpected-equals-sign-before-attribute-name": "A tag has an equals sign where a name should be",
  "unexpected-question-mark-instead-of-tag-name": "The page contains server code",
};

/** Elements whose end tag is optional (HTML standard, 13.1.2.4), and void elements. */
const endless = new Set(
  "html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th area base br col embed hr img input link meta source track wbr param frame keygen basefont bgsound plaintext noscript".split(
    " ",
  ),
);

function reportedCodes(rule: string, element: Element, message: string): PageReport {
  const at = element.sourceCodeLocation;
  const attributes = Object.entries(element.attribs).map(([name, value]) => ` ${name}="${value}"`);
  return {
    target: `${rule} ${element.name}`,
    at: element,
    evidence: {
      rule,
      line: at?.startLine ?? null,
      column: at?.startCol ?? null,
      snippet: `<${element.name}${attributes.join("")}>`.slice(0, 120),
    },
    message: `${message}.`,
  };
}

const isDrawn = (element: Element): boolean =>
  closest(element, ({ name }) => name === "svg" || name === "math") !== undefined;

/** Elements that are never closed: everything that follows is inside them. */
function* unclosed(page: Page): Generator<PageReport> {
  for (const element of page.elements) {
    const at = element.sourceCodeLocation;
    if (!at || "endTag" in at || endless.has(element.name)) continue;
    if (isDrawn(element)) continue;
    yield reportedCodes("unclosed-element", element, `A <${element.name}> isn’t closed`);
  }
}

/** Content directly in a table is rendered before it: the order differs from the source. */
function* thrownOut(page: Page): Generator<PageReport> {
  let before: Element | undefined;
  for (const element of page.elements) {
    const [at, last] = [element.sourceCodeLocation, before?.sourceCodeLocation];
    if (!at) continue;
    if (before && last && element.name === "table" && at.startOffset < last.startOffset) {
      yield reportedCodes(
        "misplaced-in-table",
        before,
        `A <${before.name}> is in a table but outside its cells`,
      );
    }
    before = element;
  }
}

/**
 * Elements that only work in the head and ended up in the body, because something closed the head
 * early.
 */
function* outOfHead(page: Page): Generator<PageReport> {
  const heads = page.all("meta", "link").filter((element) => {
    const rel = attribute(element, "rel") ?? "";
    const name = (attribute(element, "name") ?? "").toLowerCase();
    const counts = element.name === "meta" ? name === "robots" : /^canonical$/i.test(rel);
    return counts || (/\balternate\b/i.test(rel) && attribute(element, "hreflang") !== undefined);
  });
  for (const element of heads) {
    for (const around of ancestorsOf(element)) {
      if (around.name !== "body") continue;
      const what = element.name === "meta" ? "robots" : (attribute(element, "rel") ?? "");
      yield reportedCodes(
        "outside-head",
        element,
        `The page’s ${what} is in its body, where it has no effect`,
      );
    }
  }
}

/** A redirect or a reload that browsers ignore, because it doesn’t say when. */
function* uselessRefreshes(page: Page): Generator<PageReport> {
  for (const { element, content, seconds } of refreshesOf(page)) {
    if (seconds !== null) continue;
    const what = content === undefined ? "has no content" : "has no time";
    yield reportedCodes("useless-refresh", element, `A refresh ${what}, so browsers ignore it`);
  }
}

/** Reports markup that browsers have to repair and that renders differently because of it. */
export const pageHtmlInvalid: Check = {
  id: "page.html-invalid",
  category: "pages",
  severity: "warning",
  byElement: true,
  *run(page) {
    // Browsers parse an XML document as XML, in which a slash closes an element.
    if (page.file.type.startsWith("application/xhtml+xml")) return;
    for (const { code, line, column, snippet } of page.problems) {
      // Nobody sees a page that only redirects.
      if (code === "missing-doctype" && isRedirectPage(page)) continue;
      yield {
        target: code,
        // The same markup on other pages comes from the same template.
        at: snippet,
        shared: true,
        evidence: { rule: code, line, column, snippet },
        location: { line, text: snippet },
        message: `${meanings[code] ?? code}.`,
      };
    }
    yield* unclosed(page);
    yield* thrownOut(page);
    yield* outOfHead(page);
    yield* uselessRefreshes(page);
  },
};
