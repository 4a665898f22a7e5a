import type { Errors } from "./errors.ts";
import { type Form, isBlank, type TextField } from "./form.ts";

/** The limits of a project record, in characters and items. */
export const bounds = {
  name: 120,
  slug: 80,
  summary: 280,
  lede: 600,
  body: 50_000,
  kind: 60,
  period: 60,
  role: 120,
  brief: 8_000,
  reelUrl: 300,
  word: 40,
  categories: 12,
  stack: 40,
  groups: 12,
  group: 60,
  items: 24,
  metrics: 8,
  value: 24,
  label: 60,
  note: 160,
  gallery: 60,
  caption: 300,
  alt: 300,
} as const;

const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const reelPattern =
  /^https:\/\/(www\.)?instagram\.com\/(reel|p)\/[A-Za-z0-9_-]{1,100}\/?(\?[\w.~%=&+-]*)?$/;

const number = (amount: number): string => amount.toLocaleString("en");

/** The error of a text of at most `max` characters; undefined if it is valid. */
export function tooLong(text: string, max: number): string | undefined {
  const { length } = text.trim();
  if (length <= max) return undefined;
  return `Use at most ${number(max)} characters. This has ${number(length)}.`;
}

/** The error of a list of words. */
export function chipsProblem(words: readonly string[], max: number): string | undefined {
  const long = words.find((word) => word.length > bounds.word);
  if (long !== undefined) return `“${long}” is longer than ${bounds.word} characters.`;
  return tooMany(words.length, max);
}

function tooMany(amount: number, max: number): string | undefined {
  return amount > max ? `Keep at most ${max}. There are ${amount}.` : undefined;
}

function slugProblem(slug: string): string | undefined {
  if (slug === "") return "Enter an address in lowercase letters, digits and single hyphens.";
  if (!slugPattern.test(slug))
    return "Use lowercase letters, digits and single hyphens, such as tidewater-ledger.";
  return tooLong(slug, bounds.slug);
}

function reelProblem(link: string): string | undefined {
  if (link === "" || reelPattern.test(link)) return tooLong(link, bounds.reelUrl);
  return "Enter the https address of a reel or post: https://www.instagram.com/reel/…";
}

function checkGroups(form: Form, say: (path: string, problem: string | undefined) => void): void {
  for (const skill of form.skills) {
    if (isBlank(skill)) continue;
    const empty = skill.group.trim() === "" ? "Name the group." : undefined;
    say(`skills.${skill.key}.group`, empty ?? tooLong(skill.group, bounds.group));
    say(`skills.${skill.key}.items`, chipsProblem(skill.items, bounds.items));
  }
  for (const metric of form.metrics) {
    if (isBlank(metric)) continue;
    const at = `metrics.${metric.key}`;
    const value = metric.value.trim() === "" ? "Enter the value, such as 92%." : undefined;
    const label = metric.label.trim() === "" ? "Enter what the value measures." : undefined;
    say(`${at}.value`, value ?? tooLong(metric.value, bounds.value));
    say(`${at}.label`, label ?? tooLong(metric.label, bounds.label));
    say(`${at}.note`, tooLong(metric.note, bounds.note));
  }
}

/** What the server would refuse, with the same limits, to report it before saving. */
export function check(form: Form): Errors {
  const errors: Record<string, string> = {};
  const say = (path: string, problem: string | undefined): void => {
    if (problem !== undefined) errors[path] = problem;
  };
  say("name", form.name.trim() === "" ? "Enter a name." : undefined);
  // An empty address that follows an empty name isn't a separate error.
  const follows = form.slugFollows && form.name.trim() === "";
  say("slug", follows ? undefined : slugProblem(form.slug.trim()));
  say("reelUrl", reelProblem(form.reelUrl.trim()));
  const texts: readonly TextField[] = [
    "name",
    "summary",
    "lede",
    "body",
    "kind",
    "period",
    "role",
    "brief",
  ];
  for (const field of texts) say(field, tooLong(form[field], bounds[field as keyof typeof bounds]));
  say("categories", chipsProblem(form.categories, bounds.categories));
  say("stack", chipsProblem(form.stack, bounds.stack));
  checkGroups(form, say);
  say("skills", tooMany(form.skills.filter((skill) => !isBlank(skill)).length, bounds.groups));
  say("metrics", tooMany(form.metrics.filter((card) => !isBlank(card)).length, bounds.metrics));
  say("gallery", tooMany(form.gallery.length, bounds.gallery));
  for (const slot of form.gallery) {
    say(`gallery.${slot.key}.caption`, tooLong(slot.caption, bounds.caption));
    say(`gallery.${slot.key}.alt`, tooLong(slot.alt, bounds.alt));
  }
  return errors;
}
