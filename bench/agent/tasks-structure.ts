import { storedImage } from "./images.ts";
import { content, failUnless, pageFile, swap, text, write, type Task } from "./task.ts";

const homeTexts = content("home");
const aboutTexts = content("about");
const home = pageFile("index");
const about = pageFile("about");

const servicesSection = `    <section class="section">
      <SectionHeading
        heading={texts.services.heading}
        link={{ href: "/services/", label: texts.services.link }}
      />
      <ul role="list" class="services">
        {
          services.services.map((service) => (
            <li>
              <h3>{service.name}</h3>
              <p class="muted">{service.text}</p>
              <p class="price">{service.price}</p>
            </li>
          ))
        }
      </ul>
    </section>

`;

const latestSection = `    {
      latest.length > 0 && (
        <section class="section">
          <SectionHeading
            heading={texts.changelog.heading}
            link={{ href: "/changelog/", label: texts.changelog.link }}
          />
          <div class="latest">
            {latest.map((change) => (
              <ChangeEntry change={change} />
            ))}
          </div>
        </section>
      )
    }

`;

const nowPage = `---
import PageHeading from "../components/PageHeading.astro";
import texts from "../content/now.json";
import Page from "../layouts/Page.astro";
---

<Page title={texts.title} description={texts.description}>
  <div class="wrap">
    <PageHeading heading={texts.heading} lead={texts.lead} />
  </div>
</Page>
`;

/** Structure: sections, pages, files. */
export const structureTasks: readonly Task[] = [
  {
    id: "new-section",
    mode: "build",
    page: "/about/",
    instruction:
      "A new section on About, after the principles: heading “What I read”, and one sentence: “Logbooks, mostly.”",
    solution: [
      swap(
        aboutTexts,
        '  "factsHeading"',
        '  "readingHeading": "What I read",\n  "reading": "Logbooks, mostly.",\n  "factsHeading"',
      ),
      swap(
        about,
        '    <section class="facts"',
        '    <section class="section rail">\n      <h2>{texts.readingHeading}</h2>\n      <p>{texts.reading}</p>\n    </section>\n\n    <section class="facts"',
      ),
    ],
    may: [aboutTexts, about],
    check: (s) => {
      const page = s.read(about);
      const all = page + s.read(aboutTexts);
      return [
        failUnless(
          /What I read/.test(all) && /Logbooks, mostly\./.test(all),
          "the words are missing",
        ),
        failUnless((page.match(/<h2/g) ?? []).length === 2, "not two headings of the second level"),
        failUnless(page.indexOf("principlesHeading") < page.lastIndexOf("<h2"), "not after them"),
      ];
    },
  },
  {
    id: "restructure",
    mode: "build",
    page: "/",
    instruction: "On the home page, show what I do before the selected work.",
    solution: [
      swap(home, servicesSection, ""),
      swap(
        home,
        "    {\n      selected.length > 0",
        `${servicesSection}    {\n      selected.length > 0`,
      ),
    ],
    may: [home],
    check: (s) => {
      const page = s.read(home);
      return [
        failUnless(page.indexOf('class="services"') > 0, "the services are gone"),
        failUnless(
          page.indexOf('class="services"') < page.indexOf('class="work"'),
          "not before it",
        ),
        failUnless((page.match(/class="services"/g) ?? []).length === 1, "they are there twice"),
      ];
    },
  },
  {
    id: "delete-section",
    mode: "build",
    page: "/",
    instruction:
      "Take the section “Latest changes” off the home page, with what only it uses there.",
    solution: [
      swap(home, latestSection, ""),
      swap(home, 'import ChangeEntry from "../components/ChangeEntry.astro";\n', ""),
      swap(
        home,
        'import { changes, projects } from "../lib/records.ts";',
        'import { projects } from "../lib/records.ts";',
      ),
      swap(home, "const latest = changes.slice(0, 3);\n", ""),
      swap(home, "  .services,\n  .latest {", "  .services {"),
    ],
    may: [home, homeTexts],
    check: (s) => [
      failUnless(!/ChangeEntry|latest/.test(s.read(home)), "something of it is left"),
      failUnless(/ContactCall/.test(s.read(home)), "more is gone than asked"),
      failUnless(/class="services"/.test(s.read(home)), "the services are gone"),
    ],
  },
  {
    id: "new-page",
    mode: "build",
    page: "/",
    instruction:
      "A new page /now/ with the heading “Now” and the lead “Counting returns at a library.” Not in the navigation.",
    solution: [
      write(
        content("now"),
        '{\n  "title": "Now",\n  "description": "What Mara Lindqvist works on now.",\n  "heading": "Now",\n  "lead": "Counting returns at a library."\n}\n',
      ),
      write(pageFile("now"), nowPage),
    ],
    may: [content("now"), pageFile("now"), pageFile("now/index")],
    check: (s) => {
      const page = s.read(pageFile("now")) || s.read(pageFile("now/index"));
      return [
        failUnless(/layouts\/Page\.astro/.test(page), "it doesn’t use the site’s layout"),
        failUnless(/Counting returns at a library/.test(page + s.read(content("now"))), "no lead"),
        failUnless(/description/.test(page), "it has no description"),
      ];
    },
  },
  {
    id: "page-picture",
    mode: "build",
    page: "/about/",
    instruction: "Put this picture below the story, with a fitting alt text.",
    images: [storedImage],
    solution: [
      { name: "view_image", input: { path: `app/public${storedImage.src}` } },
      swap(
        about,
        '    <section class="section rail">',
        `    <figure class="below">\n      <img src="${storedImage.src}" alt="A field of dots in rows, some of them larger." width="480" height="270" loading="lazy" />\n    </figure>\n\n    <section class="section rail">`,
      ),
    ],
    may: [about, aboutTexts],
    check: (s) => {
      const page = s.read(about);
      return [
        failUnless((page + s.read(aboutTexts)).includes(storedImage.src ?? "?"), "it isn’t there"),
        failUnless(/480/.test(page + s.read(aboutTexts)), "it has no size"),
        failUnless(!/alt=""/.test(page), "it has no alt text"),
      ];
    },
  },
  {
    id: "move-file",
    mode: "build",
    page: "/about/",
    instruction: "Rename the file of my portrait to mara.svg; the page should keep showing it.",
    solution: [
      {
        name: "move",
        input: { from: "app/public/images/portrait.svg", to: "app/public/images/mara.svg" },
      },
      swap(aboutTexts, "/images/portrait.svg", "/images/mara.svg"),
    ],
    may: [aboutTexts, "app/public/images/mara.svg", "app/public/images/portrait.svg"],
    check: (s) => [
      failUnless(s.read("app/public/images/mara.svg").includes("<svg"), "the file isn’t there"),
      failUnless(s.read("app/public/images/portrait.svg") === "", "the old one is still there"),
      failUnless(
        text(s, aboutTexts, "portrait.src") === "/images/mara.svg",
        "the page shows another",
      ),
    ],
  },
];
