import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import { findMediaBySrc } from "../media/store.ts";
import type { ProjectWithBrief } from "./project.ts";
import type { ProjectDetail } from "./schema.ts";

export function notFound(): AppError {
  return new AppError("not_found", "This project doesn't exist.");
}

/** The record as returned by the API, with the media of its gallery. */
export async function withMedia(db: Db, project: ProjectWithBrief): Promise<ProjectDetail> {
  const media = await findMediaBySrc(
    db,
    project.gallery.map((item) => item.src),
  );
  return { ...project, media: [...media.values()] };
}
