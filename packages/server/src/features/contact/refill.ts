import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html as dom, serialize } from "parse5";
import { isThemeScript } from "../../kit/theme-script.ts";
import { parseBounded } from "vitrine-qa/src/system/bounded-html.ts";

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.Node;

/** A visitor's input and its errors. */
export interface FormError {
  message: string;
  /** Errors by field. */
  fields: Readonly<Record<string, string>>;
  /** Submitted values. */
  values: Readonly<Record<string, string>>;
}

/**
 * The elements below a node in document order, without recursion, because pages may nest very
 * deeply.
 */
function elementsOf(root: Node): Element[] {
  const elements: Element[] = [];
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if ("tagName" in node) elements.push(node);
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) stack.push(child);
  }
  return elements;
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value;
}

function setAttribute(element: Element, name: string, value: string): void {
  element.attrs = [...element.attrs.filter((attr) => attr.name !== name), { name, value }];
}

function remove(element: Element): void {
  if (element.parentNode) defaultTreeAdapter.detachNode(element);
}

function makeElement(tagName: string, attrs: Record<string, string>, text: string): Element {
  const list = Object.entries(attrs).map(([name, value]) => ({ name, value }));
  const element = defaultTreeAdapter.createElement(tagName, dom.NS.HTML, list);
  defaultTreeAdapter.insertText(element, text);
  return element;
}

function insertAfter(place: Element, element: Element): void {
  const { parentNode: parent } = place;
  if (!parent) return;
  const next = parent.childNodes[parent.childNodes.indexOf(place) + 1];
  if (next) defaultTreeAdapter.insertBefore(parent, element, next);
  else defaultTreeAdapter.appendChild(parent, element);
}

/** Whether it is a field for text. */
function isWritten(element: Element): boolean {
  if (element.tagName !== "input") return element.tagName === "textarea";
  return !/^(checkbox|radio|hidden|submit|button|reset|image|file)$/i.test(
    attribute(element, "type") ?? "",
  );
}

function fill(field: Element, value: string): void {
  if (field.tagName === "textarea") {
    field.childNodes = [];
    // The parser drops one line break at the beginning.
    defaultTreeAdapter.insertText(field, value.startsWith("\n") ? `\n${value}` : value);
  } else setAttribute(field, "value", value);
}

/** Turns `can't be empty` into a sentence. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function blame(field: Element, name: string, error: string, isFirst: boolean): void {
  const id = `${name}-error`;
  const described = [attribute(field, "aria-describedby"), id].filter(Boolean).join(" ");
  setAttribute(field, "aria-invalid", "true");
  setAttribute(field, "aria-describedby", described);
  if (isFirst) setAttribute(field, "autofocus", "");
  insertAfter(field, makeElement("p", { class: "field-error", id }, sentence(error)));
}

/**
 * A page with its form shown again: the form that posts to `action` contains the input and an error
 * at each invalid field. All scripts except the theme switch are removed. Null if the page has no
 * such form. Throws HtmlTooComplex.
 */
export function refill(page: string, action: string, formError: FormError): string | null {
  const document = parseBounded(page);
  const elements = elementsOf(document);
  const form = elements.find(
    (element) => element.tagName === "form" && attribute(element, "action") === action,
  );
  if (!form) return null;
  for (const script of elements.filter(({ tagName }) => tagName === "script")) {
    const [text] = script.childNodes;
    if (!isThemeScript(text && "value" in text ? text.value : "")) remove(script);
  }
  for (const title of elements.filter(({ tagName }) => tagName === "title").slice(0, 1)) {
    const [text] = title.childNodes;
    if (text && "value" in text) text.value = `Not sent yet: ${text.value}`;
  }
  const fields = elementsOf(form).filter(isWritten);
  let isFirst = true;
  for (const field of fields) {
    const name = attribute(field, "name") ?? "";
    const value = formError.values[name];
    if (value !== undefined) fill(field, value);
    const error = formError.fields[name];
    if (error === undefined) continue;
    blame(field, name, error, isFirst);
    isFirst = false;
  }
  const notice = makeElement("div", { class: "notice bad", role: "alert" }, "");
  defaultTreeAdapter.appendChild(notice, makeElement("p", {}, formError.message));
  const [first] = form.childNodes;
  if (first) defaultTreeAdapter.insertBefore(form, notice, first);
  return serialize(document);
}
