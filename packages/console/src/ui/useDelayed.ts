import { useEffect, useState } from "react";

/** Whether `waiting` has lasted 200 ms, so that quick responses show no skeleton. */
export function useDelayed(waiting: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!waiting) return;
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, [waiting]);
  return late && waiting;
}
