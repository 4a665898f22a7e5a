import type { ApiError } from "../../api/client.ts";

/** The paths named in an error such as `conflict`. */
export function refusedFiles({ details }: ApiError): string[] {
  const files: unknown = Array.isArray(details)
    ? details
    : (details as { files?: unknown } | null)?.files;
  if (!Array.isArray(files)) return [];
  return files.flatMap((file: unknown) => {
    if (typeof file === "string") return [file];
    const path = (file as { path?: unknown } | null)?.path;
    return typeof path === "string" ? [path] : [];
  });
}
