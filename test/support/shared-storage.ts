import { join } from "node:path";
import { onTestFinished } from "vitest";
import { makeBlobs } from "../../packages/server/src/features/storage/blobs.ts";
import { makePacks } from "../../packages/server/src/features/storage/packs.ts";
import { makeSharedContent } from "../../packages/server/src/features/storage/shared-content.ts";
import { makeSharedFiles } from "../../packages/server/src/features/storage/shared-files.ts";
import { makeRepository } from "../../packages/server/src/features/workspace/git.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { openObjectStore } from "../../packages/server/src/platform/storage/object-store.ts";
import type { S3Server } from "./publish-targets/s3-server.ts";
import { tempFolder } from "./temp.ts";

/** A node of an instance that is only a folder, until the test has ended. */
export async function openNode({
  db,
  server,
  maxPacks,
}: {
  db: Db;
  server: S3Server;
  maxPacks?: number;
}) {
  const folder = await tempFolder();
  const { endpoint, bucket, accessKeyId, secretAccessKey } = server;
  const keys = { endpoint, bucket, accessKeyId, secretAccessKey };
  const objects = openObjectStore({ ...keys, region: "x", prefix: "node", isPathStyle: true });
  const blobs = makeBlobs({ db, objects });
  const dir = folder.path;
  const files = makeSharedFiles({ db, blobs, dir, notify: async () => {} });
  const content = makeSharedContent({ db, packs: makePacks({ db, blobs }), files, maxPacks });
  const repository = makeRepository({
    contentDir: join(dir, "content"),
    workspacesDir: join(dir, "data/workspaces"),
    log: createLog({ level: "silent", name: "node" }),
    remote: content,
  });
  onTestFinished(async () => {
    repository.close();
    await objects.close();
    await folder.remove();
  });
  return { dir, blobs, files, content, repository };
}
