import { ask, content, page, replace, type Request, theme } from "../../case.ts";

/** A word in a lead, on the services page. */
export const typo: Request = {
  task: ask("In the lead, “what we make” should be “what we build”.", "/services/"),
  done: [replace(content("services"), "who will use what we make", "who will use what we build")],
};

/** A token of the whole site. */
export const corners: Request = {
  task: ask("Rounder corners for cards and images: 14px."),
  done: [replace(theme, "--radius: 10px;", "--radius: 14px;")],
};

/** An edit request in vague words; nothing is done except what a case adds. */
export const polish: Request = {
  task: ask("Polish the look of the site a little: spacing and colours, nothing big."),
  done: [],
};

/** A style of one page. */
export const gap: Request = {
  task: ask("A little more space between the services on the home page.", "/"),
  done: [
    replace(
      page("index"),
      "    gap: var(--space-6);\n    padding-top: var(--space-3);",
      "    gap: var(--space-7);\n    padding-top: var(--space-3);",
    ),
  ],
};

/** A sentence on the page with the contact form. */
export const availability: Request = {
  task: ask("I can start new projects in April 2027 now.", "/contact/"),
  done: [
    replace(
      content("contact"),
      "I can start new projects in February 2027.",
      "I can start new projects in April 2027.",
    ),
  ],
};

/** A paragraph on the about page, in the owner's words. */
export const paragraph: Request = {
  task: ask(
    "Add a closing paragraph to my story: I teach an evening class on form design each spring.",
    "/about/",
  ),
  done: [
    replace(
      content("about"),
      'because that’s where most of the decisions are made."\n',
      'because that’s where most of the decisions are made.",\n    "I teach an evening class on form design each spring."\n',
    ),
  ],
};

/** The description of a page for search engines. */
export const description: Request = {
  task: ask(
    "Meta description of the contact page: Write to Mara Lindqvist. Two lines are enough.",
    "/contact/",
  ),
  done: [
    replace(
      content("contact"),
      "Write to Mara Lindqvist about a project. You’ll get an answer within two working days.",
      "Write to Mara Lindqvist. Two lines are enough.",
    ),
  ],
};

/** A word in a question, on the page about websites. */
export const question: Request = {
  task: ask(
    "Reword the question “What if we don’t like it?” as “What happens if we don’t like it?”",
    "/services/website-design/",
  ),
  done: [
    replace(
      content("website-design"),
      '"What if we don’t like it?"',
      '"What happens if we don’t like it?"',
    ),
  ],
};

/** A word on the page where a day is paid, of the furnished site. */
export const booking: Request = {
  site: "furnished",
  task: ask("On “Book a day”, write “in a useful order” instead of “in order”.", "/book/"),
  done: [
    replace(
      page("book"),
      "a list of questions in order,",
      "a list of questions in a useful order,",
    ),
  ],
};

/** Markup before the contact block of the services page. */
export function onServices(markup: string) {
  return replace(
    page("services/index"),
    "    <ContactCall />",
    `    ${markup}\n    <ContactCall />`,
  );
}

/** Markup behind the story of the about page. */
export function onAbout(markup: string) {
  const rest = "    {\n      texts.principles.length > 0 && (";
  return replace(page("about"), rest, `    ${markup}\n${rest}`);
}
