import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { count } from "../journal.ts";
import { password } from "../product.ts";
import { type Actor, attempt, dataOf, type LoadContext, newMark, repeatedly } from "./actor.ts";

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** Pages that have already been compared with the releases. */
const knownPages = new WeakMap<object, Set<string>>();

/** Whether a release has exactly these bytes as its home page. */
async function isReleased({ product }: LoadContext, hash: string): Promise<boolean> {
  const { releases } = product.paths;
  for (const name of await readdir(releases).catch(() => [])) {
    const page = await readFile(join(releases, name, "index.html")).catch(() => null);
    if (page !== null && sha256(page) === hash) return true;
  }
  return false;
}

async function visit(context: LoadContext): Promise<void> {
  const { product, journal, random } = context;
  const path = random.pick(["/", "/", "/about/", "/projects/"]);
  let response: Response;
  let bytes: Buffer;
  try {
    const signal = AbortSignal.timeout(20_000);
    response = await fetch(product.baseUrl + path, { signal });
    bytes = Buffer.from(await response.arrayBuffer());
  } catch {
    count(journal, "visit", "unanswered");
    return;
  }
  count(journal, "visit", response.status === 200 ? "done" : "refused");
  if (response.status !== 200) {
    if (response.status !== 503 && !journal.tolerant)
      journal.anomalies.push(`${path} answered ${response.status}`);
    return;
  }
  if (!/<\/html>\s*$/.test(bytes.toString("utf8"))) journal.anomalies.push(`${path} was torn`);
  if (path !== "/") return;
  const known = knownPages.get(journal) ?? new Set();
  knownPages.set(journal, known);
  const hash = sha256(bytes);
  if (known.has(hash)) return;
  // Ten releases are kept, so a current one still exists.
  if (await isReleased(context, hash)) known.add(hash);
  else if (!journal.tolerant)
    journal.anomalies.push(`/ answered a page that no release has (${hash.slice(0, 8)})`);
}

/** Reads public pages, and compares the home page with the releases on the disk. */
export const visitors: Actor = repeatedly(60, visit);

/** Sends messages with the contact form. */
export const messages: Actor = repeatedly(900, async (context) => {
  const message = newMark(context.random);
  const body = { name: "Visitor", email: "visitor@example.com", message };
  const response = await attempt(context, "message", "/api/contact", { body });
  if (dataOf(response) !== null) context.journal.messages.add(message);
});

/** Signs people up, and tries to sign them in with a wrong password. */
export const accounts: Actor = repeatedly(1500, async (context) => {
  const email = `${newMark(context.random)}@example.com`;
  const body = { email, password: newMark(context.random), name: "" };
  const response = await attempt(context, "sign-up", "/api/account/signup", { body });
  if (dataOf(response) !== null) context.journal.accounts.add(email);
  const wrong = { email, password: "not the password" };
  await attempt(context, "wrong sign-in", "/api/account/signin", { body: wrong });
});

/** Signs in the admin; returns the session's cookie, or null. */
export async function signInAdmin(context: LoadContext): Promise<string | null> {
  const body = { password };
  const response = await attempt(context, "sign-in", "/api/adminauth/login", { body });
  if (response === null || dataOf(response) === null || response.cookie === "") return null;
  context.journal.signIns += 1;
  context.journal.session = response.cookie;
  return response.cookie;
}

/** Guesses the password from a throttled address, as fast as possible. */
export const signInFlood: Actor = repeatedly(20, async (context, turn) => {
  const headers = { "x-forwarded-for": `203.0.113.${turn % 200}` };
  const body = { password: "not the password" };
  await attempt(context, "flood", "/api/adminauth/login", { body, headers });
});

/** Signs the admin in again and again. */
export const signIns: Actor = repeatedly(4000, async (context) => {
  await signInAdmin(context);
});
