import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultLimits } from "../../../platform/config.ts";
import { type Jail, openJail } from "./jail.ts";
import { ToolRefusal } from "./refusal.ts";

const secret = "SECRET-outside-the-workspace";
let base: string;
let root: string;
let jail: Jail;

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ToolRefusal) return error.reason;
    throw error;
  }
  return "allowed";
}

/** Every file outside the workspace with its content. */
async function outside(): Promise<Record<string, string>> {
  return contents((folder) => !`${folder}/`.startsWith(`${root}/`));
}

async function contents(counts: (folder: string) => boolean): Promise<Record<string, string>> {
  const entries = await readdir(base, { recursive: true, withFileTypes: true });
  const files = entries.filter((e) => e.isFile() && counts(e.parentPath));
  const read = files.map(async (e) => {
    const path = join(e.parentPath, e.name);
    return [path, await readFile(path, "utf8")] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "vitrine-jail-"));
  root = join(base, "work");
  await mkdir(root);
  await mkdir(join(base, "work-sibling"));
  await writeFile(join(base, "work-sibling", "secret.txt"), secret);
  await writeFile(join(base, "secret.txt"), secret);
  await put("app/src/pages/index.astro", "<h1>Hello</h1>\n");
  await put("app/public/media/photo.svg", "<svg/>");
  await put("brand/voice.md", "Plain.\n");
  await put("database/projects.json", "[]");
  await put("package.json", "{}");
  jail = await openJail(root, defaultLimits.workspace);
});

afterEach(() => rm(base, { recursive: true, force: true }));

test("reads, writes, moves, and deletes inside the write paths", async () => {
  expect(await jail.readText("app/src/pages/index.astro")).toBe("<h1>Hello</h1>\n");
  await jail.writeText("app/src/pages/new/[slug].astro", "<p>New</p>");
  await jail.move("app/src/pages/new/[slug].astro", "app/src/pages/other.astro");
  expect(await jail.exists("app/src/pages/new/[slug].astro")).toBe(false);
  expect(await jail.readText("./app/src/pages/other.astro")).toBe("<p>New</p>");
  await jail.remove("app/src/pages/other.astro");
  expect(await jail.files("app/src")).toEqual(["app/src/pages/index.astro"]);
  expect(await jail.list("")).toEqual([
    { path: "app", kind: "folder" },
    { path: "brand", kind: "folder" },
    { path: "database", kind: "folder" },
  ]);
});

test("a move doesn't overwrite its target", async () => {
  await jail.writeText("app/src/a.css", "a");
  await jail.writeText("app/src/b.css", "b");
  expect(await reasonOf(jail.move("app/src/a.css", "app/src/b.css"))).toBe("exists");
  expect(await jail.readText("app/src/b.css")).toBe("b");
});

describe("abuse 64: paths outside the workspace are refused", () => {
  const paths = [
    "../secret.txt",
    "app/../../secret.txt",
    "app/src/../../../secret.txt",
    "app/./../../secret.txt",
    "../work-sibling/secret.txt",
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    "//etc/passwd",
    "file:///etc/passwd",
    "app\\..\\..\\secret.txt",
    "app/src/\0/../../../secret.txt",
    "app/src/a\0.css",
    "．．/secret.txt",
    "app/．．/．．/secret.txt",
    "~/secret.txt",
    "..",
    "work-sibling/secret.txt",
    "node_modules/x.js",
    "",
    ".",
  ];
  for (const path of paths) {
    test(`writing ${JSON.stringify(path)}`, async () => {
      const before = await outside();
      expect(await reasonOf(jail.readText(path))).not.toBe("allowed");
      expect(await reasonOf(jail.writeText(path, "x"))).not.toBe("allowed");
      expect(await reasonOf(jail.remove(path))).not.toBe("allowed");
      expect(await reasonOf(jail.move("app/src/pages/index.astro", path))).not.toBe("allowed");
      expect(await outside()).toEqual(before);
    });
  }

  test("an absolute path into the workspace is refused as well", async () => {
    expect(await reasonOf(jail.readText(join(root, "app/src/pages/index.astro")))).toBe("outside");
  });
});

describe("abuse 65: links are refused", () => {
  test("a symbolic link to a file, to a folder, a dangling one, and a hard link", async () => {
    await symlink(join(base, "secret.txt"), join(root, "app/src/link.txt"));
    await symlink(base, join(root, "app/src/up"));
    await symlink(join(base, "nothing.txt"), join(root, "app/src/dangling.txt"));
    await link(join(base, "secret.txt"), join(root, "app/src/hard.txt"));
    const before = await outside();
    const reads = ["link.txt", "up/secret.txt", "dangling.txt", "hard.txt"];
    const reasons = reads.map((path) => reasonOf(jail.readText(`app/src/${path}`)));
    expect(await Promise.all(reasons)).toEqual(["link", "link", "link", "link"]);
    for (const path of ["link.txt", "up/secret.txt", "up/new.txt", "dangling.txt"]) {
      expect(await reasonOf(jail.writeText(`app/src/${path}`, "x"))).toBe("link");
      expect(await reasonOf(jail.remove(`app/src/${path}`))).toBe("link");
    }
    expect(await outside()).toEqual(before);
    expect(await jail.files("app/src")).toEqual(["app/src/hard.txt", "app/src/pages/index.astro"]);
  });

  test("writing to a hard link leaves its other name unchanged", async () => {
    await link(join(base, "secret.txt"), join(root, "app/src/hard.txt"));
    await jail.writeText("app/src/hard.txt", "x");
    expect(await readFile(join(base, "secret.txt"), "utf8")).toBe(secret);
  });

  test("a top-level folder that is a link", async () => {
    await rm(join(root, "brand"), { recursive: true });
    await symlink(base, join(root, "brand"));
    expect(await reasonOf(jail.readText("brand/secret.txt"))).toBe("link");
    expect(await reasonOf(jail.list("brand"))).toBe("link");
  });

  test("a named pipe, a socket, and a folder aren't files, and don't hang", async () => {
    await new Promise((done) =>
      spawn("/usr/bin/env", ["mkfifo", join(root, "app/src/pipe.txt")]).on("close", done),
    );
    expect(await reasonOf(jail.readText("app/src/pipe.txt"))).toBe("not_a_file");
    expect(await reasonOf(jail.readText("app/src/pages"))).toBe("not_a_file");
    expect(await reasonOf(jail.writeText("app/src/pipe.txt", "x"))).toBe("not_a_file");
    const server = createServer().listen(join(root, "app/src/socket.txt"));
    await once(server, "listening");
    expect(await reasonOf(jail.readText("app/src/socket.txt"))).toBe("not_a_file");
    server.close();
  });

  test(
    "a parent that another process repeatedly replaces with a link",
    { timeout: 60_000 },
    async () => {
      await mkdir(join(base, "trap"));
      await writeFile(join(base, "trap", "secret.txt"), secret);
      await put("app/src/box/secret.txt", "inside");
      await put("app/src/out/new.txt", "");
      const swap = `
      const fs = require("node:fs");
      const [dir, trap] = process.argv.slice(1);
      process.stdout.write("ready");
      function swap(name) {
        fs.renameSync(dir + "/" + name, dir + "/kept-" + name);
        fs.symlinkSync(trap, dir + "/" + name);
        fs.unlinkSync(dir + "/" + name);
        fs.renameSync(dir + "/kept-" + name, dir + "/" + name);
      }
      for (;;) {
        swap("box");
        try {
          swap("out");
        } catch {
          // A write made the folder anew while it was away.
          fs.rmSync(dir + "/kept-out", { recursive: true, force: true });
        }
      }`;
      const swapper = spawn(process.execPath, [
        "-e",
        swap,
        join(root, "app/src"),
        join(base, "trap"),
      ]);
      const gone = once(swapper, "exit");
      const seen = { inside: 0, refused: 0 };
      try {
        await new Promise((ready) => swapper.stdout.once("data", ready));
        for (let i = 0; i < 10_000 && Math.min(seen.inside, seen.refused) < 300; i += 1) {
          const read = await jail.readText("app/src/box/secret.txt").catch((e: unknown) => e);
          if (read === "inside") seen.inside += 1;
          else if (read instanceof ToolRefusal) seen.refused += 1;
          else throw new Error(`read ${String(read)}`);
          await jail.writeText("app/src/out/new.txt", `${i}`).catch((error: unknown) => {
            if (!(error instanceof ToolRefusal)) throw error;
          });
        }
      } finally {
        swapper.kill("SIGKILL");
        await gone;
      }
      expect(Math.min(seen.inside, seen.refused)).toBe(300);
      expect(await readdir(join(base, "trap"))).toEqual(["secret.txt"]);
      expect(await readFile(join(base, "trap", "secret.txt"), "utf8")).toBe(secret);
    },
  );
});

test("abuse 238: nothing of another site is read, listed, or changed, by its path or by a link", async () => {
  const [anna, bob] = [join(base, "sites/anna"), join(base, "sites/bob")];
  const workspace = join(anna, "data/workspaces/RUN1");
  await mkdir(join(workspace, "app/src"), { recursive: true });
  const files = [
    "vitrine.json",
    "content/app/src/pages/index.astro",
    "content/.git/HEAD",
    "data/keys/settings.key",
    "data/vitrine.db",
    "data/workspaces/RUN2/app/src/draft.astro",
    "data/releases/1/index.html",
  ];
  for (const file of files) {
    await mkdir(dirname(join(bob, file)), { recursive: true });
    await writeFile(join(bob, file), secret);
  }
  const names = ["content", "data", "data/keys", "data/workspaces/RUN2/app/src"];
  for (const [at, name] of names.entries()) {
    await symlink(join(bob, name), join(workspace, `app/src/absolute-${at}`));
    await symlink(`../../../../../../bob/${name}`, join(workspace, `app/src/relative-${at}`));
  }
  const tools = await openJail(workspace, defaultLimits.workspace);
  const before = await contents((path) => path.startsWith(bob));
  expect(Object.keys(before)).toHaveLength(files.length);
  const linked = (file: string) =>
    names.flatMap((name, at) => {
      if (!file.startsWith(`${name}/`)) return [];
      const rest = file.slice(name.length);
      return [`app/src/absolute-${at}${rest}`, `app/src/relative-${at}${rest}`];
    });
  const ways = files.flatMap((file) =>
    [
      join(bob, file),
      `../../../../bob/${file}`,
      `app/src/../../../../../../bob/${file}`,
      `app/src/absolute-0/../${file}`,
    ].concat(linked(file)),
  );
  for (const path of ways) {
    for (const attempt of [
      () => tools.readText(path),
      () => tools.readBytes(path, 1000),
      () => tools.writeText(path, "x"),
      () => tools.move(path, "app/src/moved.md"),
      () => tools.remove(path),
      () => tools.list(dirname(path)),
    ]) {
      expect([path, await reasonOf(attempt())]).not.toEqual([path, "allowed"]);
    }
  }
  expect(await tools.files("app/src")).toEqual([]);
  expect(await contents((path) => path.startsWith(bob))).toEqual(before);
});

describe("abuse 66: names and types that agents may not write, in upper or lower case", () => {
  const everywhere = [
    "app/src/.git/config",
    "app/src/.GIT/config",
    "app/.Git/hooks/post-commit.txt",
    ".git",
    "brand/.gitattributes",
    "brand/.GitAttributes",
    "app/src/.gitmodules",
    "app/src/.env",
    "app/src/.hidden.css",
    "app/src/GIT~1/config.txt",
    "app/src/.g\u200cit/config.txt",
    "app/src/node_modules/x/index.js",
    "app/src/package.json",
    "app/public/PACKAGE.JSON",
    "app/src/tsconfig.json",
    "app/src/TSConfig.build.json",
    "app/astro.config.mjs",
    "app/src/Astro.Config.ts",
    "app/src/vite.config.js",
    "app/src/package.json.",
    "app/src/.git /config.txt",
    "app/src/config.txt:stream",
  ];
  const writesOnly = [
    "app/src/run.sh",
    "app/src/logo.png",
    "app/src/font.woff2",
    "app/src/module.wasm",
    "app/src/run.mjs",
    "app/src/noextension",
    "app/public/media/x.svg",
    "app/public/MEDIA/x.svg",
    "app/public/media",
    "app/SRC/x.css",
    "app/x.css",
    "database/projects.json",
    "scripts/build.ts",
  ];
  for (const path of [...everywhere, ...writesOnly]) {
    test(`writing ${JSON.stringify(path)}`, async () => {
      const before = await contents(() => true);
      expect(await reasonOf(jail.writeText(path, "x"))).not.toBe("allowed");
      expect(await contents(() => true)).toEqual(before);
    });
  }
  for (const path of everywhere) {
    test(`reading ${JSON.stringify(path)}`, async () => {
      expect(await reasonOf(jail.readText(path))).toMatch(/^(name|outside)$/);
    });
  }

  test("programs and binary content under a harmless name", async () => {
    expect(await reasonOf(jail.writeText("app/src/a.txt", "#!/bin/sh\nid"))).toBe("type");
    expect(await reasonOf(jail.writeText("app/src/a.txt", "a\0b"))).toBe("type");
    expect(await reasonOf(jail.writeText("app/src/a.txt", "\ud800"))).toBe("type");
    await jail.writeText("app/src/a.txt", "fine");
    expect((await lstat(join(root, "app/src/a.txt"))).mode & 0o111).toBe(0);
  });
});

describe("abuse 68: quotas", () => {
  test("a file, a run's bytes, and a run's files are limited, and a refused write leaves nothing", async () => {
    jail = await openJail(root, { bytes: 100, files: 3, fileBytes: 60 });
    expect(await reasonOf(jail.writeText("app/src/a.txt", "x".repeat(61)))).toBe("too_large");
    await jail.writeText("app/src/a.txt", "x".repeat(60));
    expect(await reasonOf(jail.writeText("app/src/b.txt", "x".repeat(41)))).toBe("quota");
    await jail.writeText("app/src/b.txt", "y");
    await jail.writeText("app/src/c.txt", "y");
    expect(await reasonOf(jail.writeText("app/src/d.txt", "y"))).toBe("quota");
    expect(await readdir(join(root, "app/src"))).toEqual(["a.txt", "b.txt", "c.txt", "pages"]);
  });

  test("a gigabyte is refused without being written", async () => {
    const huge = "x".repeat(512 * 1024 * 1024 - 64);
    expect(await reasonOf(jail.writeText("app/src/a.txt", huge))).toBe("too_large");
    expect(await jail.exists("app/src/a.txt")).toBe(false);
  });
});

test(
  "abuse 64: whatever the path, what is written is inside the write paths",
  { timeout: 60_000 },
  async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "app",
        "src",
        "public",
        "media",
        "brand",
        "database",
        ".git",
        "~",
        "",
      ),
      fc.constantFrom(
        "changelog.json",
        "a.css",
        "x.TXT",
        "package.json",
        "up",
        "é",
        "e\u0301",
        "\0",
      ),
      fc.string({ maxLength: 6, unit: "binary" }),
    );
    const path = fc
      .tuple(
        fc.constantFrom("", "/", "./", "app/src/", "app/src/up/"),
        fc.array(piece, { maxLength: 6 }),
      )
      .map(([start, parts]) => start + parts.join("/"));
    await symlink(base, join(root, "app/src/up"));
    const before = await outside();
    const allowed = /^(app\/src\/|app\/public\/(?!media(\/|$))|brand\/|database\/changelog\.json$)/;
    let written = 0;
    await fc.assert(
      fc.asyncProperty(path, async (given) => {
        const result = await reasonOf(jail.writeText(given, "fuzz"));
        if (result !== "allowed") return;
        written += 1;
        const resolved = jail.resolve(given);
        expect(resolved).toMatch(allowed);
        expect(resolved).not.toMatch(/(^|\/)\.|\0|\\/);
        expect(await jail.readText(given)).toBe("fuzz");
        await jail.remove(given);
      }),
      { numRuns: 1500 },
    );
    expect(written).toBeGreaterThan(0);
    expect(await outside()).toEqual(before);
  },
);
