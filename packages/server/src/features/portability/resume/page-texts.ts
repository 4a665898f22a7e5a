import { cleanText } from "../../../kit/text.ts";
import type { Resume } from "./json-resume.ts";

export type Json = Record<string, unknown>;

/** The site's files with the texts of its pages. */
export const siteFile = "app/src/content/site.json";
export const homeFile = "app/src/content/home.json";
export const aboutFile = "app/src/content/about.json";
export const contactFile = "app/src/content/contact.json";
export const projectsFile = "app/src/content/projects.json";
export const servicesFile = "app/src/content/services.json";
export const designFile = "app/src/content/website-design.json";

/** Texts by file and field. */
export type PageTexts = Readonly<Record<string, Json>>;

/** A text on a single line. */
const singleLine = (value: unknown) =>
  typeof value === "string" ? cleanText(value.replace(/\s+/g, " ")) : "";

/**
 * Maximum characters of the home page's heading, of the lead below it, and of a page's description.
 */
const maxClaimLength = 90;
const maxLeadLength = 320;
const maxDescriptionLength = 160;

/** A location as people write it: the city and the country in the site's language. */
function placeOf({ basics }: Resume, language: string): string {
  const location = (basics["location"] ?? {}) as Json;
  const code = singleLine(location["countryCode"]).toUpperCase();
  let country = "";
  try {
    if (code !== "") country = new Intl.DisplayNames([language], { type: "region" }).of(code) ?? "";
  } catch {
    // Not a country code, or no language: use only the city.
  }
  return [singleLine(location["city"]), country].filter(Boolean).join(", ");
}

/** Whole sentences from the beginning of a text; a first one that is too long is cut. */
function firstSentences(text: string, limit: number, language: string): string {
  let taken = "";
  for (const sentence of sentencesOf(text, language)) {
    const next = `${taken} ${sentence}`.trim();
    if (next.length > limit) break;
    taken = next;
  }
  return taken || (text.length > limit ? `${text.slice(0, limit - 1).trimEnd()}…` : text);
}

function sentencesOf(text: string, language: string): string[] {
  let segmenter: Intl.Segmenter;
  try {
    segmenter = new Intl.Segmenter(language, { granularity: "sentence" });
  } catch {
    segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
  }
  return Array.from(segmenter.segment(text), ({ segment }) => segment.trim()).filter(Boolean);
}

/** The home page's heading and lead; empty if the résumé says too little. */
function claimOf(summary: string, resume: Resume, language: string): Json {
  const name = singleLine(resume.basics["name"]);
  if (summary !== "") {
    const [first = "", ...rest] = sentencesOf(summary, language);
    return first.length <= maxClaimLength
      ? { heading: first, lead: firstSentences(rest.join(" "), maxLeadLength, language) }
      : { heading: name, lead: firstSentences(summary, maxLeadLength, language) };
  }
  const [job] = Array.isArray(resume["work"]) ? (resume["work"] as Json[]) : [];
  const now = [singleLine(job?.["position"]), singleLine(job?.["name"])].filter(Boolean).join(", ");
  return now === "" ? {} : { heading: name, lead: now };
}

function languagesOf(resume: Resume): string {
  const spoken = Array.isArray(resume["languages"]) ? (resume["languages"] as Json[]) : [];
  return spoken
    .map(({ language }) => singleLine(language))
    .filter(Boolean)
    .join(", ");
}

/** A sentence of the sample with the name replaced; empty if it contains no name. */
function renamed(text: unknown, from: string, to: string): string {
  return typeof text === "string" && from !== "" && to !== "" && text.includes(from)
    ? text.replaceAll(from, to)
    : "";
}

function aboutTexts(resume: Resume, facts: { title: string; line: string; place: string }): Json {
  const { title, line, place } = facts;
  const languages = languagesOf(resume);
  const details = [
    { label: "Based in", value: place },
    { label: "Languages", value: languages },
  ].filter(({ value }) => value !== "");
  const summary = resume.basics["summary"];
  const story = (typeof summary === "string" ? summary : "").split(/\n\s*\n/).map(singleLine);
  return {
    description: title && [title, place].filter(Boolean).join(", "),
    heading: singleLine(resume.basics["name"]),
    lead: line,
    story: story.filter((paragraph) => paragraph !== ""),
    facts: details,
  };
}

const isPresent = (value: unknown) => value !== "" && !(Array.isArray(value) && value.length === 0);

/**
 * The texts of the site's pages that a résumé determines, in the site's language. `sample` has the
 * pages as they are shipped, whose descriptions name the sample person. Texts that it can't
 * determine are left out.
 */
export function textsFromResume(resume: Resume, sample: PageTexts, language: string): PageTexts {
  const { label, email } = resume.basics;
  const [name, role, place] = [
    singleLine(resume.basics["name"]),
    singleLine(label),
    placeOf(resume, language),
  ];
  const summary = singleLine(resume.basics["summary"]);
  const title = [name, role].filter(Boolean).join(", ");
  const line = [role, place].filter(Boolean).join(" · ");
  const claim = claimOf(summary, resume, language);
  const sampleName = singleLine(sample[siteFile]?.["name"]);
  const described = (file: string) => ({
    description: renamed(sample[file]?.["description"], sampleName, name),
  });
  const texts: PageTexts = {
    [siteFile]: { name, role, place, email: singleLine(email), tagline: claim["heading"] ?? role },
    [homeFile]: {
      title,
      description: summary === "" ? title : firstSentences(summary, maxDescriptionLength, language),
      eyebrow: line,
      ...claim,
    },
    [aboutFile]: aboutTexts(resume, { title, line, place }),
    [contactFile]: described(contactFile),
    [projectsFile]: described(projectsFile),
    [servicesFile]: described(servicesFile),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([file, fields]) => {
      // An empty lead is a value, too: the sample's text must not stay there.
      const details = Object.entries(fields).filter(
        ([field, value]) => isPresent(value) || (file === homeFile && field === "lead"),
      );
      return [file, Object.fromEntries(details)];
    }),
  );
}

interface PersonalPage {
  file: string;
  page: string;
  /** Descriptions of the fields. */
  fields: Readonly<Record<string, string>>;
}

/** The texts of each page that are about the owner and that a résumé may leave as in the sample. */
const personal: readonly PersonalPage[] = [
  {
    file: siteFile,
    page: "every page",
    fields: { name: "the name", role: "the role", place: "the place", email: "the email address" },
  },
  {
    file: homeFile,
    page: "/",
    fields: {
      heading: "the headline",
      lead: "the lines below the headline",
      contact: "the invitation to get in touch, which is also at the end of other pages",
    },
  },
  {
    file: aboutFile,
    page: "/about/",
    fields: {
      heading: "the heading",
      lead: "the introduction",
      portrait: "the portrait, which an image named in the résumé replaces",
      story: "the story",
      principles: "how you work",
      facts: "the facts",
    },
  },
  {
    file: contactFile,
    page: "/contact/",
    fields: {
      lead: "the introduction",
      availability: "when you’re available",
      help: "what helps you answer",
      next: "what happens next",
    },
  },
  { file: projectsFile, page: "/projects/", fields: { lead: "the introduction" } },
  {
    file: servicesFile,
    page: "/services/",
    fields: {
      lead: "the introduction",
      services: "what you offer, with its prices",
      not: "what you don’t take on",
    },
  },
  {
    file: designFile,
    page: "/services/website-design/",
    fields: {
      lead: "the introduction",
      facts: "the facts",
      deliverables: "what clients get",
      steps: "the steps",
      price: "the prices",
      faq: "the questions",
    },
  },
];

/** Texts of a page that are still the sample's. */
export interface SampleTexts {
  page: string;
  file: string;
  fields: string[];
  /** The same, for people. */
  about: string;
}

/**
 * The texts about a person that are still as shipped. `isSame` compares the values in two files.
 */
export function listSampleTexts(isSame: (file: string, field: string) => boolean): SampleTexts[] {
  return personal.flatMap(({ file, page, fields }) => {
    const left = Object.entries(fields).filter(([field]) => isSame(file, field));
    if (left.length === 0) return [];
    const about = left.map(([, texts]) => texts).join("; ");
    return [{ page, file, fields: left.map(([field]) => field), about }];
  });
}
