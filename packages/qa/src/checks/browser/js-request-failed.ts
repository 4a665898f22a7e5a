import { isSameOrigin, formatUrl } from "../../browser/format.ts";
import { type BrowserCheck, quote } from "../../check.ts";
import type { Severity } from "../../finding.ts";
import type { Visit } from "../../browser/visit.ts";

type Failed = Visit["failedRequests"][number];

/** Answers that say nothing of whether something is there: walls, limits, a moment of rest. */
const walls = new Set([401, 403, 407, 408, 425, 429, 451, 503, 999]);
const ignoredKinds = new Set([
  "ping",
  "cspviolationreport",
  "prefetch",
  "preflight",
  "eventsource",
]);

/** What the browser alone can tell: it refuses what the site would send. */
const browserRefuses = ({ blocked }: Failed): boolean =>
  blocked !== null && blocked !== "csp" && blocked !== "mixed-content" && blocked !== "inspector";

/** How grave it is; null where it is told elsewhere, or can't be told from here. */
function severityOf(visit: Visit, failed: Failed): Severity | null {
  const { status, error, kind, initiator, refused, url } = failed;
  if (refused || ignoredKinds.has(kind) || error === "net::ERR_ABORTED") return null;
  const own = isSameOrigin(visit, url);
  if (browserRefuses(failed)) return own ? "error" : "notice";
  // What the markup names is looked at without a browser: `img.broken`, `asset.broken`.
  if (initiator !== "script" || (status !== null && walls.has(status))) return null;
  // Without an answer of another it may be the line from here.
  if (!own) return status === null ? null : "notice";
  if (status === null) return "warning";
  return status >= 500 || status === 404 || status === 410 ? "error" : "warning";
}

/** Something that the page's scripts ask for and do not get. */
export const jsRequestFailed: BrowserCheck = {
  id: "js.request-failed",
  category: "console",
  severity: "error",
  *run(visit) {
    const reported = new Set<string>();
    for (const failed of visit.failedRequests) {
      const severity = severityOf(visit, failed);
      // What a script puts behind the question mark may change every time.
      const target = formatUrl(visit, failed.url).split("?")[0] ?? "";
      if (severity === null || reported.has(target)) continue;
      reported.add(target);
      const { status, error, blocked, initiator } = failed;
      const why =
        blocked === null
          ? status === null
            ? `no response (${error})`
            : `status ${status}`
          : `blocked by the browser (${blocked})`;
      yield {
        target,
        shared: true,
        severity,
        ...(status === null && blocked === null && { confidence: "likely" }),
        message: `The page couldn’t load ${quote(target)}: ${why}.`,
        evidence: { url: formatUrl(visit, failed.url), status, error, initiator },
      };
    }
  },
};
