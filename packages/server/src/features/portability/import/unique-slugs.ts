import { freeSlug } from "../../projects/slug.ts";
import type { Problem } from "../problem.ts";
import type { Study } from "../study/study.ts";

function withSlug(study: Study, slug: string): Study {
  return { ...study, slug };
}

/** Gives each study a unique address; the first file by name keeps its own. */
export function separateSlugs(studies: readonly Study[]): {
  studies: Study[];
  problems: Problem[];
} {
  const taken = new Map<string, string>();
  const problems: Problem[] = [];
  // Those that are imported without being selected keep theirs first.
  const sorted = studies.toSorted((a, b) => Number(a.doubt !== null) - Number(b.doubt !== null));
  const separate = sorted.map((study) => {
    const { file, slug } = study;
    const first = taken.get(slug);
    const own = first === undefined ? slug : freeSlug(slug, new Set(taken.keys()));
    taken.set(own, file);
    if (first === undefined) return study;
    const message = `has the same slug as ${first}, ${slug}, so it becomes ${own}`;
    problems.push({ level: "warning", file, line: null, field: "slug", message });
    return withSlug(study, own);
  });
  return { studies: separate, problems };
}
