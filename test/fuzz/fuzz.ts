import { randomInt } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as fc from "fast-check";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import type { FuzzCase } from "./case.ts";
import { checkConsistency } from "./consistency.ts";
import { gateRequest } from "./gate.ts";
import { type ApiDocument, operationsOf, requestOf } from "./operations.ts";
import { type FuzzedProduct, startProduct } from "./product.ts";
import { archiveCase, importCase, rewriteCase } from "./texts.ts";
import { tryCase } from "./try-case.ts";
import { mediaSamples, uploadOf } from "./uploads.ts";

/** What was found, with the seed that makes it and the input itself, which stays when generators change. */
interface Found {
  seed: number;
  fault: string;
  case: FuzzCase;
}

const corpusFile = join(platformRoot, "test/fuzz/corpus.json");
const longSeconds = 30 * 60;
/** How many different faults end a run: more tell nothing new. */
const maxFaults = 20;

async function backupOf(product: FuzzedProduct): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-fuzz-"));
  try {
    await product.command(["backup", join(folder, "backup.tar.gz")]);
    const [name = ""] = await readdir(folder);
    return await readFile(join(folder, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** All kinds of cases, those that cost a process of their own seldom. */
async function makeCases(product: FuzzedProduct): Promise<fc.Arbitrary<FuzzCase>> {
  const { body } = await product.get("/api/openapi.json");
  const document = JSON.parse(body.toString("utf8")) as ApiDocument;
  const components = document.components?.schemas ?? {};
  const operations = operationsOf(document);
  const ofRunner = operations.filter(({ path }) => !path.startsWith("/api/"));
  console.log(`${operations.length} operations`);
  return fc.oneof(
    { weight: 180, arbitrary: requestOf(operations, components, "web") },
    { weight: 60, arbitrary: requestOf(ofRunner, components, "runner") },
    { weight: 120, arbitrary: gateRequest },
    { weight: 120, arbitrary: rewriteCase },
    { weight: 60, arbitrary: uploadOf(await mediaSamples()) },
    { weight: 2, arbitrary: importCase },
    { weight: 1, arbitrary: archiveCase(await backupOf(product)) },
  );
}

/** Two faults are the same when they differ in numbers and addresses only. */
const kindOf = (fault: string) =>
  fault
    .replace(/\d+/g, "0")
    .replace(/[?].*? /, " ")
    .slice(0, 80);

class Findings {
  readonly #earlier: Found[];
  readonly #byKind = new Map<string, Found>();
  constructor(known: Found[]) {
    this.#earlier = known;
  }
  add(seed: number, one: FuzzCase, faults: readonly string[]): void {
    for (const fault of faults) {
      if (this.#byKind.has(kindOf(fault))) continue;
      this.#byKind.set(kindOf(fault), { seed, fault, case: one });
      console.log(`seed ${seed}: ${fault}`);
    }
  }
  get count(): number {
    return this.#byKind.size;
  }
  /** Adds what is new to the corpus. */
  async save(): Promise<void> {
    const seeds = new Set(this.#earlier.map(({ seed }) => seed));
    const found = [...this.#byKind.values()].filter(({ seed }) => !seeds.has(seed));
    if (found.length === 0) return;
    await writeFile(corpusFile, `${JSON.stringify([...this.#earlier, ...found], null, 2)}\n`);
    console.log(`${found.length} added to test/fuzz/corpus.json`);
  }
}

async function fuzz(product: FuzzedProduct, seconds: number, seed: number): Promise<number> {
  const known = JSON.parse(await readFile(corpusFile, "utf8")) as Found[];
  const findings = new Findings(known);
  for (const { seed: its, case: one } of known) findings.add(its, one, await tryCase(product, one));
  console.log(`${known.length} of the corpus tried again`);
  const cases = await makeCases(product);
  const end = performance.now() + seconds * 1000;
  const counts: Record<string, number> = {};
  let next = seed;
  while (performance.now() < end && findings.count < maxFaults && product.dead().length === 0) {
    const [one] = fc.sample(cases, { seed: next, numRuns: 1 });
    if (!one) break;
    counts[one.kind] = (counts[one.kind] ?? 0) + 1;
    findings.add(next, one, await tryCase(product, one));
    next = (next + 1) | 0;
  }
  console.log(`seeds ${seed} to ${next - 1}: ${JSON.stringify(counts)}`);
  if (product.dead().length === 0) {
    for (const fault of await checkConsistency(product)) {
      findings.add(seed, { kind: "import", name: "none", content: "" }, [fault]);
    }
  }
  await findings.save();
  return findings.count;
}

/** `npm run fuzz [-- --seconds N --seed N]`: exits with 1 when anything was found. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { seconds: { type: "string" }, seed: { type: "string" } },
  });
  const seconds = Number(values.seconds ?? longSeconds);
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  console.log(`seed ${seed}, ${seconds} s`);
  await using product = await startProduct();
  const count = await fuzz(product, seconds, seed);
  console.log(`${count} faults found`);
  return count === 0 ? 0 : 1;
}

process.exitCode = await main();
