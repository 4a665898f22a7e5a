import { cp, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Where the tests keep what they make once: scripts/test.ts names the folder. */
const shelf = process.env["TEST_SHELF"];
const worker = process.env["VITEST_POOL_ID"] ?? "0";

export type Ports = readonly [web: number, runner: number];

const name = (ports: Ports) => `instance-${worker}-${ports.join("-")}`;
const busy = new Set<string>();

/** The ports of an instance that this worker keeps and that no test has; null where there is none. */
async function idlePorts(folder: string): Promise<Ports | null> {
  const entries = await readdir(folder).catch(() => []);
  const free = entries.find(
    (entry) => entry.startsWith(`instance-${worker}-`) && /\d$/.test(entry) && !busy.has(entry),
  );
  const [web, runner] = (free?.split("-").slice(2) ?? []).map(Number);
  return web === undefined || runner === undefined ? null : [web, runner];
}

const copy = (from: string, to: string) =>
  cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });

/**
 * Installs an instance into the folder `place.dir`, or copies one that was installed for an
 * earlier test of this worker: it takes seconds, most of them for the first build. Pages name their
 * site's address, so the ports come with the copy. Gives them, what makes them free again, and a link
 * to sign in, which takes a second to make; null if it has to be made.
 */
export async function installOnce(
  newPorts: () => Promise<Ports>,
  place: {
    dir: string;
    install(ports: Ports): Promise<void>;
    makeLink(ports: Ports): Promise<string>;
  },
): Promise<{ ports: Ports; link: string | null; release(): void }> {
  const known = shelf === undefined ? null : await idlePorts(shelf);
  const ports = known ?? (await newPorts());
  const entry = name(ports);
  busy.add(entry);
  const release = () => void busy.delete(entry);
  if (shelf === undefined) {
    await place.install(ports);
    return { ports, link: null, release };
  }
  const linkFile = join(shelf, `link-${entry}`);
  if (known) await copy(join(shelf, entry), place.dir);
  else {
    await place.install(ports);
    await mkdir(shelf, { recursive: true });
    await writeFile(linkFile, await place.makeLink(ports));
    await copy(place.dir, join(shelf, `${entry}.part`));
    await rename(join(shelf, `${entry}.part`), join(shelf, entry));
  }
  return { ports, link: await readFile(linkFile, "utf8"), release };
}
