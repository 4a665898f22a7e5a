import { projectFields } from "../../projects/project.ts";
import type { Problem } from "../problem.ts";
import { joinBody } from "../study/body.ts";
import type { Study } from "../study/study.ts";
import { imagesOf } from "./images-by-name.ts";

/** The length in characters to assume for the address of a stored file. */
const addressLength = 100;

function isTooLong({ body }: Study): boolean {
  return !projectFields.body.safeParse(joinBody(body, () => "x".repeat(addressLength))).success;
}

/** Appends a part that has its own file, with its title as a heading. */
function withSection(study: Study, section: Study): Study {
  const shown = new Set(imagesOf([section]));
  const own = (study.gallery ?? []).filter(({ path }) => !shown.has(path));
  const gallery = [...own, ...(section.gallery ?? [])];
  return {
    ...study,
    body: [...study.body, `\n\n## ${section.fields.name}\n\n`, ...section.body],
    gallery: gallery.length === 0 ? study.gallery : gallery,
  };
}

/** A study with the parts of its text that have their own files, without those that are drafts. */
export function withSections(
  study: Study,
  sections: readonly Study[],
): { study: Study; problems: Problem[] } {
  const problems: Problem[] = [];
  const report = ({ file }: Study, message: string) =>
    problems.push({ level: "warning", file, line: null, field: null, message });
  let whole = study;
  for (const section of sections) {
    if (section.fields.status === "draft") {
      report(section, "is a draft, so it's left out");
      continue;
    }
    const longer = withSection(whole, section);
    if (isTooLong(longer))
      report(section, `makes the text of ${study.file} too long, so it's left out`);
    else whole = longer;
  }
  return { study: whole, problems };
}
