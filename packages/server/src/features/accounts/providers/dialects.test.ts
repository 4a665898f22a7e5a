import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type MisbehavingOidc,
  startMisbehavingOidc,
} from "../../../../../../test/support/misbehaving-oidc.ts";
import type { TestBrowser } from "../../../../../../test/support/oidc-browser.ts";
import {
  type ProviderSite,
  siteUrl,
  startProviderSite,
} from "../../../../../../test/support/oidc-site.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { insertFlow, takeFlow } from "./flow-store.ts";
import { insertLink, listUserLinks } from "./link-store.ts";

let misbehaving: MisbehavingOidc;

beforeAll(async () => {
  misbehaving = await startMisbehavingOidc();
});
afterAll(() => misbehaving[Symbol.asyncDispose]());

describe.each(dialects)("sign-in by providers on %s", (dialect) => {
  let maker: DatabaseMaker;
  let site: ProviderSite;

  beforeAll(async () => {
    misbehaving.honest();
    maker = await startDialect(dialect);
    const { database } = await maker.make();
    await migrate({ database, now: Date.now() });
    const { issuer, clientId, clientSecret } = misbehaving;
    const provider = { kind: "oidc", name: "It", issuer, clientId, clientSecret } as const;
    const providers = [
      { id: "it", ...provider },
      { id: "other", ...provider },
    ];
    site = await startProviderSite({ providers, db: database.db });
  });
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await maker.close();
  });

  const isEnd = (url: URL) => url.origin === siteUrl && !url.pathname.startsWith("/api/");
  const stopAt = (url: URL) => url.pathname.endsWith("/callback");

  async function comeBack(browser: TestBrowser): Promise<string> {
    return (await browser.open("/api/account/oauth/it", { stopAt })).url.href;
  }

  test("concurrent first sign-ins of one person create one user with one link", async () => {
    const browsers = [1, 2, 3, 4].map(() => site.browser());
    const returns = await Promise.all(browsers.map(comeBack));
    const ends = returns.map((url, index) => browsers[index]?.open(url, { stopAt: isEnd }));
    await Promise.all(ends);
    const who = await Promise.all(browsers.map((browser) => site.who(browser)));
    expect(who).toEqual(browsers.map(() => "ann@example.com"));
  });

  test("a state is valid once, even for concurrent callbacks", async () => {
    const browser = site.browser();
    const url = await comeBack(browser);
    const responses = await Promise.all([1, 2, 3].map(() => browser.open(url, { stopAt: isEnd })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([303, 400, 400]);
  });

  test("expired states are invalid and removed", async () => {
    const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000Z`;
    const flow = (hash: string, minute: number) => ({
      state_hash: hash,
      provider: "it",
      created_at: at(minute),
      expires_at: at(minute + 10),
    });
    await insertFlow(site.db, flow("a", 0));
    const which = { stateHash: "a", provider: "it" };
    expect(await takeFlow(site.db, { ...which, now: at(10) })).toBe(false);
    expect(await takeFlow(site.db, { ...which, provider: "other", now: at(1) })).toBe(false);
    await insertFlow(site.db, flow("b", 10));
    expect(await takeFlow(site.db, { ...which, now: at(1) })).toBe(false);
    expect(await takeFlow(site.db, { ...which, stateHash: "b", now: at(11) })).toBe(true);
  });

  test("if both ways to sign in are removed at once, one stays for a user without a password", async () => {
    const bob = await site.userBrowser("bob@example.com", { password: false });
    for (const provider of ["it", "other"]) {
      const row = {
        user_id: bob.user.id,
        provider,
        issuer: misbehaving.issuer,
        subject: provider,
      };
      const created = "2026-01-01T00:00:00.000Z";
      const link = { ...row, email: "", created_at: created, last_used_at: null };
      expect(await insertLink(site.db, link)).toBe(true);
      expect(await insertLink(site.db, link)).toBe(false);
    }
    const responses = await Promise.all(
      ["it", "other"].map((id) => bob.post(`/api/account/oauth/${id}/unlink`)),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await listUserLinks(site.db, bob.user.id)).toHaveLength(1);
  });
});
