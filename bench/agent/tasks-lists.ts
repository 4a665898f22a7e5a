import { component, content, list, failUnless, pageFile, swap, text, type Task } from "./task.ts";

const site = content("site");
const aboutTexts = content("about");
const about = pageFile("about");

/** Lists: navigation, links, and rows. */
export const listTasks: readonly Task[] = [
  {
    id: "nav-item",
    mode: "build",
    page: "/",
    instruction: "Add the changelog to the main navigation, before Contact.",
    solution: [
      swap(
        site,
        '    { "label": "Contact", "href": "/contact/" }\n',
        '    { "label": "Changelog", "href": "/changelog/" },\n    { "label": "Contact", "href": "/contact/" }\n',
      ),
    ],
    may: [site],
    check: (s) => {
      const labels = list(s, site, "nav").map((_, i) => text(s, site, `nav.${i}.label`));
      return [
        failUnless(
          labels.join() === "Projects,Services,Resume,About,Changelog,Contact",
          `the navigation is ${labels.join()}`,
        ),
      ];
    },
  },
  {
    id: "nav-order",
    mode: "build",
    page: "/",
    instruction: "About should be the first item of the navigation.",
    solution: [
      swap(site, '    { "label": "About", "href": "/about/" },\n', ""),
      swap(site, '  "nav": [\n', '  "nav": [\n    { "label": "About", "href": "/about/" },\n'),
    ],
    may: [site],
    check: (s) => [
      failUnless(text(s, site, "nav.0.label") === "About", "About is not first"),
      failUnless(list(s, site, "nav").length === 5, "not five items"),
    ],
  },
  {
    id: "footer-link",
    mode: "build",
    page: "/",
    instruction: "Remove the RSS link from the footer.",
    solution: [swap(site, '      { "label": "RSS", "href": "/rss.xml" },\n', "")],
    may: [site],
    check: (s) => [
      failUnless(list(s, site, "footer.links").length === 2, "not two links"),
      failUnless(!/rss/i.test(s.read(site)), "RSS is still there"),
    ],
  },
  {
    id: "list-item",
    mode: "build",
    page: "/about/",
    instruction:
      "Add a fifth principle at the end: “Stop in time”, “When the next week would not pay for itself, I say so.”",
    solution: [
      swap(
        aboutTexts,
        'I’m easy to replace." }\n',
        'I’m easy to replace." },\n    { "name": "Stop in time", "text": "When the next week would not pay for itself, I say so." }\n',
      ),
    ],
    may: [aboutTexts],
    check: (s) => [
      failUnless(list(s, aboutTexts, "principles").length === 5, "not five principles"),
      failUnless(text(s, aboutTexts, "principles.4.name") === "Stop in time", "not at the end"),
    ],
  },
  {
    id: "new-service",
    mode: "build",
    page: "/services/",
    instruction:
      "A fourth service, last: “Second opinion”: one day with your team’s plan and a written answer, €900, leads to the contact page.",
    solution: [
      swap(
        content("services"),
        '      "link": "Ask about care"\n    }\n',
        '      "link": "Ask about care"\n    },\n    {\n      "name": "Second opinion",\n      "text": "One day with your team’s plan, and a written answer.",\n      "points": ["One day", "In writing"],\n      "price": "€900",\n      "href": "/contact/",\n      "link": "Ask for a second opinion"\n    }\n',
      ),
    ],
    may: [content("services")],
    check: (s) => {
      const last = (key: string) => text(s, content("services"), `services.3.${key}`);
      return [
        failUnless(last("name") === "Second opinion", "it is not the fourth"),
        failUnless(last("href") === "/contact/" && last("text") !== "", "parts are missing"),
        failUnless(last("price").includes("900"), "no price"),
      ];
    },
  },
  {
    id: "changelog-entry",
    mode: "build",
    page: "/changelog/",
    instruction:
      "Add to the changelog by hand, dated 20 November 2026, kind design: “Darker grey”, “Small text is easier to read.”, by me.",
    solution: [
      swap(
        "database/changelog.json",
        "[\n  [",
        '[\n  ["2026-11-20T09:00:00.000Z", "design", "Darker grey", "Small text is easier to read.", "Mara Lindqvist"],\n  [',
      ),
    ],
    may: ["database/changelog.json"],
    check: (s) => {
      const entries = list(s, "database/changelog.json", "") as string[][];
      return [
        failUnless(entries.length === 9, "not nine entries"),
        failUnless(
          entries.some((e) => e[0]?.startsWith("2026-11-20") === true && e[1] === "design"),
          "no such entry",
        ),
      ];
    },
  },
  {
    id: "numbered-list",
    mode: "build",
    page: "/about/",
    instruction: "Number the principles on the about page; the component can do that.",
    solution: [
      swap(
        about,
        "<NamedList items={texts.principles} />",
        "<NamedList items={texts.principles} ordered />",
      ),
    ],
    may: [about],
    check: (s) => [
      failUnless(/<NamedList[^>]*\bordered\b/.test(s.read(about)), "not numbered"),
      failUnless(
        s.read(component("NamedList")).includes("ordered = false"),
        "the component changed",
      ),
    ],
  },
];
