import { readEnvelope } from "./envelope.ts";
import type { ProbeFetcher, HealthProbe } from "./probes.ts";

/** How often the program is asked how it is. */
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

/** What of an answer is not as `GET /api/health` answers. */
function faultOf(read: ReturnType<typeof readEnvelope>): HealthProbe["invalid"] {
  if (read.invalid !== null) return read.invalid;
  const { status } = (read.data ?? {}) as { status?: unknown };
  if (known.has(String(status))) return null;
  return { path: "$.data.status", got: JSON.stringify(status ?? null).slice(0, 60) };
}

/** Asks the program itself several times how it is, one question after the other. */
export async function probeHealth(fetcher: ProbeFetcher, origin: string): Promise<HealthProbe> {
  const ask = () => fetcher.own(`${origin}/api/health`, { cookies: false, follow: false });
  const responses = [await ask()];
  // Who gives no answer is asked once more: it may just have started anew.
  const wanted = (responses[0]?.answer.status ?? null) === null ? 2 : times;
  while (responses.length < wanted) responses.push(await ask());
  const looks = responses.map(({ answer: response, body }) => {
    const read = readEnvelope(body?.toString("utf8") ?? "");
    return { answer: response, read, parts: partsOf(read.data) };
  });
  // What is wrong for a moment only is not wrong: the last answer is the one that counts.
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
