import type { Db } from "../../platform/db/connect.ts";
import { tables } from "./store.ts";

/** The ID of the project with this current slug. */
export async function findIdBySlug(db: Db, slug: string): Promise<number | null> {
  const row = await tables(db)
    .selectFrom("project")
    .select("id")
    .where("slug", "=", slug)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The slugs with this prefix that belong to a project or redirect to one. */
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

/** Redirects an old slug to a project, replacing an earlier redirect. */
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

/** Deletes a redirect because a project has its slug now. */
export async function deleteRedirect(db: Db, slug: string): Promise<void> {
  await tables(db).deleteFrom("project_redirect").where("slug", "=", slug).execute();
}
