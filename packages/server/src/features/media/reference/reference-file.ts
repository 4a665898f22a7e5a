import { join } from "node:path";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { ReferenceRow } from "./store.ts";

/** The path of a reference's file. */
export function fileOfReference(
  { references }: Pick<InstancePaths, "references">,
  { id, mime }: Pick<ReferenceRow, "id" | "mime">,
): string {
  return join(references, `${id}.${mime === "image/webp" ? "webp" : "jpg"}`);
}
