import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import { filesOf, type Media, usesOfMedia } from "../media/store.ts";
import { currentAddress } from "../media/swap-store.ts";
import { assertNotReserved } from "./run-changes/reserved.ts";
import { findProject, updateProject } from "./store.ts";

/** The new address of each file that an item had. */
function addressesBetween(before: Media, after: Media): Map<string, string> {
  const sizes = new Map(
    [...before.variants, ...before.avif].map(({ src, width }) => [src, width] as const),
  );
  return new Map(
    filesOf(before).map((address) => {
      const height = address === before.src ? before.height : null;
      const width = sizes.get(address) ?? before.width;
      return [address, currentAddress({ address, width, height }, after)] as const;
    }),
  );
}

/** A text with each of these addresses replaced; none is a part of another one. */
export function replaceAddresses(text: string, addresses: ReadonlyMap<string, string>): string {
  if (!text.includes("/media/")) return text;
  return text.replace(/\/media\/\d{4}\/[a-z0-9][a-z0-9-]*\.[a-z0-9]+/g, (address) => {
    return addresses.get(address) ?? address;
  });
}

/**
 * Lets the projects that show an item name its files by their new addresses; each gets a new version.
 * Call it in the transaction that changes the item. Throws `conflict` while a run that changes one of
 * them is being published.
 */
export async function updateMediaAddresses(
  trx: Db,
  { before, after, at }: { before: Media; after: Media; at: string },
): Promise<void> {
  const addresses = addressesBetween(before, after);
  for (const { id } of (await usesOfMedia(trx, [after.id])).get(after.id) ?? []) {
    const present = await findProject(trx, { id });
    if (present === null) continue;
    const gallery = present.gallery.map((item) => {
      return Object.assign({}, item, { src: addresses.get(item.src) ?? item.src });
    });
    const next = { ...present, gallery, body: replaceAddresses(present.body, addresses) };
    if (!(await updateProject(trx, next, at))) {
      throw new AppError("conflict", `Somebody else is changing ${present.name}. Try again.`);
    }
    await assertNotReserved(trx, present, next);
  }
}
