import home from "../content/home.json";
import site from "../content/site.json";
import { isBuilt } from "../lib/parts.ts";
import { projectPath, projects } from "../lib/records.ts";
import { lettersWithoutFont } from "../lib/resume.ts";

/** The site in short for language models, after llmstxt.org. */
export function GET({ site: base }: { site: URL }): Response {
  const link = (name: string, path: string, note: string): string => {
    return `- [${oneLine(name).replace(/[[\]]/g, "")}](${new URL(path, base).href})${note && `: ${oneLine(note)}`}`;
  };
  const built = (...page: Parameters<typeof link>) => (isBuilt(page[1]) ? [link(...page)] : []);
  const text = [
    `# ${site.name}`,
    "",
    `> ${home.description}`,
    "",
    "## Projects",
    "",
    ...projects.map((project) => link(project.name, projectPath(project), project.summary)),
    "",
    "## About",
    "",
    ...built("Resume", "/resume/", "experience, skills, education"),
    ...(lettersWithoutFont.length === 0 ? built("Resume as PDF", "/resume.pdf", "A4, tagged") : []),
    ...built("Resume as JSON", "/resume.json", "JSON Resume 1.0.0"),
    ...built("About", "/about/", "story and working principles"),
    ...built("Services", "/services/", "what is offered, with prices"),
    ...built("Changelog", "/changelog/", "what changed on this site"),
    ...built("Contact", "/contact/", site.email),
  ];
  return new Response(`${text.join("\n")}\n`, {
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
