import type { PrivateText } from "../../kit/private-text.ts";
import type { Db } from "../../platform/db/connect.ts";
import { listInvitationsAfter } from "./invitation-store.ts";
import { listVisitorsAfter } from "./visit-store.ts";

const batchSize = 500;

async function* invitationTexts(db: Db): AsyncGenerator<PrivateText[]> {
  for (let last = 0; ;) {
    const invitations = await listInvitationsAfter(db, last, batchSize);
    if (invitations.length === 0) return;
    last = invitations.at(-1)?.id ?? last;
    yield invitations.flatMap(({ id, email, note }): PrivateText[] => {
      const record = `invitation ${id}`;
      const address = { record, field: "email", kind: "name", text: email } as const;
      return note === ""
        ? [address]
        : [address, { record, field: "note", kind: "text", text: note }];
    });
  }
}

async function* visitTexts(db: Db): AsyncGenerator<PrivateText[]> {
  for (let last = 0; ;) {
    const visits = await listVisitorsAfter(db, last, batchSize);
    if (visits.length === 0) return;
    last = visits.at(-1)?.id ?? last;
    yield visits.map(({ id, email }) => {
      return { record: `visit ${id}`, field: "email", kind: "name" as const, text: email };
    });
  }
}

/**
 * Addresses of people who are invited or have opened a project, in batches: no page may show them.
 */
export async function* memberTexts(db: Db): AsyncGenerator<PrivateText[]> {
  yield* invitationTexts(db);
  yield* visitTexts(db);
}
