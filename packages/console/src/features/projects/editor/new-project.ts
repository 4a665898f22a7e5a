import type { ProjectDetail } from "../../../../../server/src/features/projects/schema.ts";
import type { Errors } from "./errors.ts";
import { type Form, toValues, type Values } from "./form.ts";
import { bounds, check } from "./validate.ts";

/** The empty form of a new project. */
export const emptyProject: ProjectDetail = {
  id: 0,
  slug: "",
  name: "",
  status: "draft",
  audience: "everyone",
  summary: "",
  lede: "",
  body: "",
  kind: "",
  period: "",
  role: "",
  categories: [],
  stack: [],
  skills: [],
  metrics: [],
  gallery: [],
  reelUrl: null,
  brief: "",
  position: 0,
  version: 0,
  createdAt: "",
  updatedAt: "",
  media: [],
};

/**
 * The request for a new project. A short description becomes its lede, a longer one its text; the
 * server makes a free slug.
 */
export function newProject(form: Form): Partial<Values> {
  const { name, categories, brief, reelUrl, gallery, body, summary, lede } = toValues(form);
  if (summary !== "" || lede !== "") return builtProject(form);
  const description = body.length <= bounds.lede ? { lede: body } : { body };
  return { name, categories, brief, reelUrl, gallery, ...description };
}

/**
 * The request for a complete new project; the server makes a free slug unless the owner entered
 * one.
 */
export function builtProject(form: Form): Partial<Values> {
  const { slug, ...values } = toValues(form);
  return form.slugFollows ? values : { ...values, slug };
}

/** The errors in the form of a new project. */
export function checkNew(form: Form): Errors {
  const { slug: _slug, ...errors } = check(form);
  return errors;
}
