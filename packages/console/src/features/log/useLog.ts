import type { LogItem } from "../../../../server/src/features/admin-auth/log/schema.ts";
import type { Page } from "../../api/types.ts";
import { useListPage } from "../../api/useGet.ts";
import { type Address, readChoice, pageIn } from "../../ui/search-params.ts";

export type { LogItem };

/** How many attempts are on a page. */
export const perPage = 50;

export const outcomes = ["success", "failure", "throttled"] as const;
export const methods = ["password", "link"] as const;

/** What the address asks the list for. */
export function viewOf({ params }: Address) {
  const outcome = readChoice<LogItem["outcome"]>(params, "outcome", outcomes);
  const method = readChoice<LogItem["method"]>(params, "method", methods);
  return { outcome, method, page: pageIn(params), filtered: outcome !== null || method !== null };
}

export type LogView = ReturnType<typeof viewOf>;

export function useLog({ outcome, method, page }: LogView) {
  const query = { outcome, method, page, perPage };
  return useListPage<Page<LogItem>>(["log", "list"], "/api/adminlog/list", query);
}
