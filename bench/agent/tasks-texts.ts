import { content, failUnless, pageFile, swap, type Task, text, list } from "./task.ts";

const [site, home, about, services, contact] = [
  content("site"),
  content("home"),
  content("about"),
  content("services"),
  content("contact"),
];

/** Text: copy, names, addresses, titles and descriptions, alt texts. */
export const textTasks: readonly Task[] = [
  {
    id: "heading",
    mode: "build",
    page: "/",
    instruction: "Change the big heading of the home page to: I make dull software calm.",
    solution: [
      swap(
        home,
        "I design the dull software that small organisations run on.",
        "I make dull software calm.",
      ),
    ],
    may: [home],
    check: (s) => [
      failUnless(text(s, home, "heading") === "I make dull software calm.", "another heading"),
    ],
  },
  {
    id: "price",
    mode: "build",
    page: "/services/",
    instruction: "Website design now starts at €7,200.",
    solution: [swap(services, "From €6,500, fixed", "From €7,200, fixed")],
    may: [services, content("website-design")],
    check: (s) => [
      failUnless(text(s, services, "services.0.price").includes("7,200"), "the old price"),
      failUnless(!s.read(services).includes("6,500"), "the old price is left"),
    ],
  },
  {
    id: "mail-address",
    mode: "build",
    page: "/contact/",
    instruction: "My e-mail is hello@example.com now.",
    solution: [swap(site, "mara@example.com", "hello@example.com")],
    may: [site, content("resume")],
    check: (s) => [failUnless(text(s, site, "email") === "hello@example.com", "the old address")],
  },
  {
    id: "availability",
    mode: "build",
    page: "/contact/",
    instruction: "I can start new projects in April 2027.",
    solution: [swap(contact, "February 2027", "April 2027")],
    may: [contact],
    check: (s) => [
      failUnless(/April 2027/.test(text(s, contact, "availability")), "the old month"),
    ],
  },
  {
    id: "everywhere",
    mode: "build",
    page: "/contact/",
    instruction: "I need three working days to answer, not two. Change it everywhere.",
    solution: [
      {
        name: "edit",
        input: {
          path: contact,
          search: "two working days",
          replace: "three working days",
          replaceAll: true,
        },
      },
      swap(home, "within two working days", "within three working days"),
    ],
    may: [contact, home],
    check: (s) => [
      failUnless(
        !/two working days/i.test(s.read(contact) + s.read(home)),
        "two is left somewhere",
      ),
      failUnless(
        (s.read(contact).match(/three working days/gi) ?? []).length === 3,
        "not three places",
      ),
    ],
  },
  {
    id: "paragraph",
    mode: "build",
    page: "/about/",
    instruction:
      "In the story about me, say that I take two or three projects a year, not three or four.",
    solution: [swap(about, "three or four projects a year", "two or three projects a year")],
    may: [about],
    check: (s) => [
      failUnless(text(s, about, "story.2").includes("two or three projects"), "not said"),
      failUnless(list(s, about, "story").length === 3, "paragraphs came or went"),
    ],
  },
  {
    id: "meta-title",
    mode: "build",
    page: "/about/",
    instruction: "The page title of About should be “About Mara Lindqvist”.",
    solution: [swap(about, '"title": "About"', '"title": "About Mara Lindqvist"')],
    may: [about],
    check: (s) => [failUnless(text(s, about, "title") === "About Mara Lindqvist", "another title")],
  },
  {
    id: "meta-description",
    mode: "build",
    page: "/contact/",
    instruction:
      "Write a search description for the contact page that mentions Gothenburg, at most 150 characters.",
    solution: [
      swap(
        contact,
        "Write to Mara Lindqvist about a project. You’ll get an answer within two working days.",
        "Write to Mara Lindqvist in Gothenburg about a project. You’ll get an answer within two working days.",
      ),
    ],
    may: [contact],
    check: (s) => [
      failUnless(/Gothenburg/.test(text(s, contact, "description")), "no Gothenburg"),
      failUnless(text(s, contact, "description").length <= 150, "too long"),
    ],
  },
  {
    id: "alt-text",
    mode: "build",
    page: "/about/",
    instruction: "The portrait’s alt text should say that the jumper is green.",
    solution: [swap(about, "a rust-coloured jumper", "a green jumper")],
    may: [about],
    check: (s) => [
      failUnless(/green jumper/.test(text(s, about, "portrait.alt")), "no green jumper"),
      failUnless(!/rust/.test(text(s, about, "portrait.alt")), "rust is left"),
    ],
  },
  {
    id: "not-found",
    mode: "build",
    page: "/nowhere/",
    instruction: "On the page for wrong addresses, the heading should be “Nothing here.”",
    solution: [swap(content("not-found"), "This page doesn’t exist.", "Nothing here.")],
    may: [content("not-found")],
    check: (s) => [
      failUnless(text(s, content("not-found"), "heading") === "Nothing here.", "another heading"),
    ],
  },
  {
    id: "footer-note",
    mode: "build",
    page: "/",
    instruction: "Footer: “No trackers, no cookies, no scripts.”",
    solution: [
      swap(
        site,
        "Made without trackers, cookies or scripts.",
        "No trackers, no cookies, no scripts.",
      ),
    ],
    may: [site],
    check: (s) => [
      failUnless(
        text(s, site, "footer.note") === "No trackers, no cookies, no scripts.",
        "another note",
      ),
    ],
  },
  {
    id: "voice",
    mode: "build",
    page: "/",
    instruction: "Add to my voice guide that “simply” is never written.",
    solution: [
      swap("brand/voice.md", "- **Plain words.**", "- **Never “simply”.**\n- **Plain words.**"),
    ],
    may: ["brand/voice.md"],
    check: (s) => [
      failUnless(/simply/.test(s.read("brand/voice.md")), "nothing of simply"),
      failUnless(/British spelling/.test(s.read("brand/voice.md")), "the guide lost something"),
    ],
  },
  {
    id: "picked-words",
    mode: "build",
    page: "/",
    instruction: "Make this shorter: “A spreadsheet only one person dares to touch?”",
    elements: [
      {
        file: "app/src/components/ContactCall.astro",
        line: 8,
        column: 3,
        tag: "h2",
        text: "Is there a spreadsheet that only one person dares to touch?",
        page: "/",
      },
    ],
    solution: [
      swap(
        home,
        "Is there a spreadsheet that only one person dares to touch?",
        "A spreadsheet only one person dares to touch?",
      ),
    ],
    may: [home],
    check: (s) => [
      failUnless(
        text(s, home, "contact.heading") === "A spreadsheet only one person dares to touch?",
        "another heading",
      ),
    ],
  },
  {
    id: "picked-list",
    mode: "build",
    page: "/about/",
    instruction: "Take this out, please.",
    elements: [
      {
        file: pageFile("about"),
        line: 45,
        column: 5,
        tag: "dd",
        text: "Swedish, English, Norwegian by ear",
        page: "/about/",
      },
    ],
    solution: [
      swap(
        about,
        '    { "label": "Languages", "value": "Swedish, English, Norwegian by ear" },\n',
        "",
      ),
    ],
    may: [about],
    check: (s) => [
      failUnless(list(s, about, "facts").length === 3, "not three facts"),
      failUnless(!/Norwegian/.test(s.read(about)), "it is still there"),
    ],
  },
];
