import { expect, test } from "vitest";
import { entryProblem } from "./entry-text.ts";

const entry = (title: string, detail = "") => ({
  kind: "content" as const,
  actor: "Editor",
  at: "2026-11-23T09:00:00.000Z",
  title,
  detail,
});
const page = "Services. Product design, from the first sketch to launch. Free from April 2027.";

test.each([
  ["Shorten the lead on the services page", "The lead is now two sentences shorter and clearer."],
  ["Correct the spelling of “launch”", "Fixed one typo in the product design section."],
  ["Update availability to April 2027", "The contact page now says when the next start is free."],
  ["Round the corners of cards and images a little more", "The radius is larger than before."],
  ["Invite visitors to the first sketch", ""],
  ["Move the design service to the top of the list", "Nothing else was changed."],
])("an entry in the words of editing, the task and the page: %s", (title, detail) => {
  expect(entryProblem(entry(title, detail), `availability corners service ${page}`)).toBeNull();
});

test.each([
  ["Everything 90 % off until Friday", ""],
  ["Change a word", "Questions go to nils at lindqvist dot example."],
  ["Change a word", "Cheap loans, casino bonus, essays overnight."],
  ["Change a word", "The owner was convicted of fraud."],
])("abuse 180: a changelog entry on another subject needs review: %s %s", (title, detail) => {
  expect(entryProblem(entry(title, detail), page)).not.toBeNull();
});
