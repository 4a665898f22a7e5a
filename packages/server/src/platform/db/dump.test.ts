import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { exists } from "../files.ts";
import { withDatabaseEnvironment } from "./dump.ts";

const address = "postgres://me:secret@db.example.org:5433/site";

test("the parts of an address go to PostgreSQL's programs by the environment", async () => {
  const env = await withDatabaseEnvironment(
    `${address}?options=-c%20a%3Db`,
    async (given) => given,
  );
  expect(env).toMatchObject({
    PGHOST: "db.example.org",
    PGPORT: "5433",
    PGDATABASE: "site",
    PGUSER: "me",
    PGPASSWORD: "secret",
    PGOPTIONS: "-c a=b",
  });
});

test.each([
  ["", undefined],
  ["?sslmode=disable", "disable"],
  ["?sslmode=no-verify", "require"],
  ["?ssl=no-verify", "require"],
  ["?sslmode=require&uselibpqcompat=true", "require"],
])("an address with %j has no certificate judged", async (query, mode) => {
  const env = await withDatabaseEnvironment(address + query, async (given) => given);
  expect([env["PGSSLMODE"], env["PGSSLROOTCERT"]]).toEqual([mode, undefined]);
});

test.each(["ssl=true", "ssl=1", "sslmode=require", "sslmode=verify-ca", "sslmode=verify-full"])(
  "with %s the server is judged as by the program's own connections",
  async (query) => {
    let file = "";
    await withDatabaseEnvironment(`${address}?${query}`, async (env) => {
      expect(env["PGSSLMODE"]).toBe("verify-full");
      file = env["PGSSLROOTCERT"] ?? "";
      expect(await readFile(file, "utf8")).toMatch(/^-----BEGIN CERTIFICATE-----$/m);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    });
    expect(await exists(file)).toBe(false);
  },
);

test("an authority that the address names is the only one", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "root.pem");
  await writeFile(file, "a certificate");
  for (const [query, mode] of [
    ["sslmode=require", "verify-full"],
    ["sslmode=verify-full", "verify-full"],
    ["sslmode=verify-ca&uselibpqcompat=true", "verify-ca"],
  ] as const) {
    const url = `${address}?${query}&sslrootcert=${encodeURIComponent(file)}`;
    const env = await withDatabaseEnvironment(url, async (given) => given);
    expect([env["PGSSLMODE"], env["PGSSLROOTCERT"]]).toEqual([mode, file]);
  }
});
