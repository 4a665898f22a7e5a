import texts from "../content/resume.json";
import site from "../content/site.json";
import { showYears } from "./dates.ts";
import {
  type Entry,
  type Location,
  otherProjects,
  type ProfileEntry,
  resume,
} from "./json-resume.ts";
import { missingLetters } from "./pdf-glyphs.ts";
import { projectPath, projects } from "./records.ts";
import type { SkillGroup } from "./snapshot.ts";

/**
 * The résumé in the order in which the page and the PDF show it. It is read from the JSON Resume in
 * content/resume.json, of which every part may be missing, and from the projects.
 */

export interface ResumeItem {
  when: string;
  where: string;
  /** Empty only where there is neither a name nor an address. */
  heading: string;
  /** Path on this site or an address elsewhere. */
  href?: string | undefined;
  text: string;
  points: string[];
}

export interface ResumeSection {
  heading: string;
  items: ResumeItem[];
}

export interface ResumeGroups {
  heading: string;
  groups: SkillGroup[];
}

/** Where its person is to be found elsewhere. */
export interface Profile {
  /** In words that say on paper, too, where it is. */
  text: string;
  url?: string | undefined;
}

const labels: Record<string, string> = texts.labels;

/** The end of a sentence in whatever script, also inside quotation marks and brackets. */
const sentenceEnd = /[\p{Sentence_Terminal}…:;：；][\p{Quotation_Mark}\p{Pe}\p{Pf}]*$/u;

export const basics = {
  name: resume.basics?.name || site.name,
  label: resume.basics?.label ?? site.role,
  email: resume.basics?.email ?? site.email,
  summary: resume.basics?.summary ?? "",
  place: place(resume.basics?.location),
  profiles: (resume.basics?.profiles ?? []).map(profile).filter(({ text }) => text !== ""),
};

/** What happened when, newest first as it is written; sections without anything are left out. */
export const sections: ResumeSection[] = [
  section("experience", resume.work, (job) => ({
    heading: join([job.position, job.name], ", "),
    where: job.location,
    text: sentences([job.description, job.summary]),
  })),
  {
    heading: label("projects"),
    items: [...projects.map(projectItem), ...section("projects", otherProjects, other).items],
  },
  section("volunteering", resume.volunteer, (work) => ({
    heading: join([work.position, work.organization], ", "),
  })),
  section("education", resume.education, (school) => ({
    heading: school.area || school.institution,
    where: school.studyType,
    text: join([school.area ? school.institution : "", score(school.score)], " · "),
    points: school.courses,
  })),
  section("certificates", resume.certificates, (entry) => ({ text: entry.issuer })),
  section("awards", resume.awards, (award) => ({
    heading: award.title,
    where: award.awarder,
  })),
  section("speaking", resume.publications, (work) => ({
    where: "",
    text: sentences([work.publisher, work.summary]),
  })),
  section("references", resume.references, ({ reference }) => ({ text: reference })),
].filter((part) => part.items.length > 0);

/** What is not tied to a time: skills, languages, interests. */
export const groupedSections: ResumeGroups[] = [
  groups("skills", resume.skills, (skill) => [
    join([skill.name, skill.name && skill.level ? `(${skill.level})` : skill.level], " "),
    skill.keywords,
  ]),
  groups("languages", resume.languages, (entry) => [entry.language, [entry.fluency ?? ""]]),
  groups("interests", resume.interests, (entry) => [entry.name, entry.keywords]),
].filter((part) => part.groups.length > 0);

/**
 * The letters of the résumé that no font of the site has. With any of them there is no PDF: the page
 * prints with the fonts of whoever reads it, and a PDF would have empty boxes in their place.
 */
export const lettersWithoutFont: string[] = missingLetters(
  JSON.stringify([basics, sections, groupedSections], (key, value: unknown) =>
    key === "href" || key === "url" ? undefined : value,
  ),
);

type Shown = { [Key in keyof ResumeItem]?: ResumeItem[Key] | undefined };

function section(
  name: string,
  entries: Entry[] | undefined,
  show: (entry: Entry) => Shown,
): ResumeSection {
  const items = (entries ?? []).map((entry) => {
    const shown = show(entry);
    const href = entry.url && isWeb(entry.url) ? entry.url : undefined;
    return {
      when: years(entry),
      where: shown.where ?? "",
      heading: shown.heading || entry.name || (href ? hostOf(href) : ""),
      href,
      text: shown.text ?? entry.summary ?? "",
      points: shown.points ?? entry.highlights ?? [],
    };
  });
  return { heading: label(name), items };
}

function projectItem(project: (typeof projects)[number]): ResumeItem {
  return {
    when: project.period,
    where: project.kind,
    heading: project.name,
    href: projectPath(project),
    text: project.summary,
    points: [],
  };
}

/** A project of the résumé that is no record. */
function other(project: Entry): Shown {
  const doing = join([project.roles?.join(", "), project.entity], ", ");
  return {
    where: project.type,
    text: sentences([doing, project.description, project.keywords?.join(", ")]),
  };
}

/** The nearest place that is named. */
function place({ city, region, countryCode }: Location = {}): string {
  return city || region || country(countryCode);
}

/** A country in the site's language; what is no code says it itself. */
function country(code = ""): string {
  try {
    const names = new Intl.DisplayNames([site.language], { type: "region" });
    return names.of(code.toUpperCase()) ?? code;
  } catch {
    return code;
  }
}

function profile({ network, username, url = "" }: ProfileEntry): Profile {
  const address = isWeb(url) ? url : "";
  const short = address.replace(/^https?:\/\/(?:www\.)?/i, "").replace(/\/$/, "");
  return { text: join([network, username || short], ": "), url: address || undefined };
}

/** A mark that is a number alone doesn't say what it is. */
function score(mark = ""): string {
  return mark === "" || /\p{L}/u.test(mark) ? mark : `${label("score")} ${mark}`;
}

function groups(
  name: string,
  entries: Entry[] | undefined,
  show: (entry: Entry) => [string | undefined, string[] | undefined],
): ResumeGroups {
  const list = (entries ?? []).map((entry) => {
    const [group = "", items = []] = show(entry);
    const present = items.filter(Boolean);
    // What has no name is its own.
    return group === "" ? { group: present.join(", "), items: [] } : { group, items: present };
  });
  return { heading: label(name), groups: list.filter(({ group }) => group !== "") };
}

function years(entry: Entry): string {
  const single = entry.date ?? entry.releaseDate;
  if (single) return single.slice(0, 4);
  if (!entry.startDate) return entry.endDate?.slice(0, 4) ?? "";
  return showYears(entry.startDate, entry.endDate, label("now"));
}

/** The word that content/resume.json has for a section, or its name where it has none. */
function label(name: string): string {
  return labels[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function join(parts: (string | undefined)[], between: string): string {
  return parts.filter(Boolean).join(between);
}

/** Texts one after another, each but the last with its full stop. */
function sentences(parts: (string | undefined)[]): string {
  const present = parts
    .map((part) => part?.trim())
    .filter((part) => part !== undefined && part !== "");
  return present
    .map((part, index) =>
      index < present.length - 1 && !sentenceEnd.test(part ?? "") ? `${part}.` : part,
    )
    .join(" ");
}

function isWeb(address: string): boolean {
  return /^https?:\/\//i.test(address) && URL.canParse(address);
}

function hostOf(address: string): string {
  return new URL(address).host.replace(/^www\./, "");
}
