/** Fills a database with realistic projects; the same number gives the same ones. */
import type { ProjectFields } from "../../packages/server/src/features/projects/project.ts";
import { insertProject, writeUses } from "../../packages/server/src/features/projects/store.ts";
import {
  findMediaBySrc,
  insertMedia,
  listMedia,
  type Media,
} from "../../packages/server/src/features/media/store.ts";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";

const start = Date.UTC(2026, 0, 1);
const words =
  "the harbour team drew a map of every berth and let skippers see the free ones before noon while the old ledger stayed in use so that nobody lost a booking during the change which took two seasons and one long winter of careful measuring by hand".split(
    " ",
  );
const categories = ["Product", "Brand", "Web", "Research", "Print", "Film", "Type", "Maps"];
const stack = ["Astro", "TypeScript", "Postgres", "Figma", "Blender", "Rust", "Svelte", "WebGL"];

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

function sentence(from: number, length: number): string {
  return Array.from({ length }, (_, i) => pick(words, from * 7 + i * (1 + (from % 5)))).join(" ");
}

/** Rows of media without files, which is enough for code that only reads records. */
async function makeUpMedia(db: Db, count: number): Promise<Media[]> {
  const srcs: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const sha256 = sha256Hex(`seed ${i}`);
    const stem = `/media/2026/${sha256.slice(0, 12)}-seed`;
    const variants = [480, 800, 1200].map((width) => ({
      src: `${stem}-${width}.webp`,
      width,
      bytes: width * 20,
    }));
    srcs.push(`${stem}.webp`);
    await insertMedia(db, {
      kind: "image",
      src: `${stem}.webp`,
      originalName: `seed-${i}.png`,
      mime: "image/webp",
      bytes: 90_000,
      originalBytes: 2_000_000,
      width: 1600,
      height: 1200,
      duration: null,
      hasAlpha: false,
      animated: false,
      poster: null,
      placeholder: null,
      variants,
      sha256,
      alt: sentence(i, 12),
      createdAt: isoTime(start),
    });
  }
  return [...(await findMediaBySrc(db, srcs)).values()];
}

function makeProject(index: number, media: readonly Media[]): ProjectFields {
  const paragraphs = Array.from({ length: 12 }, (_, i) => sentence(index + i, 40 + (i % 7)));
  return {
    slug: `seeded-${index}`,
    name: `Seeded ${sentence(index, 3)} ${index}`,
    status: "published",
    audience: "everyone",
    position: index,
    summary: sentence(index + 1, 18),
    lede: sentence(index + 2, 45),
    body: paragraphs
      .map((text, i) => (i % 4 === 0 ? `## ${text.slice(0, 40)}` : text))
      .join("\n\n"),
    kind: pick(["Case study", "Experiment", "Commission"], index),
    period: String(2015 + (index % 11)),
    role: "Design and build",
    categories: [pick(categories, index), pick(categories, index * 3 + 1)],
    stack: [0, 1, 2, 3].map((i) => pick(stack, index + i)),
    skills: [{ group: "Build", items: [0, 1, 2].map((i) => pick(stack, index * 5 + i)) }],
    metrics: [{ value: `${index % 90} %`, label: "fewer lost bookings" }],
    gallery: Array.from({ length: media.length === 0 ? 0 : 6 }, (_, i) => ({
      src: pick(media, index * 6 + i).src,
      caption: sentence(index + i, 8),
    })),
    reelUrl: null,
    brief: index % 3 === 0 ? sentence(index, 60) : "",
  };
}

/**
 * Adds `n` published projects with texts and galleries, numbered from 0. The galleries name the
 * media that are there already; where there are none, made-up ones without files.
 */
export async function seedProjects(db: Db, n: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { items } = await listMedia(transaction, { kind: "image", limit: 500, offset: 0 });
    const media = items.length > 0 ? items : await makeUpMedia(transaction, 120);
    const ids = new Map(media.map((item) => [item.src, item.id]));
    for (let i = 0; i < n; i += 1) {
      const project = makeProject(i, media);
      const at = isoTime(start + i * 60_000);
      const id = await insertProject(transaction, project, { createdAt: at, updatedAt: at });
      if (id === null) throw new Error(`The slug ${project.slug} is taken.`);
      const used = project.gallery.flatMap((item) => ids.get(item.src) ?? []);
      await writeUses(transaction, id, used);
    }
  });
}
