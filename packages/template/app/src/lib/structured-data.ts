import about from "../content/about.json";
import site from "../content/site.json";
import { basics } from "./resume.ts";
import type { Project } from "./snapshot.ts";

/** JSON-LD after schema.org, for programs that read pages. */
export type StructuredData = Record<string, unknown>;

export function person(base: URL): StructuredData {
  const elsewhere = basics.profiles.flatMap(({ url }) => url ?? []);
  return {
    "@context": "https://schema.org",
    "@type": "Person",
    "@id": new URL("/#person", base).href,
    name: site.name,
    ...(site.role ? { jobTitle: site.role } : {}),
    ...(site.email ? { email: `mailto:${site.email}` } : {}),
    url: new URL("/", base).href,
    ...(about.portrait.src ? { image: new URL(about.portrait.src, base).href } : {}),
    ...(site.place ? { homeLocation: { "@type": "Place", name: site.place } } : {}),
    ...(elsewhere.length > 0 ? { sameAs: elsewhere } : {}),
  };
}

export function creativeWork(
  project: Project,
  url: URL,
  image: string | undefined,
): StructuredData {
  return {
    "@context": "https://schema.org",
    "@type": "CreativeWork",
    "@id": url.href,
    name: project.name,
    description: project.summary,
    url: url.href,
    dateModified: project.updatedAt,
    ...temporalCoverage(project.period),
    ...(project.stack.length > 0 ? { keywords: project.stack.join(", ") } : {}),
    ...(image ? { image: new URL(image, url).href } : {}),
    ...(project.categories.length > 0 ? { genre: project.categories } : {}),
    creator: { "@id": new URL("/#person", url).href, "@type": "Person", name: site.name },
  };
}

/** The years of a period such as `2024 – 2025`, after ISO 8601; other words say nothing to programs. */
function temporalCoverage(period: string): StructuredData {
  const [first, last] = period.match(/\b[12]\d{3}\b/g) ?? [];
  return first ? { temporalCoverage: last ? `${first}/${last}` : first } : {};
}

export function breadcrumbs(base: URL, steps: { name: string; href: string }[]): StructuredData {
  return {
    "@context": "https://schema.org",
    "@type": "BreadcrumbList",
    itemListElement: steps.map((step, index) => ({
      "@type": "ListItem",
      position: index + 1,
      name: step.name,
      item: new URL(step.href, base).href,
    })),
  };
}

/** JSON that is safe inside a `<script>` element, whatever the texts in it say. */
export function toScript(data: StructuredData): string {
  return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
