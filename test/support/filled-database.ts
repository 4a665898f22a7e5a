import { DatabaseSync } from "node:sqlite";

interface Column {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

type Values = Record<string, string | number | null>;

/** What columns need that are checked together, by table. */
const special: Record<string, (at: number) => Values> = {
  setting: (at) => (at === 0 ? { ciphertext: null, key_id: null } : { value: null }),
  changelog_entry: (at) => ({
    source: at === 0 ? "seed" : "app",
    ...(at > 0 && { seed_key: null }),
  }),
  task: (at) => ({ status: "queued", claim_hash: null, attempts: 1, priority: at - 1 }),
  publish_target: (at) => (at === 0 ? {} : { ciphertext: null, key_id: null }),
};

/** Texts that are easily changed on their way from one database to another. */
const oddTexts = [
  "ä 漢字 😀 \u0301e",
  `'"\\ \n\t {"json": "\\u0000"}`,
  "",
  "  %_* ",
  "Z",
  "a",
  "é",
];

function makeValue(column: Column, at: number): string | number {
  const type = column.type.toLowerCase();
  if (type === "integer") return column.pk > 0 ? at + 1 : at * 1000 - 1;
  if (type === "bigint") return at === 0 ? Number.MAX_SAFE_INTEGER : -at;
  if (type === "real") return 12.25 + at;
  if (type === "double precision") return 0.1 + at;
  const odd = oddTexts[at % oddTexts.length] ?? "";
  return column.pk > 0 ? `${odd}-${at}` : `${column.name} ${at} ${odd}`;
}

/** One of the values that `check (column in (…))` allows; undefined without such a check. */
function allowedValue(table: string, column: string, at: number): string | undefined {
  const list = new RegExp(`\\b${column} in \\(([^)]*)\\)`).exec(table)?.[1] ?? "";
  const values = [...list.matchAll(/'([^']*)'/g)].map(([, value]) => value);
  return values[at % Math.max(1, values.length)];
}

/** Fills every table of a migrated SQLite file with rows that belong together. */
export function fillDatabase(file: string, rowsPerTable = 3): void {
  const db = new DatabaseSync(file);
  try {
    db.exec("pragma foreign_keys = off; begin");
    const tables = db
      .prepare(
        "select name, sql from sqlite_master where type = 'table' and name not like 'sqlite%' and name <> 'migration'",
      )
      .all() as { name: string; sql: string }[];
    for (const { name, sql } of tables) {
      const columns = db
        .prepare(`select * from pragma_table_info('${name}')`)
        .all() as unknown as Column[];
      const references = db.prepare(`select * from pragma_foreign_key_list('${name}')`).all() as {
        from: string;
        table: string;
      }[];
      const isOne = /check \(id = 1\)/.test(sql);
      for (let at = 0; at < (isOne ? 1 : rowsPerTable); at += 1) {
        const own = special[name]?.(at) ?? {};
        const values = columns.map((column) => {
          if (column.name in own) return own[column.name] ?? null;
          const referred = references.find(({ from }) => from === column.name);
          if (referred !== undefined) {
            const key = db
              .prepare(`select * from pragma_table_info('${referred.table}')`)
              .all() as unknown as Column[];
            return makeValue(key.find(({ pk }) => pk === 1) ?? column, at);
          }
          const isNull = column.notnull === 0 && column.pk === 0 && at === 2 && !/check/.test(sql);
          if (isNull) return null;
          return allowedValue(sql, column.name, at) ?? makeValue(column, at);
        });
        const marks = columns.map(() => "?").join(", ");
        db.prepare(`insert into "${name}" values (${marks})`).run(...values);
      }
    }
    db.exec("commit");
    const wrong = db.prepare("pragma foreign_key_check").all();
    if (wrong.length > 0)
      throw new Error(`Rows without what they refer to: ${JSON.stringify(wrong)}`);
    const empty = tables.filter(
      ({ name }) => db.prepare(`select 1 from "${name}"`).get() === undefined,
    );
    if (empty.length > 0) throw new Error(`Empty: ${empty.map(({ name }) => name).join(", ")}`);
  } finally {
    db.close();
  }
}
