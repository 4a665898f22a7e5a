import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { makeTestLibrary } from "../../../../../../test/support/media-library.ts";
import { noise } from "../../../../../../test/support/image-bytes.ts";
import { traceable } from "../../../../../../test/support/publish/machine.ts";
import { nodeBinary, platformRoot } from "../../../platform/paths.ts";
import { listMedia } from "../store.ts";

const program = join(platformRoot, "test/support/media-process.ts");
const calls = "trace=fsync,fdatasync,rename,renameat,renameat2";

test.skipIf(!traceable)(
  "abuse 107: an image that was taken in is forced to the disk: files, then folder, then row",
  async () => {
    await using library = await makeTestLibrary();
    const { dir, content } = library.paths;
    const image = join(dir, "picture");
    await writeFile(image, await noise(900, 600).blur(2).jpeg().toBuffer());
    const trace = join(dir, "trace");
    // Killed once the row is written, it forces nothing by its end.
    const killAt = "after the row";
    const request = { dir, database: library.databaseFile, image, action: "add", killAt };
    const watched = ["-f", "-y", "-s", "4096", "-e", calls, "-o", trace, nodeBinary, program];
    await new Promise((ended) => {
      execFile("strace", [...watched, JSON.stringify(request)], ended);
    });
    const lines = (await readFile(trace, "utf8")).split("\n");
    /** The first line from there on that has all of these. */
    const after = (from: number, ...parts: string[]): number => {
      const at = lines.findIndex(
        (line, index) => index >= from && parts.every((part) => line.includes(part)),
      );
      if (at < 0) throw new Error(`Not after line ${from}: ${parts.join(" … ")}`);
      return at;
    };

    const { items } = await listMedia(library.database.db, { limit: 10, offset: 0 });
    const files = items.flatMap(({ src, variants }) => [{ src }, variants].flat());
    expect(files.length).toBeGreaterThan(1);
    const moved = files.map(({ src }) => {
      const made = `/out/${basename(src)}`;
      const forced = after(0, "sync(", `${made}>`);
      return after(forced, "rename", `${made}"`, join(content, "app/public", src));
    });
    const folder = join(content, "app/public", dirname(files[0]?.src ?? ""));
    const forced = after(Math.max(...moved), "sync(", `<${folder}>`);
    after(forced, "sync(", "-wal>");
  },
);
