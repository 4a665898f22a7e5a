import { content, type Edit, page, replace } from "./case.ts";

/** Faults of the kinds that QA fixes automatically, all in one site. */
export const faults: readonly Edit[] = [
  // Missing alt text, and one that is a file name.
  replace(
    page("services/index"),
    "    <ContactCall />",
    '    <figure class="sample"><img src="/media/2026/f84bacea2a5a-shelf-spines-800.webp" width="800" height="600" loading="lazy" /></figure>\n    <ContactCall />',
  ),
  replace(
    content("about"),
    '"alt": "Abstract portrait: a dark bob of hair, round glasses and a rust-coloured jumper, in flat shapes."',
    '"alt": "portrait.svg"',
  ),
  // Broken links: a misspelled page, a missing fragment.
  replace(content("not-found"), '"href": "/projects/"', '"href": "/project/"'),
  replace(
    page("changelog"),
    '<a class="feed" href="/rss.xml">RSS feed</a>',
    '<a class="feed" href="/rss.xml">RSS feed</a>\n      <a class="feed" href="/about/#how-i-wrok">How I work</a>',
  ),
  replace(
    page("about"),
    "<h2>{texts.principlesHeading}</h2>",
    '<h2 id="how-i-work">{texts.principlesHeading}</h2>',
  ),
  replace(
    page("contact"),
    '<Action href="/services/">What it costs</Action>',
    '<Action href="/servces/">What it costs</Action>',
  ),
  // A missing description, a misspelling, a heading that skips a level.
  replace(
    content("projects"),
    '"description": "Case studies by Mara Lindqvist: what was wrong, what limited us, what failed, and what changed."',
    '"description": ""',
  ),
  replace(content("services"), "each has a price before", "each has a pirce before"),
];
