import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";

interface SetupTable {
  id: number;
  answers: string;
  updated_at: string;
  dismissed_at: string | null;
}

type RunTables = {
  run: { id: string; status: string; release_number: number | null; created_at: string };
  run_request: { run_id: string; form: string | null };
};

function tables(db: Db) {
  return db.withTables<{ setup: SetupTable } & RunTables>();
}

/** The stored answers; null if there are none. */
export async function findAnswers(db: Db): Promise<unknown> {
  const row = await tables(db).selectFrom("setup").select("answers").executeTakeFirst();
  return row ? parseJson(row.answers) : null;
}

/** Replaces the answers. `at` is ISO 8601 UTC. */
export async function putAnswers(db: Db, answers: object, at: string): Promise<void> {
  const columns = { answers: JSON.stringify(answers), updated_at: at };
  await tables(db)
    .insertInto("setup")
    .values({ id: 1, ...columns, dismissed_at: null })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
    .execute();
}

/** Whether the owner has dismissed the open steps. */
export async function findDismissed(db: Db): Promise<boolean> {
  const row = await tables(db).selectFrom("setup").select("dismissed_at").executeTakeFirst();
  return (row?.dismissed_at ?? null) !== null;
}

/** Hides or shows open setup steps on the overview. `at` is ISO 8601 UTC. */
export async function putDismissed(db: Db, isDismissed: boolean, at: string): Promise<void> {
  const columns = { dismissed_at: isDismissed ? at : null };
  await tables(db)
    .insertInto("setup")
    .values({ id: 1, answers: "{}", updated_at: at, ...columns })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
    .execute();
}

/** The input of the form that was last published under this name; null if there was none. */
export async function findPublishedForm(db: Db, name: string): Promise<unknown> {
  const rows = await tables(db)
    .selectFrom("run_request")
    .innerJoin("run", "run.id", "run_request.run_id")
    .select("run_request.form")
    .where("run.status", "=", "published")
    .where("run_request.form", "is not", null)
    .orderBy("run.release_number", "desc")
    .execute();
  const forms = rows.map(({ form }) => parseJson(form ?? "") as { name: string; input: unknown });
  return forms.find((form) => form.name === name)?.input ?? null;
}

/** The newest run of this form that is still undecided. */
export async function findOpenForm(db: Db, name: string): Promise<string | null> {
  const rows = await tables(db)
    .selectFrom("run_request")
    .innerJoin("run", "run.id", "run_request.run_id")
    .select(["run.id", "run_request.form"])
    .where("run.status", "in", ["queued", "running", "building", "preview_ready", "publishing"])
    .where("run_request.form", "is not", null)
    .orderBy("run.id", "desc")
    .execute();
  const found = rows.find(({ form }) => (parseJson(form ?? "") as { name: string }).name === name);
  return found?.id ?? null;
}
