import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { adminCookie, type Ask, makeAsk } from "../../../../../test/support/admin-session.ts";
import { type FakeClock, fakeClock } from "../../../../../test/support/clock.ts";
import { startEmail, type TestEmail } from "../../../../../test/support/email.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { silentLog as log } from "../../../../../test/support/publish/publish-instance.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { type AppServer, createHttpServer } from "../../platform/http/server.ts";
import { makeAccountGuard } from "../accounts/guard.ts";
import { makeDeleteAccount } from "../accounts/delete-account.ts";
import { findUserByEmail, insertUser } from "../accounts/store.ts";
import { insertMessage } from "../contact/store.ts";
import { listEmails } from "../../platform/mailer/outbox-store.ts";
import { readToken } from "../accounts/tokens.ts";
import { makeUserSessions } from "../accounts/sessions.ts";
import { makeAdminGuard } from "../admin-auth/guard.ts";
import { type ProjectFields, projectSchema } from "../projects/project.ts";
import { deleteProject, findProject, insertProject, updateProject } from "../projects/store.ts";
import { isoTime } from "../../kit/time.ts";
import { readAccess } from "./access.ts";
import { registerMembersAdmin } from "./api.ts";
import { listBuilds, saveBuild, saveBuildFailure } from "./build-store.ts";
import { listInvitations } from "./invitation-store.ts";
import { makeMembers, type Members } from "./members.ts";
import type { InvitationList, Invited, MemberList, MemberProject, VisitList } from "./schema.ts";

const config = { baseUrl: "http://localhost" };
const ana = "ana@client.example";
const bo = "bo@client.example";

describe.each(dialects)("members on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  let clock: FakeClock;
  let testEmail: TestEmail;
  let app: AppServer;
  let members: Members;
  let ask: Ask;
  /** The headers of the signed-in owner. */
  let own: Record<string, string>;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    clock = fakeClock();
    const { database } = await maker.make();
    await migrate({ database, now: clock.now() });
    ({ db } = database);
    testEmail = await startEmail({ db, clock, baseUrl: config.baseUrl });
    const { outbox } = testEmail;
    const deleteAccount = makeDeleteAccount({
      db,
      outbox,
      siteName: "Ada",
      onDeleted: (trx, user) => members.onDeleted(trx, user),
    });
    members = makeMembers({ db, clock, outbox, siteName: () => "Ada", deleteAccount });
    app = createHttpServer({ log, name: "test", secure: false });
    const guard = makeAdminGuard({ db, clock, config });
    registerMembersAdmin(app, { guard, members });
    await app.listen({ host: "127.0.0.1", port: 0 });
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/adminmembers`;
    const cookie = await adminCookie(db, clock, guard.cookie.name);
    own = { cookie, origin: config.baseUrl };
    ask = makeAsk(url, cookie);
  });
  afterEach(async () => {
    await app.close();
    await testEmail[Symbol.asyncDispose]();
  });

  let position = 0;
  async function addProject(
    slug: string,
    audience: ProjectFields["audience"],
    more: Partial<ProjectFields> = {},
  ): Promise<number> {
    position += 1;
    const fields = { slug, name: `The ${slug}`, summary: "", status: "published", audience };
    const project = projectSchema.parse({ ...fields, position, ...more });
    const at = isoTime(clock.now());
    return (await insertProject(db, project, { createdAt: at, updatedAt: at })) ?? 0;
  }

  const addUser = async (email: string, verified = true) => {
    const now = isoTime(clock.now());
    const verifiedAt = verified ? now : null;
    await insertUser(db, { email, name: "Somebody", passwordHash: null, verifiedAt, now });
    const user = await findUserByEmail(db, email);
    if (user === null) throw new Error("There is no such user.");
    return user;
  };

  const post = <T>(path: string, body: object) => ask<T>(path, body, own);
  const invitations = async () => (await ask<InvitationList>("/invitations")).data.items;
  const tokenIn = (link: string) => new URL(link).searchParams.get("invite");

  test("an invitation is one email with one link, which leads to the project after choosing a password", async () => {
    const projectId = await addProject("nda", "invited");
    const emails = [" ANA@client.example ", bo, ana];
    const made = await post<Invited>("/invite", { projectId, emails, note: "Dear you,\nlook." });
    expect([made.status, made.data]).toEqual([200, { invited: 2, already: [] }]);
    expect((await invitations()).map((one) => [one.email, one.emailStatus])).toEqual([
      [bo, "waiting"],
      [ana, "waiting"],
    ]);
    await testEmail.deliver();
    expect(testEmail.emails()).toHaveLength(2);
    const letter = testEmail.last(ana);
    expect(letter?.subject).toBe("Ada invites you to “The nda”");
    expect(letter?.text).toContain("Dear you,");
    const [link = ""] = letter?.links ?? [];
    expect(new URL(link).pathname).toBe("/account");
    expect(new URL(link).searchParams.get("return_to")).toBe("/projects/nda/");
    const token = tokenIn(link) ?? "";
    const fortnight = 14 * 24 * 60 * 60_000;
    const readAt = (now: number) => readToken(db, token, "invite", now);
    expect(await readAt(clock.now() + fortnight - 1)).toMatchObject({ email: ana, user_id: null });
    expect(await readAt(clock.now() + fortnight)).toBe(null);
    const again = await post<Invited>("/invite", { projectId, emails: [ana] });
    expect(again.data).toEqual({ invited: 0, already: [ana] });
    const [first] = await invitations();
    expect(first).toMatchObject({
      email: bo,
      note: "Dear you,\nlook.",
      emailStatus: "sent",
      hasAccount: false,
      visits: 0,
      firstOpenedAt: null,
      revokedAt: null,
      project: { id: projectId, slug: "nda", name: "The nda" },
    });
    await testEmail.deliver();
    expect(testEmail.emails()).toHaveLength(2);
  });

  test("people with an account are led to the sign-in; a repeated email has a new link", async () => {
    const projectId = await addProject("nda", "invited");
    await addUser(bo);
    await post("/invite", { projectId, emails: [ana, bo] });
    await testEmail.deliver();
    expect(testEmail.last(bo)?.links[0]).toBe(
      `${config.baseUrl}/account?return_to=%2Fprojects%2Fnda%2F`,
    );
    const old = tokenIn(testEmail.last(ana)?.links[0] ?? "") ?? "";
    const of = (email: string) => async () => (await invitations()).find((i) => i.email === email);
    const invitationId = (await of(ana)())?.id ?? 0;
    expect((await post("/reinvite", { invitationId })).data).toEqual({ invitationId });
    await testEmail.deliver();
    const fresh = tokenIn(testEmail.last(ana)?.links[0] ?? "") ?? "";
    const live = (token: string) => readToken(db, token, "invite", clock.now());
    expect([await live(old), (await live(fresh))?.email]).toEqual([null, ana]);
    expect((await post("/revoke", { invitationId })).data).toEqual({ invitationId });
    expect(await live(fresh)).toBe(null);
    expect(await members.isInvited(ana)).toBe(false);
    expect(await members.isInvited(bo)).toBe(true);
    for (const path of ["/revoke", "/reinvite"]) {
      const { status, error } = await post(path, { invitationId });
      expect([path, status, error.code]).toEqual([path, 409, "invalid_state"]);
    }
    expect((await post("/revoke", { invitationId: 9999 })).status).toBe(404);
    expect((await of(ana)())?.revokedAt).toBe(isoTime(clock.now()));
    expect((await post<Invited>("/invite", { projectId, emails: [ana] })).data.invited).toBe(1);
    expect(
      (await invitations()).map(({ email, revokedAt }) => [email, revokedAt !== null]),
    ).toEqual([
      [ana, false],
      [bo, false],
      [ana, true],
    ]);
  });

  test("abuse 32: a stranger's sign-up with an address keeps no invitation's link from it", async () => {
    const projectId = await addProject("nda", "invited");
    await addUser(ana, false);
    await post("/invite", { projectId, emails: [ana] });
    expect(await invitations()).toMatchObject([{ email: ana, hasAccount: false }]);
    await testEmail.deliver();
    const token = tokenIn(testEmail.last(ana)?.links[0] ?? "") ?? "";
    expect(await readToken(db, token, "invite", clock.now())).toMatchObject({ email: ana });
  });

  test("an invitation to a project that doesn't take any is refused, and nobody gets an email", async () => {
    const open = await addProject("open", "everyone");
    const draft = await addProject("draft", "invited", { status: "draft" });
    const nda = await addProject("nda", "invited");
    const errorResponses = [
      [{ projectId: open, emails: [ana] }, 409],
      [{ projectId: draft, emails: [ana] }, 409],
      [{ projectId: 9999, emails: [ana] }, 404],
      [{ projectId: nda, emails: [] }, 422],
      [{ projectId: nda, emails: ["no address"] }, 422],
      [{ projectId: nda, emails: [`${ana}\r\nBcc: x@example.com`] }, 422],
      [{ projectId: nda, emails: Array.from({ length: 51 }, (_, i) => `a${i}@x.example`) }, 422],
      [{ projectId: nda, emails: [ana], note: "x".repeat(1001) }, 422],
      [{ projectId: nda, emails: [ana], more: 1 }, 422],
    ] as const;
    for (const [body, status] of errorResponses) {
      expect([body, (await post("/invite", body)).status]).toEqual([body, status]);
    }
    for (let n = 0; n < 10; n += 1) {
      const emails = Array.from({ length: 50 }, (_, i) => `a${n}-${i}@x.example`);
      await members.invite({ projectId: nda, emails, note: "" });
    }
    const { status, error } = await post("/invite", { projectId: nda, emails: [ana] });
    expect([status, error.fields]).toEqual([422, { emails: expect.stringContaining("500") }]);
    expect(await members.isInvited(ana)).toBe(false);
  });

  test("abuse 15: a user's session opens none of it, and neither does none", async () => {
    const user = await addUser(ana);
    const sessions = makeUserSessions({ db, clock });
    const visitor = { address: "::1", userAgent: "" };
    const { cookieValue } = await sessions.start(db, user.id, { method: "password", visitor });
    const { name } = makeAccountGuard({ db, clock, config }).cookie;
    for (const headers of [{ cookie: `${name}=${cookieValue}` }, { cookie: "" }]) {
      for (const path of ["/list", "/projects", "/invitations", "/visits"]) {
        expect((await ask(path, undefined, headers)).status).toBe(401);
      }
      for (const path of ["/invite", "/reinvite", "/revoke", "/remove"]) {
        expect((await ask(path, { userId: user.id }, headers)).status).toBe(401);
      }
    }
    const foreign = { ...own, origin: "https://evil.example" };
    expect((await ask("/remove", { userId: user.id }, foreign)).status).toBe(403);
    expect(await findUserByEmail(db, ana)).not.toBe(null);
  });

  test("a user's own data doesn't name a project that they can no longer see", async () => {
    const nda = await addProject("nda", "invited");
    await members.invite({ projectId: nda, emails: [ana], note: "" });
    const user = await addUser(ana);
    await members.recordVisit(user, nda);
    expect(JSON.stringify(await members.exportUserData(user))).toContain("The nda");
    await members.revoke((await invitations())[0]?.id ?? 0);
    expect(await members.exportUserData(user)).toMatchObject({
      invitations: [{ project: null, revokedAt: isoTime(clock.now()) }],
      visits: [{ project: null, visits: 1 }],
    });
  });

  test("removing an account keeps its visits without a name, and its invitation", async () => {
    const nda = await addProject("nda", "invited");
    await members.invite({ projectId: nda, emails: [ana], note: "" });
    const user = await addUser(ana);
    await members.recordVisit(user, nda);
    clock.advance(31 * 60_000);
    await members.recordVisit(user, nda);
    expect((await ask<MemberList>("/list?q=ANA")).data).toMatchObject({
      items: [{ id: user.id, email: ana, verified: true, invitations: 1, visits: 2 }],
      total: 1,
    });
    expect((await ask<MemberList>("/list?q=%25")).data.total).toBe(0);
    expect((await invitations())[0]).toMatchObject({ visits: 2, hasAccount: true });
    expect(await members.exportUserData(user)).toMatchObject({
      invitations: [{ project: "The nda" }],
      visits: [{ project: "The nda", visits: 2 }],
    });
    const removed = await post("/remove", { userId: user.id });
    expect(removed.data).toEqual({ userId: user.id, removed: true });
    expect((await post("/remove", { userId: user.id })).status).toBe(404);
    const { items } = (await ask<VisitList>(`/visits?projectId=${nda}`)).data;
    expect(items).toEqual([expect.objectContaining({ email: null, hasAccount: false, visits: 2 })]);
    expect((await invitations())[0]).toMatchObject({ visits: 0, hasAccount: false });
    expect(await members.isInvited(ana)).toBe(true);
  });

  test("abuse 250: removing an account deletes its address, except from what the owner still decides", async () => {
    const nda = await addProject("nda", "invited");
    const old = await addProject("old", "invited");
    const user = await addUser(ana);
    for (const projectId of [nda, old]) {
      await members.invite({ projectId, emails: [ana, bo], note: "Hello, Ana" });
    }
    const revoked = (await invitations()).find((one) => {
      return one.email === ana && one.project.id === old;
    });
    await members.revoke(revoked?.id ?? 0);
    await members.recordVisit(user, nda);
    await testEmail.deliver();
    const words = { name: "Ana", message: "Are you free?", ip: "192.0.2.1", user_agent: "" };
    const at = isoTime(clock.now());
    await insertMessage(db, { ...words, email: "Ana@client.example", at, email_id: null });
    await insertMessage(db, { ...words, email: bo, at, email_id: null });
    const exported = await members.exportUserData(user);
    expect(exported).toMatchObject({
      invitations: [{ note: "Hello, Ana" }, { note: "Hello, Ana" }],
      messages: [{ name: "Ana", message: "Are you free?", at }],
      emails: [
        { purpose: "invite", status: "sent" },
        { purpose: "invite", status: "sent" },
      ],
    });
    expect(JSON.stringify(exported)).not.toContain("192.0.2.1");

    expect((await post("/remove", { userId: user.id })).status).toBe(200);
    const left = (await invitations()).filter(({ email }) => email === ana);
    expect(left).toMatchObject([{ project: { id: nda }, revokedAt: null, emailStatus: null }]);
    const listed = await listEmails(db, { page: 1, perPage: 50 });
    // The notice that the account was deleted, which is still to be sent, and another's emails.
    expect(listed.rows.map(({ recipient, purpose }) => [recipient, purpose])).toEqual([
      [ana, "notice"],
      [bo, "invite"],
      [bo, "invite"],
    ]);
    // What is revoked later is forgotten after a while, but only if there is no account.
    await addUser(bo);
    for (const { id, revokedAt } of await invitations()) {
      if (revokedAt === null) await members.revoke(id);
    }
    const day = 24 * 60 * 60_000;
    const stored = async () => (await listInvitations(db, { limit: 10, offset: 0 })).items;
    clock.advance(30 * day);
    await members.sweep();
    expect(await stored()).toHaveLength(3);
    clock.advance(1);
    await members.sweep();
    expect((await stored()).map(({ email }) => email)).toEqual([bo, bo]);
  });

  test("the owner's list shows the state of each project's build; deleting a project deletes its invitations and builds", async () => {
    const at = isoTime(clock.now());
    const [one, two, three] = [
      await addProject("one", "members"),
      await addProject("two", "invited"),
      await addProject("three", "invited", { status: "draft" }),
    ];
    await members.invite({ projectId: two, emails: [ana, bo], note: "" });
    await members.recordVisit(await addUser(ana), two);
    const built = { inputHash: "x", publicIds: [], artifact: "a", builtAt: at };
    const projects = [{ id: one, slug: "one", version: 1 }];
    await saveBuild(db, { ...built, name: "members", projects });
    await saveBuildFailure(db, { name: `project-${two}`, error: "No.", failedAt: at });
    const states = async () => {
      const { data } = await ask<{ projects: MemberProject[] }>("/projects");
      return data.projects.map(({ slug, invited, opened, build }) => [
        [slug, invited, opened],
        [build.status, build.builtAt, build.error],
      ]);
    };
    expect(await states()).toEqual([
      [
        ["one", 0, 0],
        ["ready", at, null],
      ],
      [
        ["two", 2, 1],
        ["failed", null, "No."],
      ],
      [
        ["three", 0, 0],
        ["none", null, null],
      ],
    ]);
    const present = await findProject(db, { id: one });
    if (present) await updateProject(db, { ...present, summary: "x" }, at);
    expect((await states())[0]?.[1]).toEqual(["pending", at, null]);
    await deleteProject(db, { id: two });
    await deleteProject(db, { id: three });
    expect((await states()).length).toBe(1);
    expect([await invitations(), (await ask<VisitList>("/visits")).data.items]).toEqual([[], []]);
  });

  test("a build that names a project a person can't see is closed to them, even if that project was public at the time", async () => {
    const [plain, members1, nda] = [
      await addProject("plain", "everyone"),
      await addProject("plan", "members"),
      await addProject("nda", "invited"),
    ];
    const of = (id: number, slug: string) => ({ id, slug, version: 1 });
    const built = { inputHash: "x", builtAt: isoTime(0) };
    const all = { ...built, name: "members", artifact: "m", publicIds: [plain] };
    await saveBuild(db, { ...all, projects: [of(members1, "plan")] });
    const own1 = { ...built, name: `project-${nda}`, artifact: "n", publicIds: [plain] };
    await saveBuild(db, { ...own1, projects: [of(nda, "nda")] });
    expect(await listBuilds(db)).toHaveLength(2);
    await members.invite({ projectId: nda, emails: [ana], note: "" });
    const users = [await addUser(ana), await addUser(bo), await addUser("c@x.example", false)];
    const open = async () => {
      const sights = users.map((user) => readAccess(db, { kind: "user", user }));
      return (await Promise.all(sights)).map(({ builds }) =>
        builds.map(({ artifact }) => artifact),
      );
    };
    expect(await open()).toEqual([["m", "n"], ["m"], ["m"]]);
    expect((await members.projectsFor(users[0] as never)).map(({ path }) => path)).toEqual([
      "/projects/plan/",
      "/projects/nda/",
    ]);
    const setAudience = async (id: number, audience: ProjectFields["audience"]) => {
      const present = await findProject(db, { id });
      if (present) await updateProject(db, { ...present, audience }, isoTime(0));
    };
    await setAudience(plain, "invited");
    expect(await open()).toEqual([[], [], []]);
    await setAudience(plain, "members");
    await setAudience(members1, "invited");
    expect(await open()).toEqual([["n"], [], []]);
    const owner = await readAccess(db, { kind: "owner" });
    expect(owner.builds.map(({ artifact }) => artifact)).toEqual(["m", "n"]);
  });
});
