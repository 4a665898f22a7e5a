/** Something that can be wrong, and how it is fixed without changing any content. */
export interface Repair {
  name: string;
  /** What is wrong, each in a sentence; nothing if all is well. */
  find(): Promise<string[]>;
  /** Fixes what `find` finds, as far as it can. Running it again does no harm. */
  fix(): Promise<void>;
  /** What to do about what can't be fixed. */
  advice?: string;
}

/** What came of a repair. */
export interface RepairResult {
  name: string;
  status: "fixed" | "not fixed" | "would be fixed";
  /** What was wrong. */
  before: string[];
  /** What still is. */
  after: string[];
  /** Why it couldn't be fixed, or what to do about it. */
  reason?: string;
}

export interface RepairOptions {
  /** Only find what is wrong. */
  isDryRun: boolean;
  /** Called before and after each repair. */
  report(line: string): void;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const sentence = (parts: readonly string[]) => parts.join(" ");

async function runRepair(
  { name, find, fix, advice }: Repair,
  { isDryRun, report }: RepairOptions,
): Promise<RepairResult | null> {
  let before: string[] = [];
  try {
    before = await find();
    if (before.length === 0) return null;
    report(`${name}: ${sentence(before)}`);
    if (isDryRun) return { name, status: "would be fixed", before, after: before };
    await fix();
    const after = await find();
    if (after.length === 0) {
      report(`${name}: fixed.`);
      return { name, status: "fixed", before, after };
    }
    const told = advice === undefined ? after : [...after, advice];
    report(`${name}: not fixed. ${sentence(told)}`);
    return { name, status: "not fixed", before, after, ...(advice && { reason: advice }) };
  } catch (error) {
    const reason = reasonOf(error);
    report(`${name}: not fixed. ${reason}`);
    return { name, status: "not fixed", before, after: before, reason };
  }
}

/** Runs repairs one after the other. Returns those that found something. */
export async function runRepairs(
  repairs: readonly Repair[],
  options: RepairOptions,
): Promise<RepairResult[]> {
  const results: RepairResult[] = [];
  for (const repair of repairs) {
    const result = await runRepair(repair, options);
    if (result !== null) results.push(result);
  }
  return results;
}
