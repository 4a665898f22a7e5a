import { randomToken } from "../kit/hash.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { EngineJob, EngineWatch } from "../engine/job.ts";
import { probeExposed } from "./exposed.ts";
import { probeFeeds } from "./feed.ts";
import { ownForms } from "./form/own-form.ts";
import { probeForm } from "./form/probe-form.ts";
import { probeGates, probePreviews } from "./gates.ts";
import { probeHealth } from "./health.ts";
import { probeNotFound } from "./not-found.ts";
import type { ProbeFetcher, FormProbe, Probes, Seeds } from "./probes.ts";
import { probeTls } from "./tls.ts";

export interface ProbeOptions {
  fetcher: ProbeFetcher;
  seeds: Seeds;
  crawl: Crawl;
  /** Nothing on the site has changed: only its private addresses and forms are probed. */
  unchanged: boolean;
  /** Null for another site, to which nothing is ever posted. */
  own: EngineJob["own"];
  /**
   * Where to reach the site, if not by its host name; shows whether requests come from its own
   * machine.
   */
  connect?: EngineJob["connect"];
  watch: Pick<EngineWatch, "countMessages" | "signal">;
  /** ISO 8601. */
  now: string;
}

/** Checks by the probe that they depend on. */
const checksOf = {
  notFound: ["page.notfound-quality", "page.notfound-redirects-home"],
  feeds: ["feed.broken"],
  exposed: ["sec.exposed-file"],
  health: ["health.api", "health.latency", "health.migrations"],
  gates: ["health.admin-gate"],
  previews: ["health.preview-leak"],
  tls: ["health.tls-expiry"],
  forms: [
    "form.unreachable",
    "form.honeypot-accepted-silently",
    "form.honeypot-wrote",
    "form.validation-missing",
    "form.get-leaks",
    "form.envelope-invalid",
    "form.rate-limit",
    "form.csrf-origin",
  ],
} as const;

/** Why a part can't be judged; null if it can. */
function unreported(part: keyof typeof checksOf, probes: Probes): string | null {
  if (part === "notFound" && probes.notFound === null) {
    return "The response for a missing page was inconclusive.";
  }
  if (part !== "gates" && part !== "previews") return null;
  // A request that was rate-limited, or got no response, didn't reach the address.
  const unsure = probes[part].filter(({ response: { status } }) => {
    return status === null || status === 429 || status >= 500;
  });
  return unsure.length > 0 ? `The response for ${unsure[0]?.path} was inconclusive.` : null;
}

function isLoopback(host: string): boolean {
  return /^(?:127(?:\.\d+){3}|\[?::1\]?|localhost|.+\.localhost)$/i.test(host);
}

/** One form after the other: their order matters, and their messages are counted. */
async function probeForms(options: ProbeOptions): Promise<FormProbe[]> {
  const { fetcher, crawl, connect, watch } = options;
  const found: FormProbe[] = [];
  for (const form of ownForms(crawl)) {
    watch.signal.throwIfAborted();
    found.push(
      await probeForm(form, {
        fetcher,
        origin: crawl.origin,
        countMessages: () => watch.countMessages(),
        loopback: isLoopback(connect?.host ?? new URL(crawl.origin).hostname),
      }),
    );
  }
  return found;
}

/**
 * Probes a site: how it responds to missing addresses, its feeds, files that should be private, and
 * for the own site its health, protected addresses, previews, and forms. Leaves nothing behind. A
 * failing probe is reported in `skippedChecks`; throws only if the signal is aborted.
 */
export async function probeSite(options: ProbeOptions): Promise<Probes> {
  const { fetcher, seeds, crawl, unchanged, own, watch, now } = options;
  const { signal } = watch;
  const { origin, start } = crawl;
  const time = Date.parse(now);
  const probes: Probes = {
    ...seeds,
    now,
    notFound: null,
    feeds: [],
    exposed: [],
    health: null,
    gates: [],
    previews: [],
    tls: null,
    forms: [],
    skippedChecks: [],
  };
  async function make<K extends keyof typeof checksOf>(
    part: K,
    work: () => Promise<Probes[K]>,
  ): Promise<void> {
    signal.throwIfAborted();
    try {
      probes[part] = await work();
      const why = unreported(part, probes);
      if (why !== null) probes.skippedChecks.push({ what: part, why, checks: [...checksOf[part]] });
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      probes.skippedChecks.push({ what: part, why, checks: [...checksOf[part]] });
    }
  }
  if (own) {
    await make("health", () => probeHealth(fetcher, origin));
    await make("gates", () => probeGates(fetcher, origin, time));
    await make("previews", () => probePreviews(fetcher, origin, own.previews));
  }
  await make("tls", () => probeTls(origin, time, signal));
  if (unchanged) return probes;
  const name = `nothing-${randomToken(12).toLowerCase()}`;
  await make("notFound", () => probeNotFound(fetcher, start, name));
  await make("feeds", () => probeFeeds(fetcher, crawl));
  await make("exposed", () => probeExposed(fetcher, crawl));
  if (own) await make("forms", () => probeForms(options));
  return probes;
}
