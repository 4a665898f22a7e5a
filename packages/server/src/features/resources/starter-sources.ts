import { isoTime } from "../../kit/time.ts";
import { assertRoomForSources, type SourceDependencies } from "./sources.ts";
import { countSources, insertSource, listSources, lockSources, type SourceRow } from "./store.ts";

const astroComponents = {
  title: "Astro components",
  url: "https://docs.astro.build/en/basics/astro-components/",
  notes:
    "A page in app/src/pages is an Astro component: script between the --- fences runs at build time, the rest is HTML. The texts of a page are usually in app/src/content/*.json and are imported, so look there before you change markup. Expressions in braces are escaped; set:html is not. Styles in a component are scoped to it.",
};

const webWriting = {
  title: "Writing for the web",
  url: "https://www.gov.uk/guidance/content-design/writing-for-gov-uk",
  notes:
    'Put the most important thing first. Short sentences, everyday words, active voice. Headings say what the section contains, in sentence case. The text of a link makes sense on its own: never "click here" or a bare address. Use one word for one thing.',
};

/** Agents can't open addresses: the notes contain what they need, the address is for the owner. */
const starterSources: readonly Omit<SourceRow, "enabled">[] = [
  {
    agent: "all",
    title: "Only what is known",
    url: "",
    notes:
      "Take facts, names, numbers, dates, clients and quotations from the owner's instruction, the records and the pages. Where something is missing, leave it out or say that it is missing; never fill a gap with something likely. Keep the owner's spelling, person and tone.",
  },
  { agent: "editor", ...astroComponents },
  { agent: "editor", ...webWriting },
  { agent: "designer", ...astroComponents },
  { agent: "designer", ...webWriting },
  {
    agent: "designer",
    title: "Writing a case study",
    url: "",
    notes:
      "Summary: what was made, for whom and what came of it, in one sentence. Lede: the situation and the question. Body: the problem, the decisions with their reasons, the result, what the owner did. A metric needs a number that the brief states. The first image of the gallery is the cover: choose the one that shows the result.",
  },
  {
    agent: "designer",
    title: "Describing images",
    url: "https://www.w3.org/WAI/tutorials/images/",
    notes:
      "An alt text says what the image shows on this page: the screen and what can be seen on it, a chart's statement, a photo's subject. No \"image of\", no file names, no repetition of the caption beside it; mostly below 150 characters. Where an image is text, its alt text is that text.",
  },
  {
    agent: "drafter",
    title: "Plain words",
    url: "https://www.gov.uk/guidance/content-design/writing-for-gov-uk",
    notes:
      'Say what was done with verbs: designed, built, cut, tested. No superlatives, no "passionate", "cutting-edge" or "seamless", no exclamation marks. Concrete before abstract, one idea in a sentence, 15 to 20 words on average. Write in the person and language of the brief.',
  },
  {
    agent: "qa",
    title: "Web Content Accessibility Guidelines 2.2",
    url: "https://www.w3.org/TR/WCAG22/",
    notes:
      "Aim for level AA. Start with what keeps people out: text alternatives (1.1.1), contrast of 4.5:1 for text and 3:1 for large text (1.4.3), operation by keyboard (2.1.1), visible focus (2.4.7), names of links and fields (2.4.4, 4.1.2), pointer targets of 24 by 24 CSS pixels (2.5.8).",
  },
  {
    agent: "qa",
    title: "Core Web Vitals",
    url: "https://web.dev/articles/vitals",
    notes:
      "Good at the 75th percentile of visits: largest contentful paint within 2.5 s, interaction to next paint within 200 ms, cumulative layout shift of at most 0.1. In a summary, say what visitors notice first, then how many pages are affected, then what to do.",
  },
];

/** Inserts the initial sources of an instance unless it has any. Returns their number. */
export async function installStarterSources({ db, clock }: SourceDependencies): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    if ((await countSources(transaction)).count > 0) return 0;
    const now = isoTime(clock.now());
    for (const [position, source] of starterSources.entries()) {
      await insertSource(transaction, { ...source, enabled: true }, { position, now });
    }
    return starterSources.length;
  });
}

/**
 * Adds missing starter sources (compared by agent and title) at the end, for instances installed
 * before they existed. Returns the number added. Throws `conflict` if the limit would be exceeded.
 */
export async function addStarterSources({ db, clock }: SourceDependencies): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await lockSources(transaction);
    const { count, next } = await countSources(transaction);
    const keyOf = ({ agent, title }: Pick<SourceRow, "agent" | "title">) => `${agent}: ${title}`;
    const present = new Set((await listSources(transaction)).map(keyOf));
    const missing = starterSources.filter((source) => !present.has(keyOf(source)));
    assertRoomForSources(count + missing.length);
    const now = isoTime(clock.now());
    for (const [index, source] of missing.entries()) {
      await insertSource(
        transaction,
        { ...source, enabled: true },
        { position: next + index, now },
      );
    }
    return missing.length;
  });
}
