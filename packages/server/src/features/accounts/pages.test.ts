import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AccountPages,
  goodPassword,
  startAccountPages,
} from "../../../../../test/support/account-pages.ts";
import {
  attributeOf,
  fieldOf,
  type VisitedPage,
} from "../../../../../test/support/form-browser.ts";

let at: AccountPages;
beforeAll(async () => {
  at = await startAccountPages({
    providers: [{ id: "work-id", name: "Work <ID>" }],
    projects: [{ name: 'A "quiet" <b>one</b>', summary: "For few.", path: "/projects/quiet/" }],
  });
});
afterAll(() => at[Symbol.asyncDispose]());

const path = (page: VisitedPage) => page.url.split("?")[0];

describe("the journey without JavaScript", () => {
  test("from signing up and confirming by email to restricted projects, and signing out", async () => {
    const email = "ada@example.com";
    const browser = at.browser();
    await browser.visit("/account");
    expect(browser.page().body).toContain('href="/account/new"');
    await browser.visit("/account/new");
    const sent = await browser.send("/account/signup", {
      email,
      password: goodPassword,
      name: "Ada",
    });
    expect(sent.url).toBe("/account?done=mail-sent");
    expect(sent.text).toContain("Check your email.");

    const link = await at.lastEmail(email);
    const confirm = await browser.visit(link);
    expect(confirm.headers["referrer-policy"]).toBe("no-referrer");
    // A program that scans email has opened it before, which doesn't use it up.
    await at.browser().visit(link);
    const wrong = await browser.send("/account/verify", { password: "somebody else's" });
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain("the password the account was created with.");
    const inside = await browser.send("/account/verify", { password: goodPassword });
    expect(inside.url).toBe("/account?done=confirmed");
    expect(inside.text).toContain("Your address is confirmed.");
    expect(inside.text).toContain("Hello Ada");
    expect(inside.text).toContain('A "quiet" <b>one</b>');
    expect(inside.body).toContain('href="/projects/quiet/"');
    expect(inside.text).toContain("Firefox on Linux (this device)");

    const out = await browser.send("/account/signout");
    expect(out.text).toContain("You’re signed out.");
    expect(browser.cookie()).toBe("");
    expect((await browser.visit("/account")).title).toContain("Sign in");
  });

  test("a forgotten password is reset by email, and the link works once", async () => {
    const email = "bo@example.com";
    const old = await at.member({ email });
    const browser = at.browser();
    await browser.visit("/account/reset");
    expect((await browser.send("/account/forgot", { email })).text).toContain("Check your email");
    const link = await at.lastEmail(email);
    expect(link).toMatch(/^\/account\/reset\?token=/);
    const choose = await browser.visit(link);
    expect(choose.headers["referrer-policy"]).toBe("no-referrer");
    const short = await browser.send("/account/reset", { password: "short" });
    expect([short.status, short.text.includes("Must be at least 10 characters.")]).toEqual([
      422,
      true,
    ]);
    const set = await browser.send("/account/reset", { password: "another horse and hat" });
    expect(set.text).toContain("Your new password is set.");
    expect((await old.visit("/account")).title).toContain("Sign in");
    await browser.send("/account/signin", { email, password: "another horse and hat" });
    expect(browser.page().text).toContain("Hello Kim");
    const again = await at.browser().visit(link);
    expect(again.status).toBe(400);
    expect(again.text).toContain("This link no longer works.");
    expect(fieldOf(again.elements, "email")).toBeDefined();
  });

  test("an invitation asks only for a password, and opening it again signs in", async () => {
    const email = "cleo@example.com";
    const token = await at.invite(email);
    const browser = at.browser();
    const address = `/account?invite=${token}&return_to=%2Fprojects%2Fquiet%2F`;
    const page = await browser.visit(address);
    expect(page.text).toContain("Choose a password for cleo@example.com to see it.");
    expect(page.headers["referrer-policy"]).toBe("no-referrer");
    expect(fieldOf(page.elements, "email")).toBeUndefined();
    const short = await browser.send("/account/join", { password: "short", name: "Cleo" });
    expect(short.status).toBe(422);
    expect(attributeOf(fieldOf(short.elements, "name"), "value")).toBe("Cleo");
    const joined = await browser.send("/account/join", { password: goodPassword });
    expect(joined.url).toBe("/projects/quiet/");
    expect((await browser.visit("/account")).text).toContain("Hello Cleo");
    expect((await browser.visit(address)).url).toBe("/projects/quiet/");
    const visitor = await at.browser().visit(address);
    expect(visitor.status).toBe(400);
    expect(visitor.text).toContain("This invitation no longer works.");
  });

  test("an invitation for an existing account asks for signing in", async () => {
    const email = "dora@example.com";
    await at.member({ email });
    const page = await at.browser().visit(`/account?invite=${await at.invite(email)}`);
    expect(page.text).toContain("Sign in with dora@example.com to see it");
    expect(attributeOf(fieldOf(page.elements, "email"), "value")).toBe(email);
  });

  test("an invitation for a different address than the signed-in one says so and offers a way on", async () => {
    const browser = await at.member({ email: "eve@example.com" });
    const token = await at.invite("frank@example.com");
    const page = await browser.visit(`/account?invite=${token}`);
    expect(page.text).toContain("You’re signed in as eve@example.com");
    const next = await browser.send("/account/signout");
    expect(next.text).toContain("Choose a password for frank@example.com");
  });
});

describe("errors of forms", () => {
  test("a wrong sign-in: 401, the address is kept but not the password, the field is marked and focused", async () => {
    const browser = at.browser();
    await browser.visit("/account?return_to=/projects/quiet/");
    const email = "nobody@example.com";
    const page = await browser.send("/account/signin", { email, password: "wrong as can be" });
    expect([page.status, path(page)]).toEqual([401, "/account/signin"]);
    expect(page.title).toMatch(/^Error: Sign in/);
    expect(page.body).toMatch(/role="alert">\s*<p>You’re not signed in\.<\/p>/);
    expect(attributeOf(fieldOf(page.elements, "email"), "value")).toBe(email);
    expect(attributeOf(fieldOf(page.elements, "return_to"), "value")).toBe("/projects/quiet/");
    const password = fieldOf(page.elements, "password");
    expect(attributeOf(password, "value")).toBeUndefined();
    expect(attributeOf(password, "aria-invalid")).toBe("true");
    expect(attributeOf(password, "aria-describedby")).toBe("password-error");
    expect(attributeOf(password, "autofocus")).toBe("");
    expect(page.body).toContain('id="password-error"');
    expect(page.body).not.toContain("wrong as can be");
  });

  test("an invalid sign-up: 422 with an error at each field", async () => {
    const browser = at.browser();
    await browser.visit("/account/new");
    const reply = {
      email: "no address",
      password: "0123456789",
      name: '"><script>alert(1)</script>',
    };
    const page = await browser.send("/account/signup", reply);
    expect(page.status).toBe(422);
    expect(page.text).toContain("an email address.");
    expect(attributeOf(fieldOf(page.elements, "email"), "value")).toBe("no address");
    expect(attributeOf(fieldOf(page.elements, "name"), "value")).toBe(reply.name);
    expect(page.body).not.toContain("<script");
    const next = await browser.send("/account/signup", {
      ...reply,
      email: "ok@example.com",
      password: "0123456789",
    });
    expect(next.status).toBe(422);
    const password = fieldOf(next.elements, "password");
    expect(attributeOf(password, "aria-describedby")).toBe("password-note password-error");
    expect(attributeOf(password, "autocomplete")).toBe("new-password");
  });

  test("abuse 44: a line break in a name is refused at its field", async () => {
    const browser = at.browser();
    const reply = {
      email: "gus@example.com",
      password: goodPassword,
      name: "Gus\r\nBcc: all@x.example",
    };
    const page = await browser.post("/account/signup", reply);
    expect(page.status).toBe(422);
    expect(attributeOf(fieldOf(page.elements, "name"), "aria-invalid")).toBe("true");
  });

  test("too many attempts: 429 with an explanation and Retry-After", async () => {
    const browser = at.browser();
    await browser.visit("/account");
    const reply = { email: "many@example.com", password: "not the right one" };
    for (let i = 0; i < 10; i += 1) await browser.post("/account/signin", reply);
    const page = await browser.post("/account/signin", reply);
    expect(page.status).toBe(429);
    expect(page.text).toContain("Too many attempts. Try again in 15 minutes.");
    expect(Number(page.headers["retry-after"])).toBeGreaterThan(0);
  });

  test("abuse 31: signing up with a known address gets the same response, and the owner is notified", async () => {
    const email = "hal@example.com";
    await at.member({ email });
    const reply = { password: "quite another password", name: "" };
    const [known, fresh] = await Promise.all(
      [email, "ida@example.com"].map((one) =>
        at.browser().post("/account/signup", { ...reply, email: one }),
      ),
    );
    expect(known?.url).toBe(fresh?.url);
    expect(known?.body).toBe(fresh?.body);
    await at.email.deliver();
    expect(at.email.last(email)?.subject).toContain("You already have an account");
  });

  test("abuse 40: a used link leads to a page that offers a way on, 400", async () => {
    const browser = at.browser();
    const reply = { email: "jo@example.com", password: goodPassword, name: "" };
    await browser.post("/account/signup", reply);
    const link = await at.lastEmail(reply.email);
    await browser.visit(link);
    await browser.send("/account/verify", { password: goodPassword });
    await browser.visit(link);
    const page = await browser.send("/account/verify", { password: goodPassword });
    expect(page.status).toBe(400);
    expect(page.text).toContain("This link no longer works.");
    expect(page.body).toContain('action="/account/resend"');
  });
});

describe("abuse 37: where signing in leads", () => {
  beforeAll(() => at.member({ email: "kim@example.com" }));

  test.each([
    "//evil.example",
    "/\\evil.example",
    "https:evil.example",
    "https://evil.example/",
    "/.//evil.example",
    "\t//evil.example",
    "javascript:alert(1)",
    "/account/signout",
    "/api/account/oauth/work-id",
  ])("abuse 37: %j leads to the account page", async (to) => {
    const browser = at.browser();
    await browser.visit(`/account?return_to=${encodeURIComponent(to)}`);
    expect(fieldOf(browser.page().elements, "return_to")).toBeUndefined();
    const reply = { email: "kim@example.com", password: goodPassword, return_to: to };
    expect((await browser.send("/account/signin", reply)).url).toBe("/account");
  });

  test("after signing in, visitors return to a restricted page by its Referer, but not to a public one", async () => {
    const frame = { read: async () => null, isPublic: async (one: string) => one === "/about/" };
    await using own = await startAccountPages({ frame });
    const returnTo = async (referer: string) => {
      const page = await own.browser().visit("/account", { referer });
      return attributeOf(fieldOf(page.elements, "return_to"), "value");
    };
    expect(await returnTo("https://me.example/projects/secret/?a=1")).toBe("/projects/secret/?a=1");
    expect(await returnTo("https://me.example/about/")).toBeUndefined();
    expect(await returnTo("https://evil.example/projects/secret/")).toBeUndefined();
    expect(await returnTo("https://me.example//evil.example/")).toBeUndefined();
    expect(await returnTo("https://me.example/account/new")).toBeUndefined();
    expect(await returnTo("https://me.example/%E0%A4%A")).toBe("/%E0%A4%A");
    expect(await returnTo("nonsense")).toBeUndefined();
  });

  test("the return path is kept through every form and link", async () => {
    const browser = at.browser();
    await browser.visit("/account?return_to=/projects/quiet/");
    const to = "return_to=%2Fprojects%2Fquiet%2F";
    expect(browser.page().body).toContain(`/api/account/oauth/work-id?${to}`);
    expect(browser.page().body).toContain(`/account/new?${to}`);
    await browser.visit(`/account/new?${to}`);
    expect(browser.page().body).toContain(`href="/account?${to}"`);
  });
});

describe("a signed-in visitor", () => {
  test("changes the password and sees errors at the fields", async () => {
    const browser = await at.member({ email: "lea@example.com" });
    await browser.visit("/account");
    const wrong = { current: "not this one at all", password: "a new horse with a hat" };
    const page = await browser.send("/account/password", wrong);
    expect(page.status).toBe(401);
    expect(page.text).toContain("This isn't your password.");
    expect(attributeOf(fieldOf(page.elements, "current"), "aria-invalid")).toBe("true");
    expect(page.text).toContain("Signed-in devices");
    const done = await browser.send("/account/password", { ...wrong, current: goodPassword });
    expect(done.text).toContain("Your password is changed.");
  });

  test("sees other signed-in browsers and signs them out", async () => {
    const email = "max@example.com";
    const browser = await at.member({ email });
    const others = [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
      '"><img src=x onerror=alert(1)>',
    ].map((userAgent) => at.browser({ userAgent }));
    for (const other of others) {
      await other.post("/account/signin", { email, password: goodPassword });
    }
    await browser.visit("/account");
    expect(browser.page().text).toContain("Safari on iPhone");
    expect(browser.page().text).toContain("An unknown browser");
    expect(browser.page().body).not.toContain("<img");
    await browser.send("/account/sessions");
    expect(browser.page().text).toContain("The device is signed out.");
    await browser.post("/account/sessions", { others: "1" });
    expect(browser.page().text).toContain("You’re still signed in on this one.");
    for (const other of others) {
      expect((await other.visit("/account")).title).toContain("Sign in");
    }
    const gone = await browser.post("/account/sessions", { id: "0".repeat(64) });
    expect(gone.status).toBe(404);
  });

  test("can download their own data, and nobody else can", async () => {
    const browser = await at.member({ email: "nia@example.com" });
    const data = await browser.visit("/account/data");
    expect(data.headers["content-disposition"]).toContain("attachment");
    expect(data.headers["cache-control"]).toBe("no-store");
    expect(JSON.parse(data.body)).toMatchObject({ account: { email: "nia@example.com" } });
    const framed = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    expect((await browser.visit("/account/data", framed)).status).toBe(403);
    expect((await at.browser().visit("/account/data")).title).toContain("Sign in");
  });

  test("deletes the account only with the password and the box checked", async () => {
    const email = "ola@example.com";
    const browser = await at.member({ email });
    await browser.visit("/account/delete");
    const unreported = await browser.send("/account/delete", { password: goodPassword });
    expect(unreported.status).toBe(422);
    expect(attributeOf(fieldOf(unreported.elements, "sure"), "aria-describedby")).toBe(
      "sure-error",
    );
    const wrong = await browser.send("/account/delete", { password: "no such thing", sure: "yes" });
    expect([wrong.status, wrong.text.includes("This isn't your password.")]).toEqual([401, true]);
    const done = await browser.send("/account/delete", { password: goodPassword, sure: "yes" });
    expect(done.text).toContain("Your account is deleted.");
    expect(browser.cookie()).toBe("");
    const again = await browser.post("/account/signin", { email, password: goodPassword });
    expect(again.status).toBe(401);
  });

  test("isn't asked to sign in or up again, and signing in again ends the previous session", async () => {
    const browser = await at.member({ email: "pia@example.com" });
    expect((await browser.visit("/account/new")).url).toBe("/account");
    const before = browser.cookie();
    const reply = { email: "pia@example.com", password: goodPassword };
    await browser.post("/account/signin", reply);
    expect(browser.cookie()).not.toBe(before);
    const stolen = await at.browser().visit("/account", { cookie: before });
    expect(stolen.title).toContain("Sign in");
  });

  test("names are escaped everywhere", async () => {
    const browser = await at.member({
      email: "quin@example.com",
      name: '"><script>alert(1)</script>',
    });
    expect(browser.page().body).not.toContain("<script");
    expect(browser.page().text).toContain('Hello "><script>alert(1)</script>');
  });
});

describe("every page", () => {
  const pages = ["/account", "/account/", "/account/new", "/account/reset", "/account/verify"];

  test.each(pages)("%s isn't stored, indexed, or framed, and runs no script", async (url) => {
    const page = await at.browser().visit(url);
    expect(page.status).toBe(200);
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(page.headers["cache-control"]).toBe("no-store");
    expect(page.headers["x-robots-tag"]).toContain("noindex");
    expect(page.body).not.toMatch(/<script|\son\w+=|\sstyle=/);
  });

  test("over plain http, a page with a token sends only its origin, which identifies its form", async () => {
    await using own = await startAccountPages({ baseUrl: "http://192.168.1.5:3000" });
    const policyOf = async (url: string) =>
      (await own.browser().visit(url)).headers["referrer-policy"];
    expect(await policyOf("/account/verify?token=one")).toBe("strict-origin");
    expect(await policyOf("/account/reset?token=gone")).toBe("strict-origin");
    expect(await policyOf("/account")).toBe("same-origin");
  });

  test("its message is one of a list; nothing else of a query is shown", async () => {
    const browser = at.browser();
    for (const code of ["constructor", "__proto__", "<b>You have won</b>", "mail-sent2"]) {
      const done = await browser.visit(`/account?done=${encodeURIComponent(code)}`);
      expect(done.body).not.toContain('class="notice');
      const problem = await browser.visit(`/account?problem=${encodeURIComponent(code)}`);
      expect(problem.text).toContain("The provider’s response couldn’t be used. Try again.");
      expect(problem.text).not.toContain("won");
    }
    const known = await browser.visit("/account?problem=email_already_registered");
    expect(known.text).toContain("This email address already has an account here.");
  });

  test("abuse 12: a form submitted by another site is refused and changes nothing", async () => {
    const browser = await at.member({ email: "rex@example.com" });
    const foreign = [
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      { origin: "https://sub.me.example", "sec-fetch-site": "same-site" },
      { origin: "null", "sec-fetch-site": "cross-site" },
    ];
    for (const headers of foreign) {
      for (const form of ["signin", "signout", "signup", "sessions", "delete", "link/work-id"]) {
        const reply = { email: "rex@example.com", password: goodPassword, sure: "yes" };
        const page = await browser.post(`/account/${form}`, reply, headers);
        expect([form, page.status, page.title]).toEqual([
          form,
          403,
          expect.stringContaining("This form came from another site"),
        ]);
      }
    }
    expect((await browser.visit("/account")).text).toContain("Hello Kim");
    // From a page under no-referrer a browser says "null", and that it is the same origin.
    const own = await browser.post("/account/signout", {}, { origin: "null" });
    expect(own.url).toBe("/account?done=signed-out");
  });

  test("abuse 13, 14: only forms of at most 8 KiB and only POST are accepted", async () => {
    const json = await at.app.inject({
      method: "POST",
      url: "/account/signin",
      payload: { email: "a@example.com", password: "x" },
    });
    expect(json.statusCode).toBe(415);
    const large = await at.browser().post("/account/signup", { name: "x".repeat(9000) });
    expect([large.status, large.title]).toEqual([
      413,
      expect.stringContaining("Request too large"),
    ]);
    for (const form of ["signin", "signout", "link/work-id"]) {
      const got = await at.browser().visit(`/account/${form}`);
      expect([form, got.status, got.headers["allow"]]).toEqual([form, 405, "POST"]);
    }
  });

  test("duplicate and missing form fields are empty", async () => {
    const response = await at.app.inject({
      method: "POST",
      url: "/account/signin",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": "same-origin",
      },
      payload: "email=a%40example.com&email=b%40example.com&__proto__=1",
    });
    expect(response.statusCode).toBe(422);
  });

  test("signed-out visitors are redirected from private pages to the sign-in page", async () => {
    const browser = at.browser();
    for (const form of ["password", "sessions", "delete", "unlink/work-id"]) {
      expect((await browser.post(`/account/${form}`, {})).url).toBe("/account");
    }
    expect((await browser.visit("/account/delete")).url).toBe("/account");
  });

  test("requests of one client are limited", async () => {
    await using own = await startAccountPages({ perMinute: 3 });
    const browser = own.browser();
    for (let i = 0; i < 3; i += 1) expect((await browser.visit("/account")).status).toBe(200);
    expect((await browser.visit("/account/reset?token=guess")).status).toBe(429);
    expect((await own.browser().visit("/account")).status).toBe(200);
  });
});

describe("who can create an account", () => {
  test("closed: no link to sign-up is shown", async () => {
    await using own = await startAccountPages({ signUp: "closed" });
    const browser = own.browser();
    expect((await browser.visit("/account")).body).not.toContain("/account/new");
    expect((await browser.visit("/account/new")).url).toBe("/account");
  });

  test("invited: the page says who can sign up", async () => {
    await using own = await startAccountPages({ signUp: "invited" });
    expect((await own.browser().visit("/account/new")).text).toContain(
      "Use the address it was sent to.",
    );
  });
});

describe("linking", () => {
  test("a form leads to the provider through a page, with the flow's cookie", async () => {
    const started: unknown[] = [];
    await using own = await startAccountPages({
      providers: [
        { id: "work-id", name: "Work" },
        { id: "other", name: "Other" },
      ],
      linking: {
        linked: async () => [
          {
            provider: "other",
            name: "Other",
            email: '"><b>@x.example',
            linkedAt: "2026-01-01T00:00:00.000Z",
          },
          { provider: "gone", name: "Gone", email: "", linkedAt: "2026-01-01T00:00:00.000Z" },
        ],
        start: async (id, { returnTo, linkUser }) => {
          started.push([id, returnTo, linkUser.user.email]);
          return {
            location: "https://id.example/authorize?x=1&y=2",
            cookie: "flow=sealed; Path=/",
          };
        },
        unlink: async () => {},
      },
    });
    const browser = await own.member({ email: "kim@example.com" });
    expect(browser.page().text).toContain('Other , as "><b>@x.example');
    expect(browser.page().body).toContain('action="/account/unlink/gone"');
    const away = await browser.send("/account/link/work-id");
    expect(started).toEqual([["work-id", "/account?done=linked", "kim@example.com"]]);
    expect(away.headers["refresh"]).toBe("0; url=https://id.example/authorize?x=1&y=2");
    expect(away.body).toContain('href="https://id.example/authorize?x=1&amp;y=2"');
    expect(away.headers["referrer-policy"]).toBe("no-referrer");
    expect(browser.cookie()).toContain("flow=sealed");
    await browser.visit("/account");
    expect((await browser.send("/account/unlink/other")).text).toContain("Unlinked.");
  });
});
