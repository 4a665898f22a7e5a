import type { Query } from "../../api/client.ts";
import { type Address, readChoice } from "../../ui/search-params.ts";

/** Which findings are shown, according to the address. */
export interface View {
  status: "open" | "fixed" | "ignored" | "all";
  severity: "error" | "warning" | "notice" | null;
  category: string;
  check: string;
  url: string;
  q: string;
  /** The ID of the only finding shown. */
  finding: number | null;
  /** Whether anything besides the status is filtered. */
  filtered: boolean;
}

const statuses = ["open", "fixed", "ignored", "all"] as const;
const severities = ["error", "warning", "notice"] as const;

/** The address's keys that filter. */
export const filterKeys = ["severity", "category", "check", "url", "q", "finding"] as const;

/** The largest possible ID. */
const maxIds = 2_147_483_647;

function findingIn(params: URLSearchParams): number | null {
  const id = Number(params.get("finding"));
  // Searching or filtering includes other statuses.
  const others = ["status", ...filterKeys].some((key) => key !== "finding" && params.get(key));
  return !others && Number.isInteger(id) && id >= 1 && id <= maxIds ? id : null;
}

/** The view in the address; unknown values are ignored. */
export function viewOf({ params }: Pick<Address, "params">): View {
  const text = (key: string, max: number): string => (params.get(key) ?? "").slice(0, max);
  const finding = findingIn(params);
  const view = {
    finding,
    // A single finding is shown whatever its status.
    status: readChoice(params, "status", statuses) ?? (finding === null ? "open" : "all"),
    severity: readChoice(params, "severity", severities),
    category: text("category", 60),
    check: text("check", 120),
    url: text("url", 2000),
    q: text("q", 200),
  };
  return { ...view, filtered: filterKeys.some((key) => Boolean(view[key])) };
}

const requestedFilters: Readonly<Record<View["status"], string | null>> = {
  open: "open,queued",
  fixed: "fixed",
  ignored: "ignored",
  all: null,
};

/** The server query of a view. */
export function queryOf(view: View): Query {
  const { severity, category, check, url, q } = view;
  return { status: requestedFilters[view.status], severity, category, check, pageUrl: url, q };
}
