import type { Db } from "../../platform/db/connect.ts";

/** The number of accounts and of those with a confirmed address. */
export async function countAccounts(db: Db): Promise<{ accounts: number; verified: number }> {
  const { accounts, verified } = await db
    .withTables<{ user_account: { id: number; email_verified_at: string | null } }>()
    .selectFrom("user_account")
    .select(({ fn }) => [
      fn.countAll<number>().as("accounts"),
      fn.count<number>("email_verified_at").as("verified"),
    ])
    .executeTakeFirstOrThrow();
  return { accounts: Number(accounts), verified: Number(verified) };
}
