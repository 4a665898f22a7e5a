import { formatCount } from "../../../ui/format.ts";
import { sentence } from "../../../api/field-errors.ts";
import { fieldNames, filledSlots, type Form, isBlank } from "./form.ts";

/**
 * Errors by control. A path contains item keys, so that it stays valid when items move:
 * `skills.s1.items`, `gallery.n4.alt`.
 */
export type Errors = Readonly<Record<string, string>>;

/** The parts of a path: the field, and an item's key and part. A key may contain dots. */
export function pathParts(path: string): { field: string; key?: string; part: string } {
  const [first, last] = [path.indexOf("."), path.lastIndexOf(".")];
  if (first < 0) return { field: path, part: "" };
  if (first === last) return { field: path.slice(0, first), part: path.slice(first + 1) };
  return {
    field: path.slice(0, first),
    key: path.slice(first + 1, last),
    part: path.slice(last + 1),
  };
}

function chipMessage(words: readonly string[], index: string, message: string): string {
  const word = words[Number(index)];
  return word === undefined ? sentence(message) : `“${word}”: ${sentence(message)}`;
}

/** The control for a server's path; null if no field of the form matches. */
export function locationOf(form: Form, path: string, message: string): [string, string] | null {
  const [field = "", index, part, item] = path.split(".");
  if (!(fieldNames as readonly string[]).includes(field)) return null;
  const said = sentence(message);
  if (index === undefined) return [field, said];
  if (field === "categories" || field === "stack")
    return [field, chipMessage(form[field], index, message)];
  if (field === "skills") {
    const skill = form.skills.filter((group) => !isBlank(group))[Number(index)];
    if (!skill) return [field, said];
    if (part !== "items") return [`skills.${skill.key}.${part ?? "group"}`, said];
    const chip = item === undefined ? said : chipMessage(skill.items, item, message);
    return [`skills.${skill.key}.items`, chip];
  }
  if (field === "metrics") {
    const metric = form.metrics.filter((card) => !isBlank(card))[Number(index)];
    return [metric ? `metrics.${metric.key}.${part ?? "value"}` : field, said];
  }
  if (field === "gallery") {
    const slot = filledSlots(form)[Number(index)];
    return [slot ? `gallery.${slot.key}.${part ?? "src"}` : field, said];
  }
  return [field, said];
}

/** The server's `fields` assigned to the controls of the submitted form; `other` has no control. */
export function placeErrors(
  sent: Form,
  fields: Readonly<Record<string, string>>,
): { errors: Errors; other: string[] } {
  const errors: Record<string, string> = {};
  const other: string[] = [];
  for (const [path, message] of Object.entries(fields)) {
    const place = locationOf(sent, path, message);
    if (place === null) other.push(path === "" ? message : `${path}: ${message}`);
    else errors[place[0]] = errors[place[0]] ? `${errors[place[0]]} ${place[1]}` : place[1];
  }
  return { errors, other };
}

/** The errors without those at a path and below it, which was edited. */
export function withoutErrors(errors: Errors, path: string): Errors {
  const kept = Object.entries(errors).filter(
    ([place]) => place !== path && !place.startsWith(`${path}.`),
  );
  return kept.length === Object.keys(errors).length ? errors : Object.fromEntries(kept);
}

/** What was requested when the form was found to have problems. */
export type Attempt = "save" | "create" | "build";

const attempts: Readonly<Record<Attempt, string>> = {
  save: "save the project",
  create: "create the project",
  build: "build the page",
};

/** "Couldn’t build the page: 2 problems to fix". */
export function problemsTitle(attempt: Attempt, problems: number): string {
  return `Couldn’t ${attempts[attempt]}: ${formatCount(problems, "problem")} to fix`;
}
