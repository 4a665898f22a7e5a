import type { ProjectWithBrief } from "../../projects/project.ts";
import type { Problem } from "../problem.ts";
import { isFilePiece } from "../study/body.ts";
import type { Study } from "../study/study.ts";
import type { SourceMediaFile } from "./media-files.ts";
import type { ProjectStep } from "./step.ts";

function diagnoseConflicts(steps: readonly ProjectStep[]): Problem[] {
  const conflicts = steps.filter(({ action }) => action === "conflict");
  return conflicts.map(({ study, changes }): Problem => {
    const message = `the project ${study.slug} already exists and differs in ${changes.join(", ")}. Use --update to change it`;
    return { level: "warning", file: study.file, line: null, field: "slug", message };
  });
}

/** A card without an image shows the project's name in its place. */
function diagnoseMissingImages(steps: readonly ProjectStep[]): Problem[] {
  const bare = steps.filter(({ action, study }) => action === "create" && !study.gallery?.length);
  return bare.map(({ study: { file } }): Problem => {
    const message = "has no image, so lists of projects show its name instead";
    return { level: "note", file, line: null, field: null, message };
  });
}

/** A video can only be in the gallery: a text can only contain images. */
export function diagnoseVideos(
  studies: readonly Study[],
  images: ReadonlyMap<string, SourceMediaFile>,
): Problem[] {
  return studies.flatMap(({ file, body }) =>
    body.flatMap((piece): Problem[] => {
      if (!isFilePiece(piece) || piece.kind !== "image") return [];
      if (images.get(piece.path)?.kind !== "video") return [];
      const message = `${piece.path} is a video, which can't be inside a paragraph of text. Put it in a paragraph of its own`;
      return [{ level: "warning", file, line: null, field: null, message }];
    }),
  );
}

/** A portrait is an image. */
export function diagnoseVideoPortrait(
  resume: { file: string; portrait: string | null } | null,
  images: ReadonlyMap<string, SourceMediaFile>,
): Problem[] {
  if (!resume?.portrait || images.get(resume.portrait)?.kind !== "video") return [];
  const { file, portrait } = resume;
  const message = `${portrait} is a video, but a portrait has to be an image`;
  return [{ level: "error", file, line: null, field: "/basics/image", message }];
}

/** Notes for the owner about the imported projects. */
export function diagnoseSteps(steps: readonly ProjectStep[]): Problem[] {
  return [...diagnoseConflicts(steps), ...diagnoseMissingImages(steps)];
}

/** The names of the projects after the import: public ones, and the others. */
export function namesByVisibility(
  all: readonly ProjectWithBrief[],
  samples: readonly ProjectWithBrief[],
  steps: readonly ProjectStep[],
): { visible: string[]; hidden: string[] } {
  const changed = new Set(
    [...samples, ...steps.map(({ present }) => present)].map((each) => each?.id),
  );
  const staying = all.filter(({ id }) => !changed.has(id));
  const brought = steps.map(({ study: { fields }, present }) => ({
    name: fields.name,
    status: fields.status ?? present?.status ?? "published",
    audience: fields.audience ?? present?.audience ?? "everyone",
  }));
  const visible: string[] = [];
  const hidden: string[] = [];
  for (const { name, status, audience } of [...staying, ...brought]) {
    (status === "published" && audience === "everyone" ? visible : hidden).push(name);
  }
  return { visible, hidden };
}
