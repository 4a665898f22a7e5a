import { expect, test } from "vitest";

import { makeClient } from "../../api/client.ts";
import { makeTaskApi } from "./task-api.ts";

const signIn = (): Promise<void> => Promise.reject(new Error("Nobody signs in."));

/** Answers with what is in line, and keeps what was asked. */
function answering(...responses: Response[]) {
  const asked: Request[] = [];
  const fetch = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    asked.push(new Request(new URL(String(input), "https://example.com"), init));
    return Promise.resolve(responses.shift() ?? Response.error());
  };
  return { asked, fetch };
}

const ok = (data: unknown, headers: Record<string, string> = {}): Response =>
  Response.json({ ok: true, data, error: null }, { headers });
const same = (): Response => new Response(null, { status: 304 });

test("requests the board conditionally, and returns the same one while it is unchanged", async () => {
  const { asked, fetch } = answering(
    ok({ runners: 1 }, { etag: '"a"' }),
    same(),
    ok({ runners: 2 }),
  );
  const api = makeTaskApi(makeClient({ fetch, signIn }));
  const first = await api.board();
  expect(await api.board()).toBe(first);
  expect(await api.board()).toEqual({ runners: 2 });
  const tags = asked.map(({ headers }) => headers.get("if-none-match"));
  expect(tags).toEqual([null, '"a"', '"a"']);
});

test("sends each task action under its own name", async () => {
  const { asked, fetch } = answering(ok({ id: 41 }), ok({ paused: false }));
  const api = makeTaskApi(makeClient({ fetch, signIn }));
  await api.act("approve", 41);
  await api.pause(false);
  expect(asked.map(({ url }) => new URL(url).pathname)).toEqual([
    "/api/admintasks/approve",
    "/api/admintasks/resume",
  ]);
  expect(await asked[0]?.json()).toEqual({ id: 41 });
});

test("an error keeps its message", async () => {
  const error = { code: "invalid_state", message: "A task that is published can't be cancelled." };
  const { fetch } = answering(Response.json({ ok: false, data: null, error }, { status: 409 }));
  await expect(makeTaskApi(makeClient({ fetch, signIn })).act("cancel", 1)).rejects.toMatchObject(
    error,
  );
});
