import { type InfiniteData, useMutation, useQueryClient } from "@tanstack/react-query";

import { tabMemory } from "../../storage.ts";
import { makeInstructions } from "../../qa/drafts.ts";
import { fixNews, type Span, untilOf } from "../../qa/words.ts";
import type { QaFinding, Task } from "../../types.ts";
import { count } from "../../words.ts";
import { asClientError, type Client, ClientError } from "../client.ts";
import { useAnnounce, useClient } from "../context.tsx";
import type { Page } from "../types.ts";
import { api, findingsKey, overviewKey, rulesKey } from "./useOverview.ts";

export const instructions = makeInstructions(tabMemory);

/** What is ignored: these findings, or all that a check finds on a page or anywhere. */
export interface Ignoring {
  about: "finding" | "page" | "everywhere";
  reason: string;
  span: Span;
}

type Findings = InfiniteData<Page<QaFinding>>;

/** Does one after the other; where one is refused, says how many were done before. */
async function each<T>(
  findings: readonly QaFinding[],
  work: (finding: QaFinding) => Promise<T>,
): Promise<T[]> {
  const done: T[] = [];
  for (const finding of findings) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- a refusal ends it, and the rest is as it was
      done.push(await work(finding));
    } catch (cause) {
      if (done.length === 0) throw cause;
      const { code, message, status } = asClientError(cause);
      const words = `${done.length} of ${findings.length} were done. ${message}`;
      throw new ClientError(code, words, status);
    }
  }
  return done;
}

interface Ask {
  findings: readonly QaFinding[];
  how: Ignoring;
}

/** Ignores what was asked for; gives how many findings that were. */
async function sendIgnoring(client: Client, { findings, how }: Ask): Promise<number> {
  const { about, reason, span } = how;
  const rest = { reason, until: untilOf(span, Date.now()) };
  const ignore = async (what: object): Promise<number> =>
    (await client.post<{ ignored: number }>(`${api}/ignore`, { ...what, ...rest })).ignored;
  const [first] = findings;
  if (about !== "finding" && first) {
    const { check, pageUrl } = first;
    return ignore({ check, ...(about === "page" && { pageUrl }) });
  }
  const numbers = await each(findings, ({ id }) => ignore({ findingId: id }));
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** What can be done with findings; whatever comes of it, everything is looked at again. */
export function useFindingActions() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const onSettled = () => {
    void queries.invalidateQueries({ queryKey: overviewKey });
    void queries.invalidateQueries({ queryKey: rulesKey });
    return queries.invalidateQueries({ queryKey: findingsKey });
  };
  function put(finding: QaFinding, { id, status }: Task): void {
    queries.setQueriesData<Findings>({ queryKey: findingsKey }, (known) => {
      if (!known) return known;
      const change = (one: QaFinding): QaFinding =>
        one.id === finding.id ? { ...one, status: "queued", task: { id, status } } : one;
      const pages = known.pages.map((page) => ({ ...page, items: page.items.map(change) }));
      return { ...known, pages };
    });
  }
  const fix = useMutation({
    mutationFn: (findings: readonly QaFinding[]) =>
      each(findings, async (finding) => {
        const instruction = instructions.read(finding.id).trim();
        const body = { findingId: finding.id, ...(instruction !== "" && { instruction }) };
        const task = await client.post<Task>(`${api}/fix`, body);
        instructions.write(finding.id, "");
        put(finding, task);
        return task;
      }),
    onSuccess: (tasks) => announce(fixNews(tasks)),
    onSettled,
  });
  const ignore = useMutation({
    mutationFn: (asked: Ask) => sendIgnoring(client, asked),
    onSuccess: (ignored) => announce(`${count(ignored, "finding")} ignored from now on.`),
    onSettled,
  });
  const reopen = useMutation({
    mutationFn: (findings: readonly QaFinding[]) =>
      each(findings, ({ id }) => client.post(`${api}/reopen`, { findingId: id })),
    onSuccess: (done) => announce(`${count(done.length, "finding")} open again.`),
    onSettled,
  });
  return { fix, ignore, reopen };
}
