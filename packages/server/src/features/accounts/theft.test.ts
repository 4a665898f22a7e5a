import { sql } from "kysely";
import { expect, test } from "vitest";
import {
  type AccountApp,
  startAccountApp,
  userPassword,
} from "../../../../../test/support/account-app.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { issueToken } from "./tokens.ts";

const email = "ada@example.org";
const newPassword = "another fine password";

/** Every row of every table, as text. */
async function dump({ db }: AccountApp): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table'
  `.execute(db);
  const contents = rows.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db));
  return JSON.stringify(await Promise.all(contents));
}

test("abuse 42: a stolen database holds only hashes of passwords, links and sessions; so does the log", async () => {
  await using site = await startAccountApp();
  const secrets = [userPassword, newPassword];
  const cookies: string[] = [];
  const user = site.browser();
  await user.post("/api/account/signup", { email, password: userPassword, name: "Ada" });
  expect(await dump(site)).not.toContain(userPassword);
  const confirming = await site.token(email);
  await user.post("/api/account/verify", { token: confirming });
  await user.post("/api/account/signin", { email, password: userPassword });
  cookies.push(user.cookie);
  await user.post("/api/account/password/change", { current: userPassword, password: newPassword });
  await user.post("/api/account/password/forgot", { email });
  const choosing = await site.token(email);
  const guest = "bob@example.org";
  const now = site.clock.now();
  const invitation = await issueToken(site.db, {
    purpose: "invite",
    email: guest,
    userId: null,
    now,
  });
  await user.post("/api/account/password/forgot", { email: guest });
  await user.post("/api/account/signin", { email, password: newPassword });
  cookies.push(user.cookie);
  // One more link that is still in the outbox, encrypted.
  await user.post("/api/account/password/forgot", { email });
  secrets.push(confirming, choosing, invitation);
  secrets.push(...cookies.map((cookie) => cookie.split("=")[1] ?? ""));
  const stolen = await dump(site);
  const waiting = await site.token(email);
  secrets.push(waiting);
  expect(new Set(secrets).size).toBe(8);
  for (const text of [stolen, await dump(site), site.logged(), site.email.logged()]) {
    for (const secret of secrets) expect(text.includes(secret)).toBe(false);
  }
  // A control: the dump contains what it should.
  expect(stolen).toContain("$argon2id$v=19$");
  expect(stolen).toContain(sha256Hex(cookies[1]?.split("=")[1] ?? ""));
  expect(stolen).toContain(sha256Hex(waiting));
  expect(stolen).toContain(sha256Hex(invitation));
});
