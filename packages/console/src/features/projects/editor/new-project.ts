import type { ProjectDetail } from "../../../../../server/src/features/projects/schema.ts";
import type { Errors } from "./errors.ts";
import { type Form, toValues, type Values } from "./form.ts";
import { bounds, check } from "./validate.ts";

/** A project that is not there yet: what the form of a new one begins with. */
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
 * What a new project is made of. A short description is its lede, a longer one its text; the
 * server makes the slug, so that it is free.
 */
export function newProject(form: Form): Partial<Values> {
  const { name, categories, brief, reelUrl, gallery, body, summary, lede } = toValues(form);
  if (summary !== "" || lede !== "") return builtProject(form);
  const description = body.length <= bounds.lede ? { lede: body } : { body };
  return { name, categories, brief, reelUrl, gallery, ...description };
}

/** A whole new project; the server makes the slug, so that it is free, unless its owner wrote one. */
export function builtProject(form: Form): Partial<Values> {
  const { slug, ...values } = toValues(form);
  return form.slugFollows ? values : { ...values, slug };
}

/** What is wrong with the form of a new project. */
export function checkNew(form: Form): Errors {
  const { slug: _slug, ...errors } = check(form);
  return errors;
}
