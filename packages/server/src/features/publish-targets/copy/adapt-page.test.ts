import { expect, test } from "vitest";
import { adaptPage, type AdaptInput } from "./adapt-page-worker.ts";

const policy = "default-src 'self'; form-action 'self'";
const meta =
  '<meta http-equiv="Content-Security-Policy" content="default-src &#39;self&#39;; form-action &#39;self&#39;">';

const adapt = (html: string, more: Partial<AdaptInput> = {}) =>
  adaptPage({ html, policy, forms: "off", origin: "https://home.example", ...more });

const form = `<form class="form" method='post' action=/api/contact><p>Name <input name=name></p></form>`;
const page = (body: string) =>
  `<!doctype html><html><head><meta charset="utf-8"><script>1</script></head><body>${body}</body></html>`;

test("the policy comes before every script, and everything else stays byte for byte", () => {
  expect(adapt(page("<P>a&amp;b<br/></P >"))).toBe(
    page("<P>a&amp;b<br/></P >").replace('"utf-8">', `"utf-8">${meta}`),
  );
  expect(adapt("<html><head><script>1</script><meta charset=utf-8></head></html>")).toBe(
    `<html><head>${meta}<script>1</script><meta charset=utf-8></head></html>`,
  );
  expect(adapt("<p>Bare")).toBe(`${meta}<p>Bare`);
});

test("a form that can't work is replaced by a sentence", () => {
  const without = "<p>You can’t send messages from this copy of the site.</p>";
  expect(adapt(page(form))).toContain(`<body>${without}</body>`);
  const email = '<a href="mailto:me@home.example">Email</a>';
  expect(adapt(page(form + email))).toContain("Please write an email instead.");
  // The search form and links to the account pages stay: the account page says it itself.
  const others = '<form action="/search/"><input></form><a href="/account/">Account</a>';
  expect(adapt(page(others))).toContain(others);
});

test("with this server, the form and links to accounts lead there", () => {
  const body = `${form}<a class="x" href="/account/?a=1&amp;b=2">Account</a><a href="/accounting/">B</a>`;
  const adapted = adapt(page(body), { forms: "origin" });
  expect(adapted).toContain(
    `<form class="form" method='post' action="https://home.example/api/contact">`,
  );
  expect(adapted).toContain(
    '<a class="x" href="https://home.example/account/?a=1&amp;b=2">Account</a>',
  );
  expect(adapted).toContain('<a href="/accounting/">B</a>');
});

test("where the host forwards requests, only the policy is added", () => {
  expect(adapt(page(form), { forms: "forwarded" })).toBe(
    page(form).replace('"utf-8">', `"utf-8">${meta}`),
  );
});

test("a page of too many elements stays as it is", () => {
  const huge = `<p>${"<i>".repeat(100_001)}`;
  expect(adapt(huge)).toBe(huge);
});
