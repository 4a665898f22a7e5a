import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { platformRoot } from "../paths.ts";
import { migrate } from "./migrate.ts";

const at = "2026-01-01T00:00:00.000Z";
const schema = join(platformRoot, "packages/server/database");

const before = [
  `insert into run (id, kind, mode, instruction, status, model, actor, created_at)
    values ('a', 'edit', 'build', 'x', 'published', 'm', 'Owner', '${at}')`,
  `insert into run (id, kind, mode, instruction, restores, status, model, actor, created_at)
    values ('b', 'restore', 'build', 'x', 'a', 'published', 'm', 'Owner', '${at}')`,
  `insert into run_request (run_id, origin_run, origin) values ('b', 'a', 'continue')`,
  `insert into run_notice values ('a', '${at}', '${at}', 'mailed')`,
  `insert into task (id, kind, title, instruction, status, claim_hash, lapsed_at, actor, created_at,
    updated_at) values (1, 'edit', 't', 'i', 'claimed', 'h', '${at}', 'Owner', '${at}', '${at}')`,
  `insert into task_notice (task_id, kind, created_at, settled_at, outcome)
    values (1, 'failed', '${at}', '${at}', 'mailed')`,
  `insert into qa_pass (id, trigger_kind, status, started_at, seen_at, stop_at, progress, unchanged,
    fresh, fixed, reopened, not_run) values (7, 'heartbeat', 'running', '${at}', '${at}', '${at}',
    '{"found":3}', 1, 4, 5, 6, '[{"what":"w","why":"y"}]')`,
  `insert into finding (id, fingerprint, check_id, category, scope, severity, confidence, engine,
    page_url, message, safe, status, reporter, first_seen_at, last_seen_at, first_pass_id,
    last_pass_id) values (1, 'f', 'c', 'c', 'page', 'error', 'confirmed', 'e', '/', 'm', 1, 'open',
    'outside', '${at}', '${at}', 7, 7)`,
  `insert into finding_pass values (7, 1, 'new')`,
  `insert into qa_resource values ('r', '{"url":"\\"cut\\":","browserSeen":true,"shown":{"places":[],"cut":false,"unseen":[]}}', 2)`,
  `insert into qa_external values ('e', '{"badPasses":2}')`,
  `insert into qa_site values (1, '{"key":"k"}')`,
  `insert into outbox_mail (id, purpose, recipient, subject, status, created_at, due_at)
    values (3, 'known', 'a@example.org', 's', 'sent', '${at}', '${at}')`,
  `insert into contact_message (name, email, message, at, ip, mail_id)
    values ('n', 'a@example.org', 'm', '${at}', '::1', 3)`,
  `insert into project (id, slug, name, status, position, created_at, updated_at)
    values (1, 'p', 'P', 'draft', 1, '${at}', '${at}')`,
  `insert into invitation (project_id, email, created_at, mail_id)
    values (1, 'a@example.org', '${at}', 3)`,
  `insert into members_build (name, made_of) values ('members', 'key')`,
  `insert into setting (key, value, updated_at) values ('look', 'moss', '${at}')`,
];

/** A query of each row under its present names, and what it gives. */
const after: readonly (readonly [query: string, row: object])[] = [
  [`select restored_run_id from run where id = 'b'`, { restored_run_id: "a" }],
  [`select origin_run_id, origin from run_request`, { origin_run_id: "a", origin: "continue" }],
  [`select processed_at, outcome from run_notification`, { processed_at: at, outcome: "emailed" }],
  [`select expired_at from task`, { expired_at: at }],
  [`select processed_at, outcome from task_notification`, { processed_at: at, outcome: "emailed" }],
  [
    `select heartbeat_at, stop_requested_at, progress, is_unchanged, new_findings, fixed_findings,
      reopened_findings, skipped_checks, trigger_kind from qa_run`,
    {
      heartbeat_at: at,
      stop_requested_at: at,
      progress: '{"findings":3}',
      is_unchanged: 1,
      new_findings: 4,
      fixed_findings: 5,
      reopened_findings: 6,
      skipped_checks: '[{"what":"w","why":"y"}]',
      trigger_kind: "heartbeat",
    },
  ],
  [
    `select is_safe, first_run_id, last_run_id, reporter from finding`,
    { is_safe: 1, first_run_id: 7, last_run_id: 7, reporter: "external" },
  ],
  [`select * from finding_run`, { run_id: 7, finding_id: 1, state: "new" }],
  [
    `select * from qa_resource`,
    {
      id: "r",
      metadata:
        '{"url":"\\"cut\\":","browserVisited":true,"rendered":{"fragmentTargets":[],"truncated":false,"hidden":[]}}',
      missed_runs: 2,
    },
  ],
  [`select metadata from qa_external`, { metadata: '{"badRuns":2}' }],
  [`select metadata from qa_site`, { metadata: '{"key":"k"}' }],
  [`select id, purpose from outbox_email`, { id: 3, purpose: "account_exists" }],
  [`select email_id from contact_message`, { email_id: 3 }],
  [`select email_id from invitation`, { email_id: 3 }],
  [`select input_hash from members_build`, { input_hash: "key" }],
  [`select key, value from setting`, { key: "theme", value: "moss" }],
];

describe.each(dialects)("columns that have other names now, on %s", (dialect) => {
  let maker: DatabaseMaker;
  beforeAll(async () => {
    maker = await startDialect(dialect, { empty: true });
  });
  afterAll(() => maker.close());

  test("an instance's rows are all there under the present names", async () => {
    await using folder = await tempFolder();
    const dir = join(folder.path, "database");
    await cp(schema, dir, { recursive: true });
    const migrations = (await readdir(join(dir, "migrations"))).toSorted();
    const later = migrations.filter((name) => name >= "011");
    for (const name of later) await rm(join(dir, "migrations", name));
    const { database } = await maker.make();
    await migrate({ database, now: 0, dir });
    for (const statement of before) await sql.raw(statement).execute(database.db);
    const applied = later.map((name) => name.replace(/\.sql$/, ""));
    expect(await migrate({ database, now: 0 })).toEqual({ applied });
    expect(applied[0]).toBe("011-names");
    for (const [query, row] of after) {
      expect((await sql.raw(query).execute(database.db)).rows).toEqual([row]);
    }
    // What refers to a renamed table still does: with its run goes what it had to do with a finding.
    await sql`delete from qa_run`.execute(database.db);
    expect((await sql`select * from finding_run`.execute(database.db)).rows).toEqual([]);
  });

  test("an old table that has rows beside the new one is not dropped", async () => {
    const { database } = await maker.make();
    await migrate({ database, now: 0 });
    await sql`create table qa_pass (id integer)`.execute(database.db);
    await sql`insert into qa_pass values (1)`.execute(database.db);
    await sql`delete from migration where name = '011-names'`.execute(database.db);
    await expect(migrate({ database, now: 0 })).rejects.toThrow(/qa_pass and qa_run/);
    expect((await sql`select id from qa_pass`.execute(database.db)).rows).toEqual([{ id: 1 }]);
  });
});
