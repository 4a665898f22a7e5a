import { readFile } from "node:fs/promises";
import { z } from "zod";
import { QaError } from "../errors.ts";
import { writeFileAtomic } from "../kit/write-file.ts";

const baseline = z.strictObject({
  version: z.literal(1),
  /** The site's start address. */
  site: z.string(),
  at: z.string(),
  fingerprints: z.array(z.string().regex(/^[0-9a-f]{24}$/)).max(100_000),
});

/**
 * The fingerprints of a baseline.
 * @throws AppError `validation_failed` if the file isn't a baseline
 */
export async function readBaseline(file: string): Promise<ReadonlySet<string>> {
  const refused = (why: string, cause: unknown) =>
    new QaError("validation_failed", `The baseline ${why}.`, {
      fields: { baseline: why },
      cause,
    });
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw refused("can't be read", error);
  }
  try {
    return new Set(baseline.parse(JSON.parse(text)).fingerprints);
  } catch (error) {
    throw refused("wasn't written by --write-baseline", error);
  }
}

/** Writes a baseline atomically. */
export async function writeBaseline(
  file: string,
  { site, at, fingerprints }: { site: string; at: string; fingerprints: readonly string[] },
): Promise<void> {
  const sorted = [...new Set(fingerprints)].toSorted();
  const data: z.infer<typeof baseline> = { version: 1, site, at, fingerprints: sorted };
  await writeFileAtomic(file, `${JSON.stringify(data, null, 2)}\n`);
}
