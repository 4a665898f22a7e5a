import { expect, test } from "vitest";
import { describeRunner } from "./runner-api.ts";

interface Operation {
  summary?: string;
  tags?: string[];
  security?: object[];
  responses: Record<string, { content?: object }>;
}

test("every route of the runner is described, and what answers with JSON has a schema", async () => {
  const { paths } = await describeRunner({ title: "T", version: "1", description: "" });
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) =>
      Object.assign(operation, { name: `${method} ${path}` }),
    ),
  );
  expect(operations.length).toBeGreaterThan(10);
  const undescribed = operations.filter(
    ({ summary, tags, security }) => !summary || !tags?.length || !security?.length,
  );
  expect(undescribed.map(({ name }) => name)).toEqual([]);
  const withoutSchema = operations.filter(
    ({ responses }) => !["200", "201", "202"].some((code) => responses[code]?.content),
  );
  expect(withoutSchema.map(({ name }) => name)).toEqual([
    "get /devconsole/stream/{id}",
    "get /_preview/{*}",
    "get /devconsole/qa/stream/{runId}",
  ]);
});
