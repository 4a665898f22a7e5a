import { describe, expect, test } from "vitest";
import { type Compute, makeHasher, defaultCost } from "./hasher.ts";

describe("argon2id", () => {
  test("returns a PHC string with the current cost and a new salt each time", async () => {
    const hasher = makeHasher();
    const [first, second] = await Promise.all([
      hasher.hash("a password"),
      hasher.hash("a password"),
    ]);
    expect(first).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    );
    expect(second).not.toBe(first);
    expect(await hasher.verify("a password", first)).toEqual({ matches: true, outdated: false });
    expect(await hasher.verify("a passwore", first)).toEqual({ matches: false, outdated: false });
  });

  test("verifies hashes from other programs: a test vector of the reference implementation", async () => {
    // phc-winner-argon2, src/test.c: hashtest(version, 2, 8, 1, "password", "somesalt", …, Argon2_id)
    const known =
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
    const hasher = makeHasher();
    expect(await hasher.verify("password", known)).toEqual({ matches: true, outdated: true });
    expect(await hasher.verify("Password", known)).toMatchObject({ matches: false });
  });

  test("does the same work without a hash and for an unreadable one", async () => {
    const requested: unknown[] = [];
    const compute: Compute = async ({ salt, cost, bytes }) => {
      requested.push([salt.length, cost, bytes]);
      return Buffer.alloc(bytes);
    };
    const hasher = makeHasher({ compute });
    const salt = "c29tZXNhbHQ";
    const greedy = `$argon2id$v=19$m=4194304,t=2,p=1$${salt}$${"A".repeat(43)}`;
    const slow = `$argon2id$v=19$m=19456,t=999,p=1$${salt}$${"A".repeat(43)}`;
    for (const hash of [null, "", "x", "$2b$12$KSxLoJ6SaCFfH.QeNvGJ2e", greedy, slow]) {
      expect(await hasher.verify("text", hash)).toMatchObject({ matches: false });
    }
    expect(requested).toEqual(Array.from({ length: 6 }, () => [16, defaultCost, 32]));
  });

  test("computes one at a time off the event loop and refuses more than its queue holds", async () => {
    const { promise: pending, resolve: release } = Promise.withResolvers<void>();
    let now = 0;
    let limit = 0;
    const compute: Compute = async ({ bytes }) => {
      now += 1;
      limit = Math.max(limit, now);
      await pending;
      now -= 1;
      return Buffer.alloc(bytes);
    };
    const hasher = makeHasher({ compute, concurrency: 2, queue: 3 });
    const results = Promise.allSettled(Array.from({ length: 200 }, () => hasher.hash("text")));
    release();
    const refused = (await results).filter(({ status }) => status === "rejected");
    expect([limit, refused.length]).toEqual([2, 195]);
    expect(refused[0]).toMatchObject({ reason: { code: "unavailable" } });
    await expect(hasher.hash("text")).resolves.toContain("$argon2id$");
  });
});
