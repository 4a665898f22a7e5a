import { z } from "zod";

export interface Success<T> {
  ok: true;
  data: T;
  error: null;
}

/** Wraps a result in the envelope of every JSON response. */
export function ok<T>(data: T): Success<T> {
  return { ok: true, data, error: null };
}

/** The schema of a successful response with `data`. */
export function envelope<S extends z.ZodType>(data: S) {
  return z.object({ ok: z.literal(true), data, error: z.null() });
}

/** The schema of every error response. */
export const errorEnvelope = z.object({
  ok: z.literal(false),
  data: z.null(),
  error: z.object({
    code: z.string(),
    message: z.string(),
    fields: z.record(z.string(), z.string()).optional(),
    details: z.unknown().optional(),
  }),
});

/** The schema of one page of a list. */
export function pageSchema<S extends z.ZodType>(item: S) {
  return z.object({
    items: z.array(item),
    total: z.number().int(),
    page: z.number().int(),
    perPage: z.number().int(),
  });
}

/** One page of a list that is completely in memory. */
export function paginate<T>(all: readonly T[], query: { page: number; perPage: number }) {
  const { page, perPage } = query;
  const items = all.slice((page - 1) * perPage, page * perPage);
  return { items, total: all.length, page, perPage };
}

/** Query keys of every list: `page` from 1, `perPage` 1–100. Spread into a strict object. */
export const pageQuery = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  perPage: z.coerce.number().int().min(1).max(100).default(25),
};
