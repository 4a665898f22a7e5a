import { Command, CommanderError } from "commander";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AdminApp, startAdminApp } from "../../../../../test/support/admin.ts";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import { registerAdminCommands } from "./cli.ts";

let admin: AdminApp;
let printed: unknown[];
let secretsRead: number;
let complaints: string;

beforeEach(async () => {
  admin = await startAdminApp();
  printed = [];
  secretsRead = 0;
  complaints = "";
});
afterEach(() => admin.cleanup());

async function vitrine(secret: string, ...args: string[]): Promise<void> {
  const context = {
    clock: admin.clock,
    open: async () =>
      ({
        config: { baseUrl: "https://site.example" },
        database: { db: admin.db },
      }) as unknown as OpenedInstance,
    print: (data: unknown) => void printed.push(data),
    readSecret: async () => {
      secretsRead += 1;
      return secret;
    },
  } as unknown as CliContext;
  const program = new Command("vitrine")
    .exitOverride()
    .configureOutput({ writeErr: (text) => (complaints += text) });
  registerAdminCommands(program, context);
  await program.parseAsync(args, { from: "user" });
}

test("set-admin-password reads the password from the prompt or stdin", async () => {
  await vitrine("a new password", "set-admin-password");
  expect(printed).toEqual([{ setAt: "2026-01-15T12:00:00.000Z" }]);
  expect((await admin.login("a new password")).status).toBe(200);
});

test.each([
  ["set-admin-password", "hunter2hunter2"],
  ["set-admin-password", "--password", "hunter2hunter2"],
  ["set-admin-password", "--password=hunter2hunter2"],
  ["set-admin-token", "hunter2hunter2"],
])("abuse 104: %s %s is refused as a usage error and not repeated", async (...args) => {
  const refusal = await vitrine("another", ...args).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(CommanderError);
  expect((refusal as CommanderError).exitCode).toBe(2);
  expect(complaints).not.toContain("hunter2");
  expect([secretsRead, printed]).toEqual([0, []]);
  expect((await admin.login()).status).toBe(200);
});

test("a password that is too short or too long is refused, and the old one stays", async () => {
  for (const secret of ["short", "x".repeat(73), "tab\tin the middle"]) {
    await expect(vitrine(secret, "set-admin-password")).rejects.toMatchObject({
      code: "validation_failed",
    });
  }
  expect((await admin.login()).status).toBe(200);
});

test("set-admin-token prints a new link, and the previous one stops working", async () => {
  await vitrine("", "set-admin-token");
  const [{ url }] = printed as [{ url: string }];
  expect(url).toMatch(/^https:\/\/site\.example\/admin\/vl_[A-Za-z0-9_-]{43}$/);
  expect((await admin.ask(new URL(url).pathname)).headers["location"]).toBe("/admin");
  expect((await admin.ask(admin.link)).headers["location"]).toBe("/admin?e=1");
});

test("api-token creates, lists, and revokes tokens", async () => {
  await vitrine("", "api-token", "deploy", "--scopes", "read,write", "--expires", "2027-01-31");
  await vitrine("", "api-token", "list");
  await vitrine("", "api-token", "revoke", "deploy");
  expect(printed).toMatchObject([
    {
      name: "deploy",
      token: expect.stringMatching(/^vit_[A-Za-z0-9_-]{43}$/) as string,
      scopes: ["read", "write"],
      expiresAt: "2027-01-31T00:00:00.000Z",
    },
    { tokens: [{ name: "deploy", lastUsedAt: null, revokedAt: null }] },
    { name: "deploy", revokedAt: "2026-01-15T12:00:00.000Z" },
  ]);
});
