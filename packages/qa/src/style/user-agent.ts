import { attribute, type Element } from "../page/dom.ts";

type Declared = readonly [property: string, value: string];

const hidden: readonly Declared[] = [["display", "none"]];
const bold: Declared = ["font-weight", "bold"];
const monospace: Declared = ["font-size", "0.8125em"];

function heading(size: string): readonly Declared[] {
  return [["font-size", size], bold];
}

const control: readonly Declared[] = [
  ["font-size", "13.3333px"],
  ["font-weight", "400"],
];

/** The browser's default styles that matter for text (HTML standard, 15.3). */
const byName: Readonly<Record<string, readonly Declared[]>> = {
  head: hidden,
  script: hidden,
  style: hidden,
  template: hidden,
  noscript: hidden,
  title: hidden,
  datalist: hidden,
  param: hidden,
  h1: heading("2em"),
  h2: heading("1.5em"),
  h3: heading("1.17em"),
  h4: heading("1em"),
  h5: heading("0.83em"),
  h6: heading("0.67em"),
  b: [["font-weight", "bolder"]],
  strong: [["font-weight", "bolder"]],
  th: [bold],
  small: [["font-size", "smaller"]],
  sub: [["font-size", "smaller"]],
  sup: [["font-size", "smaller"]],
  code: [monospace],
  kbd: [monospace],
  samp: [monospace],
  pre: [monospace],
  tt: [monospace],
  mark: [
    ["background-color", "#ffff00"],
    ["color", "#000000"],
  ],
  button: [...control, ["color", "buttontext"], ["background-color", "buttonface"]],
  select: [...control, ["color", "fieldtext"], ["background-color", "field"]],
  textarea: [...control, ["color", "fieldtext"], ["background-color", "field"]],
  input: [...control, ["color", "fieldtext"], ["background-color", "field"]],
};

/** The browser's default declarations for an element, and those of presentational attributes. */
export function* userAgentStyle(element: Element): Generator<Declared> {
  yield* Object.hasOwn(byName, element.name) ? (byName[element.name] ?? []) : [];
  if (attribute(element, "hidden") !== undefined) yield ["display", "none"];
  const link = element.name === "a" || element.name === "area";
  if (link && attribute(element, "href") !== undefined) yield ["color", "linktext"];
  if (element.name === "dialog" && attribute(element, "open") === undefined) {
    yield ["display", "none"];
  }
  const background = attribute(element, "bgcolor");
  if (background !== undefined) yield ["background-color", background];
  const color = element.name === "font" ? attribute(element, "color") : undefined;
  if (color !== undefined) yield ["color", color];
}
