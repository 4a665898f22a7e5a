import type { z } from "zod";
import { AppError } from "../../kit/errors.ts";

/** The value of the setting `name`, parsed with its schema. Throws `validation_failed`. */
export function parseSetting<S extends z.ZodType>(
  name: string,
  schema: S,
  input: unknown,
): z.infer<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const words = `${issue?.path.join(".") ?? ""} ${issue?.message ?? "is invalid"}`.trim();
  throw new AppError("validation_failed", `${name}: ${words}.`, { fields: { value: words } });
}
