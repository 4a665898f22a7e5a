import { z } from "zod";
import { line, paragraphs } from "../../kit/fields.ts";
import { pageSchema, pageQuery } from "../../kit/envelope.ts";

/** For which kind of agent a source is; `all` is for each of them. */
export const sourceAgent = z.enum(["editor", "designer", "drafter", "qa", "all"]);
export type SourceAgent = z.infer<typeof sourceAgent>;
/** The kinds of agents that go by sources. */
export type AgentKind = Exclude<SourceAgent, "all">;

/** The most of each: characters of the texts, and sources in all. */
export const sourceBounds = { title: 140, url: 500, notes: 2000, count: 100 } as const;

/** Something that the owner wants agents to go by: a page, a style guide, a rule in words. */
export const source = z.object({
  id: z.number().int(),
  agent: sourceAgent,
  title: z.string(),
  /** http(s), or empty where the notes say it all. */
  url: z.string(),
  notes: z.string(),
  enabled: z.boolean(),
  /** ISO 8601 UTC. */
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Source = z.infer<typeof source>;

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text)) return false;
  return url.hostname !== "" && url.username === "" && url.password === "";
}

const title = line(sourceBounds.title, { min: 1 });
const url = line(sourceBounds.url).refine(
  (text) => text === "" || isWebAddress(text),
  "must be an http(s) address",
);
const notes = paragraphs(sourceBounds.notes);
/** The largest id that both databases take. */
const id = z.number().int().min(1).max(2_147_483_647);

/** GET /api/adminsources/list */
export const listQuery = z.strictObject({ ...pageQuery, agent: sourceAgent.optional() });
export const sourcePage = pageSchema(source);

/** POST /api/adminsources/reorder: all of them in their new order. */
export const sourceList = z.object({ items: z.array(source), total: z.number().int() });

/** POST /api/adminsources/create */
export const createBody = z.strictObject({
  agent: sourceAgent,
  title,
  url: url.default(""),
  notes: notes.default(""),
  enabled: z.boolean().default(true),
});

/** POST /api/adminsources/starters: how many of the starter sources were not there. */
export const startersAdded = z.object({ added: z.number().int() });

/** POST /api/adminsources/save; what is left out stays. */
export const saveBody = z.strictObject({
  id,
  agent: sourceAgent.optional(),
  title: title.optional(),
  url: url.optional(),
  notes: notes.optional(),
  enabled: z.boolean().optional(),
});

/** POST /api/adminsources/delete */
export const deleteBody = z.strictObject({ id });
export const deleted = z.object({ id: z.number().int(), deleted: z.literal(true) });

/** POST /api/adminsources/reorder: these in this order, in the places they have among all. */
export const reorderBody = z.strictObject({
  ids: z
    .array(id)
    .max(sourceBounds.count)
    .refine((ids) => new Set(ids).size === ids.length, "names the same one twice"),
});
