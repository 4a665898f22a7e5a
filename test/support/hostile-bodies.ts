/** The part of JSON Schema that the description of the API has. */
export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
}

/** A body at its route's limit; `refused` unless the route may take it. */
export interface HostileBody {
  shape: string;
  text: string;
}

type Path = readonly string[];

function optionsOf(schema: JsonSchema): JsonSchema[] {
  return [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
}

function isOf(schema: JsonSchema, type: string): boolean {
  return [schema.type].flat().includes(type);
}

/** The members of a schema's objects, at all depths, that are of a type. */
export function membersOf(schema: JsonSchema, type: string, path: Path = []): Path[] {
  const found: Path[] = [];
  for (const option of optionsOf(schema)) {
    if (path.length > 0 && isOf(option, type)) found.push(path);
    for (const [key, member] of Object.entries(option.properties ?? {})) {
      found.push(...membersOf(member, type, [...path, key]));
    }
    if (option.items) found.push(...membersOf(option.items, type, [...path, "[]"]));
  }
  return found;
}

/** `inner`, as JSON, at a place in an otherwise empty body. */
export function bodyWith(path: Path, inner: string): string {
  return path.reduceRight(
    (text, key) => (key === "[]" ? `[${text}]` : `{${JSON.stringify(key)}:${text}}`),
    inner,
  );
}

/** As many of a piece as `bytes` take, with commas between them. */
function many(bytes: number, piece: (index: number) => string): string {
  const pieces: string[] = [];
  let left = bytes;
  for (let index = 0; left > 0; index += 1) {
    const text = piece(index);
    left -= Buffer.byteLength(text) + 1;
    if (left >= 0) pieces.push(text);
  }
  return pieces.join();
}

function filled(bytes: number, unit: string): string {
  return unit.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(unit))));
}

const texts = {
  "long text": "a",
  "spaces around": " ",
  dashes: "-",
  "combining marks": "e\u0301\u0323",
  "escaped NUL": "\\u0000",
  "half surrogates": "\\ud800",
  "numbers of an address": "1.",
};

/** Bodies of at most `bytes` that are as hard to refuse as they get, for a route with this schema. */
export function hostileBodies(schema: JsonSchema, bytes: number): HostileBody[] {
  const room = bytes - 200;
  const bodies: Record<string, string> = {
    "unknown keys": `{${many(room, (index) => `"k${index}":1`)}}`,
    "unknown keys of one letter": `{${many(room, (index) => `"${String.fromCodePoint(0x4e00 + index)}":0`)}}`,
    "the same key": `{${many(room, () => `"name":1`)}}`,
    "a long key": `{"${filled(room, "k")}":1}`,
    "deep lists": `${"[".repeat(room / 2)}${"]".repeat(room / 2)}`,
    "deep objects": `${'{"a":'.repeat(room / 7)}1${"}".repeat(room / 7)}`,
    "half of deep lists": "[".repeat(room),
    "a list of nothing": `[${many(room, () => "null")}]`,
    "one long number": `{"id":${filled(room, "9")}}`,
    "many huge numbers": `[${many(room, () => "1e999")}]`,
    prototypes: `{"__proto__":{"a":1},"constructor":{"prototype":{"a":${filled(room, "1")}}}}`,
    "spaces before": `${" ".repeat(room)}[]`,
    "one long text": `"${filled(room, "\\u0344")}"`,
    "an open string": `{"a":"${filled(room, "\\\\")}`,
  };
  for (const [nth, path] of membersOf(schema, "string").entries()) {
    // A third of the kinds for each field, another third for the next: all of them take minutes.
    const kinds = Object.entries(texts).filter((_, kind) => (kind + nth) % 3 === 0);
    for (const [what, unit] of kinds) {
      bodies[`${path.join(".")}: ${what}`] = bodyWith(path, `"${filled(room - 100, unit)}"`);
    }
  }
  for (const path of membersOf(schema, "array")) {
    const wrong = { nothing: "null", texts: '"x"', lists: "[]", objects: '{"use":"x","a":1}' };
    for (const [what, item] of Object.entries(wrong)) {
      bodies[`${path.join(".")}: ${what}`] = bodyWith(path, `[${many(room - 100, () => item)}]`);
    }
  }
  for (const path of [...membersOf(schema, "integer"), ...membersOf(schema, "number")]) {
    bodies[`${path.join(".")}: digits`] = bodyWith(path, filled(room - 100, "9"));
  }
  return Object.entries(bodies).map(([shape, text]) => ({ shape, text }));
}

/** Queries of at most `bytes` that no route takes. */
export function hostileQueries(names: readonly string[], bytes: number): HostileBody[] {
  const pairs = (piece: (index: number) => string) =>
    many(bytes, piece).replaceAll(",", "&").slice(0, bytes);
  const queries: Record<string, string> = {
    "unknown keys": pairs((index) => `k${index}`),
    "the same key": pairs(() => "page=1"),
    "empty keys": "&".repeat(bytes),
    "a long key": filled(bytes, "k"),
    "broken escapes": `q=${filled(bytes, "%E0%A4")}`,
    prototypes: pairs(() => "__proto__=1"),
  };
  for (const name of names) {
    queries[`${name}: long`] = `${name}=${filled(bytes - 50, "9")}`;
    queries[`${name}: NUL`] = `${name}=a%00b`;
    queries[`${name}: marks`] = `${name}=${filled(bytes - 50, "e%CC%81")}`;
    queries[`${name}: commas`] = `${name}=${filled(bytes - 50, ",")}`;
  }
  return Object.entries(queries).map(([shape, text]) => ({ shape, text }));
}
