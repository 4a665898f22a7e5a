import { z } from "zod";
import { pageSchema, pageQuery } from "../../../kit/envelope.ts";

export const logMethod = z.enum(["password", "link"]);
export const logOutcome = z.enum(["success", "failure", "throttled"]);

export const logQuery = z.strictObject({
  ...pageQuery,
  method: logMethod.optional(),
  outcome: logOutcome.optional(),
});

const logItem = z.object({
  id: z.int(),
  at: z.string(),
  method: logMethod,
  outcome: logOutcome,
  ip: z.string(),
  userAgent: z.string(),
});
export type LogItem = z.infer<typeof logItem>;

export const logPage = pageSchema(logItem);
export type LogPage = z.infer<typeof logPage>;
