import { readEnvelope } from "./envelope.ts";
import type { ProbeFetcher, HealthProbe } from "./probes.ts";

/** How often the health check is requested. */
const times = 7;

interface Part {
  status?: unknown;
  note?: unknown;
}

const known = new Set(["ok", "degraded", "down"]);

function partsOf(data: unknown): Record<string, Part> {
  const { checks } = (data ?? {}) as { checks?: Record<string, Part> };
  return typeof checks === "object" && checks !== null ? checks : {};
}

const noteOf = ({ note }: Part): string => (typeof note === "string" ? note.slice(0, 200) : "");

/** How a response differs from that of `GET /api/health`. */
function faultOf(read: ReturnType<typeof readEnvelope>): HealthProbe["invalid"] {
  if (read.invalid !== null) return read.invalid;
  const { status } = (read.data ?? {}) as { status?: unknown };
  if (known.has(String(status))) return null;
  return { path: "$.data.status", got: JSON.stringify(status ?? null).slice(0, 60) };
}

/** Requests Vitrine's health check several times, one after the other. */
export async function probeHealth(fetcher: ProbeFetcher, origin: string): Promise<HealthProbe> {
  const ask = () => fetcher.own(`${origin}/api/health`, { cookies: false, follow: false });
  const responses = [await ask()];
  // Without a response, it is requested once more: it may just have restarted.
  const wanted = (responses[0]?.answer.status ?? null) === null ? 2 : times;
  while (responses.length < wanted) responses.push(await ask());
  const looks = responses.map(({ answer: response, body }) => {
    const read = readEnvelope(body?.toString("utf8") ?? "");
    return { answer: response, read, parts: partsOf(read.data) };
  });
  // A passing problem doesn't count: the last response decides.
  const last = looks.at(-1) as (typeof looks)[number];
  const down = Object.entries(last.parts).filter(([name]) =>
    looks.every(({ parts }) => parts[name]?.status === "down"),
  );
  const invalid = last.answer.status === null ? null : faultOf(last.read);
  const { migrations } = last.parts;
  const { status } = (last.read.data ?? {}) as { status?: HealthProbe["status"] };
  return {
    response: last.answer,
    invalid,
    status: invalid === null && status !== undefined ? status : null,
    down: down.map(([name, part]) => ({ name, note: noteOf(part) })),
    migrations: migrations
      ? { status: String(migrations.status).slice(0, 20), note: noteOf(migrations) }
      : null,
    times: looks.map(({ answer: response }) => response.ms).toSorted((a, b) => a - b),
  };
}
