import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { removeTree } from "../../platform/files.ts";
import { lockState } from "../../platform/lock.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import type { Keyring } from "../../platform/secrets.ts";
import { currentRelease } from "../release/current-symlink.ts";
import { kindOf } from "./kinds/kinds.ts";
import { findHostKey, makeKeyPair } from "./kinds/ssh.ts";
import type { KindDependencies } from "./kinds/target-kind.ts";
import {
  type CreateBody,
  type FoundHostKey,
  type SaveBody,
  type Target,
  targetBounds,
  type TargetList,
  type TargetSettings,
} from "./schema.ts";
import * as store from "./store.ts";
import { locationOf, sealSecret, unsealSecret, usesSsh } from "./target-secret.ts";

export interface TargetsDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  paths: InstancePaths;
  keyring: Keyring;
  kinds: KindDependencies;
  /** Called when a delivery may be due: otherwise, the runner notices a little later. */
  wake(): void;
}

/** The publish targets, as the owner manages them. */
export interface Targets {
  list(): Promise<TargetList>;
  create(body: CreateBody): Promise<Target>;
  save(body: SaveBody): Promise<Target>;
  remove(id: number): Promise<void>;
  setPaused(id: number, isPaused: boolean): Promise<Target>;
  send(id: number, options: { everything: boolean }): Promise<Target>;
  /** Connects to the target as a delivery would. */
  test(id: number): Promise<{ found: string }>;
  findHostKey(server: { host: string; port: number }): Promise<FoundHostKey>;
}

/** The folder of all targets: a folder for each, and a lock while something is sent to it. */
export function targetsFolder({ data }: Pick<InstancePaths, "data">): string {
  return join(data, "publish-targets");
}

/** Held while something is sent to the target. */
export function deliveryLock(paths: Pick<InstancePaths, "data">, id: number): string {
  return join(targetsFolder(paths), `${id}.lock`);
}

/** Folders of connection tests begin with this. */
export const testFolderPrefix = "test-";
const testMs = 3 * 60_000;

function missing(): AppError {
  return new AppError("not_found", "This publish target doesn’t exist.");
}

function statusOf(
  row: store.TargetRow,
  { release, isHeld }: { release: number | null; isHeld: boolean },
): Target["status"] {
  if (!row.isEnabled) return "paused";
  if (isHeld) return "sending";
  const { sent, revision } = row;
  if (release !== null && sent?.release === release && sent.revision === revision) {
    return "up_to_date";
  }
  return row.error === null ? "waiting" : "failed";
}

function viewOf(row: store.TargetRow, facts: { release: number | null; isHeld: boolean }): Target {
  const status = statusOf(row, facts);
  const { sent } = row;
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    siteUrl: row.siteUrl,
    forms: row.forms,
    settings: row.settings,
    secretSet: row.sealed !== null,
    publicKey: row.publicKey,
    status,
    doneFiles: status === "sending" ? row.doneFiles : 0,
    totalFiles: status === "sending" ? row.totalFiles : 0,
    error: row.error,
    nextAttemptAt: row.nextAttemptAt,
    sent: sent && { release: sent.release, at: sent.at, files: sent.files, bytes: sent.bytes },
  };
}

function missingSecret(settings: TargetSettings): AppError {
  const what = settings.kind === "s3" ? "The secret key" : "The token";
  return new AppError("validation_failed", `${what} is missing.`, {
    fields: { secret: "is required for this destination" },
  });
}

async function view({ db, paths }: TargetsDependencies, id: number): Promise<Target> {
  const row = await store.findTarget(db, id);
  if (row === null) throw missing();
  const isHeld = lockState(deliveryLock(paths, id)) === "held";
  return viewOf(row, { release: await currentRelease(paths), isHeld });
}

async function list({ db, paths }: TargetsDependencies): Promise<TargetList> {
  const release = await currentRelease(paths);
  const items = (await store.listTargets(db)).map((row) =>
    viewOf(row, { release, isHeld: lockState(deliveryLock(paths, row.id)) === "held" }),
  );
  return { items, total: items.length, release };
}

async function withTestFolder<T>(
  { paths }: TargetsDependencies,
  task: (folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(targetsFolder(paths), { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(targetsFolder(paths), testFolderPrefix));
  try {
    return await task(folder);
  } finally {
    await removeTree(folder);
  }
}

/** What to store: with the secret entered, one that is kept, or an SSH key that is made. */
async function contentOf(
  deps: TargetsDependencies,
  { name, siteUrl, forms, settings, secret }: CreateBody,
  before: store.TargetRow | null,
): Promise<store.TargetContent> {
  const { keyring } = deps;
  const kept = unsealSecret(keyring, before?.sealed ?? null, settings);
  const content = (text: string, publicKey: string | null) => ({
    name,
    stored: { siteUrl, forms, settings, publicKey },
    sealed: sealSecret(keyring, text, settings),
  });
  if (!usesSsh(settings)) {
    const entered = secret ?? kept;
    if (entered === null) throw missingSecret(settings);
    return content(entered, null);
  }
  if (kept !== null && before?.publicKey) return content(kept, before.publicKey);
  const { privateKey, publicKey } = await withTestFolder(deps, makeKeyPair);
  return content(privateKey, publicKey);
}

async function create(deps: TargetsDependencies, body: CreateBody): Promise<number> {
  const { db, clock } = deps;
  const content = await contentOf(deps, body, null);
  return db.transaction().execute(async (transaction) => {
    await store.lockTargets(transaction);
    const { length } = await store.listTargets(transaction);
    if (length >= targetBounds.count) {
      const message = `There can’t be more than ${targetBounds.count} publish targets.`;
      throw new AppError("conflict", message);
    }
    return store.insertTarget(transaction, content, isoTime(clock.now()));
  });
}

async function save(deps: TargetsDependencies, { id, ...body }: SaveBody): Promise<boolean> {
  const { db, clock } = deps;
  const before = await store.findTarget(db, id);
  if (before === null) return false;
  const content = await contentOf(deps, body, before);
  const isElsewhere = locationOf(before.settings) !== locationOf(body.settings);
  const change = { now: isoTime(clock.now()), isElsewhere };
  return db
    .transaction()
    .execute((transaction) => store.updateTarget(transaction, id, content, change));
}

async function test(deps: TargetsDependencies, id: number): Promise<{ found: string }> {
  const row = await store.findTarget(deps.db, id);
  if (row === null) throw missing();
  const { settings } = row;
  const secret = unsealSecret(deps.keyring, row.sealed, settings);
  if (secret === null) throw missingSecret(settings);
  const signal = AbortSignal.timeout(testMs);
  const found = await withTestFolder(deps, (folder) =>
    kindOf(settings).check(deps.kinds, { settings, secret, folder, signal }),
  );
  return { found };
}

/** Opens the management of publish targets. */
export function makeTargets(deps: TargetsDependencies): Targets {
  const { db, clock, kinds, wake } = deps;

  /** The target after a change, which may make a delivery due. */
  async function changed(id: number, isThere: boolean): Promise<Target> {
    if (!isThere) throw missing();
    wake();
    return view(deps, id);
  }

  return {
    list: () => list(deps),
    create: async (body) => changed(await create(deps, body), true),
    save: async (body) => changed(body.id, await save(deps, body)),
    async remove(id) {
      if (!(await store.deleteTarget(db, id))) throw missing();
    },
    async setPaused(id, isPaused) {
      const change = { isEnabled: !isPaused, now: isoTime(clock.now()) };
      return changed(id, await store.setTargetEnabled(db, id, change));
    },
    async send(id, options) {
      const isThere = await db
        .transaction()
        .execute((transaction) => store.requestDelivery(transaction, id, options));
      return changed(id, isThere);
    },
    test: (id) => test(deps, id),
    findHostKey: (server) => findHostKey(server, kinds.isForbidden),
  };
}
