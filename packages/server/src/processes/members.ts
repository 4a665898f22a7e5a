import { join } from "node:path";
import type { User } from "../features/accounts/account.ts";
import {
  makeMembersBuilds,
  type MembersBuilds,
  openMembersLock,
} from "../features/members/member-builds.ts";
import { makeMembers, type Members } from "../features/members/members.ts";
import type { SiteBuilder } from "../features/release/builder/build.ts";
import { exportSite } from "../features/release/export.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import type { Repository } from "../features/workspace/git.ts";
import type { Outbox } from "../platform/mailer/outgoing-email.ts";
import type { Instance } from "./instance.ts";

/** The builds for restricted projects, in the runner. */
export function openMembersBuilds(
  { config, clock, log, database, shared }: Instance,
  { repository, builder }: { repository: Repository; builder: SiteBuilder },
): MembersBuilds {
  const { paths, baseUrl, owner } = config;
  const { db } = database;
  const local = openMembersLock(paths);
  return makeMembersBuilds({
    lock: shared ? shared.lock("members", local) : local,
    fetchArtifact: shared?.artifacts.get,
    db,
    clock,
    log,
    paths,
    repository,
    builder,
    mediaDir: join(paths.content, mediaFolder),
    records: (restricted) => exportSite(db, { baseUrl, owner }, { restricted }),
  });
}

/** Access to restricted projects, in the web process. */
export function openMembers(
  { config, clock, database }: Instance,
  deps: { outbox: Outbox; deleteAccount(user: User, by: "owner"): Promise<boolean> },
): Members {
  return makeMembers({
    db: database.db,
    clock,
    siteName: () => config.owner.name,
    ...deps,
  });
}
