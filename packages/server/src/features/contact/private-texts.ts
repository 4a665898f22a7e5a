import type { PrivateText } from "../../kit/private-text.ts";
import type { Db } from "../../platform/db/connect.ts";
import { listMessagesAfter } from "./store.ts";

const batchSize = 200;

/** Visitors' messages and addresses, in batches: no page may show them. */
export async function* messageTexts(db: Db): AsyncGenerator<PrivateText[]> {
  for (let last = 0; ;) {
    const messages = await listMessagesAfter(db, last, batchSize);
    if (messages.length === 0) return;
    last = messages.at(-1)?.id ?? last;
    yield messages.flatMap(({ id, email, message }): PrivateText[] => {
      const record = `contact message ${id}`;
      return [
        { record, field: "email", kind: "name", text: email },
        { record, field: "message", kind: "message", text: message },
      ];
    });
  }
}
