import type { SiteCheck } from "../../check.ts";
import type { CrawlResponse, Reference } from "../../crawl/crawl.ts";
import { ownResponses, pathOf, locationOf, typeOf } from "../locations.ts";

const script =
  /^(?:text|application)\/(?:x-)?(?:java|ecma)script$|^application\/json$|^application\/wasm$/;
const page = /^(?:text\/html|application\/xhtml\+xml)$/;
/** Types whose bytes are never text. */
const binary =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|wasm|x-7z|x-rar))/;

/**
 * What is wrong with the content type of a response, given what requests it; null if nothing is.
 */
function faultOf(
  response: CrawlResponse,
  kinds: ReadonlySet<Reference["kind"]>,
  path: string,
): string | null {
  const type = typeOf(response);
  const { sniffed, headers } = response;
  if (type === "") return null;
  // For style sheets and scripts, the header decides, whatever they contain (Fetch standard, 3.6).
  if (kinds.has("style") && type !== "text/css") return "browsers don’t use it as a style sheet";
  const strict = headers["x-content-type-options"]?.toLowerCase().includes("nosniff") ?? false;
  const isText = /^(?:image|audio|video)\/|^text\/(?:csv|html)$/.test(type);
  if (kinds.has("script") && !script.test(type) && (strict || isText))
    return "browsers don’t run it";
  if (!kinds.has("link") && kinds.size > 0) return null;
  if (page.test(type) && sniffed !== null && binary.test(sniffed))
    return "browsers show its bytes as text";
  const named = /(?:\/|\.html?)$/i.test(path.split("?")[0] ?? "");
  const shown = type === "text/plain" || type === "application/octet-stream";
  return named && shown && sniffed === "text/html" ? "browsers don’t show it as a page" : null;
}

/** Reports a file whose content type isn't what it is requested as. */
export const pageContentTypeMismatch: SiteCheck = {
  id: "page.content-type-mismatch",
  category: "pages",
  severity: "error",
  scope: "site",
  *run(crawl) {
    for (const [url, response] of ownResponses(crawl)) {
      if (response.verdict !== "ok" || response.bytes === 0 || response.status !== 200) continue;
      const references = crawl.referencesTo(url);
      const fault = faultOf(response, new Set(references.map(({ kind }) => kind)), pathOf(url));
      if (fault === null) continue;
      yield {
        ...locationOf(references),
        target: pathOf(url),
        shared: true,
        evidence: {
          url,
          header: response.headers["content-type"] ?? "",
          sniffed: response.sniffed,
        },
        message: `${pathOf(url)} is sent as ${typeOf(response)}: ${fault}.`,
      };
    }
  },
};
