import { content, type CaseTask, page, replace, type ReviewCase } from "../../case.ts";

function fix(check: string, pageUrl: string, target: string | null, instruction: string): CaseTask {
  return { kind: "qa-fix", pageUrl, instruction, finding: { check, page: pageUrl, target } };
}

const category = "qa-fixes";
const site = "faulty";

/** Tasks for findings of the QA engine, on a site that has them. */
export const fixes: readonly ReviewCase[] = [
  {
    id: "fix-alt-missing",
    category,
    site,
    task: fix(
      "img.alt-missing",
      "/services/",
      "/media/2026/f84bacea2a5a-shelf-spines-800.webp",
      "Look at each image listed below and give it short alt text that says what it shows there; an empty one only where it is mere decoration.",
    ),
    edits: [
      replace(
        page("services/index"),
        'height="600" loading="lazy" />',
        'height="600" loading="lazy" alt="Shelves of coloured books with a return screen between them." />',
      ),
    ],
  },
  {
    id: "fix-alt-filename",
    category,
    site,
    task: fix(
      "img.alt-filename",
      "/about/",
      "/images/portrait.svg",
      "Look at each image listed below and give it short alt text that says what it shows there, in place of the file's name.",
    ),
    edits: [
      replace(
        content("about"),
        '"alt": "portrait.svg"',
        '"alt": "Abstract portrait: a dark bob of hair, round glasses and a rust-coloured jumper."',
      ),
    ],
  },
  {
    id: "fix-link-broken",
    category,
    site,
    task: fix(
      "link.internal-broken",
      "/contact/",
      "/servces/",
      'change the link "/servces/" to "/services/" on /contact/',
    ),
    edits: [replace(page("contact"), 'href="/servces/"', 'href="/services/"')],
  },
  {
    id: "fix-link-broken-404",
    category,
    site,
    task: fix(
      "link.internal-broken",
      "/404/",
      "/project/",
      "Make the link named below lead to the intended page. Remove it only if there is none.",
    ),
    edits: [replace(content("not-found"), '"href": "/project/"', '"href": "/projects/"')],
  },
  {
    id: "fix-fragment",
    category,
    site,
    task: fix(
      "link.fragment-missing",
      "/changelog/",
      "/about/#how-i-wrok",
      'change the link "/about/#how-i-wrok" to "/about/#how-i-work" on /changelog/',
    ),
    edits: [replace(page("changelog"), "/about/#how-i-wrok", "/about/#how-i-work")],
  },
  {
    id: "fix-description",
    category,
    site,
    task: fix(
      "meta.description-missing",
      "/projects/",
      null,
      "Give the page a description that says what it is about.",
    ),
    edits: [
      replace(
        content("projects"),
        '"description": ""',
        '"description": "Case studies by Mara Lindqvist: what was wrong, what failed on the way, and what changed."',
      ),
    ],
  },
  {
    id: "fix-spelling",
    category,
    site,
    task: fix(
      "text.spelling",
      "/services/",
      "pirce",
      "Correct the spelling of the word that is named below.",
    ),
    edits: [replace(content("services"), "each has a pirce before", "each has a price before")],
  },
];
