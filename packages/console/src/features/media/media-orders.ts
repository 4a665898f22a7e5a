/** The orders in which files can be listed; the usual one has no name in the address. */
export const mediaOrders = [
  { value: "", label: "Newest first" },
  { value: "oldest", label: "Oldest first" },
  { value: "name", label: "By name" },
  { value: "size", label: "Largest first" },
] as const;

export type MediaOrder = (typeof mediaOrders)[number]["value"];
