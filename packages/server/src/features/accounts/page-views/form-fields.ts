import { html, Markup } from "../../../kit/html.ts";
import type { FormError } from "./page.ts";

/** An attribute with a quoted value, or nothing. */
function attribute(name: string, value: string | null | undefined): Markup | null {
  if (value === null || value === undefined || value === "") return null;
  return html` ${new Markup(name)}="${value}"`;
}

function flag(name: string, on: boolean | undefined): Markup | null {
  return on ? new Markup(` ${name}`) : null;
}

export interface FieldOptions {
  label: string;
  name: string;
  type: "email" | "password" | "text";
  /** https://html.spec.whatwg.org/#autofill-field */
  autocomplete: string;
  note?: string | null;
  value?: string | undefined;
  maxlength: number;
  optional?: boolean;
  error?: FormError | null;
}

/** Turns `can't be empty` into a sentence. */
export function sentence(text: string): string {
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return `${ended.charAt(0).toUpperCase()}${ended.slice(1)}`;
}

/** Whether this is the first invalid field of a form, which gets the focus. */
function isFirst(formError: FormError | null | undefined, name: string): boolean {
  return formError !== null && formError !== undefined && Object.keys(formError.fields)[0] === name;
}

/** A labeled field with its hint and error. Passwords are never sent back. */
export function field(options: FieldOptions): Markup {
  const { label, name, type, note, error: formError, value, optional } = options;
  const error = formError?.fields[name];
  const described = [note && `${name}-note`, error && `${name}-error`].filter(Boolean).join(" ");
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${note ? html`<p class="field-note" id="${name}-note">${note}</p>` : null}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${options.autocomplete}"
      maxlength="${options.maxlength}"
      ${attribute("value", type === "password" ? null : value)}${attribute("aria-describedby", described)}${attribute("aria-invalid", error && "true")}${flag("required", !optional)}${flag("autofocus", isFirst(formError, name))}${type === "email" ? new Markup(` autocapitalize="none" spellcheck="false"`) : null}
    />
    ${error ? html`<p class="field-error" id="${name}-error">${sentence(error)}</p>` : null}
  </div>`;
}

/** The maximum length of a password that is read at all. */
const maxPasswordLength = 1024;

export const emailField = (value: string | undefined, formError: FormError | null): Markup =>
  field({
    label: "Email address",
    name: "email",
    type: "email",
    autocomplete: "email",
    maxlength: 254,
    value,
    error: formError,
  });

/** The field for the current password. */
export const passwordField = (
  formError: FormError | null,
  { name = "password", label = "Password" } = {},
): Markup =>
  field({
    label,
    name,
    type: "password",
    autocomplete: "current-password",
    maxlength: maxPasswordLength,
    error: formError,
  });

export const newPasswordField = (formError: FormError | null, label = "Password"): Markup =>
  field({
    label,
    name: "password",
    type: "password",
    autocomplete: "new-password",
    maxlength: maxPasswordLength,
    note: "At least 10 characters. Several words are easy to remember and hard to guess.",
    error: formError,
  });

export const nameField = (value: string | undefined, formError: FormError | null): Markup =>
  field({
    label: "Your name (optional)",
    name: "name",
    type: "text",
    autocomplete: "name",
    maxlength: 120,
    value,
    optional: true,
    error: formError,
  });

/** A hidden field; nothing without a value. */
export function hiddenInput(name: string, value: string | null | undefined): Markup | null {
  if (value === null || value === undefined || value === "") return null;
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/** A message that screen readers read when the page loads. */
export function notice(kind: "good" | "bad" | "plain", ...content: Markup[]): Markup {
  const role = kind === "bad" ? "alert" : "status";
  const look = kind === "plain" ? "notice" : `notice ${kind}`;
  return html`<div class="${look}" role="${role}">${content}</div>`;
}

export const formErrorNotice = (formError: FormError | null): Markup | null =>
  formError && notice("bad", html`<p>${formError.message}</p>`);

export function heading(title: string, lead?: string | Markup | null): Markup {
  return html`<header class="account-heading">
    <h1>${title}</h1>
    ${lead ? html`<p class="lead">${lead}</p>` : null}
  </header>`;
}

/** The page title, which starts with "Error" if the form has errors. */
export const titleOf = (title: string, formError: FormError | null): string =>
  formError ? `Error: ${title}` : title;

/** An address of this site with a query; empty values are left out. */
export function addressWithQuery(
  path: string,
  query: Readonly<Record<string, string | null>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== "");
  const text = new URLSearchParams(given as [string, string][]).toString();
  return text === "" ? path : `${path}?${text}`;
}
