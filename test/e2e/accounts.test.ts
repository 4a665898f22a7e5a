import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { MemberProject } from "../../src/features/members/schema.ts";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { readMessage } from "../support/message.ts";
import { startOidc, type TestOidc } from "../support/oidc.ts";
import { startSmtp, type TestSmtp } from "../support/smtp.ts";

const guest = "guest@client.example";
const password = "a lamp in the hallway";
const told = { timeout: 60_000, interval: 200 };

let browser: Browser;
let instance: TestInstance;
let admin: AdminClient;
let smtp: TestSmtp;
let oidc: TestOidc;
/** The sample project that becomes a secret one. */
let secret: { id: number; slug: string; name: string; gallery: { src: string }[] };

const at = (path: string) => instance.baseUrl + path;

/** The link in the newest mail to somebody. */
async function mailedLink(to: string, part: string): Promise<string> {
  return vi.waitFor(() => {
    const mail = smtp.mails.findLast((one) => one.to.includes(to));
    const text = mail ? readMessage(mail.source).text : "";
    const link = text.match(/https?:\/\/\S+/g)?.find((one) => one.includes(part));
    if (link === undefined) throw new Error(`no mail to ${to} has a link with ${part}`);
    return link;
  }, told);
}

async function memberBuild(): Promise<MemberProject | undefined> {
  const { data } = await admin.get<{ projects: MemberProject[] }>("/api/adminmembers/projects");
  return data.projects.find(({ id }) => id === secret.id);
}

// The owner's browser and this client share the admin: a new link ends every session before it.
const ownerPage = async () => {
  const owner = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  await owner.page.goto(await instance.link());
  return owner;
};

beforeAll(async () => {
  [browser, instance, smtp] = await Promise.all([launchBrowser(), startInstance(), startSmtp()]);
  oidc = await startOidc({ callbacks: [at("/api/account/oauth/test/callback")] });
  admin = await signIn(instance);
  await admin.post("/api/adminsettings/mail", {
    to: "owner@example.com",
    from: "Mara <mara@example.com>",
    provider: null,
    smtp: { host: "127.0.0.1", port: smtp.port, secure: false, user: null },
  });
  const { data } = await admin.get<{ items: { id: number; slug: string }[] }>(
    "/api/adminprojects/list?q=Quay",
  );
  const [found] = data.items;
  const path = `/api/adminprojects/get?id=${found?.id}`;
  const project = (await admin.get<typeof secret & { version: number }>(path)).data;
  secret = project;
  const { id, version } = project;
  await admin.post("/api/adminprojects/save", { id, version, audience: "invited" });
  await vi.waitFor(async () => {
    const state = (await memberBuild())?.build.state;
    if (state !== "ready") throw new Error(`the build for members is ${state}`);
  }, told);
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await smtp?.[Symbol.asyncDispose]();
  await oidc?.[Symbol.asyncDispose]();
});

const projectPath = () => `/projects/${secret.slug}/`;

async function fill(page: Page, fields: Record<string, string>, button: string): Promise<void> {
  for (const [label, text] of Object.entries(fields)) {
    await page.getByLabel(label, { exact: true }).fill(text);
  }
  await page.getByRole("button", { name: button, exact: true }).click();
}

const statusOf = async (page: Page, path: string) =>
  (await page.request.get(at(path), { maxRedirects: 0 })).status();

test("a secret case study is in no public byte, opens for the invited, and is gone when revoked", async () => {
  const telling: string[] = [];
  const how = { recursive: true, withFileTypes: true } as const;
  const released = await readdir(instance.paths.current, how);
  expect(released.length).toBeGreaterThan(50);
  for (const entry of released) {
    const file = join(entry.parentPath, entry.name);
    const tells = entry.isFile() && (await readFile(file)).includes(secret.name);
    if (tells || file.includes(secret.slug)) telling.push(file);
  }
  expect(telling).toEqual([]);
  const cover = secret.gallery[0]?.src ?? "";
  for (const path of [projectPath(), cover]) expect((await fetch(at(path))).status).toBe(404);

  await admin.post("/api/adminmembers/invite", { projectId: secret.id, emails: [guest] });
  const { page, errors } = await openPage(browser, {
    viewport: { width: 390, height: 844 },
    javaScriptEnabled: false,
  });
  await page.goto(await mailedLink(guest, "invite="));
  await fill(page, { Password: password }, "Create the account");
  await page.waitForURL(at(projectPath()));
  await page.getByRole("heading", { level: 1, name: secret.name }).waitFor();
  expect(await statusOf(page, cover)).toBe(200);
  const answer = await page.request.get(at(projectPath()));
  expect(answer.headers()["cache-control"]).toBe("private, no-store");

  const owner = await ownerPage();
  await owner.page.goto(at(`/admin/members?project=${secret.id}`));
  await owner.page.getByText(guest).first().waitFor();
  expect(await axe(owner.page)).toEqual([]);
  await owner.page.getByRole("button", { name: `Revoke the invitation of ${guest}` }).click();
  await owner.page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await vi.waitFor(async () => expect(await statusOf(page, projectPath())).toBe(404), told);
  expect(await statusOf(page, cover)).toBe(404);
  expect([...errors, ...owner.errors]).toEqual([]);
});

test("a provider signs in who it vouches for", async () => {
  admin = await signIn(instance);
  const provider = {
    id: "test",
    kind: "oidc",
    name: "Test House",
    issuer: oidc.issuer,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret,
    enabled: true,
  };
  const saved = await admin.post("/api/adminsettings/identity", { providers: [provider] });
  expect(saved.error).toBeNull();
  oidc.user = { sub: "u-1", email: "ada@house.example", email_verified: true, name: "Ada" };
  const { page } = await openPage(browser);
  await page.goto(at("/account"));
  await page.getByRole("link", { name: /Test House/ }).click();
  await page.waitForURL(at("/account"));
  await page.getByText("ada@house.example").first().waitFor();
});
