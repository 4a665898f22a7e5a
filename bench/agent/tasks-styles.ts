import {
  component,
  content,
  contrast,
  hue,
  failUnless,
  pageFile,
  swap,
  type Task,
  theme,
  token,
  text,
} from "./task.ts";
import { greenImage } from "./images.ts";

const home = pageFile("index");

/** Styles: tokens, contrast, components and their properties. */
export const styleTasks: readonly Task[] = [
  {
    id: "accent-colour",
    mode: "build",
    page: "/",
    instruction: "Make the accent a dark green, in both themes, easy to read.",
    solution: [
      swap(
        theme,
        "--accent: light-dark(#2440d8, #a3b5ff); /* 7.2, 9.6 */",
        "--accent: light-dark(#14663f, #7fd6a6); /* 6.6, 10.9 */",
      ),
    ],
    may: [theme],
    check: (s) => [
      failUnless(Math.abs(hue(token(s, "accent").light) - 150) < 40, "no green"),
      failUnless(contrast(s, "accent", "bg") >= 4.5, "too little contrast with the background"),
      failUnless(contrast(s, "on-accent", "accent") >= 4.5, "too little contrast of words on it"),
    ],
  },
  {
    id: "look-choice",
    mode: "build",
    page: "/",
    instruction: "Use the moss look that the theme already has.",
    solution: [swap(content("site"), '"look": "ink"', '"look": "moss"')],
    may: [content("site")],
    check: (s) => [failUnless(text(s, content("site"), "look") === "moss", "not moss")],
  },
  {
    id: "dark-contrast",
    mode: "build",
    page: "/",
    instruction:
      "In the dark theme the grey text is hard to read. Give it a contrast of at least 10 and leave the light theme alone.",
    solution: [
      swap(
        theme,
        "--muted: light-dark(#4a5059, #a4abb6); /* 7.9, 8.2 */",
        "--muted: light-dark(#4a5059, #c3c9d2); /* 7.9, 11.4 */",
      ),
    ],
    may: [theme],
    check: (s) => [
      failUnless(token(s, "muted").light === "#4a5059", "the light theme changed"),
      failUnless(
        contrast(
          { ...s, read: () => `--a: ${token(s, "muted").dark}; --b: ${token(s, "bg").dark};` },
          "a",
          "b",
        ) >= 10,
        "too little contrast",
      ),
    ],
  },
  {
    id: "text-size",
    mode: "build",
    page: "/",
    instruction: "Running text a little larger: 1.125rem.",
    solution: [swap(theme, "--size-text: 1.0625rem;", "--size-text: 1.125rem;")],
    may: [theme],
    check: (s) => [failUnless(token(s, "size-text").light === "1.125rem", "another size")],
  },
  {
    id: "corners",
    mode: "build",
    page: "/",
    instruction: "Square corners everywhere.",
    solution: [swap(theme, "--radius: 10px;", "--radius: 0;")],
    may: [theme, component("Action")],
    check: (s) => [
      failUnless(/^0(px)?$/.test(token(s, "radius").light), "corners are still round"),
    ],
  },
  {
    id: "component-prop",
    mode: "build",
    page: "/",
    instruction:
      'Give the Action component an optional property `external` that adds rel="external" to its link. Use it nowhere yet.',
    solution: [
      swap(
        component("Action"),
        '  kind?: "first" | "other";\n}',
        '  kind?: "first" | "other";\n  /** It leads to another site. */\n  external?: boolean;\n}',
      ),
      swap(
        component("Action"),
        'const { href, kind = "other" } = Astro.props;',
        'const { href, kind = "other", external = false } = Astro.props;',
      ),
      swap(
        component("Action"),
        '<a class:list={["action", kind]} href={href}>',
        '<a class:list={["action", kind]} href={href} rel={external ? "external" : undefined}>',
      ),
    ],
    may: [component("Action")],
    check: (s) => [
      failUnless(/external\?: boolean/.test(s.read(component("Action"))), "no typed property"),
      failUnless(/rel=\{/.test(s.read(component("Action"))), "no rel"),
      failUnless(/\.first:hover/.test(s.read(component("Action"))), "its styles were lost"),
    ],
  },
  {
    id: "component-use",
    mode: "build",
    page: "/",
    instruction:
      "Show a short note under the heading “Selected work” on the home page: “Four of nine.” Make it a property of the heading component.",
    solution: [
      swap(
        component("SectionHeading"),
        "  heading: string;\n",
        "  heading: string;\n  /** Said below it, quietly. */\n  note?: string;\n",
      ),
      swap(
        component("SectionHeading"),
        "const { heading, link } = Astro.props;",
        "const { heading, note, link } = Astro.props;",
      ),
      swap(
        component("SectionHeading"),
        "  {link && <a href={link.href}>{link.label}</a>}\n",
        '  {link && <a href={link.href}>{link.label}</a>}\n  {note && <p class="small muted">{note}</p>}\n',
      ),
      swap(
        content("home"),
        '"work": { "heading": "Selected work",',
        '"work": { "heading": "Selected work", "note": "Four of nine.",',
      ),
      swap(
        home,
        "<SectionHeading heading={texts.work.heading}",
        "<SectionHeading heading={texts.work.heading} note={texts.work.note}",
      ),
    ],
    may: [component("SectionHeading"), content("home"), home],
    check: (s) => [
      failUnless(
        /note\?: string/.test(s.read(component("SectionHeading"))),
        "no optional property",
      ),
      failUnless(/Four of nine\./.test(s.read(content("home")) + s.read(home)), "nothing says it"),
      failUnless(/note=/.test(s.read(home)), "the page doesn't give it"),
    ],
  },
  {
    id: "picked-style",
    mode: "build",
    page: "/",
    instruction: "This should not be bold.",
    elements: [
      { file: home, line: 53, column: 15, tag: "p", text: "From €6,500, fixed", page: "/" },
    ],
    solution: [
      swap(
        home,
        "  .price {\n    font-weight: 600;\n  }\n",
        "  .price {\n    font-weight: 400;\n  }\n",
      ),
    ],
    may: [home],
    check: (s) => [
      failUnless(
        !/\.price\s*\{[^}]*font-weight:\s*(600|700|bold)/.test(s.read(home)),
        "still bold",
      ),
    ],
  },
  {
    id: "reference-picture",
    mode: "build",
    page: "/",
    instruction:
      "Take the accent of the light theme from this picture. Don’t put the picture on the site.",
    images: [greenImage],
    solution: [
      swap(
        theme,
        "light-dark(#2440d8, #a3b5ff); /* 7.2, 9.6 */",
        "light-dark(#0b6e4f, #a3b5ff); /* 6, 9.6 */",
      ),
    ],
    may: [theme],
    check: (s) => [
      failUnless(Math.abs(hue(token(s, "accent").light) - 165) < 35, "not the picture’s colour"),
      failUnless(contrast(s, "accent", "bg") >= 4.5, "too little contrast"),
      failUnless(token(s, "accent").dark === "#a3b5ff", "the dark theme changed"),
    ],
  },
  {
    id: "narrow-lines",
    mode: "build",
    page: "/about/",
    instruction: "Lines of text at most 60 characters wide.",
    solution: [swap(theme, "--measure: 66ch;", "--measure: 60ch;")],
    may: [theme],
    check: (s) => [failUnless(token(s, "measure").light === "60ch", "another measure")],
  },
];
