import { expect, test } from "vitest";
import { createLog } from "./log.ts";

function logged(error: unknown): { text: string; err: Record<string, unknown> } {
  let text = "";
  const destination = { write: (line: string) => void (text += line) };
  createLog({ level: "info", name: "test", destination }).error({ err: error }, "failed");
  return { text, err: (JSON.parse(text) as { err: Record<string, unknown> }).err };
}

test("an error is logged with its codes and the words of its causes", () => {
  const cause = Object.assign(new Error("no such file"), { code: "ENOENT", errno: -2 });
  const { err } = logged(Object.assign(new TypeError("can't read", { cause }), { code: "EIO" }));
  expect(err).toMatchObject({
    type: "TypeError",
    message: "can't read: no such file",
    code: "EIO",
  });
  expect(err["stack"]).toContain("caused by: Error: no such file");
  const { err: all } = logged(new AggregateError([new Error("first"), new Error("second")], "two"));
  expect(all).toMatchObject({ message: "two", errors: ["Error: first", "Error: second"] });
});

test("abuse 113: whatever an error carries, its line in the log stays short", () => {
  const issues = Array.from({ length: 5000 }, (_, at) => ({ path: [at], message: "is invalid" }));
  const facts = Object.fromEntries(issues.map((_, at) => [`k${at}`, "x".repeat(1000)]));
  const cause = Object.assign(new Error("y".repeat(2_000_000)), { issues });
  const { text } = logged(Object.assign(new Error("x".repeat(2_000_000), { cause }), facts));
  expect(text.length).toBeLessThan(40 * 1024);
});
