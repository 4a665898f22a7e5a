import { expect, test } from "vitest";
import { type Journal, makeJournal } from "../journal.ts";
import { checkRecords } from "./records.ts";
import type { Stored } from "./stored.ts";

/** The stored data if everything in the journal exists. */
function storedOf(journal: Journal): Stored {
  return {
    projects: [...journal.projects.values()].map(({ id, acknowledged }) => {
      return { id, slug: `p${id}`, status: "draft", summary: acknowledged };
    }),
    media: [...journal.media].map((src) => ({ src, poster: null, variants: "[]" })),
    messages: [...journal.messages],
    accounts: [...journal.accounts],
    runs: [...journal.runs].map((id) => {
      const status = journal.discards.has(id) ? "discarded" : "preview_ready";
      return { id, status, artifact_sha: null, commit_sha: null, release_number: null };
    }),
    tasks: [...journal.tasks].map((id) => ({
      id,
      status: "failed",
      commit_sha: null,
      run_id: null,
    })),
    taskEnds: [],
    intents: [],
    membersArtifacts: [],
    signIns: journal.signIns,
    integrity: "ok",
    commits: [],
    current: 1,
    releases: ["1", "1.json"],
  };
}

function someJournal(): Journal {
  const journal = makeJournal();
  journal.projects.set(1, { id: 1, acknowledged: "b", possible: new Set(["c"]) });
  journal.messages.add("hello");
  journal.accounts.add("a@example.com");
  journal.media.add("/media/2026/a.jpg");
  journal.runs.add("run-1").add("run-2");
  journal.discards.add("run-2");
  journal.tasks.add(4);
  journal.signIns = 2;
  return journal;
}

test("what was acknowledged and is stored is no violation, nor is a write that may have come", () => {
  const journal = someJournal();
  const stored = storedOf(journal);
  expect(checkRecords(journal, stored)).toEqual([]);
  stored.projects = [{ id: 1, slug: "p1", status: "draft", summary: "c" }];
  expect(checkRecords(journal, stored)).toEqual([]);
});

const breaks: Readonly<Record<string, [(stored: Stored) => void, RegExp]>> = {
  "a save": [
    (stored) => (stored.projects[0] = { ...stored.projects[0]!, summary: "a" }),
    /project 1/,
  ],
  "a project": [(stored) => (stored.projects = []), /project 1 says nothing/],
  "a message": [(stored) => (stored.messages = []), /message hello is lost/],
  "a message once": [(stored) => stored.messages.push("hello"), /message hello is there twice/],
  "an account": [(stored) => (stored.accounts = []), /account a@example\.com is lost/],
  "an upload": [(stored) => (stored.media = []), /a\.jpg is lost/],
  "a run": [(stored) => stored.runs.shift(), /run run-1 is lost/],
  "a discard": [(stored) => (stored.runs[1]!.status = "preview_ready"), /run-2 was discarded/],
  "a task": [(stored) => (stored.tasks = []), /task 4 is lost/],
  "a sign-in": [(stored) => (stored.signIns = 1), /2 sign-ins were answered, 1/],
  "the file": [(stored) => (stored.integrity = "row 3 missing"), /row 3 missing/],
};

test.each(Object.keys(breaks))("tells that %s is lost", (name) => {
  const journal = someJournal();
  const stored = storedOf(journal);
  const [lose, violation] = breaks[name]!;
  lose(stored);
  expect(checkRecords(journal, stored)).toEqual([expect.stringMatching(violation)]);
});
