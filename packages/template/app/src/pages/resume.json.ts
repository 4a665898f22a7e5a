import site from "../content/site.json";
import { type JsonResume, otherProjects, resume } from "../lib/json-resume.ts";
import { isBuilt } from "../lib/parts.ts";
import { projectPath, projects } from "../lib/records.ts";

/** What the schema has at its top beside `basics`, `projects` and `meta`; 1.0.0 allows nothing else there. */
const parts = [
  "work",
  "volunteer",
  "education",
  "awards",
  "certificates",
  "publications",
  "skills",
  "languages",
  "interests",
  "references",
] as const satisfies (keyof JsonResume)[];

/** The résumé after jsonresume.org/schema, version 1.0.0. */
export function GET({ site: base }: { site: URL }): Response {
  // Without content there is no file.
  if (!isBuilt("/resume.json")) return new Response(null);
  const given = Object.fromEntries(
    parts.flatMap((part) => (resume[part] === undefined ? [] : [[part, resume[part]]])),
  );
  const whole = {
    $schema: "https://raw.githubusercontent.com/jsonresume/resume-schema/v1.0.0/schema.json",
    basics: publicBasics(base),
    ...given,
    ...(resume.certificates && { certificates: resume.certificates.map(dated) }),
    projects: [
      ...projects.map((project) => ({
        name: project.name,
        description: project.summary,
        keywords: project.stack,
        roles: project.role ? [project.role] : [],
        type: project.kind,
        url: new URL(projectPath(project), base).href,
      })),
      ...otherProjects,
    ],
    meta: { canonical: new URL("/resume.json", base).href, version: "v1.0.0" },
  };
  return new Response(`${JSON.stringify(whole, null, 2)}\n`, {
    headers: { "Content-Type": "application/json" },
  });
}

/** Telephone, street and postcode stay where the owner wrote them: the public needs an e-mail address. */
function publicBasics(base: URL): object {
  const { phone: _, image, location, ...basics } = resume.basics ?? {};
  const { address: _street, postalCode: _code, ...place } = location ?? {};
  return {
    ...basics,
    ...(location && { location: place }),
    ...(image && URL.canParse(image, base) && { image: new URL(image, base).href }),
    name: basics.name || site.name,
    url: new URL("/", base).href,
  };
}

/** The schema has whole days alone for certificates; for all else a year is enough. */
function dated({ date, ...certificate }: { date?: string }): object {
  return date && /^\d{4}-\d\d-\d\d$/.test(date) ? { ...certificate, date } : certificate;
}
