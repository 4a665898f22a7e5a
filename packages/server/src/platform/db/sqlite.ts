import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from "kysely";

/** How many prepared statements a connection keeps; the program has fewer distinct ones. */
const cachedStatements = 400;

/** Adapts a node:sqlite statement to Kysely's dialect. */
function adaptStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  };
}

function adaptDatabase(database: DatabaseSync): Adapted {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    isInTransaction: () => database.isTransaction,
    prepare(sql) {
      const known = statements.get(sql);
      if (known) return known;
      const statement = adaptStatement(database.prepare(sql));
      // Statements such as `begin` or DDL are cheap to prepare and must not keep an old schema.
      if (!statement.reader && !/^\s*(insert|update|delete)\b/i.test(sql)) return statement;
      if (statements.size >= cachedStatements) statements.clear();
      statements.set(sql, statement);
      return statement;
    },
  };
}

interface Adapted extends SqliteDatabase {
  isInTransaction(): boolean;
}

/** Maximum time that a statement waits for the lock in total, in ms. */
const busyTimeoutMs = 30_000;

function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" && (errcode & 0xff) === 5;
}

/**
 * SQLite gives its lock to whoever asks when it is free, so with many writers, one can miss it for
 * the whole busy timeout. Such a statement has done nothing and is retried.
 */
function retryWhileBusy(connection: DatabaseConnection): DatabaseConnection {
  return {
    streamQuery: (...query) => connection.streamQuery(...query),
    async executeQuery(...query) {
      const until = performance.now() + busyTimeoutMs;
      for (;;) {
        try {
          return await connection.executeQuery(...query);
        } catch (error) {
          if (!isBusy(error) || performance.now() > until) throw error;
          await delay(Math.random() * 50);
        }
      }
    },
  };
}

class ImmediateDriver extends SqliteDriver {
  readonly #database: Adapted;

  constructor(database: Adapted) {
    super({ database });
    this.#database = database;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return retryWhileBusy(await super.acquireConnection());
  }

  /** Takes the write lock at the start: a transaction that began as a reader could fail halfway. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  /** A full disk ends the transaction automatically; the caller needs the disk's error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isInTransaction()) await super.rollbackTransaction(connection);
  }
}

class ImmediateDialect extends SqliteDialect {
  readonly #database: Adapted;

  constructor(database: Adapted) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#database);
  }
}

/**
 * Opens a SQLite file: write-ahead log, every acknowledged commit on disk, 5 s of waiting for a
 * lock (node:sqlite waits 0 by default) and 30 s of retries, foreign keys enforced.
 */
export function sqliteDialect(file: string, { busyMs = 5000 } = {}): SqliteDialect {
  const database = new DatabaseSync(file, { timeout: busyMs, enableForeignKeyConstraints: true });
  database.exec(
    "pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory;",
  );
  return new ImmediateDialect(adaptDatabase(database));
}
