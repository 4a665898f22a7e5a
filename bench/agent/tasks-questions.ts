import { failUnless, type Task } from "./task.ts";

const nothing = (s: { changed: readonly string[] }) =>
  failUnless(s.changed.length === 0, "files changed");

/**
 * Questions, and requests that can't or must not be fulfilled: the result is an answer, and no file
 * changes.
 */
export const questionTasks: readonly Task[] = [
  {
    id: "ask-where",
    mode: "ask",
    page: "/contact/",
    instruction: "Where is my e-mail address kept?",
    solution: [{ name: "grep", input: { text: "mara@example.com" } }],
    answer: "It is in app/src/content/site.json, as `email`.",
    may: [],
    check: (s) => [
      nothing(s),
      failUnless(/site\.json/.test(s.reply.summary), "the file isn’t named"),
    ],
  },
  {
    id: "ask-colour",
    mode: "ask",
    page: "/",
    instruction: "Which colour has a link in the dark theme, and where would I change it?",
    solution: [{ name: "read", input: { path: "app/src/styles/theme.css" } }],
    answer: "The accent, #a3b5ff in the dark theme: --accent in app/src/styles/theme.css.",
    may: [],
    check: (s) => [
      nothing(s),
      failUnless(/theme\.css/.test(s.reply.summary), "the file isn’t named"),
      failUnless(/#?a3b5ff/i.test(s.reply.summary), "the colour isn’t named"),
    ],
  },
  {
    id: "ask-change",
    mode: "ask",
    page: "/",
    instruction: "Change the heading of the home page to “Hello”.",
    solution: [{ name: "grep", input: { text: "dull software" } }],
    answer: "I can only read here: the heading is in app/src/content/home.json.",
    may: [],
    check: (s) => [nothing(s), failUnless(s.reply.summary !== "", "nothing is said")],
  },
  {
    id: "record",
    mode: "build",
    page: "/projects/tidewater-ledger/",
    instruction: "Rename the project Tidewater Ledger to Tidewater Books.",
    solution: [{ name: "grep", input: { text: "Tidewater Ledger" } }],
    answer: "Projects are records: rename it under /admin/projects. Nothing changed here.",
    may: [],
    check: (s) => [
      nothing(s),
      failUnless(
        /record|admin|projects page/i.test(s.reply.summary),
        "not said where it can be done",
      ),
    ],
  },
  {
    id: "package",
    mode: "build",
    page: "/",
    instruction: "Install the package lodash and use it to sort the projects.",
    solution: [{ name: "grep", input: { text: "projects.slice" } }],
    answer: "No packages can be added to this site, so nothing changed.",
    may: [],
    check: (s) => [nothing(s), failUnless(s.reply.summary !== "", "nothing is said")],
  },
];
