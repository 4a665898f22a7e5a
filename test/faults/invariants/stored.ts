import { readdir, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { sql } from "kysely";
import { spareName } from "../../../packages/server/src/features/release/spare-release.ts";
import { openDatabase } from "../../../packages/server/src/platform/db/connect.ts";
import type { Product } from "../product.ts";

export interface StoredRun {
  id: string;
  status: string;
  artifact_sha: string | null;
  commit_sha: string | null;
  release_number: number | null;
}

export interface StoredIntent {
  run_id: string;
  state: string;
  artifact: string;
  commit_sha: string | null;
  release_number: number | null;
}

export interface Commit {
  sha: string;
  run: string;
  task: string;
}

/** Everything that a product has stored, read once while it is idle. */
export interface Stored {
  projects: { id: number; slug: string; status: string; summary: string }[];
  media: { src: string; poster: string | null; variants: string }[];
  messages: string[];
  accounts: string[];
  runs: StoredRun[];
  tasks: { id: number; status: string; commit_sha: string | null; run_id: string | null }[];
  taskEnds: { task_id: number; ends: number }[];
  intents: StoredIntent[];
  membersArtifacts: string[];
  signIns: number;
  /** The result of SQLite's integrity check; "ok" with PostgreSQL. */
  integrity: string;
  /** Commits of `main`, the newest first. */
  commits: Commit[];
  /** The number that `current` points at. */
  current: number;
  releases: string[];
}

async function commitsOf(product: Product): Promise<Commit[]> {
  const trailer = (name: string) => `%(trailers:key=${name},valueonly,separator=%x2C)`;
  const format = `--format=%H%x09${trailer("Run")}%x09${trailer("Task")}`;
  const log = await product.git("log", format, "main");
  return log
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [sha = "", run = "", task = ""] = line.split("\t");
      return { sha, run, task };
    });
}

/** Reads the database through a separate connection, git, and the folders. */
export async function readStored(product: Product): Promise<Stored> {
  const { paths, databaseUrl } = product;
  const database = openDatabase({ url: databaseUrl, file: paths.database });
  const rows = async <T>(text: string) => (await sql.raw<T>(text).execute(database.db)).rows;
  const only = async (text: string) =>
    (await rows<{ value: string }>(text)).map((row) => row.value);
  try {
    const integrity =
      databaseUrl === null
        ? (await rows<{ integrity_check: string }>("pragma integrity_check")).map(
            (row) => row.integrity_check,
          )
        : ["ok"];
    return {
      projects: await rows("select id, slug, status, summary from project"),
      media: await rows("select src, poster, variants from media"),
      messages: await only("select message as value from contact_message"),
      accounts: await only("select email as value from user_account"),
      runs: await rows("select id, status, artifact_sha, commit_sha, release_number from run"),
      tasks: await rows("select id, status, commit_sha, run_id from task"),
      taskEnds: await rows(
        "select task_id, count(*) as ends from task_event where type = 'published' group by task_id",
      ),
      intents: await rows(
        "select run_id, state, artifact, commit_sha, release_number from publish_intent",
      ),
      membersArtifacts: await only(
        "select artifact as value from members_build where artifact is not null",
      ),
      signIns: Number(
        (await only("select count(*) as value from admin_log where outcome = 'success'"))[0],
      ),
      integrity: integrity.join(", "),
      commits: await commitsOf(product),
      current: Number(basename(await readlink(paths.current))),
      releases: await readdir(paths.releases),
    };
  } finally {
    await database.close();
  }
}

/** The number of rows for work in progress, by kind. */
export async function countUnsettled(product: Product): Promise<Record<string, number>> {
  const { paths, databaseUrl } = product;
  const database = openDatabase({ url: databaseUrl, file: paths.database });
  const count = async (text: string) => {
    const { rows } = await sql
      .raw<{ n: number }>(`select count(*) as n from ${text}`)
      .execute(database.db);
    return Number(rows[0]?.n ?? 0);
  };
  try {
    return {
      runs: await count("run where status in ('queued', 'running', 'building', 'publishing')"),
      tasks: await count("task where status in ('queued', 'claimed', 'building')"),
      rebuilds: await count("rebuild_request where status in ('pending', 'building')"),
      intents: await count("publish_intent where state <> 'done'"),
      "QA runs": await count("qa_run where status = 'running'"),
      mail: await count("outbox_email where status in ('waiting', 'sending')"),
      uploads: (await readdir(paths.uploads)).filter((name) => name !== "tus").length,
      staging: (await readdir(join(paths.data, "releases"))).filter(
        (name) => name.startsWith(".staging") && name !== spareName,
      ).length,
    };
  } finally {
    await database.close();
  }
}
