import {
  ask,
  base,
  component,
  content,
  forms,
  inCategory,
  page,
  replace,
  theme,
} from "../../case.ts";
import { uploaded } from "../../upload.ts";

const about = content("about");
const portrait =
  '"src": "/images/portrait.svg",\n    "alt": "Abstract portrait: a dark bob of hair, round glasses and a rust-coloured jumper, in flat shapes.",\n    "width": 960,\n    "height": 1200,\n    "caption": "Drawn with the same code as the covers."';

const images = inCategory(
  "images",
  [
    "image-portrait",
    {
      ...ask("Replace the portrait by the attached photo.", "/about/"),
      attachments: [uploaded],
    },
    replace(
      about,
      portrait,
      `"src": "${uploaded}",\n    "alt": "Mara Lindqvist at her desk, seen from the side.",\n    "width": 960,\n    "height": 1200,\n    "caption": ""`,
    ),
  ],
  [
    "image-added",
    {
      ...ask(
        "Show the attached image on the services page, above the contact block, with a short alt text.",
        "/services/",
      ),
      attachments: ["/media/2026/f84bacea2a5a-shelf-spines.webp"],
    },
    replace(
      page("services/index"),
      "    <ContactCall />",
      '    <figure class="sample">\n      <img\n        src="/media/2026/f84bacea2a5a-shelf-spines.webp"\n        srcset="/media/2026/f84bacea2a5a-shelf-spines-480.webp 480w, /media/2026/f84bacea2a5a-shelf-spines-1200.webp 1200w"\n        sizes="92vw"\n        width="1600"\n        height="1200"\n        loading="lazy"\n        alt="Shelves of coloured books with a return screen between them."\n      />\n    </figure>\n    <ContactCall />',
    ),
    replace(
      page("services/index"),
      "  .not {\n",
      "  .sample img {\n    width: 100%;\n    border-radius: var(--radius);\n  }\n  .not {\n",
    ),
  ],
);

const tokens = inCategory(
  "style-tokens",
  [
    "token-accent",
    ask("Make the accent colour a deep green, about #1c6b3c, in the light theme."),
    replace(
      theme,
      "--accent: light-dark(#2440d8, #a3b5ff); /* 7.2, 9.6 */",
      "--accent: light-dark(#1c6b3c, #a3b5ff); /* 6.3, 9.6 */",
    ),
  ],
  [
    "token-text-size",
    ask("The running text is a little small. One step larger please."),
    replace(theme, "--size-text: 1.0625rem;", "--size-text: 1.125rem;"),
  ],
  [
    "token-radius",
    ask("Rounder corners for cards and images: 14px."),
    replace(theme, "--radius: 10px;", "--radius: 14px;"),
  ],
  [
    "token-section-space",
    ask("A bit less space between the sections."),
    replace(
      theme,
      "--space-section: clamp(4.5rem, 9cqi, 8rem);",
      "--space-section: clamp(4rem, 8cqi, 7rem);",
    ),
  ],
  [
    "token-button-radius",
    ask("Make the buttons less round, radius 0.75rem."),
    replace(theme, "--radius-button: 1.5rem;", "--radius-button: 0.75rem;"),
  ],
  [
    "token-heading-size",
    ask("The big headings are too large on wide screens, at most 4.5rem."),
    replace(
      theme,
      "--size-h1: clamp(2.5rem, 1.7rem + 4cqi, 5rem);",
      "--size-h1: clamp(2.5rem, 1.7rem + 4cqi, 4.5rem);",
    ),
  ],
  [
    "token-background",
    ask("A slightly warmer background in light mode."),
    replace(theme, "--bg: light-dark(#fbfbf9, #0f1114);", "--bg: light-dark(#fcfaf5, #0f1114);"),
  ],
  [
    "token-leading",
    ask("Line height of the text 1.65."),
    replace(theme, "--leading-text: 1.6;", "--leading-text: 1.65;"),
  ],
  [
    "token-look",
    ask("Switch the site to the look “moss”."),
    replace(content("site"), '"look": "ink"', '"look": "moss"'),
  ],
);

const smallStyles = inCategory(
  "small-styles",
  [
    "style-price-colour",
    ask("Show the prices on the home page in the accent colour.", "/"),
    replace(
      page("index"),
      "  .price {\n    font-weight: 600;\n  }",
      "  .price {\n    font-weight: 600;\n    color: var(--accent);\n  }",
    ),
  ],
  [
    "style-services-gap",
    ask("A little more space between the services on the home page.", "/"),
    replace(
      page("index"),
      "    gap: var(--space-6);\n    padding-top: var(--space-3);",
      "    gap: var(--space-7);\n    padding-top: var(--space-3);",
    ),
  ],
  [
    "style-underline",
    ask("Make the underlines of links a little thicker: 1.5px."),
    replace(
      base,
      "  text-decoration-thickness: 1px;\n  text-decoration-color: var(--control);",
      "  text-decoration-thickness: 1.5px;\n  text-decoration-color: var(--control);",
    ),
  ],
  [
    "style-form-gap",
    ask("The fields of the contact form are too close to each other.", "/contact/"),
    replace(
      forms,
      "  gap: var(--space-5);\n  width: 100%;",
      "  gap: var(--space-6);\n  width: 100%;",
    ),
  ],
  [
    "style-facts-weight",
    ask("The values in the facts on the about page in semibold.", "/about/"),
    replace(component("FactLine"), "    font-weight: 500;", "    font-weight: 600;"),
  ],
);

export const styleCases = [...images, ...tokens, ...smallStyles];
