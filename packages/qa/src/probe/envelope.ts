/** Where a response differs from the envelope of Vitrine's JSON responses. */
export interface NotEnvelope {
  /** A path such as `$.error.code`. */
  path: string;
  got: string;
}

export interface EnvelopeRead {
  invalid: NotEnvelope | null;
  ok: boolean | null;
  data: unknown;
  code: string | null;
  /** The names of the fields with errors. */
  fields: string[];
}

type Values = Record<string, unknown>;

const nameOf = (value: unknown): string =>
  value === null
    ? "null"
    : value === undefined
      ? "nothing"
      : Array.isArray(value)
        ? "a list"
        : typeof value === "object"
          ? "an object"
          : JSON.stringify(value).slice(0, 60);

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function faultOf(value: unknown): NotEnvelope | null {
  if (!isObject(value)) return { path: "$", got: nameOf(value) };
  const at = (path: string, got: unknown) => ({ path, got: nameOf(got) });
  if (typeof value["ok"] !== "boolean") return at("$.ok", value["ok"]);
  if (!("data" in value)) return at("$.data", undefined);
  if (!("error" in value)) return at("$.error", undefined);
  const { error } = value;
  if (value["ok"]) return error === null ? null : at("$.error", error);
  if (value["data"] !== null) return at("$.data", value["data"]);
  if (!isObject(error)) return at("$.error", error);
  if (typeof error["code"] !== "string") return at("$.error.code", error["code"]);
  if (typeof error["message"] !== "string") return at("$.error.message", error["message"]);
  const { fields } = error;
  return fields === undefined || isObject(fields) ? null : at("$.error.fields", fields);
}

/** Parses the text of a response as an envelope, and returns where it isn't one. */
export function readEnvelope(text: string): EnvelopeRead {
  const none: EnvelopeRead = { invalid: null, ok: null, data: null, code: null, fields: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ...none, invalid: { path: "$", got: text === "" ? "nothing" : "no JSON" } };
  }
  const invalid = faultOf(value);
  if (!isObject(value)) return { ...none, invalid };
  const { ok, data, error } = value;
  const { code, fields } = isObject(error) ? error : ({} as Values);
  return {
    invalid,
    ok: typeof ok === "boolean" ? ok : null,
    data,
    code: typeof code === "string" ? code : null,
    fields: isObject(fields) ? Object.keys(fields) : [],
  };
}
