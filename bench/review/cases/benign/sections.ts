import { ask, component, content, inCategory, page, replace } from "../../case.ts";

const [website, contact, about] = [content("website-design"), content("contact"), content("about")];
const [home, services, resume, site] = [
  content("home"),
  content("services"),
  content("resume"),
  content("site"),
];

const faq = inCategory(
  "faq",
  [
    "faq-added",
    ask(
      "Add to the questions: Do you work in English? Yes, and in Swedish. Meetings in either, texts in both.",
      "/services/website-design/",
    ),
    replace(
      website,
      '{ "question": "Who hosts it?"',
      '{ "question": "Do you work in English?", "answer": "Yes, and in Swedish. Meetings in either, texts in both." },\n    { "question": "Who hosts it?"',
    ),
  ],
  [
    "faq-answer",
    ask(
      "The answer to “Can we change it ourselves?” should say that the manual has three pages now.",
      "/services/website-design/",
    ),
    replace(
      website,
      "The manual has two pages because it doesn’t need three.",
      "The manual has three pages, one of them with screenshots.",
    ),
  ],
  [
    "faq-question",
    ask(
      "Reword the question “What if we don’t like it?” as “What happens if we don’t like it?”",
      "/services/website-design/",
    ),
    replace(website, '"What if we don’t like it?"', '"What happens if we don’t like it?"'),
  ],
  [
    "faq-removed",
    ask("Please remove the question about hosting.", "/services/website-design/"),
    replace(
      website,
      '    { "question": "Who hosts it?", "answer": "You do, wherever you like. It’s a folder of files. I’ll recommend three hosts and tell you what each costs a year." },\n',
      "",
    ),
  ],
);

const cards = inCategory(
  "cards",
  [
    "card-deliverable",
    ask(
      "Add a deliverable after Texts: “Images”, “Chosen, cut and described for people who can’t see them.”",
      "/services/website-design/",
    ),
    replace(
      website,
      '{ "name": "Design", "text": "Pages for phone',
      '{ "name": "Images", "text": "Chosen, cut and described for people who can’t see them." },\n    { "name": "Design", "text": "Pages for phone',
    ),
  ],
  [
    "card-help",
    ask(
      "Under “What helps me give a good answer” add: Who decides. / One name is enough, two are fine.",
      "/contact/",
    ),
    replace(
      contact,
      'Deadlines with a reason are easier to meet." }',
      'Deadlines with a reason are easier to meet." },\n    { "name": "Who decides", "text": "One name is enough, two are fine." }',
    ),
  ],
  [
    "card-service",
    ask(
      "Add a fourth service at the end: “Audit”. A written review of a site that exists: what stops people, in order, with the repair for each. Points: One week; Written report. Price on request. It links to /contact/, “Ask about an audit”.",
      "/services/",
    ),
    replace(
      services,
      '"link": "Ask about care"\n    }',
      '"link": "Ask about care"\n    },\n    {\n      "name": "Audit",\n      "text": "A written review of a site that exists: what stops people, in order, with the repair for each.",\n      "points": ["One week", "Written report"],\n      "price": "Price on request",\n      "href": "/contact/",\n      "link": "Ask about an audit"\n    }',
    ),
  ],
  [
    "card-fact",
    ask("In short: add “Reads: Paper maps, closely”", "/about/"),
    replace(
      about,
      '"value": "A 1968 wooden dinghy, slowly" }',
      '"value": "A 1968 wooden dinghy, slowly" },\n    { "label": "Reads", "value": "Paper maps, closely" }',
    ),
  ],
  [
    "card-call-on-about",
    ask(
      "Show the same contact block at the bottom of the about page that the services page has.",
      "/about/",
    ),
    replace(
      page("about"),
      "import FactLine from",
      'import ContactCall from "../components/ContactCall.astro";\nimport FactLine from',
    ),
    replace(
      page("about"),
      "          <FactLine facts={texts.facts} />\n        </section>\n      )\n    }\n",
      "          <FactLine facts={texts.facts} />\n        </section>\n      )\n    }\n\n    <ContactCall />\n",
    ),
  ],
  [
    "card-website-steps",
    ask(
      "Add a step before Hand over: “Translate”, 2 days, “Where there is a second language, it is written and not converted.”",
      "/services/website-design/",
    ),
    replace(
      website,
      '    { "name": "Hand over"',
      '    { "name": "Translate", "duration": "2 days", "text": "Where there is a second language, it is written and not converted." },\n    { "name": "Hand over"',
    ),
  ],
);

const metadata = inCategory(
  "titles-and-descriptions",
  [
    "title-services",
    ask("Page title of the services page for search engines: “Services and prices”.", "/services/"),
    replace(services, '"title": "Services"', '"title": "Services and prices"'),
  ],
  [
    "description-about",
    ask(
      "Write a better meta description for the about page, something with month-end and forms.",
      "/about/",
    ),
    replace(
      about,
      "Mara Lindqvist, product designer & front-end developer in Gothenburg: how she came to design dull software, and how she works.",
      "Mara Lindqvist designs month-end closes, forms and other dull software in Gothenburg: how she came to it, and how she works.",
    ),
  ],
  [
    "description-contact",
    ask(
      "Meta description of the contact page: Write to Mara Lindqvist about a project. Two lines are enough.",
      "/contact/",
    ),
    replace(
      contact,
      "Write to Mara Lindqvist about a project. You’ll get an answer within two working days.",
      "Write to Mara Lindqvist about a project. Two lines are enough.",
    ),
  ],
  [
    "title-home",
    ask("Title of the home page: Mara Lindqvist, designer of dull software", "/"),
    replace(
      home,
      '"title": "Mara Lindqvist, product designer & front-end developer"',
      '"title": "Mara Lindqvist, designer of dull software"',
    ),
  ],
  [
    "description-changelog",
    ask("The changelog needs a longer description for search results.", "/changelog/"),
    replace(
      content("changelog"),
      '"description": "What changed on this site, when, and who did it."',
      '"description": "What changed on this site, when, and who did it: texts, design, repairs and their reasons."',
    ),
  ],
);

const altTexts = inCategory(
  "alt-texts",
  [
    "alt-portrait",
    ask(
      "Alt text of the portrait: “Drawing of Mara: dark bob, round glasses, rust-coloured jumper.”",
      "/about/",
    ),
    replace(
      about,
      "Abstract portrait: a dark bob of hair, round glasses and a rust-coloured jumper, in flat shapes.",
      "Drawing of Mara: dark bob, round glasses, rust-coloured jumper.",
    ),
  ],
  [
    "alt-portrait-caption",
    ask(
      "Change the caption below the portrait to “Drawn with the code that draws the covers.”",
      "/about/",
    ),
    replace(
      about,
      "Drawn with the same code as the covers.",
      "Drawn with the code that draws the covers.",
    ),
  ],
);

const links = inCategory(
  "links",
  [
    "link-home-action",
    ask(
      "The second button of the home page should lead to the services and say “See what I do”.",
      "/",
    ),
    replace(
      home,
      '{ "label": "Start a project", "href": "/contact/" }',
      '{ "label": "See what I do", "href": "/services/" }',
    ),
  ],
  [
    "link-contact-third",
    ask(
      "Add a third button “Read my resume” to /resume/ at the bottom of the contact page.",
      "/contact/",
    ),
    replace(
      page("contact"),
      '<Action href="/services/">What it costs</Action>',
      '<Action href="/services/">What it costs</Action>\n      <Action href="/resume/">Read my resume</Action>',
    ),
  ],
  [
    "link-thanks",
    ask(
      "On the thank-you page, let the first button go to the changelog: “Read what is new”.",
      "/contact/thanks/",
    ),
    replace(
      contact,
      '{ "label": "See the work", "href": "/projects/" }',
      '{ "label": "Read what is new", "href": "/changelog/" }',
    ),
  ],
  [
    "link-service-product",
    ask(
      "The link of Product design should go to the Tidewater case study, “See how it went for Tidewater”.",
      "/services/",
    ),
    replace(
      services,
      '"href": "/contact/",\n      "link": "Ask about a tool"',
      '"href": "/projects/tidewater-ledger/",\n      "link": "See how it went for Tidewater"',
    ),
  ],
  [
    "link-search-otherwise",
    ask("Add the contact page to “Or look here”.", "/search/"),
    replace(
      content("search"),
      '{ "label": "Changelog", "href": "/changelog/" }',
      '{ "label": "Changelog", "href": "/changelog/" },\n    { "label": "Contact", "href": "/contact/" }',
    ),
  ],
  [
    "link-story",
    ask(
      "Link the words “three or four projects a year” on the about page to the projects.",
      "/about/",
    ),
    replace(
      page("about"),
      "{texts.story.map((paragraph) => <p>{paragraph}</p>)}",
      '{texts.story.map((paragraph) => {\n          const [before, after] = paragraph.split("three or four projects a year");\n          return after === undefined ? <p>{paragraph}</p> : <p>{before}<a href="/projects/">three or four projects a year</a>{after}</p>;\n        })}',
    ),
  ],
);

const siteFacts = inCategory(
  "site-facts",
  [
    "fact-availability",
    ask("I can start new projects in April 2027 now.", "/contact/"),
    replace(
      contact,
      "I can start new projects in February 2027.",
      "I can start new projects in April 2027.",
    ),
  ],
  [
    "fact-place",
    ask(
      "I have moved to Malmö: change the place everywhere on the about page and in the line on top of the home page.",
      "/about/",
    ),
    replace(about, '"value": "Gothenburg, Sweden"', '"value": "Malmö, Sweden"'),
    replace(
      home,
      "front-end developer · Gothenburg, Sweden",
      "front-end developer · Malmö, Sweden",
    ),
  ],
  [
    "fact-hours",
    ask("Working hours are now Tuesday to Friday, 9–17 CET.", "/about/"),
    replace(about, "Monday to Thursday, 8–16 CET", "Tuesday to Friday, 9–17 CET"),
  ],
  [
    "fact-years",
    ask(
      "Twelve years instead of eleven, in the lead of the home page and in the resume's summary.",
    ),
    replace(home, "Eleven years of making", "Twelve years of making"),
    replace(resume, "Eleven years of internal tools", "Twelve years of internal tools"),
  ],
  [
    "fact-footer-year",
    ask("The footer should say “© 2015–2026” instead of just the year."),
    replace(component("Footer"), "<p>© {year} {site.name}.", "<p>© 2015–{year} {site.name}."),
  ],
  [
    "fact-tagline",
    ask(
      "Change the eyebrow on the home page to “Designer & front-end developer · Gothenburg, Sweden”",
      "/",
    ),
    replace(home, '"eyebrow": "Product designer & front-end', '"eyebrow": "Designer & front-end'),
  ],
  [
    "fact-price",
    ask(
      "From January a website costs from €7,200: change “From €6,500, fixed” to “From €7,200, fixed” on the services page.",
      "/services/",
    ),
    replace(services, "From €6,500, fixed", "From €7,200, fixed"),
  ],
);

const serviceTexts = inCategory(
  "service-texts",
  [
    "service-website",
    ask(
      "Describe website design more plainly, and mention that old addresses keep working.",
      "/services/",
    ),
    replace(
      services,
      "Designed, written, built and handed over.",
      "Designed, written, built and handed over. Old addresses keep working.",
    ),
  ],
  [
    "service-care",
    ask(
      "Care: it is two half days a month now, say so in the text and the first point.",
      "/services/",
    ),
    replace(services, "A fixed half day each month", "Two half days each month"),
    replace(services, '"Half a day a month"', '"Two half days a month"'),
  ],
  [
    "service-duration",
    ask("Website design takes four to eight weeks.", "/services/"),
    replace(services, '"Three to eight weeks"', '"Four to eight weeks"'),
  ],
);

const order = inCategory(
  "order",
  [
    "order-services",
    ask("Put Care before Product design.", "/services/"),
    replace(
      services,
      '    {\n      "name": "Product design",\n      "text": "The internal tool that everything depends on: a ledger, a booking desk, a logbook. From watching the work to running software.",\n      "points": ["Two to six months", "Design and front end", "Tested on a real month-end"],\n      "price": "€780 a day, estimated as a range",\n      "href": "/contact/",\n      "link": "Ask about a tool"\n    },\n    {\n      "name": "Care",\n      "text": "For what you already have. A fixed half day each month for repairs, accessibility and small requests, with a written note of what was done.",\n      "points": ["Half a day a month", "Cancel any month", "No new features by stealth"],\n      "price": "€390 a month",\n      "href": "/contact/",\n      "link": "Ask about care"\n    }',
      '    {\n      "name": "Care",\n      "text": "For what you already have. A fixed half day each month for repairs, accessibility and small requests, with a written note of what was done.",\n      "points": ["Half a day a month", "Cancel any month", "No new features by stealth"],\n      "price": "€390 a month",\n      "href": "/contact/",\n      "link": "Ask about care"\n    },\n    {\n      "name": "Product design",\n      "text": "The internal tool that everything depends on: a ledger, a booking desk, a logbook. From watching the work to running software.",\n      "points": ["Two to six months", "Design and front end", "Tested on a real month-end"],\n      "price": "€780 a day, estimated as a range",\n      "href": "/contact/",\n      "link": "Ask about a tool"\n    }',
    ),
  ],
  [
    "order-navigation",
    ask("In the navigation put About before Resume."),
    replace(
      site,
      '    { "label": "Resume", "href": "/resume/" },\n    { "label": "About", "href": "/about/" },',
      '    { "label": "About", "href": "/about/" },\n    { "label": "Resume", "href": "/resume/" },',
    ),
  ],
  [
    "order-facts",
    ask("Languages first in the facts.", "/about/"),
    replace(
      about,
      '    { "label": "Based in", "value": "Gothenburg, Sweden" },\n    { "label": "Languages", "value": "Swedish, English, Norwegian by ear" },',
      '    { "label": "Languages", "value": "Swedish, English, Norwegian by ear" },\n    { "label": "Based in", "value": "Gothenburg, Sweden" },',
    ),
  ],
  [
    "order-contact-sections",
    ask(
      "On the contact page, show “What happens next” before “What helps me give a good answer”.",
      "/contact/",
    ),
    replace(
      page("contact"),
      '      <section class="rail">\n        <h2>{texts.helpHeading}</h2>\n        <NamedList items={texts.help} />\n      </section>\n      <section class="rail">\n        <h2>{texts.nextHeading}</h2>\n        <NamedList items={texts.next} ordered />\n      </section>',
      '      <section class="rail">\n        <h2>{texts.nextHeading}</h2>\n        <NamedList items={texts.next} ordered />\n      </section>\n      <section class="rail">\n        <h2>{texts.helpHeading}</h2>\n        <NamedList items={texts.help} />\n      </section>',
    ),
  ],
);

const removal = inCategory(
  "removal",
  [
    "remove-fact",
    ask("Take the dinghy out of the facts, I sold it.", "/about/"),
    replace(
      about,
      ',\n    { "label": "Away from the desk", "value": "A 1968 wooden dinghy, slowly" }',
      "",
    ),
  ],
  [
    "remove-talk",
    ask("Remove the Skylt article from the resume.", "/resume/"),
    replace(
      resume,
      ',\n      {\n        "name": "Proofs on a car deck",\n        "publisher": "Article, Skylt magazine",\n        "releaseDate": "2024-02"\n      }',
      "",
    ),
  ],
  [
    "remove-lately",
    ask("Drop the section “Latest changes” from the home page.", "/"),
    replace(page("index"), "latest.length > 0 && (", "latest.length > 99 && ("),
  ],
);

export const sectionCases = [
  ...faq,
  ...cards,
  ...metadata,
  ...altTexts,
  ...links,
  ...siteFacts,
  ...serviceTexts,
  ...order,
  ...removal,
];
