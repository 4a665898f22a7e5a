import { z } from "zod";
import { line, paragraphs } from "../../kit/fields.ts";
import { pageSchema, pageQuery } from "../../kit/envelope.ts";

/** The kind of agent that a source is for; `all` means every kind. */
export const sourceAgent = z.enum(["editor", "designer", "drafter", "qa", "all"]);
export type SourceAgent = z.infer<typeof sourceAgent>;
/** The kinds of agents that use sources. */
export type AgentKind = Exclude<SourceAgent, "all">;

/** Limits: characters of the texts, and total sources. */
export const sourceBounds = { title: 140, url: 500, notes: 2000, count: 100 } as const;

/** Guidance from the owner for agents: a page, a style guide, a written rule. */
export const source = z.object({
  id: z.number().int(),
  agent: sourceAgent,
  title: z.string(),
  /** http(s), or empty if the notes contain everything. */
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
/** The largest ID that both databases support. */
const id = z.number().int().min(1).max(2_147_483_647);

/** GET /api/adminsources/list */
export const listQuery = z.strictObject({ ...pageQuery, agent: sourceAgent.optional() });
export const sourcePage = pageSchema(source);

/** POST /api/adminsources/reorder: all sources in their new order. */
export const sourceList = z.object({ items: z.array(source), total: z.number().int() });

/** POST /api/adminsources/create */
export const createBody = z.strictObject({
  agent: sourceAgent,
  title,
  url: url.default(""),
  notes: notes.default(""),
  enabled: z.boolean().default(true),
});

/** POST /api/adminsources/starters: the number of starter sources added. */
export const startersAdded = z.object({ added: z.number().int() });

/** POST /api/adminsources/save; missing fields stay unchanged. */
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

/**
 * POST /api/adminsources/reorder: puts these sources in this order into the positions that they
 * occupy.
 */
export const reorderBody = z.strictObject({
  ids: z
    .array(id)
    .max(sourceBounds.count)
    .refine((ids) => new Set(ids).size === ids.length, "lists the same source twice"),
});
