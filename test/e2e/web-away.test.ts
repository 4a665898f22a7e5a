import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startInstance } from "../support/instance.ts";

/** Asks over a connection of its own; the code of the failure where there was no answer. */
async function ask(url: string): Promise<{ status: number | string; body: string }> {
  const call = request(url, { agent: false });
  call.end();
  try {
    const [answer] = (await once(call, "response")) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, body: await text(answer) };
  } catch (error) {
    return { status: (error as NodeJS.ErrnoException).code ?? "failed", body: "" };
  }
}

test("abuse 163: while web is away after a kill, the public site is answered and nobody is refused", async () => {
  await using instance = await startInstance();
  const standsBy = () => instance.log().split("stands by").length - 1;
  await eventually(() => expect(standsBy()).toBe(1), 60_000);
  const health = `${instance.baseUrl}/api/health`;
  await instance.kill("web");
  const answers: [site: number | string, health: number | string][] = [];
  const ofWeb = () => answers.at(-1)?.[1];
  while (ofWeb() !== 200) {
    const site = await ask(instance.baseUrl);
    const { status, body } = await ask(health);
    answers.push([site.status, status]);
    expect([...new Set(answers.map(([code]) => code))]).toEqual([200]);
    expect(site.body).toContain("</html>");
    // What only web can answer is asked to come back, in the envelope.
    expect([200, 503]).toContain(status);
    expect(JSON.parse(body)).toHaveProperty("ok");
  }
  // Some of them before there was a web process to answer.
  expect(answers).toContainEqual([200, 503]);
  // Who stood in has given way to the next one.
  await eventually(() => expect(standsBy()).toBe(2), 60_000);
}, 300_000);
