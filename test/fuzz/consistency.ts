import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Faults } from "./case.ts";
import type { FuzzedProduct } from "./product.ts";

interface MediaRow {
  src: string;
  poster: string | null;
  variants: string;
}

/** Every file below a folder, by its path there. */
async function filesBelow(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length));
}

function checkDatabase(file: string): { faults: Faults; media: MediaRow[] } {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const faults: Faults = [];
    const [integrity] = database.prepare("pragma integrity_check").all();
    if (integrity?.["integrity_check"] !== "ok") faults.push("the database is damaged");
    if (database.prepare("pragma foreign_key_check").all().length > 0) {
      faults.push("the database has rows that refer to nothing");
    }
    const media = database.prepare("select src, poster, variants from media").all();
    return { faults, media: media as unknown as MediaRow[] };
  } finally {
    database.close();
  }
}

async function checkMedia(product: FuzzedProduct, rows: readonly MediaRow[]): Promise<Faults> {
  const { content, data } = product.instance.paths;
  const stored = new Set(await filesBelow(join(content, "app/public")));
  const wanted = rows.flatMap(({ src, poster, variants }) => [
    src,
    ...(poster === null ? [] : [poster]),
    ...(JSON.parse(variants) as { src: string }[]).map((variant) => variant.src),
  ]);
  const faults = wanted
    .filter((path) => !stored.has(path))
    .map((path) => `${path} is in the database and not on disk`);
  const left = (await filesBelow(join(data, "uploads"))).filter(
    (path) => !path.startsWith("/tus/"),
  );
  return [...faults, ...left.map((path) => `uploads${path} was left`)];
}

/** What is wrong with what the product has stored, once nobody asks it for anything. */
export async function checkConsistency(product: FuzzedProduct): Promise<Faults> {
  const { instance } = product;
  const { faults, media } = checkDatabase(join(instance.paths.data, "vitrine.db"));
  faults.push(...(await checkMedia(product, media)));
  await instance.git("fsck", "--strict", "--no-dangling").catch((error: unknown) => {
    faults.push(`the content repository is damaged: ${String(error)}`);
  });
  const health = await product.get("/api/health");
  if (health.status !== 200) faults.push(`health is ${health.status}`);
  return faults;
}
