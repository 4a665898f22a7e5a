import { type DefaultTreeAdapterTypes, parse } from "parse5";
import type { AppServer } from "../../packages/server/src/platform/http/server.ts";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** A page, after following redirects. */
export interface VisitedPage {
  status: number;
  /** Path and query. */
  url: string;
  headers: Record<string, unknown>;
  body: string;
  title: string;
  /** The text of the page's body, with single spaces. */
  text: string;
  elements: Element[];
}

/** A browser without JavaScript: it keeps cookies, follows redirects, and submits forms. */
export interface FormBrowser {
  visit(url: string, headers?: Record<string, string>): Promise<VisitedPage>;
  /**
   * Fills in the last page's form that posts to `action`, keeps its existing values, and submits
   * it.
   */
  send(action: string, fields?: Record<string, string>): Promise<VisitedPage>;
  /** Submits a form that isn't on any page. */
  post(
    url: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<VisitedPage>;
  /** The last page. */
  page(): VisitedPage;
  cookie(): string;
}

function elementsOf(node: Node): Element[] {
  const here = "tagName" in node ? [node] : [];
  const children = "childNodes" in node ? node.childNodes : [];
  return [...here, ...children.flatMap(elementsOf)];
}

function textOf(node: Node | undefined): string {
  if (!node) return "";
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join(" ") : "";
}

export function attributeOf(element: Element | undefined, name: string): string | undefined {
  return element?.attrs.find((entry) => entry.name === name)?.value;
}

/** The field with that name, on a page or in a form. */
export function fieldOf(elements: readonly Element[], name: string): Element | undefined {
  return elements.find((element) => attributeOf(element, "name") === name);
}

/**
 * The values that an unchanged form submits (HTML, form submission): no buttons, no unchecked
 * boxes.
 */
function filledIn(form: Element): Record<string, string> {
  const inputs = elementsOf(form).filter(({ tagName }) => tagName === "input");
  const sent = inputs.filter((input) => attributeOf(input, "type") !== "checkbox");
  return Object.fromEntries(
    sent.flatMap((input) => {
      const name = attributeOf(input, "name");
      return name === undefined ? [] : [[name, attributeOf(input, "value") ?? ""]];
    }),
  );
}

/** Opens such a browser at `remoteAddress`; by default, an unknown client's. */
export function openFormBrowser(
  app: AppServer,
  {
    host = "me.example",
    remoteAddress = "203.0.113.9",
    userAgent = "Mozilla/5.0 (X11; Linux) Firefox/140.0",
  } = {},
): FormBrowser {
  const cookies = new Map<string, string>();
  let last: VisitedPage | null = null;

  function keep(headers: Record<string, unknown>): void {
    const set = [headers["set-cookie"] ?? []].flat() as string[];
    for (const line of set) {
      const [pair = "", ...attributes] = line.split(";");
      const [name = "", value = ""] = pair.split("=");
      if (attributes.some((one) => one.trim() === "Max-Age=0")) cookies.delete(name);
      else cookies.set(name, value);
    }
  }
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");

  async function ask(
    method: "GET" | "POST",
    url: string,
    options: { headers?: Record<string, string>; payload?: string } = {},
  ): Promise<VisitedPage> {
    const sent = cookie();
    const response = await app.inject({
      method,
      url,
      remoteAddress,
      headers: {
        host,
        accept: "text/html",
        "user-agent": userAgent,
        "sec-fetch-site": "same-origin",
        ...(sent && { cookie: sent }),
        ...options.headers,
      },
      ...(options.payload !== undefined && { payload: options.payload }),
    });
    keep(response.headers);
    const { location } = response.headers;
    if (response.statusCode === 303 && typeof location === "string") return ask("GET", location);
    const document = parse(response.body);
    const elements = elementsOf(document);
    const byTag = (name: string) => elements.find(({ tagName }) => tagName === name);
    last = {
      status: response.statusCode,
      url,
      headers: response.headers,
      body: response.body,
      title: textOf(byTag("title")).trim(),
      text: textOf(byTag("body")).replace(/\s+/g, " ").trim(),
      elements,
    };
    return last;
  }

  function page(): VisitedPage {
    if (!last) throw new Error("No page has been visited.");
    return last;
  }

  const post: FormBrowser["post"] = (url, fields, headers = {}) =>
    ask("POST", url, {
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      payload: new URLSearchParams(fields).toString(),
    });

  return {
    visit: (url, headers = {}) => ask("GET", url, { headers }),
    send(action, fields = {}) {
      const form = page().elements.find(
        (one) => one.tagName === "form" && attributeOf(one, "action") === action,
      );
      if (!form) throw new Error(`${page().url} has no form for ${action}.`);
      return post(action, { ...filledIn(form), ...fields });
    },
    post,
    page,
    cookie,
  };
}
