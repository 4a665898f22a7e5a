import { expect, test } from "vitest";
import {
  type HttpSiteResponse,
  type HttpSiteRequest,
  serveResponses,
} from "../../../../../test/support/http-site.ts";
import { crawlOf } from "../../../../../test/support/crawl-fixture.ts";
import { type SiteCheck, toFinding } from "../../check.ts";
import type { Finding } from "../../finding.ts";
import { loadChecks } from "../../checks/load.ts";
import type { Probes } from "../probes.ts";
import { ownForms } from "./own-form.ts";
import { probeForm } from "./probe-form.ts";

const checks = (await loadChecks("site")).filter(({ id }: SiteCheck) => id.startsWith("form."));

const contactPage = `<!doctype html><title>Contact</title><main><form method="post" action="/api/contact">
<label>Name <input name="name" required></label><label>Mail <input name="email" type="email" required></label>
<label>Message <textarea name="message" required></textarea></label>
<div hidden><label>Website <input name="website" tabindex="-1"></label></div><button>Send</button></form></main>`;

type Values = Record<string, unknown>;

/** What a contact form's endpoint has in mind, which its faults change. */
interface Fault {
  storesHoneypotted?: boolean;
  acceptsInvalid?: boolean;
  takesOrigins?: boolean;
  revealsHoneypot?: boolean;
  fieldsFirst?: boolean;
  noJson?: boolean;
  noForms?: boolean;
  crashes?: boolean;
  isMissing?: boolean;
  readable?: boolean;
  otherShape?: boolean;
  uncheckedField?: string;
  maxFindings?: number;
}

const json = (status: number, value: unknown): HttpSiteResponse => ({
  status,
  type: "application/json; charset=utf-8",
  body: JSON.stringify(value),
});
const refuse = (status: number, code: string, fields?: Values) =>
  json(status, {
    ok: false,
    data: null,
    error: { code, message: "No.", ...(fields && { fields }) },
  });

function valuesOf({ headers, body }: HttpSiteRequest): Values {
  return headers["content-type"] === "application/json"
    ? (JSON.parse(body) as Values)
    : Object.fromEntries(new URLSearchParams(body));
}

/** An endpoint as DESIGN has it, and its rows. */
function makeEndpoint(fault: Fault) {
  const rows: Values[] = [];
  let requestCount = 0;
  const wanted = ["name", "email", "message"].filter((name) => name !== fault.uncheckedField);
  function response(request: HttpSiteRequest, origin: string): HttpSiteResponse {
    requestCount++;
    if (fault.isMissing) return { status: 404, body: "<p>Nothing here" };
    if (fault.maxFindings !== undefined && requestCount > fault.maxFindings)
      return refuse(429, "throttled");
    if (request.method !== "POST") {
      if (fault.readable) return json(200, { ok: true, data: { items: rows }, error: null });
      return refuse(405, "method_not_allowed");
    }
    if (fault.crashes) return { status: 500, body: "<p>Sorry" };
    const isJson = request.headers["content-type"] === "application/json";
    if (isJson ? fault.noJson : fault.noForms) return refuse(415, "unsupported_media_type");
    if (!fault.takesOrigins && request.headers.origin !== origin) return refuse(403, "bad_origin");
    const values = valuesOf(request);
    const missing = wanted.filter((name) => !values[name]);
    const lacks = missing.length > 0 && !fault.acceptsInvalid;
    const invalid = () =>
      isJson
        ? refuse(422, "validation_failed", Object.fromEntries(missing.map((name) => [name, "x"])))
        : ({ status: 303, headers: { location: "/contact/?e=1" } } as const);
    if (lacks && fault.fieldsFirst) return invalid();
    const trapped = Boolean(values["website"]);
    if (trapped && fault.revealsHoneypot)
      return refuse(422, "validation_failed", { website: "Robot!" });
    if (!trapped && lacks) return invalid();
    if (!trapped || fault.storesHoneypotted) rows.push(values);
    if (!isJson) return { status: 303, headers: { location: "/contact/?sent=1" } };
    return json(200, fault.otherShape ? { success: true } : { ok: true, data: {}, error: null });
  }
  return { rows, answer: response };
}

async function tryContact(
  fault: Fault,
  options: {
    page?: string;
    own?: boolean;
    counts?: boolean;
    visitor?: (rows: Values[]) => void;
  } = {},
) {
  const { page = contactPage, counts = true, visitor } = options;
  const endpoint = makeEndpoint(fault);
  await using site = await serveResponses((request) => {
    if (request.url !== "/api/contact") return undefined;
    visitor?.(endpoint.rows);
    return endpoint.answer(request, site.origin);
  });
  const crawl = crawlOf({
    origin: site.origin,
    responses: { "/": "<h1>Home</h1>", "/contact/": page },
  });
  const countMessages = async () => (counts ? endpoint.rows.length : null);
  const asking = { fetcher: site.fetcher, origin: site.origin, countMessages, loopback: true };
  const forms = await Promise.all(ownForms(crawl).map((form) => probeForm(form, asking)));
  const probes = { forms } as unknown as Probes;
  const found = checks.flatMap((check) =>
    [...check.run(crawl, probes)].map((seen): Finding => toFinding(check, seen.page, seen)),
  );
  const posts = site.requests.filter(({ method }) => method === "POST");
  const reported = found.map(({ check, severity }) => `${check} ${severity}`).toSorted();
  return { said: reported, found, rows: endpoint.rows, posts, asked: site.requests };
}

const cases: [string, Fault, string[]][] = [
  ["nothing that is wrong", {}, []],
  ["fields that are looked at first", { fieldsFirst: true }, []],
  ["no JSON", { noJson: true }, []],
  ["a trap that it tells of", { revealsHoneypot: true }, ["form.honeypot-accepted-silently error"]],
  ["a door for other sites", { takesOrigins: true }, ["form.csrf-origin warning"]],
  ["no endpoint", { isMissing: true }, ["form.unreachable error"]],
  ["an endpoint that fails", { crashes: true }, ["form.unreachable error"]],
  ["nothing for whoever has no script", { noForms: true }, ["form.unreachable warning"]],
  ["messages that can be read", { readable: true }, ["form.get-leaks error"]],
  ["answers of another shape", { otherShape: true }, ["form.envelope-invalid error"]],
  ["a field that nobody checks", { uncheckedField: "email" }, ["form.validation-missing warning"]],
  ["a limit for its own machine", { maxFindings: 3 }, ["form.rate-limit warning"]],
];

test.each(cases)(
  "a form with %s is reported for exactly that; nothing is stored, and no complete message is sent without the honeypot",
  async (_, fault, expected) => {
    const { said: reported, rows, posts } = await tryContact(fault);
    expect(reported).toEqual(expected);
    expect(rows).toEqual([]);
    expect(posts.length).toBeGreaterThan(0);
    for (const post of posts) {
      const { website, ...rest } = valuesOf(post);
      expect(website !== undefined || Object.keys(rest).length === 0).toBe(true);
      expect(post.headers.cookie).toBeUndefined();
    }
  },
);

test("a form that stores what the honeypot caught raises an alarm and isn't tested further", async () => {
  const { said: reported, found, rows, posts } = await tryContact({ storesHoneypotted: true });
  expect(reported).toEqual(["form.honeypot-wrote error"]);
  expect(found[0]).toMatchObject({
    critical: true,
    page: "/contact/",
    target: "/api/contact",
    evidence: { before: 0, after: 2 },
  });
  // The second time proves that it was no visitor.
  expect(rows).toHaveLength(2);
  expect(posts).toHaveLength(3);
});

test("a form that stores anything is reported once", async () => {
  const { said: reported, rows } = await tryContact({ acceptsInvalid: true });
  expect(reported).toEqual(["form.validation-missing error"]);
  expect(rows).toEqual([{}]);
});

test("a message from a visitor at the same time raises no alarm", async () => {
  let visits = 0;
  const visitor = (rows: Values[]) => {
    visits++;
    if (visits === 3) rows.push({ name: "A visitor" });
  };
  const { said: reported, rows } = await tryContact({}, { visitor });
  expect(reported).toEqual([]);
  expect(rows).toEqual([{ name: "A visitor" }]);
});

test("if messages can't be counted, a person has to check", async () => {
  const { said: reported, found, rows } = await tryContact({}, { counts: false });
  expect(reported).toEqual(["form.honeypot-accepted-silently notice"]);
  expect(found[0]).toMatchObject({ confidence: "review", critical: false });
  expect(rows).toEqual([]);
});

const without = (what: string | RegExp, by = "") => contactPage.replace(what, by);

test.each([
  ["has no honeypot", without(/<div hidden>.*<\/div>/)],
  [
    "has one that people see",
    without(/<div hidden>(.*)<\/div>/, "$1").replace(` tabindex="-1"`, ""),
  ],
  ["has one that is required", without(`tabindex="-1"`, "required")],
  [
    "has one that is sent along",
    without(`<input name="website" tabindex="-1">`, `<input type="hidden" name="website">`),
  ],
  ["leads to another site", without(`/api/contact`, "https://other.example/api/contact")],
  ["is a search", without(`method="post"`)],
  ["wants a file", without("<button>", `<input type="file" name="cv" required><button>`)],
])("a form that %s is left alone", async (_, page) => {
  const { asked: requestCount, said: reported } = await tryContact(
    { storesHoneypotted: true },
    { page },
  );
  expect(requestCount.filter(({ url }) => url === "/api/contact")).toEqual([]);
  expect(reported).toEqual([]);
});
