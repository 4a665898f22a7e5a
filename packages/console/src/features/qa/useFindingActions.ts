import { type InfiniteData, useQueryClient } from "@tanstack/react-query";

import { asApiError, type Client, ApiError } from "../../api/client.ts";
import type { FixAnswer, Page, QaFinding, Task } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { formatCount } from "../../ui/format.ts";
import { tabStorage } from "../../ui/storage.ts";
import { type IgnoreOptions, ignoreRequests } from "./ignore.ts";
import { makeInstructions } from "./instruction-drafts.ts";
import { fixAnnouncement } from "./labels.ts";
import { api, findingsKey, overviewKey, rulesKey } from "./useOverview.ts";

export const instructions = makeInstructions(tabStorage);

type Findings = InfiniteData<Page<QaFinding>>;

/** Runs requests one by one; if one is refused, reports how many succeeded before. */
async function each<I, T>(items: readonly I[], work: (item: I) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (const item of items) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- a refusal ends it, and the rest is as it was
      done.push(await work(item));
    } catch (cause) {
      if (done.length === 0) throw cause;
      const { code, message, status } = asApiError(cause);
      const words = `${done.length} of ${items.length} done. ${message}`;
      throw new ApiError(code, words, status);
    }
  }
  return done;
}

interface Ask {
  findings: readonly QaFinding[];
  how: IgnoreOptions;
}

/** Ignores as requested; returns the number of findings. */
async function sendIgnoring(client: Client, { findings, how }: Ask): Promise<number> {
  const responses = await each(ignoreRequests(findings, how, Date.now()), (what) =>
    client.post<{ ignored: number }>(`${api}/ignore`, what),
  );
  return responses.reduce((sum, { ignored }) => sum + ignored, 0);
}

/** Actions on findings; everything is refreshed afterwards. */
export function useFindingActions() {
  const queries = useQueryClient();
  const refreshed = { awaited: [findingsKey], stale: [overviewKey, rulesKey] };
  function put(finding: QaFinding, { id, status }: Task): void {
    queries.setQueriesData<Findings>({ queryKey: findingsKey }, (known) => {
      if (!known) return known;
      const change = (one: QaFinding): QaFinding =>
        one.id === finding.id
          ? { ...one, status: "queued", task: { id, status, error: null } }
          : one;
      const pages = known.pages.map((page) => ({ ...page, items: page.items.map(change) }));
      return { ...known, pages };
    });
  }
  const fix = useChange<readonly QaFinding[], FixAnswer[]>({
    ...refreshed,
    send: (client, findings) =>
      each(findings, async (finding) => {
        const instruction = instructions.read(finding.id).trim();
        const body = { findingId: finding.id, ...(instruction !== "" && { instruction }) };
        const task = await client.post<FixAnswer>(`${api}/fix`, body);
        instructions.write(finding.id, "");
        put(finding, task);
        return task;
      }),
    announcement: fixAnnouncement,
  });
  const ignore = useChange<Ask, number>({
    ...refreshed,
    send: sendIgnoring,
    announcement: (ignored) => `${formatCount(ignored, "finding")} ignored.`,
  });
  const reopen = useChange<readonly QaFinding[], unknown[]>({
    ...refreshed,
    send: (client, findings) =>
      each(findings, ({ id }) => client.post(`${api}/reopen`, { findingId: id })),
    announcement: ({ length }) => `${formatCount(length, "finding")} reopened.`,
  });
  return { fix, ignore, reopen };
}
