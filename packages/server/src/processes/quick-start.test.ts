import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { PassThrough, Readable } from "node:stream";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import type { InstallAnswers } from "../features/install/steps.ts";
import { AppError } from "../kit/errors.ts";
import { exists } from "../platform/files.ts";
import { findOpener, openInBrowser } from "./open-in-browser.ts";
import { registerQuickStart } from "./quick-start.ts";
import { promptAll } from "./terminal.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

/** Runs `quickstart` up to the installation, and returns its answers and what was asked. */
async function quickStart(args: string[], input: string) {
  const streams = {
    stdin: Readable.from([input]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  let answers: InstallAnswers | null = null;
  const command = new Command().exitOverride();
  registerQuickStart(command, {
    environment: () => ({ VITRINE_DIR: folder.path }),
    streams,
    installer: {
      ask: (questions) => promptAll(streams, questions),
      defaults: () => ({ ownerName: "Sam", baseUrl: "http://localhost:3000", timeZone: "UTC" }),
      install(given) {
        answers = given;
        throw new AppError("unavailable", "far enough");
      },
    },
    endAsFailed() {},
  });
  const error: unknown = await command
    .parseAsync(["quickstart", ...args], { from: "user" })
    .catch((thrown: unknown) => thrown);
  streams.stderr.end();
  const asked = Buffer.concat(await streams.stderr.toArray()).toString("utf8");
  return { answers: answers as InstallAnswers | null, asked, error };
}

describe("quickstart", () => {
  test("asks two questions, and listens where a local address says", async () => {
    const { answers, asked } = await quickStart([], "Ada Lovelace\nhttp://localhost:4321\n");
    expect(asked.match(/\[[^\]]+\]: /g)).toEqual(["[Sam]: ", "[http://localhost:3000]: "]);
    expect(answers).toEqual({
      ownerName: "Ada Lovelace",
      baseUrl: "http://localhost:4321",
      timeZone: "UTC",
      port: 4321,
    });
  });

  test("takes the defaults for empty answers, and keeps the port behind a proxy", async () => {
    const { answers } = await quickStart([], "\nhttps://ada.example\n");
    expect(answers).toMatchObject({ ownerName: "Sam", baseUrl: "https://ada.example" });
    expect(answers).not.toHaveProperty("port");
  });

  test("asks nothing with --yes", async () => {
    const { answers, asked } = await quickStart(["--yes"], "Ada\n");
    expect(answers).toMatchObject({ ownerName: "Sam", baseUrl: "http://localhost:3000" });
    expect(asked).not.toContain("]: ");
  });

  test("names what is wrong with an answer", async () => {
    const { answers, error } = await quickStart([], "Ada\nada.example\n");
    expect(error).toMatchObject({
      code: "validation_failed",
      message: expect.stringMatching(/^baseUrl must be/),
    });
    expect(answers).toBeNull();
  });
});

describe("the browser", () => {
  test("is that of this machine's desktop only", () => {
    expect(findOpener({})).toBeNull();
    expect(
      findOpener({ DISPLAY: ":0", SSH_CONNECTION: "203.0.113.7 1 203.0.113.8 22" }),
    ).toBeNull();
    expect(findOpener({ DISPLAY: ":0", CI: "true" })).toBeNull();
  });

  test("gets a secret link in a file for this user, not as an argument", async () => {
    const opener = join(folder.path, "open");
    await writeFile(opener, `#!/bin/sh\ncp -p "$1" "${folder.path}/copy"; echo "$@" > "$0.args"\n`);
    await chmod(opener, 0o755);
    const link = "http://localhost:3000/admin/vl_secret";
    void openInBrowser(link, folder.path, opener);
    await eventually(async () => {
      expect(await readFile(`${opener}.args`, "utf8")).toBe(`${folder.path}/sign-in.html\n`);
    });
    const copy = join(folder.path, "copy");
    expect(await readFile(copy, "utf8")).toContain(`location.replace("${link}")`);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    await openInBrowser(link, folder.path, "/bin/true", 0);
    expect(await exists(join(folder.path, "sign-in.html"))).toBe(false);
  });
});
