import type { Db } from "../../platform/db/connect.ts";
import { tables } from "./store.ts";

/** The id of the project that has this slug now. */
export async function findIdBySlug(db: Db, slug: string): Promise<number | null> {
  const row = await tables(db)
    .selectFrom("project")
    .select("id")
    .where("slug", "=", slug)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The slugs with this beginning that lead somewhere: to a project, or on to its present slug. */
export async function listTakenSlugs(db: Db, stem: string): Promise<Set<string>> {
  const found = await tables(db)
    .selectFrom("project")
    .select("slug")
    .where("slug", "like", `${stem}%`)
    .union(
      tables(db).selectFrom("project_redirect").select("slug").where("slug", "like", `${stem}%`),
    )
    .execute();
  return new Set(found.map((row) => row.slug));
}

/** Lets an old slug lead to a project; one that led elsewhere leads here from now on. */
export async function writeRedirect(
  db: Db,
  redirect: { slug: string; projectId: number; at: string },
): Promise<void> {
  await tables(db)
    .insertInto("project_redirect")
    .values({ slug: redirect.slug, project_id: redirect.projectId, created_at: redirect.at })
    .onConflict((conflict) =>
      conflict.column("slug").doUpdateSet({ project_id: redirect.projectId }),
    )
    .execute();
}

/** Ends a redirect: a project has its slug now. */
export async function deleteRedirect(db: Db, slug: string): Promise<void> {
  await tables(db).deleteFrom("project_redirect").where("slug", "=", slug).execute();
}
