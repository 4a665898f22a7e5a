import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeImageWorkers } from "../../packages/server/src/features/media/image/workers.ts";
import {
  type MediaFiles,
  makeMediaFiles,
} from "../../packages/server/src/features/media/library/files.ts";
import { addAvif } from "../../packages/server/src/features/media/library/avif-variants.ts";
import { ingest } from "../../packages/server/src/features/media/library/ingest.ts";
import { removeMedia } from "../../packages/server/src/features/media/library/remove.ts";
import type { LibraryContext } from "../../packages/server/src/features/media/library/library-context.ts";
import { findMediaByHash } from "../../packages/server/src/features/media/store.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { instancePaths } from "../../packages/server/src/platform/paths.ts";
import { fakeClock } from "./clock.ts";
import { noVideos, receivedFile, silentLog } from "./media-library.ts";
import { killSelf } from "./kill-self.ts";

/**
 * Takes in, takes away, or makes AVIF variants of the image of its one argument, {dir, database, image, action, killAt},
 * and kills itself at the moment named `killAt`.
 */
const { dir, database, image, action, killAt } = JSON.parse(process.argv[2] ?? "") as {
  dir: string;
  database: string;
  image: string;
  action: "add" | "remove" | "avif";
  killAt: string;
};

function dieAt(moment: string): void {
  if (moment === killAt) killSelf();
}

/** The real files, with a place to die before and after each step, and between two moves. */
function mortal(files: MediaFiles): MediaFiles {
  return {
    ...files,
    async receive(job, file) {
      dieAt("before the file is taken");
      await files.receive(job, file);
      dieAt("before it is converted");
    },
    async writeIntent(job, intent) {
      dieAt("before the intent");
      await files.writeIntent(job, intent);
      dieAt("after the intent");
    },
    async place(job, intent) {
      await files.place(job, { ...intent, files: intent.files.slice(0, 1) });
      dieAt("between two files");
      await files.place(job, intent);
      dieAt("before the row");
    },
    async finalize(job, hasRow) {
      dieAt("after the row");
      await files.finalize(job, hasRow);
      dieAt("at the end");
    },
  };
}

const paths = instancePaths(dir);
const { db } = openDatabase({ url: null, file: database });
const shelf: LibraryContext = {
  db,
  clock: fakeClock(),
  log: silentLog,
  limits: defaultLimits.media,
  images: makeImageWorkers({
    limits: defaultLimits.media,
    log: silentLog,
    dir: join(paths.data, "images"),
  }),
  videos: noVideos,
  files: mortal(makeMediaFiles(paths)),
  onChange: async () => dieAt("within the transaction"),
  usesOf: async () => ({ projects: [], files: [], runs: [] }),
  onAddressChange: async () => {},
};

const received = await receivedFile(paths.uploads, await readFile(image), "picture.png");
if (action === "add") {
  await ingest(shelf, { ...received, signal: new AbortController().signal });
} else {
  const media = await findMediaByHash(db, received.sha256);
  const signal = new AbortController().signal;
  if (media !== undefined && action === "avif") await addAvif(shelf, media, signal);
  else if (media !== undefined) await removeMedia(shelf, media);
}
await shelf.images.close();
