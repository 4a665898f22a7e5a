import type { PrivateText } from "../../kit/private-text.ts";
import type { Db } from "../../platform/db/connect.ts";
import { listEmailsAfter } from "./store.ts";

const batchSize = 500;

/** The email addresses of all accounts, in batches: no page may contain one. */
export async function* accountTexts(db: Db): AsyncGenerator<PrivateText[]> {
  for (let last = 0; ;) {
    const accounts = await listEmailsAfter(db, last, batchSize);
    if (accounts.length === 0) return;
    last = accounts.at(-1)?.id ?? last;
    yield accounts.flatMap(({ id, emails }) =>
      emails
        .filter((email) => email !== "")
        .map((text) => ({ record: `account ${id}`, field: "email", kind: "name" as const, text })),
    );
  }
}
