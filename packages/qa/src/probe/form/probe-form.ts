import { sha256Hex } from "../../kit/hash.ts";
import type { CrawlResponse } from "../../crawl/crawl.ts";
import { readEnvelope } from "../envelope.ts";
import type { ProbeFetcher, FormResponse, FormProbe } from "../probes.ts";
import type { OwnForm } from "./own-form.ts";

/** An origin that can't be registered (RFC 2606, section 2). */
export const foreignOrigin = "https://elsewhere.invalid";
/** What nobody would enter into an invisible field. */
const honeypotValue = "https://example.com/";

export interface FormProbeOptions {
  fetcher: ProbeFetcher;
  origin: string;
  countMessages(): Promise<number | null>;
  loopback: boolean;
}

function answerOf(response: CrawlResponse, body: Buffer | null): FormResponse {
  const type = (response.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const isJson = type === "application/json";
  const read = readEnvelope(isJson ? (body?.toString("utf8") ?? "") : "null");
  return {
    status: response.status,
    ms: response.ms,
    type,
    invalid: isJson ? read.invalid : null,
    ok: isJson ? read.ok : null,
    code: isJson ? read.code : null,
    fields: isJson ? read.fields : [],
    location: response.headers["location"] ?? null,
  };
}

/** Whether a response shows that the address processes submissions. */
const isThere = ({ status }: FormResponse): boolean =>
  status !== null && status < 500 && status !== 404 && status !== 405 && status !== 429;

type Values = Record<string, string>;

/** Makes the functions that submit a form. Each response's status is added to `statuses`. */
function makeAsking({ url }: OwnForm, options: FormProbeOptions, statuses: (number | null)[]) {
  async function ask(
    method: "GET" | "POST",
    headers: Record<string, string>,
    body?: string,
  ): Promise<FormResponse> {
    const answer = await options.fetcher.own(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      cookies: false,
      follow: false,
      maxBytes: 256 * 1024,
    });
    statuses.push(answer.answer.status);
    return answerOf(answer.answer, answer.body);
  }
  return {
    get: () => ask("GET", { accept: "application/json, text/html;q=0.5" }),
    json(values: Values) {
      const { origin } = options;
      const headers = { "content-type": "application/json", accept: "application/json", origin };
      return ask("POST", headers, JSON.stringify(values));
    },
    /** As browsers submit forms. */
    plain(values: Values, origin = options.origin) {
      const type = "application/x-www-form-urlencoded";
      const headers = { "content-type": type, accept: "text/html", origin };
      return ask("POST", headers, new URLSearchParams(values).toString());
    },
  };
}

interface Watched {
  response: FormResponse;
  /** Null if it is unknown. */
  messages: FormProbe["messages"];
}

async function watched(
  { countMessages }: FormProbeOptions,
  question: () => Promise<FormResponse>,
): Promise<Watched> {
  const before = await countMessages();
  const answer = await question();
  const after = before === null ? null : await countMessages();
  return {
    response: answer,
    messages: before === null || after === null ? null : { before, after },
  };
}

const rose = ({ messages }: Watched): boolean =>
  messages !== null && messages.after > messages.before;

/**
 * Submits a complete message with the honeypot filled. A new message may be a visitor's: only if
 * another one appears the second time does it count as this one.
 */
async function fillHoneypot(
  options: FormProbeOptions,
  question: () => Promise<FormResponse>,
): Promise<Pick<FormProbe, "honeypotFilled" | "messages" | "honeypotWrote">> {
  const first = await watched(options, question);
  const { response: honeypotFilled, messages } = first;
  if (messages === null || !rose(first)) {
    return { honeypotFilled, messages, honeypotWrote: messages === null ? null : false };
  }
  const second = await watched(options, question);
  if (!rose(second)) return { honeypotFilled, messages: second.messages, honeypotWrote: false };
  const after = second.messages?.after ?? messages.after;
  return {
    honeypotFilled,
    messages: { before: messages.before, after },
    honeypotWrote: true,
  };
}

/**
 * Tests a form. Nothing is stored if the form works: complete messages have the honeypot filled,
 * and those without it lack all required fields as well. If one is stored anyway, it is the last.
 */
export async function probeForm(form: OwnForm, options: FormProbeOptions): Promise<FormProbe> {
  const statuses: (number | null)[] = [];
  const ask = makeAsking(form, options, statuses);
  const { pathname, search } = new URL(form.url);
  const whole = { ...form.values, [form.honeypot]: honeypotValue };
  const baited = { [form.honeypot]: honeypotValue };
  const probe: FormProbe = {
    page: form.page,
    selector: form.selector,
    line: form.line,
    action: pathname + search,
    honeypot: form.honeypot,
    required: form.required,
    get: await ask.get(),
    foreign: await ask.plain(baited, foreignOrigin),
    honeypotFilled: null,
    honeypotHash: sha256Hex(JSON.stringify(whole)),
    messages: null,
    honeypotWrote: null,
    takesJson: true,
    plain: null,
    empty: null,
    emptyMessages: null,
    statuses,
    loopback: options.loopback,
  };
  Object.assign(probe, await fillHoneypot(options, () => ask.json(whole)));
  if (probe.honeypotFilled?.status === 415) {
    probe.takesJson = false;
    Object.assign(probe, await fillHoneypot(options, () => ask.plain(whole)));
  }
  if (probe.honeypotWrote || !probe.honeypotFilled || !isThere(probe.honeypotFilled)) return probe;
  if (!probe.takesJson) return probe;
  probe.plain = await ask.plain(whole);
  if (form.required.length === 0) return probe;
  // A form that validates fields first shows that with the honeypot filled, which risks nothing.
  const honeypotAnswer = await ask.json(baited);
  if (form.required.some((name) => honeypotAnswer.fields.includes(name))) {
    probe.empty = honeypotAnswer;
    return probe;
  }
  if (honeypotAnswer.ok === null || honeypotAnswer.status === 429) return probe;
  const empty = await watched(options, () => ask.json({}));
  probe.empty = empty.response;
  probe.emptyMessages = empty.messages;
  return probe;
}
