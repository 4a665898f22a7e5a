import { join } from "node:path";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { ReferenceRow } from "./store.ts";

/** Where the file of a reference lies. */
export function fileOfReference(
  { references }: Pick<InstancePaths, "references">,
  { id, mime }: Pick<ReferenceRow, "id" | "mime">,
): string {
  return join(references, `${id}.${mime === "image/webp" ? "webp" : "jpg"}`);
}
