import home from "../content/home.json";
import site from "../content/site.json";
import { projectPath, projects } from "../lib/records.ts";
import { lettersWithoutFont } from "../lib/resume.ts";

/** The site in short for language models, after llmstxt.org. */
export function GET({ site: base }: { site: URL }): Response {
  const link = (name: string, path: string, note: string): string => {
    return `- [${oneLine(name).replace(/[[\]]/g, "")}](${new URL(path, base).href})${note && `: ${oneLine(note)}`}`;
  };
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
    link("Resume", "/resume/", "experience, skills, education"),
    ...(lettersWithoutFont.length === 0
      ? [link("Resume as PDF", "/resume.pdf", "A4, tagged")]
      : []),
    link("Resume as JSON", "/resume.json", "JSON Resume 1.0.0"),
    link("About", "/about/", "story and working principles"),
    link("Services", "/services/", "what is offered, with prices"),
    link("Changelog", "/changelog/", "what changed on this site"),
    link("Contact", "/contact/", site.email),
  ];
  return new Response(`${text.join("\n")}\n`, {
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
