import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeClock, fakeClock } from "../../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import { randomBytes } from "node:crypto";
import { type Db, openDatabase } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { budgetDefinition, makeSettings, type Settings } from "../../settings/settings.ts";
import { boundsOf } from "./calendar.ts";
import { type Booking, type Ledger, makeLedger } from "./ledger.ts";

const none = { tokens: null, cost: null };
const keyring = { active: "k1", keys: new Map([["k1", randomBytes(32)]]) };

function use(given: Partial<Booking> = {}): Booking {
  return {
    purpose: "edit",
    runId: null,
    model: "anthropic/claude",
    inputTokens: 100,
    cachedTokens: 0,
    outputTokens: 10,
    cost: 0.25,
    currency: null,
    ...given,
  };
}

describe.each(dialects)("on %s", (dialect) => {
  let maker: DatabaseMaker;
  let address: Awaited<ReturnType<DatabaseMaker["make"]>>["address"];
  let db: Db;
  let settings: Settings;
  let clock: FakeClock;
  let ledger: Ledger;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    const made = await maker.make();
    address = made.address;
    db = made.database.db;
    await migrate({ database: made.database, now: 0 });
    // Half past eleven in the evening in Stockholm, on the last day of October.
    clock = fakeClock(Date.parse("2026-10-31T22:30:00.000Z"));
    settings = makeSettings({ db, keyring, clock });
    ledger = makeLedger({ db, clock, settings, owner: { timeZone: "Europe/Stockholm" } });
  });

  const allow = (reply: object) =>
    settings.set(budgetDefinition, JSON.stringify({ run: none, day: none, month: none, ...reply }));

  test("bookings are added up for the owner's day and month", async () => {
    expect(await ledger.spent()).toEqual({
      day: { tokens: 0, cost: null },
      month: { tokens: 0, cost: null },
    });
    await ledger.book(use());
    clock.advance(29 * 60_000);
    await ledger.book(use({ purpose: "test", cost: null }));
    expect(await ledger.spent()).toEqual({
      day: { tokens: 220, cost: 0.25 },
      month: { tokens: 220, cost: 0.25 },
    });
    // In UTC it is still October.
    clock.advance(60_000);
    await ledger.book(use({ inputTokens: 1, outputTokens: 0, cost: 0.5 }));
    expect(await ledger.spent()).toEqual({
      day: { tokens: 1, cost: 0.5 },
      month: { tokens: 1, cost: 0.5 },
    });
  });

  test("a reached limit is reported after the booking, and before the next run", async () => {
    await allow({ day: { tokens: 220, cost: null } });
    await ledger.book(use());
    await ledger.assertOpen();
    const details = {
      limit: "day",
      spent: { tokens: 220, cost: 0.5 },
      ceiling: { tokens: 220, cost: null },
    };
    await expect(ledger.book(use())).rejects.toMatchObject({ code: "upstream_failed", details });
    await expect(ledger.assertOpen()).rejects.toMatchObject({
      code: "throttled",
      message: "The daily limit is reached: 220 tokens. You can raise it on the settings page.",
      details,
      headers: { "retry-after": "1800" },
    });
    // The next day begins by itself.
    clock.advance(30 * 60_000);
    await ledger.assertOpen();
  });

  test("money counts if its currency is known, and a full month asks to retry within the hour", async () => {
    clock.setWall(Date.parse("2026-10-05T10:00:00.000Z"));
    await allow({ month: { tokens: null, cost: 0.5 }, day: { tokens: null, cost: 0.1 } });
    await ledger.book(use({ cost: null }));
    await expect(ledger.book(use())).rejects.toMatchObject({ details: { limit: "day" } });
    await expect(ledger.book(use())).rejects.toMatchObject({ details: { limit: "month" } });
    await expect(ledger.assertOpen()).rejects.toMatchObject({
      details: { limit: "month" },
      headers: { "retry-after": "3600" },
    });
  });

  test("tokens from the provider's cache count a tenth", async () => {
    await ledger.book(use({ inputTokens: 1000, cachedTokens: 900, outputTokens: 15 }));
    expect((await ledger.spent()).day.tokens).toBe(100 + 90 + 15);
  });

  test("money in a former currency isn't added", async () => {
    let currency: string | null = "USD";
    const deps = {
      db,
      clock,
      settings,
      owner: { timeZone: "UTC" },
      currency: async () => currency,
    };
    const paid = makeLedger(deps);
    await paid.book(use({ cost: 1, currency: "USD" }));
    await paid.book(use({ cost: 200, currency: "JPY" }));
    await paid.book(use({ cost: 0.5 }));
    expect((await paid.spent()).day).toEqual({ tokens: 330, cost: 1.5 });
    currency = "JPY";
    expect((await paid.spent()).month.cost).toBe(200.5);
    currency = null;
    expect((await paid.spent()).month.cost).toBe(0.5);
    currency = "USD";
    await allow({ day: { tokens: null, cost: 1.5 } });
    await expect(paid.assertOpen()).rejects.toThrow("reached: costs of 1.5 USD.");
  });

  test("a raised limit takes effect at once", async () => {
    await allow({ day: { tokens: 50, cost: null } });
    await expect(ledger.book(use())).rejects.toMatchObject({ details: { limit: "day" } });
    await allow({ day: { tokens: 5000, cost: null } });
    await ledger.assertOpen();
    await ledger.book(use());
  });

  test("a run's limit is the owner's, otherwise the configuration's", async () => {
    const database = openDatabase(address);
    const configured = makeLedger({
      db: database.db,
      clock,
      settings,
      owner: { timeZone: "UTC" },
      runTokens: 400_000,
    });
    expect((await configured.ceilings()).run).toEqual({ tokens: 400_000, cost: null });
    await allow({ run: { tokens: 7000, cost: 2 } });
    expect((await configured.ceilings()).run).toEqual({ tokens: 7000, cost: 2 });
    await database.close();
  });

  test("concurrent bookings lose nothing", async () => {
    const other = openDatabase(address);
    const second = makeLedger({
      db: other.db,
      clock,
      settings,
      owner: { timeZone: "Europe/Stockholm" },
    });
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? ledger : second).book(use())),
    );
    expect(await second.spent()).toMatchObject({ day: { tokens: 40 * 110, cost: 10 } });
    await other.close();
  });
});

describe("days and months in a time zone", () => {
  const hours = (span: "day" | "month", at: string, zone: string) => {
    const { from, to } = boundsOf(span, Date.parse(at), zone);
    return [new Date(from).toISOString(), new Date(to).toISOString(), (to - from) / 3_600_000];
  };
  test.each([
    ["UTC", "2026-11-21T12:00:00Z", "2026-11-21T00:00:00.000Z", "2026-11-22T00:00:00.000Z", 24],
    // The clocks go forward, and back.
    [
      "Europe/Stockholm",
      "2026-03-29T12:00:00Z",
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
      23,
    ],
    [
      "Europe/Stockholm",
      "2026-10-25T12:00:00Z",
      "2026-10-24T22:00:00.000Z",
      "2026-10-25T23:00:00.000Z",
      25,
    ],
    // A day that begins at one o'clock, for there is no midnight.
    [
      "Africa/Cairo",
      "2026-04-24T12:00:00Z",
      "2026-04-23T22:00:00.000Z",
      "2026-04-24T21:00:00.000Z",
      23,
    ],
    // The first and the last moment of a day belong to it.
    [
      "Asia/Kathmandu",
      "2026-11-20T18:15:00Z",
      "2026-11-20T18:15:00.000Z",
      "2026-11-21T18:15:00.000Z",
      24,
    ],
    [
      "Asia/Kathmandu",
      "2026-11-21T18:14:59.999Z",
      "2026-11-20T18:15:00.000Z",
      "2026-11-21T18:15:00.000Z",
      24,
    ],
  ])("a day of %s at %s", (zone, at, from, to, length) => {
    expect(hours("day", at, zone)).toEqual([from, to, length]);
  });

  test("months across the turn of a year and clock changes", () => {
    expect(hours("month", "2026-12-31T23:30:00Z", "America/New_York")).toEqual([
      "2026-12-01T05:00:00.000Z",
      "2027-01-01T05:00:00.000Z",
      31 * 24,
    ]);
    expect(hours("month", "2026-10-15T00:00:00Z", "Europe/Stockholm")[2]).toBe(31 * 24 + 1);
    expect(hours("month", "2028-02-10T00:00:00Z", "UTC")[2]).toBe(29 * 24);
  });
});
