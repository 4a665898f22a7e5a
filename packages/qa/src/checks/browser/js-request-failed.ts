import { isSameOrigin, formatUrl } from "../../browser/format.ts";
import { type BrowserCheck, quote } from "../../check.ts";
import type { Severity } from "../../finding.ts";
import type { Visit } from "../../browser/visit.ts";

type Failed = Visit["failedRequests"][number];

/**
 * Status codes that don't tell whether the resource exists: sign-in walls, rate limits,
 * maintenance.
 */
const walls = new Set([401, 403, 407, 408, 425, 429, 451, 503, 999]);
const ignoredKinds = new Set([
  "ping",
  "cspviolationreport",
  "prefetch",
  "preflight",
  "eventsource",
]);

/** What only a browser can know: it refuses a response that the server would send. */
const browserRefuses = ({ blocked }: Failed): boolean =>
  blocked !== null && blocked !== "csp" && blocked !== "mixed-content" && blocked !== "inspector";

/** The severity; null if another check reports the failure, or if it can't be judged from here. */
function severityOf(visit: Visit, failed: Failed): Severity | null {
  const { status, error, kind, initiator, refused, url } = failed;
  if (refused || ignoredKinds.has(kind) || error === "net::ERR_ABORTED") return null;
  const own = isSameOrigin(visit, url);
  if (browserRefuses(failed)) return own ? "error" : "notice";
  // Addresses in the markup are checked without a browser: `img.broken`, `asset.broken`.
  if (initiator !== "script" || (status !== null && walls.has(status))) return null;
  // If another server doesn't respond, our own connection may be the cause.
  if (!own) return status === null ? null : "notice";
  if (status === null) return "warning";
  return status >= 500 || status === 404 || status === 410 ? "error" : "warning";
}

/** Reports a failed request of the page's scripts. */
export const jsRequestFailed: BrowserCheck = {
  id: "js.request-failed",
  category: "console",
  severity: "error",
  *run(visit) {
    const reported = new Set<string>();
    for (const failed of visit.failedRequests) {
      const severity = severityOf(visit, failed);
      // Scripts may generate a new query string each time.
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
