import { expect, test } from "vitest";
import { startAddress, openItems } from "./checklist.ts";
import type { SetupView } from "./schema.ts";

const none = { hasPassword: false, hasModel: false, hasMail: false };
const all = { hasPassword: true, hasModel: true, hasMail: true };
const fresh: SetupView = {
  answers: {},
  language: "en",
  texts: [],
  site: { name: null, role: null, place: null, email: null },
  sample: { files: ["app/src/content/site.json"], projects: 6 },
  isDismissed: false,
  runId: null,
};
const published = {
  ...fresh,
  site: { name: "Ada", role: "", place: "", email: "" },
  sample: { files: [], projects: 0 },
};

test("on a new site every step is open, and each entry links to its page", () => {
  const hrefs = openItems(fresh, none).map(({ href }) => href);
  expect(hrefs).toEqual([
    "/admin/password",
    "/admin/setup?step=you",
    "/admin/setup?step=about",
    "/admin/setup?step=services",
    "/admin/setup?step=theme",
    "/admin/setup?step=model",
    "/admin/settings#mail",
    "/admin/setup?step=publish",
  ]);
});

test("an answer completes a step, even an empty one; a model is optional", () => {
  const answers = {
    name: "Ada",
    portrait: null,
    services: [],
    theme: "moss",
    model: "without",
  } as const;
  const view: SetupView = { ...fresh, answers: { ...answers, services: [] } };
  expect(openItems(view, { ...none, hasPassword: true }).map(({ href }) => href)).toEqual([
    "/admin/settings#mail",
    "/admin/setup?step=publish",
  ]);
  expect(openItems({ ...view, ...published, answers: view.answers }, all)).toEqual([]);
});

test("nothing is shown once dismissed, or if the site was set up in another way", () => {
  expect(openItems({ ...fresh, isDismissed: true }, none)).toEqual([]);
  expect(openItems(published, none)).toEqual([]);
});

test("the overview leads to the setup until it has been begun or dismissed", () => {
  expect(startAddress(fresh, false)).toBe("/admin/password");
  expect(startAddress(fresh, true)).toBe("/admin/setup");
  expect(startAddress({ ...fresh, answers: { name: "Ada" } }, true)).toBeNull();
  expect(startAddress({ ...fresh, isDismissed: true }, false)).toBeNull();
  expect(startAddress(published, false)).toBeNull();
});
