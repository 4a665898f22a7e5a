import { afterEach, expect, test } from "vitest";

import { type Client, ApiError, makeClient, retryAfterSeconds, withQuery } from "./client.ts";
import { fieldSentence, namedSentences } from "./field-errors.ts";

interface Call {
  address: string;
  init: RequestInit;
}

let calls: Call[] = [];
afterEach(() => {
  calls = [];
});

function answering(...responses: (Response | Error)[]): typeof fetch {
  return async (address, init) => {
    calls.push({ address: String(address), init: init ?? {} });
    const response = responses.shift();
    if (response === undefined) throw new Error("No more calls are expected.");
    if (response instanceof Error) throw response;
    return response;
  };
}

const fine = (data: unknown): Response => Response.json({ ok: true, data, error: null });
function refusal(status: number, error: object, headers: Record<string, string> = {}): Response {
  return Response.json({ ok: false, data: null, error }, { status, headers });
}
const signedOut = (): Response =>
  refusal(401, { code: "unauthenticated", message: "Sign in first." });

function client(fetch: typeof globalThis.fetch, signIn = async (): Promise<void> => {}): Client {
  return makeClient({ fetch, signIn });
}

test("returns the data of an envelope; an empty query is left out", async () => {
  const { get } = client(answering(fine({ items: [1] })));
  expect(await get("/api/x", { q: "", status: null, page: 2 })).toEqual({ items: [1] });
  expect(calls[0]?.address).toBe("/api/x?page=2");
});

test("an unchanged ETag avoids a second transfer", async () => {
  const first = Response.json(
    { ok: true, data: { n: 1 }, error: null },
    { headers: { etag: '"a"' } },
  );
  const { getChanged } = client(answering(first, new Response(null, { status: 304 })));
  const got = await getChanged("/api/x", null);
  expect(got).toEqual({ data: { n: 1 }, etag: '"a"' });
  expect(new Headers(calls[0]?.init.headers).has("if-none-match")).toBe(false);
  expect(await getChanged("/api/x", '"a"')).toBeNull();
  expect(new Headers(calls[1]?.init.headers).get("if-none-match")).toBe('"a"');
});

test("a body is sent as JSON", async () => {
  await client(answering(fine(1))).post("/api/x", { name: "Ö" });
  expect(calls[0]?.init.method).toBe("POST");
  expect(calls[0]?.init.body).toBe('{"name":"Ö"}');
  expect(new Headers(calls[0]?.init.headers).get("content-type")).toBe("application/json");
});

test("an error keeps the server's message, fields, details, and waiting time", async () => {
  const error = {
    code: "validation_failed",
    message: "Check the following: name.",
    fields: { name: "is required" },
  };
  const { post } = client(
    answering(
      refusal(422, error),
      refusal(
        503,
        { code: "unavailable", message: "Full.", details: { queue: 32 } },
        { "retry-after": "7" },
      ),
    ),
  );
  await expect(post("/api/x", {})).rejects.toMatchObject({
    ...error,
    status: 422,
    retryAfter: null,
  });
  await expect(post("/api/x", {})).rejects.toMatchObject({
    status: 503,
    retryAfter: 7,
    details: { queue: 32 },
  });
});

test("a response that isn't an envelope has an error message nevertheless", async () => {
  const page = (status: number): Response => new Response("<h1>Bad gateway</h1>", { status });
  const { get } = client(answering(page(502), page(500), page(200)));
  await expect(get("/api/x")).rejects.toThrow("responding right now");
  await expect(get("/api/x")).rejects.toThrow("responded with status 500");
  await expect(get("/api/x")).rejects.toThrow(ApiError);
});

test("no response means offline; a cancelled call stays cancelled", async () => {
  const aborted = new DOMException("Aborted", "AbortError");
  const { get } = client(answering(new TypeError("Failed to fetch"), aborted));
  await expect(get("/api/x")).rejects.toMatchObject({ code: "offline", status: 0 });
  await expect(get("/api/x")).rejects.toBe(aborted);
});

test("after the session has ended, all calls wait for one sign-in and then continue", async () => {
  let asked = 0;
  let finish = (): void => {};
  const signIn = (): Promise<void> => {
    asked += 1;
    return new Promise((resolve) => {
      finish = resolve;
    });
  };
  const { get, post } = client(answering(signedOut(), signedOut(), fine("a"), fine("b")), signIn);
  const both = Promise.all([get("/api/a"), post("/api/b", { kept: true })]);
  await expect.poll(() => calls.length).toBe(2);
  await expect.poll(() => asked).toBe(1);
  finish();
  expect((await both).toSorted()).toEqual(["a", "b"]);
  expect(calls.filter(({ init }) => init.body === '{"kept":true}')).toHaveLength(2);
});

test("a change that isn't repeated is refused while the sign-in is requested", async () => {
  let asked = 0;
  const signIn = async (): Promise<void> => void (asked += 1);
  const fetch = answering(signedOut(), fine("a"));
  const { post } = makeClient({ fetch, signIn, repeatsChanges: false });
  await expect(post("/api/b", {})).rejects.toMatchObject({ status: 401 });
  expect(asked).toBe(1);
});

test("without a sign-in the call fails, and the next call asks again", async () => {
  let asked = 0;
  const signIn = async (): Promise<void> => {
    asked += 1;
    throw new ApiError("unauthenticated", "You are signed out.", 401);
  };
  const { get } = client(answering(signedOut(), signedOut()), signIn);
  await expect(get("/api/x")).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(get("/api/x")).rejects.toMatchObject({ code: "unauthenticated" });
  expect(asked).toBe(2);
});

test.each([
  [null, null],
  ["", null],
  ["5", 5],
  ["-3", 0],
  ["Sat, 21 Nov 2026 09:00:30 GMT", 30],
  ["Sat, 21 Nov 2026 08:00:00 GMT", 0],
  ["soon", null],
])("Retry-After %j is %j seconds", (header, seconds) => {
  expect(retryAfterSeconds(header, Date.UTC(2026, 10, 21, 9))).toBe(seconds);
});

test("a query is encoded", () => {
  expect(withQuery("/api/x", { q: "å & b", page: 1, all: false })).toBe(
    "/api/x?q=%C3%A5+%26+b&page=1&all=false",
  );
});

test("the server's field errors become a sentence", () => {
  expect(fieldSentence("is not one word")).toBe("Is not one word.");
  expect(fieldSentence("Too long!")).toBe("Too long!");
  expect(fieldSentence(undefined)).toBeNull();
});

test("errors that aren't shown next to a field name their field", () => {
  const fields = { name: "can't be empty", timeZone: "is not a time zone", later: "is unknown." };
  expect(namedSentences(fields, { name: "Name", timeZone: "Time zone" })).toEqual([
    "Name can't be empty.",
    "Time zone is not a time zone.",
    "Later is unknown.",
  ]);
});
