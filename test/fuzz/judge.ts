import type { FuzzCase, Faults } from "./case.ts";
import type { FuzzAnswer } from "./product.ts";

/** How long a request may hold an event loop, in ms of CPU time. */
export const maxLoopCpuMs = 200;
/** The longest answer that says what went wrong, and the longest at all, in bytes. */
const maxErrorBytes = 16 * 1024;
const maxAnswerBytes = 8 * 1024 * 1024;

/** Addresses whose answers are the envelope, whatever happens. */
const apis = /^\/(?:api|devconsole)(?:[/?]|$)/;
/** Where a form of a page without script is sent: it is answered with a page. */
const formAddress = /^\/api\/contact(?:\?|$)/;
type FuzzRequest = Extract<FuzzCase, { kind: "request" }>;
const isForm = ({ method, path, headers }: FuzzRequest): boolean =>
  method === "POST" &&
  formAddress.test(path) &&
  /^application\/x-www-form-urlencoded\b/i.test(headers["content-type"] ?? "");

/** What a runner that is restarted, a full queue or a missing model legitimately says. */
const allowedServerErrors = new Set([501, 502, 503, 507]);

function readEnvelope(body: Buffer): { ok?: unknown; error?: unknown } | null {
  try {
    const value = JSON.parse(body.toString("utf8")) as object;
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}

function judgeEnvelope(response: FuzzAnswer): Faults {
  const envelope = readEnvelope(response.body);
  if (envelope === null) return ["says that it is JSON and is not"];
  const faults: Faults = [];
  for (const key of ["ok", "data", "error"]) {
    if (!Object.hasOwn(envelope, key)) faults.push(`has no envelope: ${key} is missing`);
  }
  if (envelope.ok !== response.status < 400) faults.push(`says ok: ${String(envelope.ok)}`);
  return faults;
}

const describeFaults = ({ method, path }: FuzzRequest, faults: Faults): Faults =>
  faults.map((fault) => `${method} ${path.slice(0, 120)} ${fault}`);

/** What is wrong with the answer to a request. */
export function judgeAnswer(
  one: Extract<FuzzCase, { kind: "request" }>,
  response: FuzzAnswer,
): Faults {
  const { status, type, body } = response;
  if (status === -1) return [];
  if (status === 0) return one.headers["expect"] === undefined ? ["got no answer"] : [];
  const faults: Faults = [];
  if (status >= 500 && !allowedServerErrors.has(status)) faults.push(`is ${status}`);
  if (body.length > maxAnswerBytes) faults.push(`is ${body.length} bytes long`);
  if (status >= 400 && apis.test(one.path) && body.length > maxErrorBytes) {
    faults.push(`is an error of ${body.length} bytes`);
  }
  const isHead = one.method === "HEAD";
  if (status >= 400 && apis.test(one.path) && !isHead && body.length > 0) {
    if (type.startsWith("text/html") && isForm(one)) return describeFaults(one, faults);
    if (!type.startsWith("application/json")) faults.push(`is an error of type ${type}`);
    else faults.push(...judgeEnvelope(response));
  }
  return describeFaults(one, faults);
}

/** What is wrong with how long it took; only a part of it is the request's, so it is asked again. */
export function judgeTime(response: FuzzAnswer): Faults {
  return (["web", "runner"] as const)
    .filter((name) => response.cpuMs[name] > maxLoopCpuMs)
    .map((name) => `held the loop of ${name} for ${response.cpuMs[name]} ms of CPU time`);
}
