import type { AnsweredRequest } from "../../platform/access-log.ts";
import { type Histogram, makeHistogram } from "./histogram.ts";

export type RequestKind = "page" | "file" | "api" | "admin" | "console" | "preview" | "account";

const prefixes: readonly (readonly [RegExp, RequestKind])[] = [
  [/^api(?:\/|$)/, "api"],
  [/^admin(?:\/|$)/, "admin"],
  [/^devconsole(?:\/|$)/, "console"],
  [/^_preview(?:\/|$)/, "preview"],
  [/^account(?:\/|$)/, "account"],
];
const fileName = /\.[A-Za-z0-9]{1,8}$/;

/** What a request is for, by its path (`/…`) alone. */
export function requestKind(path: string): RequestKind {
  const rest = path.slice(1);
  const found = prefixes.find(([prefix]) => prefix.test(rest));
  if (found !== undefined) return found[1];
  return fileName.test(rest) && !rest.endsWith(".html") ? "file" : "page";
}

const classes = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

function statusClass(status: number): string {
  return classes[Math.floor(status / 100) - 1] ?? "5xx";
}

/** The durations of answered requests, in seconds. */
export interface RequestMetrics extends Pick<Histogram, "family"> {
  observe(request: Pick<AnsweredRequest, "pathJson" | "status" | "ms">): void;
}

export function makeRequestMetrics(): RequestMetrics {
  const histogram = makeHistogram({
    name: "vitrine_http_request_duration_seconds",
    help: "Time to answer requests, by what they are for and by class of status.",
    labels: ["kind", "status"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 10],
  });
  return {
    observe({ pathJson, status, ms }) {
      // The quotes of the JSON are left out; an escape in it changes no kind.
      histogram.observe([requestKind(pathJson.slice(1, -1)), statusClass(status)], ms / 1000);
    },
    family: () => histogram.family(),
  };
}
