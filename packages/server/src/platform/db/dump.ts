import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, getCACertificates } from "node:tls";
import { sql } from "kysely";
import { Client } from "pg";
import { AppError } from "../../kit/errors.ts";
import { removeTree } from "../files.ts";
import { run, systemPath } from "../process.ts";
import type { Db } from "./connect.ts";
import { likeSiteSchemas, schemaOf, siteSchemas } from "./schema-address.ts";

/** Time limit of PostgreSQL's programs, in ms. */
const maxAddressLength = 60 * 60_000;

/** Parameters of an address, with the variables that PostgreSQL's programs read. */
const variables: Record<string, string> = {
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
  options: "PGOPTIONS",
};

interface Address {
  env: Record<string, string>;
  database: string;
  /** Whether to verify the server's certificate with the authorities that Node trusts. */
  needsRoots: boolean;
}

/** Makes PostgreSQL's programs encrypt and verify the server's certificate like Node's driver. */
function encryption(url: string, { ssl }: Client): { env: Record<string, string>; roots: boolean } {
  const params = new URLSearchParams(url.split("?")[1] ?? "");
  // The driver's parsed value has more forms than its type says.
  const options = ssl as boolean | ConnectionOptions;
  if (options === false) {
    return {
      env: params.get("sslmode") === "disable" ? { PGSSLMODE: "disable" } : {},
      roots: false,
    };
  }
  const { rejectUnauthorized, checkServerIdentity } = options === true ? {} : options;
  if (rejectUnauthorized === false) return { env: { PGSSLMODE: "require" }, roots: false };
  const mode = checkServerIdentity === undefined ? "verify-full" : "verify-ca";
  const root = params.get("sslrootcert");
  const env = { PGSSLMODE: mode, ...(root === null ? {} : { PGSSLROOTCERT: root }) };
  return { env, roots: root === null };
}

/**
 * Parses an address like the program's own connections; its parts are passed in the environment,
 * never as arguments.
 */
function readAddress(url: string): Address {
  const client = new Client({ connectionString: url });
  const { host, port, user, database = "", password } = client;
  const { env: encrypted, roots } = encryption(url, client);
  const env: Record<string, string> = {
    PATH: systemPath,
    LC_ALL: "C.UTF-8",
    HOME: "/nonexistent",
    PGHOST: host,
    PGPORT: String(port),
    PGDATABASE: database,
    PGCONNECT_TIMEOUT: "10",
    ...(user === undefined ? {} : { PGUSER: user }),
    ...(typeof password === "string" ? { PGPASSWORD: password } : {}),
    ...encrypted,
  };
  for (const [name, value] of new URLSearchParams(url.split("?")[1] ?? "")) {
    const variable = variables[name];
    if (variable !== undefined) env[variable] = value;
  }
  return { env, database, needsRoots: roots };
}

/** Calls `work` with the environment in which PostgreSQL's programs can connect to an address. */
export async function withDatabaseEnvironment<T>(
  url: string,
  work: (env: Record<string, string>) => Promise<T>,
): Promise<T> {
  const { env, needsRoots } = readAddress(url);
  if (!needsRoots) return work(env);
  const dir = await mkdtemp(join(tmpdir(), "vitrine-roots-"));
  try {
    const file = join(dir, "roots.pem");
    await writeFile(file, getCACertificates("default").join("\n"), { mode: 0o600 });
    return await work({ ...env, PGSSLROOTCERT: file });
  } finally {
    await removeTree(dir);
  }
}

/** The server and database of an address, without its secrets. */
export function databaseLocation(url: string): string {
  const { env, database } = readAddress(url);
  return `${env["PGHOST"]}:${env["PGPORT"]}/${database}`;
}

async function runTool(
  tool: "pg_dump" | "pg_restore",
  args: string[],
  { url, signal }: { url: string; signal: AbortSignal | undefined },
): Promise<void> {
  const result = await withDatabaseEnvironment(url, (env) =>
    run(tool, args, { env, timeoutMs: maxAddressLength, ...(signal ? { signal } : {}) }),
  ).catch((cause: unknown) => {
    const isMissing = cause instanceof AppError && cause.code === "unavailable";
    if (!isMissing) throw cause;
    const message = `${tool} is missing. Install PostgreSQL's client programs (postgresql-client).`;
    throw new AppError("unavailable", message, { cause });
  });
  if (result.exitCode === 0) return;
  const [firstLine = ""] = result.stderr.trim().split("\n");
  if (/no space left on device/i.test(result.stderr)) {
    throw new AppError("disk_full", "The disk is full.", { cause: new Error(result.stderr) });
  }
  const cause = new Error(result.stderr);
  throw new AppError("upstream_failed", `${firstLine.slice(0, 300)}`, { cause });
}

/** Dumps a running SQLite database at one moment into a new file. */
export async function dumpSqlite(db: Db, file: string): Promise<void> {
  await sql`vacuum into ${file}`.execute(db);
}

/**
 * Dumps a PostgreSQL database at one moment in pg_dump's custom format. Throws `unavailable`
 * without pg_dump, `upstream_failed` with its message.
 */
export async function dumpPostgres(url: string, file: string, signal?: AbortSignal): Promise<void> {
  const what = ["--format=custom", "--compress=0", "--no-owner", "--no-privileges"];
  const schema = schemaOf(url);
  const args = [
    ...what,
    // Further sites share the database, and none is part of another one's dump.
    schema === null ? `--exclude-schema=${siteSchemas}` : `--schema=${schema}`,
    // What nodes share is in an object store, and every node has it as files.
    "--exclude-table-data=stored_*",
    "--no-password",
    "--lock-wait-timeout=60000",
    `--file=${file}`,
  ];
  await runTool("pg_dump", args, { url, signal });
}

/**
 * Restores a dump from `dumpPostgres` into an empty database, all or nothing. Throws the same
 * errors.
 */
export async function restorePostgres(
  url: string,
  file: string,
  signal?: AbortSignal,
): Promise<void> {
  const name = readAddress(url).database.replace(/[\\']/g, "\\$&");
  const how = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"];
  const args = [...how, "--no-password", `--dbname=dbname='${name}'`, file];
  await runTool("pg_restore", args, { url, signal });
}

/**
 * Whether a PostgreSQL database has no tables, views, sequences, or functions except those of
 * extensions and of further sites; with an address that names a schema, whether that is missing.
 */
export async function isEmptyPostgres(db: Db, url: string): Promise<boolean> {
  const schema = schemaOf(url);
  if (schema !== null) {
    const found = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(db);
    return found.rows.length === 0;
  }
  const { rows } = await sql<{ name: string }>`
    select found.name from (
      select oid, relname as name, relnamespace as place from pg_class
      union all select oid, proname, pronamespace from pg_proc
    ) as found join pg_namespace on pg_namespace.oid = found.place
    where nspname <> 'information_schema' and nspname not like 'pg\\_%'
      and nspname not like ${likeSiteSchemas}
      and not exists (
        select 1 from pg_depend where objid = found.oid and deptype = 'e'
      )
    limit 1`.execute(db);
  return rows.length === 0;
}
