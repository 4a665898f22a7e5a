import { type ReactElement, useEffect, useRef, useState } from "react";

import type { Attachment, RunMessage } from "../api/types.ts";
import { useAction } from "../api/useAction.ts";
import { useRunsApi } from "../features/runs/runs-api.ts";
import { RefusalNotice } from "../features/errors/RefusalNotice.tsx";
import { Button } from "../ui/Button.tsx";
import { formatCount } from "../ui/format.ts";
import { plainText } from "../ui/plain-text.ts";
import type { DraftImage } from "./composer/draft-images.ts";
import type { Draft } from "./composer/useDraft.ts";
import { useConsoleState } from "./useConsoleState.ts";

export interface MessageQueueProps {
  runId: string;
  /** Messages of the run; unread ones are shown. */
  messages: readonly RunMessage[];
  /** Whether the run has ended: waiting messages won't be read. */
  over: boolean;
  /** Called with the ID of a withdrawn message. */
  onChanged(messageId: number): void;
}

function imageOf(attachment: Attachment, messageId: number, index: number): DraftImage {
  const { use } = attachment;
  const key = `message-${messageId}-${index}`;
  const name = `Image ${index + 1}`;
  const unknown = { alt: "", src: null };
  if (use === "page") {
    return {
      key,
      name,
      use,
      ...unknown,
      thumb: null,
      mediaId: attachment.mediaId,
      referenceId: null,
    };
  }
  const { referenceId } = attachment;
  const thumb = `/api/media/reference/${referenceId}`;
  return { key, name, use, ...unknown, thumb, mediaId: null, referenceId };
}

/** Restores an unread message to the composer, unless something else is being written. */
function putBack(draft: Draft, messages: readonly RunMessage[]): void {
  if (draft.text.trim() !== "") return;
  draft.write(messages.map(({ text }) => text).join("\n\n"));
  for (const element of messages.flatMap(({ elements }) => elements)) draft.addElement(element);
  const images = messages.flatMap(({ id, attachments }) =>
    attachments.map((one, index) => imageOf(one, id, index)),
  );
  if (images.length > 0) draft.setImages((known) => [...known, ...images]);
}

/** Restores waiting messages to the composer when the run ends. */
function useRestoreUnsent(waiting: readonly RunMessage[], over: boolean, draft: Draft): void {
  const last = useRef<readonly RunMessage[]>([]);
  useEffect(() => {
    if (over && last.current.length > 0) putBack(draft, last.current);
    last.current = over ? [] : waiting;
  });
}

/** Messages to a working run that haven't been read yet. */
export function MessageQueue({
  messages,
  over,
  onChanged,
}: MessageQueueProps): ReactElement | null {
  const api = useRunsApi();
  const { draft } = useConsoleState();
  const action = useAction();
  const [gone, setGone] = useState<readonly number[]>([]);
  const waiting = messages.filter(({ id, status }) => status === "waiting" && !gone.includes(id));
  useRestoreUnsent(waiting, over, draft);

  function takeBack(message: RunMessage): void {
    action.perform(`${message.id}`, async () => {
      await api.withdrawMessage(message.id);
      setGone((known) => [...known, message.id]);
      putBack(draft, [message]);
      draft.focus();
      onChanged(message.id);
    });
  }
  return (
    <section className="queue" aria-label="Waiting messages" aria-live="polite">
      {action.error && <RefusalNotice error={action.error} />}
      {waiting.length > 0 && (
        <>
          <p className="quiet">Will be read after this step</p>
          <ol>
            {waiting.map((message) => (
              <li key={message.id}>
                <span className="said">
                  {plainText(message.text)}
                  <AttachmentSummary message={message} />
                </span>
                <Button
                  variant="small"
                  disabled={action.pending === `${message.id}`}
                  onClick={() => takeBack(message)}
                >
                  Withdraw <span className="unseen">“{plainText(message.text)}”</span>
                </Button>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function AttachmentSummary({ message }: { message: RunMessage }): ReactElement | null {
  const { elements, attachments } = message;
  const parts = [
    ...(elements.length > 0 ? [formatCount(elements.length, "part")] : []),
    ...(attachments.length > 0 ? [formatCount(attachments.length, "image")] : []),
  ];
  return parts.length === 0 ? null : <span className="quiet"> with {parts.join(" and ")}</span>;
}
