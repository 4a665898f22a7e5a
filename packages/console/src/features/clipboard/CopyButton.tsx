import { type ReactElement, useState } from "react";

import { useAnnounce } from "../../api/context.tsx";
import { Button } from "../../ui/Button.tsx";
import { copyText } from "./copy-text.ts";

/** A button that copies a text and shows whether it worked. */
export function CopyButton(props: {
  text: string;
  /** What is copied: "The token". */
  what: string;
  /** The button's label before it is pressed. */
  idle?: string;
  /** What it belongs to, if there are several. */
  of?: string;
}): ReactElement {
  const { text, what, idle = "Copy", of } = props;
  const announce = useAnnounce();
  const [word, setWord] = useState(idle);
  const copy = async (): Promise<void> => {
    const done = await copyText(text).then(
      () => true,
      () => false,
    );
    setWord(done ? "Copied" : "Can’t copy");
    announce(done ? `${what} copied.` : `Your browser blocked copying. ${what}: ${text}`);
  };
  return (
    <Button
      icon={word === "Copied" ? "check" : "copy"}
      label={of === undefined ? `${word}: ${what}` : `${word} of ${of}`}
      onClick={() => void copy()}
    >
      {word}
    </Button>
  );
}
