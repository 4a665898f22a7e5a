import { createHash } from "node:crypto";
import texts from "../content/resume.json";
import { hiddenNames, projects } from "./records.ts";

/** The JSON Resume in content/resume.json, after jsonresume.org/schema: every part may be missing. */

export interface Entry {
  name?: string;
  description?: string;
  position?: string;
  organization?: string;
  institution?: string;
  area?: string;
  studyType?: string;
  score?: string;
  title?: string;
  issuer?: string;
  awarder?: string;
  publisher?: string;
  location?: string;
  url?: string;
  startDate?: string;
  endDate?: string;
  date?: string;
  releaseDate?: string;
  summary?: string;
  highlights?: string[];
  courses?: string[];
  keywords?: string[];
  level?: string;
  language?: string;
  fluency?: string;
  reference?: string;
  roles?: string[];
  entity?: string;
  type?: string;
}

export interface ProfileEntry {
  network?: string;
  username?: string;
  url?: string;
}

export interface Location {
  address?: string;
  postalCode?: string;
  city?: string;
  region?: string;
  countryCode?: string;
}

export interface JsonResume {
  basics?: {
    name?: string;
    label?: string;
    email?: string;
    phone?: string;
    image?: string;
    summary?: string;
    location?: Location;
    profiles?: ProfileEntry[];
  };
  work?: Entry[];
  volunteer?: Entry[];
  education?: Entry[];
  awards?: Entry[];
  certificates?: Entry[];
  publications?: Entry[];
  skills?: Entry[];
  languages?: Entry[];
  interests?: Entry[];
  references?: Entry[];
  projects?: Entry[];
}

export const resume: JsonResume = texts.resume;

/** Whether it says more than who its person is: without that there is no page of it. */
export const hasResume: boolean = (
  [
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
    "projects",
  ] as const
).some((part) => (resume[part]?.length ?? 0) > 0);

const folded = (name = "") => name.normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase();
const markOf = (name?: string) => createHash("sha256").update(folded(name)).digest("hex");
const recorded = new Set(projects.map(({ name }) => folded(name)));

/**
 * Its projects that are no records of that name: those have pages, and say more of themselves. A
 * record that is not for all who see this build is not named by the résumé either.
 */
export const otherProjects: Entry[] = (resume.projects ?? []).filter(
  ({ name }) => !recorded.has(folded(name)) && !hiddenNames.has(markOf(name)),
);
