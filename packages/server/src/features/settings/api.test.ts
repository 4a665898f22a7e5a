import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AdminApp, startAdminApp } from "../../../../../test/support/admin.ts";
import { AppError } from "../../kit/errors.ts";
import { platformRoot } from "../../platform/paths.ts";
import { registerSiteSettings } from "./api.ts";
import { registerIdentitySettings } from "./identity/api.ts";
import {
  type IdentityProviderSetting,
  readProviders,
  saveProviders,
} from "./identity/identity-settings.ts";
import type { IdentityView } from "./identity/schema.ts";
import { registerTheme } from "./theme/api.ts";
import { readAccent, readTheme } from "./theme/theme-setting.ts";
import type { ThemeView } from "./theme/schema.ts";
import { makeSettings, type Settings } from "./settings.ts";
import { saveEmailSettings } from "./email/email-settings.ts";
import {
  isSignUpOpen,
  ownerDefinition,
  readAccountsSetting,
  readAutofix,
  readOwner,
  readUpdateCheck,
} from "./site-settings.ts";
import { findSetting } from "./store.ts";

const config = {
  owner: { name: "Mara", timeZone: "UTC" },
  qa: { autofix: false },
  variables: {} as Record<string, string>,
};

let app: AdminApp;
let settings: Settings;
let cookie: string;
let reported: string[];
let tried: IdentityProviderSetting[];
let rebuild: () => Promise<void>;

beforeEach(async () => {
  reported = [];
  tried = [];
  rebuild = async () => void reported.push("rebuild");
  app = await startAdminApp({
    register(server, { guard, clock, db }) {
      const keyring = { active: "k1", keys: new Map([["k1", randomBytes(32)]]) };
      settings = makeSettings({ db, keyring, clock });
      registerSiteSettings(server, {
        guard,
        db,
        settings,
        clock,
        config,
        onOwnerChange: () => rebuild(),
        ownerChanged: async () => reported.push("changed"),
        onAccountsChange: async () => reported.push("accounts"),
        autofixNow: async () => ({ findings: 3, tasks: 2 }),
        countAccounts: async () => ({ accounts: 4, verified: 1 }),
      });
      registerTheme(server, {
        guard,
        settings,
        content: join(platformRoot, "packages/template"),
        onThemeChange: () => rebuild(),
      });
      registerIdentitySettings(server, {
        guard,
        settings,
        baseUrl: "https://site.example",
        async testProvider(provider) {
          tried.push(provider);
          if (provider.id === "down") throw new AppError("upstream_failed", "It is silent.");
          return { issuer: provider.issuer ?? "", signInAt: "https://a.example/in", notes: [] };
        },
      });
    },
  });
  cookie = await app.signIn();
});
afterEach(() => app.cleanup());

async function ask<T = Record<string, unknown>>(path: string, body?: unknown) {
  const headers = { cookie, origin: "http://localhost:3000" };
  const response = await app.ask(`/api/adminsettings/${path}`, {
    headers,
    ...(body !== undefined && { body }),
  });
  const { data, error } = response.json();
  return {
    status: response.status,
    text: response.text,
    data: data as unknown as T,
    error: error as { code: string; message: string; fields?: Record<string, string> },
  };
}

const google = {
  id: "google",
  kind: "oidc",
  name: "Google",
  issuer: "https://accounts.google.com",
  clientId: "me.apps.example",
};
const github = { id: "github", kind: "github", name: "GitHub", issuer: null, clientId: "Iv1.a" };
const providers = [
  { ...google, clientSecret: "g-canary" },
  { ...github, clientSecret: "h-canary" },
];
const read = () => ask<IdentityView>("identity");

test("the owner from vitrine.json is used until one is set; the change rebuilds the site", async () => {
  expect((await ask("owner")).data).toEqual({ ...config.owner, from: "file" });
  const input = { name: " Mara\u0000 Lindqvist ", timeZone: "Asia/Tokyo" };
  const saved = await ask("owner", input);
  expect(saved.data).toEqual({ name: "Mara Lindqvist", timeZone: "Asia/Tokyo", from: "settings" });
  expect(await readOwner(settings, config)).toMatchObject({ timeZone: "Asia/Tokyo" });
  expect(reported).toEqual(["rebuild", "changed"]);
  rebuild = () => Promise.reject(new Error("no rebuild"));
  expect((await ask("owner", { ...input, name: "Other" })).status).toBe(500);
  expect((await ask("owner")).data).toMatchObject({ name: "Mara Lindqvist" });
});

test("the theme comes from the source until one is chosen, and each is listed with its colors and fonts", async () => {
  const { data } = await ask<ThemeView>("theme");
  expect(data).toMatchObject({ theme: null, sourceTheme: "ink" });
  expect(
    data.themes.map(({ theme: check, light, dark }) => [check, light["accent"], dark["bg"]]),
  ).toEqual([
    ["ink", "#2440d8", "#0f1114"],
    ["kiln", "#b8341a", "#131110"],
    ["moss", "#1e6a45", "#0e1210"],
    ["vellum", "#7b2540", "#16130f"],
  ]);
  expect(data.themes.at(-1)).toMatchObject({ weight: "480", radiusButton: "4px" });
  expect((await ask<ThemeView>("theme", { theme: "vellum" })).data.theme).toBe("vellum");
  rebuild = () => Promise.reject(new Error("no rebuild"));
  expect((await ask("theme", { theme: null })).status).toBe(500);
  expect(await readTheme(app.db)).toBe("vellum");
  expect(reported).toEqual(["rebuild"]);
});

test("an accent is chosen separately from the theme and stays if only the theme changes", async () => {
  const { data } = await ask<ThemeView>("theme");
  expect(data).toMatchObject({ accent: null, sourceAccent: "theme" });
  expect(data.accents).toContainEqual({ accent: "teal", light: "#0b6570", dark: "#74d3de" });
  const chosen = await ask<ThemeView>("theme", { theme: null, accent: "teal" });
  expect(chosen.data).toMatchObject({ theme: null, accent: "teal" });
  expect((await ask<ThemeView>("theme", { theme: "kiln" })).data).toMatchObject({
    theme: "kiln",
    accent: "teal",
  });
  const refused = await ask("theme", { theme: null, accent: "neon" });
  expect([refused.status, Object.keys(refused.error.fields ?? {})]).toEqual([422, ["accent"]]);
  expect(await readAccent(app.db)).toBe("teal");
  expect((await ask<ThemeView>("theme", { theme: null, accent: null })).data.accent).toBeNull();
});

test("a request can contain the theme under the field's former name", async () => {
  expect((await ask<ThemeView>("theme", { look: "moss" })).data.theme).toBe("moss");
  expect(await readTheme(app.db)).toBe("moss");
  const both = await ask("theme", { look: "ink", theme: "kiln" });
  expect([both.status, Object.keys(both.error.fields ?? {})]).toEqual([422, ["look"]]);
});

test("a preview shows how a name and a time will appear before they are saved", async () => {
  const { data } = await ask("owner/test", { name: "Mara", timeZone: "Asia/Kolkata" });
  const now = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "full",
    timeStyle: "short",
    timeZone: "Asia/Kolkata",
  }).format(app.clock.now());
  expect(data).toEqual({ name: "Mara", now });
  expect(await settings.read(ownerDefinition)).toBeNull();
});

test.each([
  ["owner", "name", { name: " ", timeZone: "UTC" }],
  ["owner", "name", { name: "x".repeat(121), timeZone: "UTC" }],
  ["owner", "timeZone", { name: "Mara", timeZone: "Mars/Olympus" }],
  ["owner/test", "timeZone", { name: "Mara", timeZone: "" }],
  ["accounts", "signUp", { signUp: "maybe" }],
  ["autofix", "enabled", { enabled: "yes" }],
  ["changelog", "changed", { published: true, unpublished: true, changed: "no" }],
  ["updates", "check", { check: "daily" }],
  ["theme", "theme", { theme: "neon" }],
])("invalid values are reported: %s %s", async (path, field, body) => {
  const { status, error } = await ask(path, body);
  expect(status).toBe(422);
  expect(Object.keys(error.fields ?? {})).toEqual([field]);
});

test("sign-up is closed until email is set up, and then open unless set otherwise", async () => {
  const counts = { accounts: 4, verified: 1 };
  expect((await ask("accounts")).data).toEqual({ signUp: "closed", ...counts });
  expect(await isSignUpOpen(app.db)).toBe(false);
  const smtp = { host: "mail.example.com", port: 587, secure: false, user: null };
  const email = { to: null, from: "Site <site@example.com>", provider: null };
  const nowhere = { providerUrl: null, providerDomain: null };
  await saveEmailSettings(settings, { ...email, ...nowhere, smtp }, () => Promise.resolve());
  expect((await ask("accounts")).data).toEqual({ signUp: "open", ...counts });
  expect(await isSignUpOpen(app.db)).toBe(true);
  expect((await ask("accounts", { signUp: "invited" })).data).toMatchObject({ signUp: "invited" });
  expect(await readAccountsSetting(settings)).toEqual({ signUp: "invited" });
  expect(reported).toEqual(["accounts"]);
});

test("an environment variable overrides the stored value, and saving is refused", async () => {
  expect((await ask("autofix", { enabled: true })).data).toMatchObject({ from: "settings" });
  config.variables["qa.autofix"] = "QA_AUTOFIX";
  expect((await ask("autofix")).data).toEqual({
    enabled: false,
    from: "environment",
    variable: "QA_AUTOFIX",
  });
  expect(await readAutofix(settings, config)).toBe(false);
  const refused = await ask("autofix", { enabled: true });
  expect(refused.error).toMatchObject({
    code: "invalid_state",
    message: expect.stringContaining("QA_AUTOFIX"),
  });
  delete config.variables["qa.autofix"];
  expect(await readAutofix(settings, config)).toBe(true);
});

test("the changelog has entries about all changes of projects by default", async () => {
  const all = { published: true, changed: true, unpublished: true };
  expect((await ask("changelog")).data).toEqual(all);
  expect((await ask("changelog", { ...all, changed: false })).data).toEqual({
    ...all,
    changed: false,
  });
  expect((await ask("changelog")).data).toMatchObject({ changed: false });
});

test("newer versions are checked for only once that is turned on", async () => {
  expect((await ask("updates")).data).toEqual({ check: false });
  expect(await readUpdateCheck(app.db)).toBe(false);
  expect((await ask("updates", { check: true })).data).toEqual({ check: true });
  expect(await readUpdateCheck(app.db)).toBe(true);
});

test("autofix follows vitrine.json until it is set; a preview queues nothing", async () => {
  expect((await ask("autofix")).data).toEqual({
    enabled: false,
    from: "file",
    variable: null,
  });
  const on = { qa: { autofix: true }, variables: {} };
  expect(await readAutofix(settings, on)).toBe(true);
  expect((await ask("autofix", { enabled: false })).data).toMatchObject({ from: "settings" });
  expect(await readAutofix(settings, on)).toBe(false);
  expect((await ask("autofix/test", {})).data).toEqual({ findings: 3, tasks: 2 });
});

test("a damaged setting is reported and can be set again", async () => {
  await settings.write([[ownerDefinition, '{"name":1}']]);
  expect((await ask("owner")).status).toBe(503);
  expect((await ask("owner", config.owner)).status).toBe(200);
});

test("client secrets are stored encrypted and never returned", async () => {
  expect((await read()).data).toEqual({ providers: [] });
  const saved = await ask<IdentityView>("identity", { providers });
  expect(saved.data.providers).toEqual([
    {
      ...google,
      enabled: true,
      clientSecretSet: true,
      callbackUrl: "https://site.example/api/account/oauth/google/callback",
    },
    expect.objectContaining({ ...github, clientSecretSet: true }),
  ]);
  const stored = JSON.stringify(await findSetting(app.db, "identity"));
  expect(saved.text + (await read()).text + stored + app.logged()).not.toContain("canary");
  expect(stored).not.toContain("accounts.google.com");
  expect(await readProviders(settings)).toMatchObject(providers);
});

test("a client secret stays while its address stays the same and is sent to no other", async () => {
  await ask("identity", { providers });
  const retained = await ask("identity", {
    providers: [
      { ...github, enabled: false },
      { ...google, name: "G" },
    ],
  });
  expect(retained.status).toBe(200);
  expect(await readProviders(settings)).toMatchObject([
    { id: "github", enabled: false, clientSecret: "h-canary" },
    { id: "google", name: "G", clientSecret: "g-canary" },
  ]);
  for (const moved of [
    { ...google, issuer: "https://thief.example" },
    { ...google, kind: "github" },
    { ...github, issuer: "https://thief.example" },
    { ...google, id: "other" },
  ]) {
    const refused = await ask("identity", { providers: [moved] });
    expect([refused.status, Object.keys(refused.error.fields ?? {})]).toEqual([
      422,
      ["providers.0.clientSecret"],
    ]);
  }
  expect(await readProviders(settings)).toHaveLength(2);
  await ask("identity", { providers: [] });
  expect(await findSetting(app.db, "identity")).toBeNull();
});

const secret = { clientSecret: "s" };
test.each([
  ["providers.0.id", [{ ...google, ...secret, id: "Google" }]],
  ["providers.0.id", [{ ...google, ...secret, id: "a/../b" }]],
  [
    "providers",
    [
      { ...google, ...secret },
      { ...google, ...secret },
    ],
  ],
  ["providers", Array.from({ length: 11 }, (_, n) => ({ ...google, ...secret, id: `p${n}` }))],
  ["providers.0.issuer", [{ ...google, ...secret, issuer: null }]],
  ["providers.0.issuer", [{ ...google, ...secret, issuer: "http://accounts.example" }]],
  ["providers.0.issuer", [{ ...google, ...secret, issuer: "https://me:pw@a.example" }]],
  ["providers.0.issuer", [{ ...google, ...secret, issuer: "https://a.example/?x=1" }]],
  ["providers.0.issuer", [{ ...google, ...secret, issuer: "javascript:alert(1)" }]],
  ["providers.0.name", [{ ...google, ...secret, name: "" }]],
  ["providers.0.clientSecret", [{ ...google, clientSecret: "" }]],
  ["providers.0.clientSecret", [google]],
])("an invalid provider is reported: %s", async (field, list) => {
  const { status, error } = await ask("identity", { providers: list });
  expect(status).toBe(422);
  expect(Object.keys(error.fields ?? {})).toEqual([field]);
  expect((await read()).data.providers).toEqual([]);
});

test("a provider on this machine can be used without TLS", async () => {
  for (const issuer of ["http://localhost:4000", "http://127.0.0.1:9/oidc", "http://[::1]:9"]) {
    const list = [{ ...google, ...secret, issuer }];
    expect((await ask("identity", { providers: list })).status).toBe(200);
  }
});

test("testing a provider uses its secret and doesn't return it", async () => {
  await ask("identity", {
    providers: [
      { ...google, ...secret },
      { ...providers[1], id: "down" },
    ],
  });
  const { data } = await ask("identity/test", { id: "google" });
  expect(data).toEqual({ issuer: google.issuer, signInAt: "https://a.example/in", notes: [] });
  expect(tried).toMatchObject([{ id: "google", clientSecret: "s" }]);
  const down = await ask("identity/test", { id: "down" });
  expect([down.status, down.error.message]).toEqual([502, "It is silent."]);
  expect((await ask("identity/test", { id: "nobody" })).status).toBe(404);
});

test("abuse 102: providers that can't be opened are told, and saving overwrites nothing", async () => {
  await ask("identity", { providers });
  const before = await findSetting(app.db, "identity");
  const keyring = { active: "k1", keys: new Map([["k1", randomBytes(32)]]) };
  const other = makeSettings({ db: app.db, keyring, clock: app.clock });
  const unavailable = { code: "unavailable" };
  await expect(readProviders(other)).rejects.toMatchObject(unavailable);
  await expect(saveProviders(other, { providers: [] })).rejects.toMatchObject(unavailable);
  expect(await findSetting(app.db, "identity")).toEqual(before);
});

test("only the admin has access", async () => {
  for (const path of ["owner", "accounts", "autofix", "changelog", "updates", "identity"]) {
    expect((await app.ask(`/api/adminsettings/${path}`)).status).toBe(401);
    expect((await app.ask(`/api/adminsettings/${path}`, { body: {} })).status).toBe(401);
  }
});
