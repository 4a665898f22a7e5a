import { useEffect, useMemo, useState, useSyncExternalStore } from "react";

import { useAnnounce, useClient, usePagePath } from "../../api/context.tsx";
import type { Typing } from "../useTyping.ts";
import { InlineSession } from "./inline-session.ts";
import { editableAt, listenToPage } from "./page-events.ts";

export interface InlineOptions extends Pick<Typing, "clicked" | "onTyping"> {
  root: ShadowRoot;
}

/** Editing on the page: the current activity, and the waiting edits. */
export function useInline({ root, clicked, onTyping }: InlineOptions) {
  const client = useClient();
  const page = usePagePath();
  const announce = useAnnounce();
  const session = useMemo(
    () => new InlineSession({ client, page, announce, onTyping }),
    [client, page, announce, onTyping],
  );
  const view = useSyncExternalStore(session.subscribe, session.getView);
  const items = useSyncExternalStore(session.list.subscribe, session.list.items);
  const [over, setOver] = useState<HTMLImageElement | null>(null);
  useEffect(() => {
    const { host } = root;
    const begin = (element: HTMLElement): void => void session.begin(element);
    const stop = listenToPage({
      host,
      onEdit: begin,
      onDrop: (image, file) => void session.replaceImage(image, file),
      onOver: setOver,
    });
    // The picker requests it with F2 or its button.
    const onPicked = (event: Event): void => {
      const { detail } = event as CustomEvent<unknown>;
      if (detail instanceof HTMLElement) begin(detail);
    };
    root.addEventListener("vitrine-type", onPicked);
    // From now on, a double click starts editing.
    host.toggleAttribute("data-editing", true);
    const early = editableAt(clicked.current);
    if (early !== null) begin(early);
    return () => {
      host.removeAttribute("data-editing");
      root.removeEventListener("vitrine-type", onPicked);
      stop();
      session.close();
      clicked.current = null;
    };
  }, [root, clicked, session]);
  return { session, items, view, over };
}
