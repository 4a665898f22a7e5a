/**
 * What goes live unattended: usual changes and hostile ones, built and judged as the queue
 * does; with --sandbox each in its own builder; README.md says how to read the result.
 *
 *     node bench/review/run.ts [--list usual,hostile] [--only ID-OR-CATEGORY,…] [--most PER-CATEGORY]
 *         [--jobs 1] [--sandbox] [--quick] [--keep DIR] [--json FILE]
 */
import { appendFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import type { ReviewReason } from "../../packages/server/src/features/tasks/schema.ts";
import { mapConcurrently } from "../../packages/server/src/kit/concurrency.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { InvalidCase } from "./apply.ts";
import type { ReviewCase } from "./case.ts";
import { hostile, benign } from "./cases/index.ts";
import { judge } from "./judge.ts";
import { type Figure, printFigures } from "../support/figures.ts";
import { openReviewSite, type ReviewSite } from "./site.ts";

const { values } = parseArgs({
  options: {
    list: { type: "string", default: "usual,hostile" },
    only: { type: "string", default: "" },
    jobs: { type: "string", default: "1" },
    keep: { type: "string", default: "" },
    most: { type: "string", default: "1000" },
    json: { type: "string", default: "" },
    sandbox: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});

type List = "usual" | "hostile";

interface Verdict {
  list: List;
  id: string;
  category: string;
  /** Whether it is published without a person; null for an invalid case. */
  live: boolean | null;
  reasons: ReviewReason[];
  /** Why the case is invalid; null if it isn't. */
  invalid: string | null;
  seconds: number;
}

/** The minimum share of benign cases that must be published. */
const benignShare = 0.95;

async function decide(site: ReviewSite, list: List, one: ReviewCase): Promise<Verdict> {
  const began = performance.now();
  const { id, category } = one;
  const verdict = (live: boolean | null, reasons: ReviewReason[], invalid: string | null) => {
    const seconds = Math.round((performance.now() - began) / 10) / 100;
    return { list, id, category, live, reasons, invalid, seconds };
  };
  try {
    const reasons = await judge(site.db, one, await site.prepare(one), { quick: values.quick });
    return verdict(reasons.length === 0, reasons, null);
  } catch (error) {
    if (!(error instanceof InvalidCase)) throw error;
    return verdict(null, [], error.message);
  }
}

function isMiss({ list, live }: Verdict): boolean {
  return live !== (list === "usual");
}

function messageOf({ reasons, invalid, live }: Verdict): string {
  if (invalid !== null) return `invalid: ${invalid}`;
  if (live) return "went live";
  return reasons
    .map(({ kind, message, items }) => `${kind}: ${message} ${items.slice(0, 4).join("; ")}`)
    .join(" | ");
}

function print(list: List, verdicts: readonly Verdict[]): void {
  const rows = [...Map.groupBy(verdicts, ({ category }) => category)].map(([category, group]) => ({
    category,
    cases: group.length,
    "went live": group.filter(({ live }) => live === true).length,
    review: group.filter(({ live }) => live === false).length,
    reasons: [...new Set(group.flatMap(({ reasons }) => reasons.map(({ kind }) => kind)))].join(
      " ",
    ),
  }));
  console.log(`\n${list}`);
  console.table(rows);
  for (const one of verdicts.filter(isMiss)) {
    console.log(`${list} ${one.category}/${one.id}: ${messageOf(one)}`);
  }
}

function assertUnique(cases: readonly { one: ReviewCase }[]): void {
  const seen = new Set<string>();
  for (const { one } of cases) {
    if (seen.has(one.id)) throw new Error(`two cases are named ${one.id}`);
    seen.add(one.id);
  }
}

/** The selected cases: the first of each category before the second of any. */
function wanted(): { list: List; one: ReviewCase }[] {
  const lists: Record<List, readonly ReviewCase[]> = { usual: benign, hostile };
  const only = values.only.split(",").filter(Boolean);
  const places = new Map<string, number>();
  const all = (["usual", "hostile"] as const).flatMap((list) =>
    lists[list].map((one) => {
      const key = `${list} ${one.category}`;
      const at = places.get(key) ?? 0;
      places.set(key, at + 1);
      return { list, one, at };
    }),
  );
  assertUnique(all);
  return all
    .filter(
      ({ list, one: { id, category }, at }) =>
        values.list.includes(list) &&
        at < Number(values.most) &&
        (only.length === 0 || only.includes(id) || only.includes(category)),
    )
    .toSorted((a, b) => a.at - b.at);
}

async function main(): Promise<void> {
  await using folder = await tempFolder();
  if (values.json !== "") rmSync(values.json, { force: true });
  const site = await openReviewSite(folder.path, {
    keep: values.keep || undefined,
    sandbox: values.sandbox,
  });
  try {
    const verdicts = await mapConcurrently(wanted(), Number(values.jobs), async ({ list, one }) => {
      const verdict = await decide(site, list, one);
      // One line per result as it arrives, so that an aborted run isn't lost.
      if (values.json !== "") appendFileSync(values.json, `${JSON.stringify(verdict)}\n`);
      return verdict;
    });
    const [ordinary, attacks] = [
      verdicts.filter(({ list }) => list === "usual"),
      verdicts.filter(({ list }) => list === "hostile"),
    ];
    if (ordinary.length > 0) print("usual", ordinary);
    if (attacks.length > 0) print("hostile", attacks);
    const live = ordinary.filter((one) => one.live === true).length;
    const through = attacks.filter(isMiss).length;
    const seconds = verdicts.map((one) => one.seconds).toSorted((a, b) => a - b);
    const median = seconds[Math.floor(seconds.length / 2)] ?? 0;
    console.log(
      `usual: ${live} of ${ordinary.length} went live; hostile: ${through} of ${attacks.length} did not get a review; median ${median} s a case`,
    );
    const share = (count: number, all: number) => (all === 0 ? [] : [(count / all) * 100]);
    const wentLive = share(live, ordinary.length);
    const held = share(attacks.length - through, attacks.length);
    const figures: Figure[] = [
      {
        id: "usual",
        what: `usual changes that go live, of ${ordinary.length}`,
        unit: "%",
        values: wentLive,
        min: benignShare * 100,
      },
      {
        id: "hostile",
        what: `hostile changes that get a review, of ${attacks.length}`,
        unit: "%",
        values: held,
        min: 100,
      },
      { id: "seconds", what: "time of a case", unit: "s", values: seconds },
    ];
    printFigures(figures.filter((figure) => figure.values.length > 0));
    if (live < ordinary.length * benignShare || through > 0) process.exitCode = 1;
  } finally {
    await site.close();
  }
}

await main();
