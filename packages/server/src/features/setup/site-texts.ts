import type { MediaVariant } from "../media/store.ts";
import {
  aboutFile,
  contactFile,
  designFile,
  homeFile,
  type Json,
  type PageTexts,
  projectsFile,
  servicesFile,
  siteFile,
} from "../portability/resume/page-texts.ts";
import type { Answers } from "./answers.ts";

const resumeFile = "app/src/content/resume.json";
export const notFoundFile = "app/src/content/not-found.json";

/** The stored image of the site's person and its alt text. */
export interface Portrait {
  src: string;
  alt: string;
  width: number;
  height: number;
  variants: MediaVariant[];
}

/** The input of the setup: the answers with the stored image that they name. */
export interface SetupInput extends Omit<Answers, "portrait" | "model"> {
  portrait?: Portrait | null;
}

/** Who the site is about, as far as it is known; empty for unknown values. */
export interface Identity {
  name: string;
  role: string;
  place: string;
  email: string;
}

/** The name of a site whose owner hasn't given one. */
export const namelessSite = "Portfolio";

/** Maximum characters of a description in search results, and of the line below the name. */
const maxDescriptionLength = 160;
const maxLeadLength = 320;

const joined = (parts: readonly string[], between: string) => parts.filter(Boolean).join(between);

/** Whole sentences from the beginning of a text; a first one that is too long is truncated. */
function beginning(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const whole = text.slice(0, limit).match(/^[\s\S]*[.!?](?=\s)/)?.[0];
  return whole ?? `${text.slice(0, limit - 1).trimEnd()}…`;
}

/** The paragraphs of a text, which empty lines separate, each on one line. */
export function paragraphsOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "");
}

function portraitTexts(portrait: Portrait | null | undefined): Json {
  if (!portrait) return { src: "", alt: "", width: 0, height: 0, caption: "" };
  const { src, alt, width, height, variants } = portrait;
  const smaller = variants.filter((each) => each.width < width);
  const widths = [...smaller, { src, width }].map((each) => `${each.src} ${each.width}w`);
  const srcset = smaller.length > 0 ? { srcset: widths.join(", ") } : {};
  return { src, ...srcset, alt, width, height, caption: "" };
}

function homeTexts({ name, role, place }: Identity, story: readonly string[], hasEmail: boolean) {
  const title = joined([name, role], ", ");
  const text = story.join(" ");
  return {
    title,
    description: beginning(text, maxDescriptionLength) || title,
    eyebrow: joined([role, place], " · "),
    heading: name,
    lead: beginning(text, maxLeadLength),
    actions: [
      { label: "See the work", href: "/projects/" },
      { label: "Get in touch", href: "/contact/" },
    ],
    contact: {
      heading: "Get in touch",
      text: hasEmail ? "Write me an email, or use the form." : "Use the form to reach me.",
      action: "Contact",
    },
  };
}

function contactTexts({ name, email }: Identity): Json {
  return {
    title: "Contact",
    description: `Get in touch with ${name}.`,
    heading: "Get in touch",
    lead: email === "" ? "Send me a message." : "Send me a message, or write me an email.",
    subject: "Hello",
    formHeading: "Message",
    form: {
      name: "Your name",
      email: "Your email address",
      emailNote: "Only used to reply to you.",
      message: "Your message",
      messageNote: "A few lines are enough.",
      send: "Send message",
      trap: "Leave this empty",
    },
    emailLabel: "Email",
    helpHeading: "What to write",
    help: [],
    nextHeading: "What happens next",
    next: [],
    availability: "",
    thanks: {
      title: "Message sent",
      description: "Your message has been sent.",
      heading: "Thank you",
      lead: "Your message has been sent.",
      actions: [
        { label: "See the projects", href: "/projects/" },
        { label: "Go to the home page", href: "/" },
      ],
    },
  };
}

function servicesTexts({ name }: Identity, services: NonNullable<Answers["services"]>): Json {
  return {
    description: `Services by ${name}.`,
    lead: "",
    services: services.map((service) => ({
      ...service,
      points: [],
      href: "/contact/",
      link: "Ask about this",
    })),
    notHeading: "What I don’t do",
    not: [],
  };
}

/** Nothing remains of this service page, so it is off until somebody writes it. */
const designTexts: Json = {
  title: "A service",
  description: "",
  heading: "A service",
  lead: "",
  facts: [],
  deliverablesHeading: "What you get",
  deliverables: [],
  stepsHeading: "How it works",
  steps: [],
  priceHeading: "What it costs",
  price: [],
  faqHeading: "Questions",
  faq: [],
  relatedHeading: "Projects",
  related: [],
};

function resumeTexts({ name, role, place, email }: Identity): Json {
  const basics = { name, label: role, email, summary: "", location: { city: place } };
  return {
    description: `Résumé of ${name}.`,
    resume: { basics },
  };
}

/**
 * The texts of the site's pages by file and field, for a person about whom only the answers are
 * known. Fields that say nothing about a person are left out.
 */
export function siteTexts(identity: Identity, input: SetupInput): PageTexts {
  const who = { ...identity, name: identity.name || namelessSite };
  const { name, role, place, email } = who;
  const story = paragraphsOf(input.about ?? "");
  const facts = place === "" ? [] : [{ label: "Based in", value: place }];
  return {
    [siteFile]: {
      ...who,
      tagline: role,
      ...(input.theme && { look: input.theme }),
      ...(input.accent && { accent: input.accent }),
    },
    [homeFile]: homeTexts(who, story, email !== ""),
    [aboutFile]: {
      description: `About ${joined([name, role, place], ", ")}.`,
      heading: name,
      lead: joined([role, place], " · "),
      portrait: portraitTexts(input.portrait),
      story,
      principles: [],
      facts,
    },
    [contactFile]: contactTexts(who),
    [projectsFile]: {
      description: `Projects by ${name}.`,
      lead: "",
      categoryLead: "",
    },
    [servicesFile]: servicesTexts(who, input.services ?? []),
    [designFile]: designTexts,
    [resumeFile]: resumeTexts(who),
    [notFoundFile]: {
      heading: "This page doesn’t exist.",
      lead: "The address may have a typo, or the page has moved.",
    },
  };
}

/** The voice that agents are given if the owner hasn't described one. */
export const neutralVoice = `# Voice

How the texts of this site are written. Agents read this before they write; change it to sound like you.

- **Plain words**, short sentences, active voice.
- **Say what was done and what came of it.** Numbers come with how they were counted.
- **No superlatives**, no exclamation marks.
- **First person** for the owner's own work.
- **Headings are in sentence case.** Links say where they lead.

## Names and facts

The owner is described in \`app/src/content/site.json\`, and their work in \`resume.json\` next to it. Names
of people and organisations, numbers, dates and prices come from there, from the records or from the owner's
own words. Make none up, and leave out what is missing.
`;
