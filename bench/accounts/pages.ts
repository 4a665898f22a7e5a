/**
 * Compares the cost of rendering the account pages with our own template and with hono's: the
 * sign-in page with errors, and a user's own page. Alternates in one process; CPU time per page,
 * medians of the rounds. Both must produce the same markup, byte for byte.
 *
 *     node bench/accounts/pages.ts [--rounds 15] [--pages 2000] [--json]
 */
import { parseArgs } from "node:util";
import type { Overview } from "../../packages/server/src/features/accounts/page-views/page.ts";
import { overviewPage } from "../../packages/server/src/features/accounts/page-views/signed-in.ts";
import {
  signInPage,
  type SignedOutContext,
} from "../../packages/server/src/features/accounts/page-views/signed-out.ts";
import { type Figure, printFigures } from "../support/figures.ts";
import { registerHono } from "./with-hono.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    pages: { type: "string", default: "2000" },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const pages = Number(values.pages);

registerHono();
const views = "../../packages/server/src/features/accounts/page-views";
const onHono = {
  ...((await import(`${views}/signed-in.ts?hono`)) as { overviewPage: typeof overviewPage }),
  ...((await import(`${views}/signed-out.ts?hono`)) as { signInPage: typeof signInPage }),
};

/** Names and texts with every character that must be escaped. */
const hostile = `"><script>alert('1 & 2')</script>`;
const environment = {
  siteName: `Ada & “Co” ${hostile}`,
  timeZone: "Europe/Vienna",
  providers: [
    { id: "github", name: "GitHub" },
    { id: "club", name: hostile },
  ],
  signUp: "open",
  returnTo: "/projects/a/?b=1&c=%22",
  notice: null,
} as const;
const visitors: SignedOutContext = environment;
const query = { email: hostile };
const failures = { message: hostile, fields: { password: "is wrong", email: hostile } };
const at = "2026-11-23T10:00:00.000Z";
const user = { id: 1, email: "a@example.org", name: hostile, verified: false, hasPassword: true };
const session = { createdAt: at, lastSeenAt: at, expiresAt: at, method: "password", ip: "::1" };
const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const overview: Overview = {
  ...environment,
  who: {
    user: { ...user, createdAt: at },
    session: { ...session, idHash: "", userId: 1, userAgent },
  },
  projects: Array.from({ length: 12 }, (_, index) => ({
    name: `Project ${index}`,
    summary: hostile,
    path: `/projects/${index}/`,
  })),
  sessions: Array.from({ length: 4 }, (_, index) => ({
    ...session,
    id: `s${index}`,
    current: index === 0,
    userAgent,
  })),
  linked: [{ provider: "github", name: "GitHub", email: hostile, linkedAt: at }],
};

type Maker = () => string;
const makers: Record<string, Record<string, Maker>> = {
  "sign in": {
    own: () => signInPage(visitors, query, failures).content.text,
    hono: () => onHono.signInPage(visitors, query, failures).content.text,
  },
  "own account": {
    own: () => overviewPage(overview, failures).content.text,
    hono: () => onHono.overviewPage(overview, failures).content.text,
  },
};

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** CPU time per page, in µs. */
function timeOf(make: Maker): number {
  const { user: before, system } = process.cpuUsage();
  for (let page = 0; page < pages; page += 1) make();
  const after = process.cpuUsage();
  return (after.user + after.system - before - system) / pages;
}

const figures: Figure[] = [];
const rows = Object.entries(makers).flatMap(([page, byName]) => {
  const names = Object.keys(byName);
  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      times.get(name)?.push(timeOf(byName[name] as Maker));
    }
  }
  figures.push(
    ...[...times].map(([name, list]): Figure => {
      const what = `${page}, ${name === "own" ? "own templates" : "hono"}`;
      return { id: `${page}-${name}`, what, unit: "µs", values: list };
    }),
  );
  const own = byName["own"]?.() ?? "";
  const ownTimes = times.get("own") ?? [];
  return [...times].map(([name, list]) => {
    const made = byName[name]?.() ?? "";
    return {
      page,
      renderer: name,
      µs: Math.round(median(list) * 10) / 10,
      "× own": Math.round(median(list.map((one, i) => one / (ownTimes[i] ?? 1))) * 100) / 100,
      bytes: Buffer.byteLength(made),
      "same bytes": made === own,
    };
  });
});
if (!values.json) console.table(rows);
console.log(JSON.stringify({ rounds, pages, rows }));
printFigures(figures);
