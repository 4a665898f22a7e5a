import { join } from "node:path";
import { readFile } from "node:fs/promises";
import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import { newUlid } from "../../../kit/ulid.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { undefinedIfMissing, writeFileAtomic } from "../../../platform/files.ts";
import { audienceHash } from "../../release/export.ts";
import { supersedeRebuilds } from "../../release/rebuild-requests.ts";
import type { Publisher, PublishRequest } from "../../release/publish.ts";
import { mainHead, type Repository } from "../../workspace/git.ts";
import {
  createWorkspace,
  removeFinishedWorkspace,
  listWorkspaces,
  removeWorkspace,
  type Workspace,
} from "../../workspace/workspace.ts";
import {
  type SiteIdentityChange,
  siteIdentityFiles,
  type SiteIdentityFiles,
} from "../resume/content-files.ts";

export interface SiteIdentityDependencies {
  db: Db;
  clock: Clock;
  repository: Repository;
  publisher: Pick<Publisher, "publish">;
  /**
   * Builds a workspace with the current records, without the projects named in `hide`. Throws for
   * content that doesn't build.
   */
  build(workspace: Workspace, hide?: readonly string[]): Promise<PublishRequest["artifact"]>;
  /** The current setting. */
  owner: { name: string; timeZone: string };
}

/** How long to wait for another publish, in ms. */
const lockTimeoutMs = 120_000;

/** The owner's existing files in a folder of the content. */
export async function readSiteIdentity(dir: string): Promise<SiteIdentityFiles> {
  const files: [string, string][] = [];
  for (const path of siteIdentityFiles) {
    const text = await undefinedIfMissing(readFile(join(dir, path), "utf8"));
    if (text !== undefined) files.push([path, text]);
  }
  return Object.fromEntries(files);
}

/** Removes the workspaces of killed imports. The caller holds the import lock. */
export async function removeImportWorkspaces(repository: Repository): Promise<void> {
  for (const name of await listWorkspaces(repository)) {
    if (name.startsWith("import-")) await removeWorkspace(repository, name);
  }
}

/** The changelog's text; empty if only the sample's entries are deleted. */
function changelogOf(
  { isNew, texts }: SiteIdentityChange,
  { ownerName, at }: { ownerName: string; at: string },
): PublishRequest["changelog"] {
  if (!isNew && texts.length === 0) return null;
  const title = isNew ? "New résumé" : "Texts from the résumé";
  const brought = isNew ? "The résumé was imported from a JSON Resume." : "";
  const more = texts.length > 0 ? "The name, headline, and story on the pages now match it." : "";
  const detail = [brought, more].filter(Boolean).join(" ");
  return { kind: "content", title, detail, at, actor: ownerName };
}

/** The commit's subject. */
function messageOf({ isNew, texts }: SiteIdentityChange): string {
  if (isNew) return "Import the résumé";
  return texts.length > 0 ? "Use texts from the résumé" : "Remove the sample’s changelog";
}

interface PublishSiteIdentityRequest {
  change(own: SiteIdentityFiles): SiteIdentityChange;
  ownerName: string;
}

/** `main` has moved since the build, so the result would differ from what was built. */
class MainMoved extends AppError {
  constructor() {
    super("conflict", "The content keeps changing. Try the import again later.");
  }
}

/** The number of times that `main` may move before an import gives up. */
const maxAttempts = 4;

/** One attempt on the current head of `main`. Throws Overtaken before anything is written. */
async function attempt(
  deps: SiteIdentityDependencies,
  { change, ownerName }: PublishSiteIdentityRequest,
  { id, inTransaction }: { id: string; inTransaction(transaction: Db): Promise<void> },
): Promise<void> {
  const { db, clock, repository, publisher, build } = deps;
  const workspace = await createWorkspace(repository, id);
  try {
    const changed = change(await readSiteIdentity(workspace.dir));
    for (const [path, text] of Object.entries(changed.files)) {
      await writeFileAtomic(join(workspace.dir, path), text);
    }
    const reason = "an import has been published";
    await supersedeRebuilds(db, { reason, now: () => clock.now() }, async () => {
      const audience = await audienceHash(db);
      const artifact = await build(workspace);
      await publisher.publish({
        runId: id,
        workspace,
        artifact,
        message: messageOf(changed),
        actor: ownerName,
        trailers: { Import: id, Actor: ownerName },
        rebuild: build,
        changelog: changelogOf(changed, { ownerName, at: isoTime(clock.now()) }),
        waitMs: lockTimeoutMs,
        async onStart(transaction) {
          // From here on, nothing may fail that could have failed earlier: no merge, no further
          // build.
          if ((await mainHead(repository)) !== workspace.baseCommit) throw new MainMoved();
          if ((await audienceHash(transaction)) !== audience) {
            throw new AppError(
              "conflict",
              "The audience of a project changed in the meantime. Import again.",
            );
          }
          await inTransaction(transaction);
        },
      });
    });
  } finally {
    await removeFinishedWorkspace(repository, id);
  }
}

/**
 * Publishes changes to the site's own files like every other change: in a workspace, with a build
 * that succeeds, as one commit on `main`, with a changelog entry and a release. `change` computes
 * the change from the files at the head of `main`, again if `main` has moved before the publish
 * begins; its actor is `ownerName`. `inTransaction` joins the transaction that begins the publish:
 * if it throws, nothing has begun. Throws the errors of the publisher and the build.
 */
export async function publishSiteIdentity(
  deps: SiteIdentityDependencies,
  request: PublishSiteIdentityRequest,
  inTransaction: (transaction: Db) => Promise<void>,
): Promise<void> {
  const id = `import-${newUlid(deps.clock.now())}`;
  for (let n = 1; ; n += 1) {
    // If the previous attempt couldn't remove its workspace, this has to succeed now or throw.
    if (n > 1) await removeWorkspace(deps.repository, id);
    try {
      return await attempt(deps, request, { id, inTransaction });
    } catch (error) {
      if (!(error instanceof MainMoved) || n >= maxAttempts) throw error;
    }
  }
}
