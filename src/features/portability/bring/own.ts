import { join } from "node:path";
import { readFile } from "node:fs/promises";
import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import { newUlid } from "../../../kit/ulid.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { writeFileAtomic } from "../../../platform/files.ts";
import { audienceHash } from "../../release/export.ts";
import { overRebuilds } from "../../release/pending.ts";
import type { Publisher, PublishRequest } from "../../release/publish.ts";
import type { Repository } from "../../workspace/git.ts";
import {
  createWorkspace,
  listWorkspaces,
  removeWorkspace,
  type Workspace,
} from "../../workspace/workspace.ts";
import { type OwnFiles, type OwnChange, resumeFile, siteFile } from "../resume/content-files.ts";

export interface OwnParts {
  db: Db;
  clock: Clock;
  repository: Repository;
  publisher: Pick<Publisher, "publish">;
  /** Builds a workspace with the records as they are; throws for content that does not build. */
  build(workspace: Workspace): Promise<PublishRequest["artifact"]>;
  /** Whose change it is. */
  ownerName: string;
}

/** How long it waits for another publish, in ms. */
const patienceMs = 120_000;

/** The owner's files in a folder of the content. Throws `unavailable` where one is missing. */
export async function readOwn(dir: string): Promise<OwnFiles> {
  const read = (path: string) =>
    readFile(join(dir, path), "utf8").catch((cause: unknown) => {
      throw new AppError(
        "unavailable",
        `The site has no ${path}: there is no place for a résumé.`,
        {
          cause,
        },
      );
    });
  return { resume: await read(resumeFile), site: await read(siteFile) };
}

/** Removes the workspaces of imports that were killed; for whoever knows that no other one runs. */
export async function removeImportWorkspaces(repository: Repository): Promise<void> {
  for (const name of await listWorkspaces(repository)) {
    if (name.startsWith("import-")) await removeWorkspace(repository, name);
  }
}

function changelogOf({ site }: OwnChange, { ownerName, at }: { ownerName: string; at: string }) {
  const more = site.length > 0 ? ` With it came the site’s ${site.join(", ")}.` : "";
  const detail = `The résumé was brought in from a JSON Resume.${more}`;
  return { kind: "content", title: "New résumé", detail, at, actor: ownerName };
}

/**
 * Puts a résumé before the public as every other change of the site's files: in a workspace, by a
 * build that passes, as one commit on `main`, with an entry of the changelog and a release. `change`
 * makes it of the files at the head of `main`; `along` joins the transaction that begins it: when it
 * throws, nothing has begun. Throws what the publisher and the build throw.
 */
export async function publishOwn(
  parts: OwnParts,
  change: (own: OwnFiles) => OwnChange,
  along: (transaction: Db) => Promise<void>,
): Promise<void> {
  const { db, clock, repository, publisher, build, ownerName } = parts;
  const id = `import-${newUlid(clock.now())}`;
  const workspace = await createWorkspace(repository, id);
  try {
    const changed = change(await readOwn(workspace.dir));
    for (const [path, text] of Object.entries(changed.files)) {
      await writeFileAtomic(join(workspace.dir, path), text);
    }
    const reason = "a résumé was imported meanwhile";
    await overRebuilds(db, { reason, now: () => clock.now() }, async () => {
      const audience = await audienceHash(db);
      const artifact = await build(workspace);
      await publisher.publish({
        runId: id,
        workspace,
        artifact,
        message: "Import the résumé",
        actor: ownerName,
        trailers: { Import: id, Actor: ownerName },
        rebuild: build,
        changelog: changelogOf(changed, { ownerName, at: isoTime(clock.now()) }),
        waitMs: patienceMs,
        async begin(transaction) {
          if ((await audienceHash(transaction)) !== audience) {
            throw new AppError(
              "conflict",
              "It was changed meanwhile whom projects are for. Import again.",
            );
          }
          await along(transaction);
        },
      });
    });
  } finally {
    await removeWorkspace(repository, id);
  }
}
