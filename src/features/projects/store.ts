import type { Generated, Insertable, Selectable } from "kysely";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Project, ProjectFields } from "./project.ts";

type ProjectTable = {
  project: {
    id: Generated<number>;
    slug: string;
    name: string;
    status: "draft" | "published" | "archived";
    summary: string;
    lede: string;
    body: string;
    kind: string;
    period: string;
    role: string;
    categories: string;
    stack: string;
    skills: string;
    metrics: string;
    gallery: string;
    reel_url: string | null;
    position: number;
    version: Generated<number>;
    created_at: string;
    updated_at: string;
  };
};

/** ISO 8601 UTC. */
interface ProjectTimes {
  createdAt: string;
  updatedAt: string;
}

type ProjectRow = ProjectTable["project"];

function toRow(project: ProjectFields, times: ProjectTimes): Insertable<ProjectRow> {
  const { categories, stack, skills, metrics, gallery, reelUrl, brief: _brief, ...same } = project;
  return {
    ...same,
    categories: JSON.stringify(categories),
    stack: JSON.stringify(stack),
    skills: JSON.stringify(skills),
    metrics: JSON.stringify(metrics),
    gallery: JSON.stringify(gallery),
    reel_url: reelUrl,
    created_at: times.createdAt,
    updated_at: times.updatedAt,
  };
}

function fromRow(row: Selectable<ProjectRow>): Project {
  const { categories, stack, skills, metrics, gallery, ...rest } = row;
  const { reel_url: reelUrl, created_at: createdAt, updated_at: updatedAt, ...same } = rest;
  return {
    ...same,
    categories: parseJson(categories) as Project["categories"],
    stack: parseJson(stack) as Project["stack"],
    skills: parseJson(skills) as Project["skills"],
    metrics: parseJson(metrics) as Project["metrics"],
    gallery: parseJson(gallery) as Project["gallery"],
    reelUrl,
    createdAt,
    updatedAt,
  };
}

/** Stores a new project; false when its slug is taken. */
export async function insertProject(
  db: Db,
  project: ProjectFields,
  times: ProjectTimes,
): Promise<boolean> {
  const result = await db
    .withTables<ProjectTable>()
    .insertInto("project")
    .values(toRow(project, times))
    .onConflict((conflict) => conflict.column("slug").doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}

/** What the public sees, in the owner's order. */
export async function listPublished(db: Db): Promise<Project[]> {
  const rows = await db
    .withTables<ProjectTable>()
    .selectFrom("project")
    .selectAll()
    .where("status", "=", "published")
    .orderBy("position")
    .orderBy("id")
    .execute();
  return rows.map(fromRow);
}
