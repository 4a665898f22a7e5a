import * as fc from "fast-check";
import type { FuzzCase } from "./case.ts";
import { fromSchema, oddValue, type Schema } from "./values.ts";

interface Operation {
  method: string;
  path: string;
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[];
  body: Schema | null;
}

/** What the fuzzer needs of an OpenAPI 3.1 document. */
export interface ApiDocument {
  paths: Record<string, Record<string, unknown>>;
  components?: { schemas?: Record<string, Schema> };
}

/**
 * What ends the session of whoever fuzzes, keeps a machine busy for minutes, or connects to servers
 * with random names.
 */
const left =
  /^\/api\/adminauth\/logout$|^\/api\/admintokens\/revoke$|^\/api\/adminsites\/create$|^\/devconsole\/(?:qa|tasks)\/run$|\/stream\/|^\/api\/adminsettings\/targets\/(?:create|save|test|host-key)$/;

/** The operations of a document, without those that would end the fuzzing. */
export function operationsOf(document: ApiDocument): Operation[] {
  const methods = ["get", "post", "put", "patch", "delete"];
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method] !== undefined && !left.test(path))
      .map((method) => {
        const operation = item[method] as {
          parameters?: Operation["parameters"];
          requestBody?: { content?: Record<string, { schema?: Schema }> };
        };
        return {
          method: method.toUpperCase(),
          path,
          parameters: operation.parameters ?? [],
          body: operation.requestBody?.content?.["application/json"]?.schema ?? null,
        };
      }),
  );
}

const contentType = fc.oneof(
  { weight: 12, arbitrary: fc.constant("application/json") },
  fc.constantFrom(
    "text/plain",
    "application/json; charset=utf-16",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json\t",
  ),
);

/** JSON as programs write it, and what is left when something goes wrong on the way. */
function bodyText(value: unknown): fc.Arbitrary<string> {
  const text = JSON.stringify(value) ?? "null";
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(text) },
    fc.nat(text.length).map((at) => text.slice(0, at)),
    fc.nat(text.length).map((at) => `${text.slice(0, at)}\u0000${text.slice(at)}`),
    fc.constant(text.replace(/^\{/, '{"__proto__":{"a":1},"a":1,"a":2,')),
    fc.constant(`${"[".repeat(2000)}${text}`),
    fc
      .integer({ min: 100, max: 3000 })
      .map((keys) =>
        JSON.stringify(
          Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key${at}`, 0])),
        ),
      ),
    fc.string({ unit: "binary", maxLength: 100 }),
  );
}

function queryOf(operation: Operation, components: Record<string, Schema>): fc.Arbitrary<string> {
  const fields = operation.parameters.filter((one) => one.in === "query");
  const entries = fields.map((one) => [one.name, fromSchema(one.schema, components)] as const);
  const required = fields.filter((one) => one.required).map((one) => one.name);
  return fc.record(Object.fromEntries(entries), { requiredKeys: required }).chain((values) =>
    fc.option(fc.string({ maxLength: 8 }), { freq: 12, nil: undefined }).map((extra) => {
      const pairs = Object.entries(values).map(
        ([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`,
      );
      if (extra !== undefined) pairs.push(encodeURIComponent(extra.toWellFormed()));
      return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
    }),
  );
}

const textOf = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed();

/** A request of one of the operations, right or wrong in any part. */
export function requestOf(
  operations: readonly Operation[],
  components: Record<string, Schema>,
  server: "web" | "runner",
): fc.Arbitrary<FuzzCase> {
  const whom =
    server === "web" ? (["admin", "token", "nobody"] as const) : (["runner-key"] as const);
  return fc.constantFrom(...operations).chain((operation) =>
    fc
      .record({
        query: queryOf(operation, components),
        value: operation.body ? fromSchema(operation.body, components) : fc.constant(undefined),
        type: contentType,
        as: fc.constantFrom("admin" as const, ...whom),
        names: fc.array(
          fc.oneof(fc.constantFrom("1", "x", "01KF0RDQG0GB2XDKA38Q43VHX5"), oddValue),
          { minLength: 3, maxLength: 3 },
        ),
      })
      .chain(({ query, value, type, as, names }) =>
        (value === undefined ? fc.constant(null) : bodyText(value)).map((text): FuzzCase => {
          let index = 0;
          const path = operation.path.replace(
            /\{[^}]*\}/g,
            () => encodeURIComponent(textOf(names[index++ % names.length])) || "x",
          );
          const headers: Record<string, string> = text === null ? {} : { "content-type": type };
          const body = text === null ? null : Buffer.from(text).toString("base64");
          const { method } = operation;
          return { kind: "request", server, method, path: path + query, headers, body, as };
        }),
      ),
  );
}
