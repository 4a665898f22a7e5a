import { locate } from "../../check.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import {
  attribute,
  closest,
  type Element,
  elementsBelow,
  isHiddenFromReaders,
} from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";

/** A form of the own site with a honeypot, so that it can be tested safely. */
export interface OwnForm {
  page: string;
  selector: string;
  line: number | null;
  /** Absolute, without fragment. */
  url: string;
  /** The name of the honeypot, which people don't see and leave empty. */
  honeypot: string;
  required: string[];
  /** What a person might submit, without the honeypot. */
  values: Record<string, string>;
}

/** Fields for text input. */
const written = new Set(["text", "email", "tel", "url", "search", "number", ""]);
const notSent = new Set(["submit", "button", "reset", "image"]);

const typeOf = (field: Element): string => (attribute(field, "type") ?? "").trim().toLowerCase();

function isWritten(field: Element): boolean {
  return field.name === "textarea" || (field.name === "input" && written.has(typeOf(field)));
}

/** Whether the markup hides a field from people, whatever its name is. */
function isHoneypotField(field: Element): boolean {
  if (!isWritten(field) || attribute(field, "required") !== undefined) return false;
  return attribute(field, "tabindex")?.trim() === "-1" || isHiddenFromReaders(field);
}

/** Common names of honeypots, for forms with several hidden fields. */
const honeypotNames = /^(?:website|url|homepage|honeypot|hp|nickname|fax|company)$/i;

function sampleOf(field: Element): string | null {
  if (field.name === "select") {
    const options = [...elementsBelow(field)].filter(({ name }) => name === "option");
    return options.map((option) => attribute(option, "value") ?? "").find(Boolean) ?? null;
  }
  if (field.name === "textarea")
    return "This is an automatic check of the site's own form. It is never stored.";
  switch (typeOf(field)) {
    case "email":
      return "qa@example.com";
    case "tel":
      return "+46 8 000 00 00";
    case "url":
      return "https://example.com/";
    case "number":
    case "range":
      return attribute(field, "min") ?? "1";
    case "date":
      return "2030-01-01";
    case "checkbox":
    case "radio":
      return attribute(field, "value") ?? "on";
    case "hidden":
      return attribute(field, "value") ?? "";
    case "file":
      return null;
    default:
      return "Site check";
  }
}

/** The fields of a form, including those outside that refer to it. */
function fieldsOf(page: Page, form: Element): Element[] {
  const id = attribute(form, "id");
  return page.all("input", "textarea", "select").filter((field) => {
    if (attribute(field, "disabled") !== undefined || notSent.has(typeOf(field))) return false;
    if (!attribute(field, "name")) return false;
    const named = attribute(field, "form");
    return named === undefined ? closest(field, (at) => at === form) : named === id && id !== "";
  });
}

function ownForm(page: Page, url: string, form: Element): OwnForm | null {
  if (attribute(form, "method")?.trim().toLowerCase() !== "post") return null;
  const action = URL.parse(attribute(form, "action")?.trim() || url, url);
  if (!action || action.origin !== new URL(url).origin) return null;
  action.hash = "";
  const fields = fieldsOf(page, form);
  const honeypots = fields.filter(isHoneypotField);
  const honeypotField =
    honeypots.find((field) => honeypotNames.test(attribute(field, "name") ?? "")) ??
    (honeypots.length === 1 ? honeypots[0] : undefined);
  if (!honeypotField) return null;
  const honeypot = attribute(honeypotField, "name") as string;
  const values: Record<string, string> = {};
  for (const field of fields) {
    const name = attribute(field, "name") as string;
    if (honeypots.includes(field) || name in values) continue;
    const sample = sampleOf(field);
    if (sample !== null) values[name] = sample;
    else if (attribute(field, "required") !== undefined) return null;
  }
  const required = fields.filter((field) => attribute(field, "required") !== undefined);
  return {
    page: page.path,
    selector: locate(form),
    line: form.sourceCodeLocation?.startLine ?? null,
    url: action.href,
    honeypot,
    required: [...new Set(required.map((field) => attribute(field, "name") as string))],
    values,
  };
}

/** The own forms that can be tested without storing anything, each address once. */
export function ownForms(crawl: Crawl): OwnForm[] {
  const found = new Map<string, OwnForm>();
  for (const { path, url, facts } of crawl.pages.values()) {
    if (!facts.hasFormFields) continue;
    const page = crawl.page(path);
    for (const element of page?.all("form") ?? []) {
      const form = page && ownForm(page, url, element);
      if (form && !found.has(form.url)) found.set(form.url, form);
    }
  }
  return [...found.values()];
}
