import { isSameOrigin, formatUrl } from "../../browser/format.ts";
import { type BrowserCheck, quote } from "../../check.ts";

/** Errors that only occur because the browser is headless or has no graphics card. */
const ours =
  /webgl|webgpu|\bgpu\b|NotAllowedError|permission (?:was )?denied|user (?:didn.t interact|gesture|activation)|service ?worker|notification prompt|AbortError/i;

/** A message without the parts that change from visit to visit. */
export function normalizeMessage(text: string): string {
  return text
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi, "…")
    .replace(/\b[0-9a-f]{8,}(?:-[0-9a-f]{4,})*\b/gi, "…")
    .replace(/\d+/g, "#")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 200);
}

/** Reports an error that the page's scripts throw or write to the console. */
export const jsConsoleError: BrowserCheck = {
  id: "js.console-error",
  category: "console",
  severity: "error",
  *run(visit) {
    // If third-party scripts were blocked, what they provide is missing in this browser only.
    const lacking = visit.failedRequests.some(
      ({ url, kind }) => kind === "script" && !isSameOrigin(visit, url),
    );
    const reported = new Set<string>();
    for (const { kind, text, url, line, stack } of visit.console) {
      const fingerprint = normalizeMessage(text);
      if (ours.test(text) || fingerprint === "" || reported.has(fingerprint)) continue;
      reported.add(fingerprint);
      const others = url !== "" && !isSameOrigin(visit, url);
      const source = url === "" ? null : formatUrl(visit, url);
      yield {
        at: fingerprint,
        shared: true,
        message:
          kind === "exception"
            ? `A script on the page fails: ${quote(text, 120)}.`
            : `A script on the page reports an error: ${quote(text, 120)}.`,
        ...((others || lacking) && { severity: "notice", confidence: "likely" }),
        location: { selector: source ?? "", line, text: text.slice(0, 80) },
        evidence: {
          message: text.slice(0, 500),
          stack,
          url: source === null ? null : `${source}:${line ?? "?"}`,
          fingerprint,
        },
      };
    }
  },
};
