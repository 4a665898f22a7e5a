/**
 * How long visitors wait for the home page of an installed instance while it works, beside nginx with
 * the same files on the same machine at the same time: a client asks both in turn, at a fixed rate over
 * connections that stay open. The instance rebuilds its site again and again, with a change to a record
 * each time, or converts uploaded images.
 *
 *     node bench/http/busy.ts [--rounds 5] [--seconds 12] [--rate 200]
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type AdminClient, signIn } from "../../test/support/client.ts";
import { startInstance, type TestInstance } from "../../test/support/instance.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { makeImages } from "../media/sample-images.ts";
import { type Figure, printFigures, ratios, median } from "../support/figures.ts";
import { startNginx } from "./nginx.ts";
import { makeVisitor, p99, type Times } from "./visits.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "12" },
    rate: { type: "string", default: "200" },
  },
});
const rounds = Number(values.rounds);
const durationMs = Number(values.seconds) * 1000;
/** Of nginx's p99, at most. */
const allowed = 1.5;
const imageCount = 3;

interface Work {
  id: string;
  name: string;
  /** Keeps the instance at work until the time is over. */
  run(isOver: () => boolean): Promise<void>;
}

/** Saves a project and waits until that is live, again and again. */
function rebuilding(instance: TestInstance, admin: AdminClient): Work {
  const slug = "akero-village-archive";
  let count = 0;
  return {
    id: "rebuild",
    name: "while the site is rebuilt",
    async run(isOver) {
      while (!isOver()) {
        const path = `/api/adminprojects/get?slug=${slug}`;
        const { data } = await admin.get<{ id: number; version: number }>(path);
        count += 1;
        const text = `Saved ${count} times.`;
        const { id, version } = data;
        await admin.post("/api/adminprojects/save", { id, version, summary: text });
        const isLive = async () => {
          return (await (await fetch(`${instance.baseUrl}/projects/${slug}/`)).text()).includes(
            text,
          );
        };
        while (!(await isLive()) && !isOver()) await delay(50);
      }
    },
  };
}

/** Uploads images, a little different each time, and waits until they are stored. */
function converting(instance: TestInstance, token: string, images: Buffer[]): Work {
  let count = 0;
  const upload = async (image: Buffer) => {
    const form = new FormData();
    // After the end of the image: another file, with the same image.
    count += 1;
    const file = new File([new Uint8Array(image), `${count}`], `${count}.jpg`);
    form.append("file", file);
    const response = await fetch(`${instance.baseUrl}/api/media/upload`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  return {
    id: "images",
    name: "while images are converted",
    async run(isOver) {
      while (!isOver()) await Promise.all(images.map(upload));
    },
  };
}

async function measure(work: Work): Promise<Times> {
  const end = performance.now() + durationMs;
  const isOver = () => performance.now() > end;
  const [times] = await Promise.all([visitor.visit(isOver), work.run(isOver)]);
  return times;
}

await using folder = await tempFolder();
await using instance = await startInstance({
  warm: true,
  config: { qa: { intervalMinutes: 0 } },
  readyMs: 10 * 60_000,
});
await using nginx = await startNginx(join(folder.path, "nginx"), instance.paths.current);
using visitor = makeVisitor({ own: instance.baseUrl, nginx: nginx.origin }, Number(values.rate));
const admin = await signIn(instance);
const files = await makeImages(folder.path, imageCount);
const images = await Promise.all(files.map((file) => readFile(file)));
const created = await instance.vitrine(["api-token", "create", "bench", "--scopes", "read,write"]);
const idle: Work = { id: "idle", name: "while it is idle", run: async () => {} };
const works = [
  idle,
  rebuilding(instance, admin),
  converting(instance, String(created["token"]), images),
];
const found = new Map<Work, Times>(works.map((work) => [work, { own: [], nginx: [] }]));
// Fills caches and opens connections.
await measure(idle);
for (let round = 0; round < rounds; round += 1) {
  for (const work of works) {
    const times = await measure(work);
    for (const name of ["own", "nginx"] as const) found.get(work)?.[name].push(p99(times[name]));
  }
}
const figures = [...found].flatMap(([{ id, name }, times]): Figure[] => {
  const max = id === "idle" ? {} : { max: allowed };
  const what = `p99 of the home page ${name}`;
  return [
    { id, what: `${what} ÷ nginx`, unit: "×", values: ratios(times.own, times.nginx), ...max },
    { id: `${id}-own`, what, unit: "ms", values: times.own },
    { id: `${id}-nginx`, what: `${what}: nginx`, unit: "ms", values: times.nginx },
  ];
});
console.table(
  figures.map(({ what, unit, values: list }) => ({ what, median: median(list), unit })),
);
printFigures(figures);
