import { useState } from "react";

/** Whether something was ever needed: what was loaded for it then stays. */
export function useFirstUse(needed: boolean): boolean {
  const [used, setUsed] = useState(needed);
  if (needed && !used) setUsed(true);
  return used || needed;
}
