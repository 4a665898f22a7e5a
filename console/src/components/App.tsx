import { type ReactElement, useMemo } from "react";

import type { Api } from "../api.ts";
import { ConsoleContext } from "../context.ts";
import { useSession } from "../hooks/useSession.ts";
import type { Place } from "../place.ts";
import type { Switch } from "../switch.ts";
import { Guard } from "./Guard.tsx";
import { Overlay } from "./Overlay.tsx";

/** The console of a page: what all its parts share, and the overlay. */
export function App(props: { place: Place; opener: Switch; api: Api }): ReactElement {
  const { api } = props;
  const session = useSession(api);
  const { epoch, expire } = session;
  const path = location.pathname;
  const value = useMemo(() => ({ api, path, epoch, expire }), [api, path, epoch, expire]);
  return (
    <ConsoleContext value={value}>
      <Guard>
        <Overlay place={props.place} opener={props.opener} session={session} />
      </Guard>
    </ConsoleContext>
  );
}
