import texts from "../content/resume.json";
import site from "../content/site.json";
import { projectPath, projects } from "../lib/records.ts";

/** The résumé after jsonresume.org/schema, version 1.0.0. */
export function GET({ site: base }: { site: URL }): Response {
  const { basics }: { basics?: { name?: string; image?: string } } = texts.resume;
  const image = basics?.image && URL.canParse(basics.image, base) ? basics.image : null;
  const resume = {
    $schema: "https://raw.githubusercontent.com/jsonresume/resume-schema/v1.0.0/schema.json",
    ...texts.resume,
    basics: {
      ...basics,
      ...(image && { image: new URL(image, base).href }),
      name: basics?.name || site.name,
      url: new URL("/", base).href,
    },
    projects: projects.map((project) => ({
      name: project.name,
      description: project.summary,
      keywords: project.stack,
      roles: project.role ? [project.role] : [],
      type: project.kind,
      url: new URL(projectPath(project), base).href,
    })),
    meta: { canonical: new URL("/resume.json", base).href, version: "v1.0.0" },
  };
  return new Response(`${JSON.stringify(resume, null, 2)}\n`, {
    headers: { "Content-Type": "application/json" },
  });
}
