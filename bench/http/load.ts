import { connect, type Socket } from "node:net";

export interface Target {
  name: string;
  port: number;
  path: string;
  headers?: Record<string, string>;
  /** The status that every response must have. */
  status: number;
}

export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
}

const headEnd = "\r\n\r\n";

/** The length of the response at the start of `text`; 0 while it is incomplete. */
function answerLength(text: string): number {
  const head = text.indexOf(headEnd);
  if (head === -1) return 0;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head + 2))?.[1];
  const whole = head + headEnd.length + Number(length ?? 0);
  return text.length < whole ? 0 : whole;
}

/** Sends requests over one connection, one after the other, until `until` (performance.now, ms). */
function askInLine(target: Target, until: number, times: number[]): Promise<void> {
  const { name, port, path, status, headers = {} } = target;
  const lines = Object.entries({ host: `localhost:${port}`, ...headers });
  const request = `GET ${path} HTTP/1.1\r\n${lines.map(([key, value]) => `${key}: ${value}\r\n`).join("")}\r\n`;
  const expected = `HTTP/1.1 ${status} `;
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let text = "";
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setEncoding("latin1");
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("data", (chunk: string) => {
      text += chunk;
      const length = answerLength(text);
      if (length === 0) return;
      if (!text.startsWith(expected)) {
        socket.destroy();
        reject(new Error(`${name} answered ${text.slice(0, length)}`));
        return;
      }
      text = text.slice(length);
      const now = performance.now();
      times.push(now - sentAt);
      if (now < until) send();
      else socket.end(resolve);
    });
  });
}

/** Requests a target over `connections` for `ms` and measures the responses. */
export async function load(target: Target, connections: number, ms: number): Promise<Load> {
  const times: number[] = [];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: connections }, () => askInLine(target, start + ms, times)),
  );
  const seconds = (performance.now() - start) / 1000;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}
