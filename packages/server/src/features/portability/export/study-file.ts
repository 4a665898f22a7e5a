import { stringify } from "yaml";
import type { ProjectWithBrief } from "../../projects/project.ts";
import { edited, findReferences, rewriteReferences } from "../study/references.ts";

/** The name of a stored file next to the study that shows it. */
export interface ExportedFile {
  /** Its name in the study's folder. */
  name: string;
  /** Its alt text, unless the study has its own. */
  alt: string;
}

/** The parts of a project that a file contains, without ID and version. */
export type ExportedProject = Omit<ProjectWithBrief, "id" | "version"> & {
  /** Former slugs, which redirect to it. */
  aliases: readonly string[];
};

function body(project: ExportedProject, files: ReadonlyMap<string, ExportedFile>): string {
  const named = findReferences(project.body).flatMap((reference) => {
    const file = files.get(reference.address);
    return file === undefined ? [] : [{ reference, address: `./${file.name}` }];
  });
  const edits = rewriteReferences(project.body, named);
  return edited(project.body, edits);
}

/**
 * A project as a Markdown file: YAML front matter, which `vitrine import` and most site generators
 * read, and the text. `files` has the files of its gallery and its text, by address.
 */
export function writeStudy(
  project: ExportedProject,
  files: ReadonlyMap<string, ExportedFile>,
): string {
  const gallery = project.gallery.map(({ src, alt, caption }) => {
    const file = files.get(src);
    return { src: `./${file?.name ?? src}`, alt: alt ?? file?.alt ?? "", caption };
  });
  const all: Record<string, unknown> = {
    title: project.name,
    slug: project.slug,
    status: project.status,
    audience: project.audience,
    order: project.position,
    summary: project.summary,
    lede: project.lede,
    kind: project.kind,
    period: project.period,
    role: project.role,
    categories: project.categories,
    stack: project.stack,
    skills: project.skills,
    metrics: project.metrics,
    gallery,
    reel: project.reelUrl,
    brief: project.brief,
    aliases: project.aliases.map((slug) => `/projects/${slug}/`),
    created: project.createdAt,
    updated: project.updatedAt,
    vitrine: 1,
  };
  const isPresent = ([name, value]: [string, unknown]) =>
    name === "gallery" ||
    !(value === "" || value === null || (Array.isArray(value) && value.length === 0));
  const present = Object.fromEntries(Object.entries(all).filter(isPresent));
  // Public is the default.
  if (project.audience === "everyone") delete present["audience"];
  const front = stringify(present, { lineWidth: 0, aliasDuplicateObjects: false });
  const text = body(project, files);
  return `---\n${front}---\n${text === "" ? "" : `\n${text}\n`}`;
}
