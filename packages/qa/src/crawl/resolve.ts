import type { Answer, Crawl } from "./crawl.ts";
import { keyOf } from "./crawled.ts";
import type { Fetcher } from "./fetcher.ts";
import type { Visited } from "./own-crawl.ts";

/** As `walk` follows at most. */
const mostHops = 10;
const mostLoops = 20;

type Hop = Answer["hops"][number];

/** What an address comes to with all that it leads to. */
export type Final = { answer: Answer; isLoop: boolean };

const unclear = (answer: Answer, reason: string): Pick<Answer, "verdict" | "reason"> => ({
  verdict: answer.status === null ? answer.verdict : "unknown",
  reason,
});

function lookedAt(
  start: Visited,
  hops: readonly Hop[],
  last: Answer,
  own: Partial<Answer> = {},
): Answer {
  if (hops.length === 0) return { ...last, ...own };
  const before = last.hops.length > 0 ? [...hops, ...last.hops] : hops;
  return { ...last, ...own, url: start.url, hops: before };
}

/**
 * Follows the redirects of an address through what was asked already, so that nothing is asked
 * twice. `strangerOf` is what came back from others; undefined where they were not asked.
 */
export function follow(
  start: Visited,
  answer: Answer,
  visited: ReadonlyMap<string, Visited>,
  strangerOf: (key: string) => Answer | undefined,
  isProgram: (path: string) => boolean,
): Final {
  const hops: Hop[] = [];
  const seen = new Set<string>();
  let at: { url: string; answer: Answer; next: Visited["next"] } = { ...start, answer };
  while (at.next) {
    const { next } = at;
    hops.push({ url: at.url, status: at.answer.status ?? 0 });
    seen.add(at.url);
    const failure = (code: string) =>
      ({ phase: "redirect", code, ms: at.answer.ms }) satisfies Answer["failure"];
    if (seen.has(next.key)) {
      const reason = "its redirects go round in a circle";
      const own = { verdict: "broken", reason, failure: failure("ELOOP") } as const;
      return { answer: lookedAt(start, hops, at.answer, own), isLoop: true };
    }
    if (hops.length > mostHops) {
      const reason = "it has too many redirects";
      const own = { verdict: "broken", reason, failure: failure("EHOPS") } as const;
      return { answer: lookedAt(start, hops, at.answer, own), isLoop: false };
    }
    const target = next.own ? visited.get(next.key) : undefined;
    const stranger = next.own ? undefined : strangerOf(next.key);
    if (stranger) return { answer: lookedAt(start, hops, stranger), isLoop: false };
    if (!target?.answer) {
      const program = next.own && isProgram(new URL(next.key).pathname);
      const own = program
        ? ({ verdict: "ok", reason: null } as const)
        : unclear(at.answer, "where it leads was not asked");
      const found = lookedAt(start, hops, at.answer, { ...own, finalUrl: next.key });
      return { answer: found, isLoop: false };
    }
    at = { url: target.url, answer: target.answer, next: target.next };
  }
  return { answer: lookedAt(start, hops, at.answer), isLoop: false };
}

/** The answers of all addresses of the site; what goes in a circle is asked again as one visitor. */
export async function finalAnswers(
  visited: ReadonlyMap<string, Visited>,
  strangerOf: (key: string) => Answer | undefined,
  isProgram: (path: string) => boolean,
  fetcher: Fetcher,
): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  const circles: string[] = [];
  for (const resource of visited.values()) {
    if (!resource.answer) continue;
    const { answer, isLoop } = resource.next
      ? follow(resource, resource.answer, visited, strangerOf, isProgram)
      : { answer: resource.answer, isLoop: false };
    answers.set(resource.url, unfollowed(resource, answer));
    if (isLoop) circles.push(resource.url);
  }
  // A cookie may open a door that seemed to lead to itself.
  for (const url of circles.slice(0, mostLoops)) {
    answers.set(url, (await fetcher.own(url)).answer);
  }
  return answers;
}

/** A redirect that leads to no address at all. */
function unfollowed({ next }: Visited, answer: Answer): Answer {
  const { status, headers } = answer;
  const leads = status !== null && status > 300 && status < 309 && status !== 304;
  if (next || !leads || answer.verdict !== "ok") return answer;
  const isOther = /^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(headers["location"] ?? "");
  return isOther
    ? { ...answer, verdict: "unknown", reason: "it leads on to what is no page of the web" }
    : { ...answer, verdict: "broken", reason: "it leads on to something that is no address" };
}

/** How many links away from the start each page is, and from which page it was met first. */
export function depthsOf(
  start: string,
  pagesByUrl: ReadonlyMap<string, string>,
  references: Crawl["references"],
  answers: ReadonlyMap<string, Answer>,
): Map<string, { depth: number; from: string | null }> {
  const links = new Map<string, Set<string>>();
  for (const { kind, page, url } of references) {
    if (kind !== "link" && kind !== "frame") continue;
    const key = keyOf(url);
    const known = links.get(page);
    if (known) known.add(key);
    else links.set(page, new Set([key]));
  }
  const found = new Map<string, { depth: number; from: string | null }>();
  const first = pagesByUrl.get(answers.get(start)?.finalUrl ?? start) ?? pagesByUrl.get(start);
  if (first === undefined) return found;
  found.set(first, { depth: 0, from: null });
  // A map is walked in the order of what is added to it meanwhile: breadth first.
  for (const [path, { depth }] of found) {
    for (const key of links.get(path) ?? []) {
      const target = pagesByUrl.get(answers.get(key)?.finalUrl ?? key);
      if (target !== undefined && !found.has(target)) {
        found.set(target, { depth: depth + 1, from: path });
      }
    }
  }
  return found;
}
