import type { SiteCheck } from "../../check.ts";
import type { Answer, Reference } from "../../crawl/crawl.ts";
import { ownAnswers, pathOf, toldAt, typeOf } from "../places.ts";

const script =
  /^(?:text|application)\/(?:x-)?(?:java|ecma)script$|^application\/json$|^application\/wasm$/;
const page = /^(?:text\/html|application\/xhtml\+xml)$/;
/** Bytes that nobody takes for a text. */
const binary =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|wasm|x-7z|x-rar))/;

/** What is wrong with the type of an answer, given what asks for it; null when nothing is. */
function faultOf(
  answer: Answer,
  kinds: ReadonlySet<Reference["kind"]>,
  path: string,
): string | null {
  const type = typeOf(answer);
  const { sniffed, headers } = answer;
  if (type === "") return null;
  // Of a sheet and a script the header decides, whatever is in them (Fetch standard, 3.6).
  if (kinds.has("style") && type !== "text/css") return "browsers do not use it as a style sheet";
  const strict = headers["x-content-type-options"]?.toLowerCase().includes("nosniff") ?? false;
  const isText = /^(?:image|audio|video)\/|^text\/(?:csv|html)$/.test(type);
  if (kinds.has("script") && !script.test(type) && (strict || isText))
    return "browsers do not run it";
  if (!kinds.has("link") && kinds.size > 0) return null;
  if (page.test(type) && sniffed !== null && binary.test(sniffed))
    return "browsers show its bytes as text";
  const named = /(?:\/|\.html?)$/i.test(path.split("?")[0] ?? "");
  const shown = type === "text/plain" || type === "application/octet-stream";
  return named && shown && sniffed === "text/html" ? "browsers show no page" : null;
}

/** A file that says of itself to be something else than what it is asked for. */
export const pageContentTypeMismatch: SiteCheck = {
  id: "page.content-type-mismatch",
  category: "pages",
  severity: "error",
  scope: "site",
  *look(crawl) {
    for (const [url, answer] of ownAnswers(crawl)) {
      if (answer.verdict !== "ok" || answer.bytes === 0 || answer.status !== 200) continue;
      const references = crawl.referencesTo(url);
      const fault = faultOf(answer, new Set(references.map(({ kind }) => kind)), pathOf(url));
      if (fault === null) continue;
      yield {
        ...toldAt(references),
        target: pathOf(url),
        shared: true,
        evidence: { url, header: answer.headers["content-type"] ?? "", sniffed: answer.sniffed },
        message: `${pathOf(url)} says that it is ${typeOf(answer)}: ${fault}.`,
      };
    }
  },
};
