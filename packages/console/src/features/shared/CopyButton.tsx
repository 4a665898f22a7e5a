import { type ReactElement, useState } from "react";

import { useAnnounce } from "../../api/context.tsx";
import { Button } from "../../ui/Button.tsx";
import { copyText } from "./copy-text.ts";

/** Copies a text, and says in its own word whether that went well. */
export function CopyButton(props: { text: string; what: string }): ReactElement {
  const { text, what } = props;
  const announce = useAnnounce();
  const [word, setWord] = useState("Copy");
  const copy = async (): Promise<void> => {
    const done = await copyText(text).then(
      () => true,
      () => false,
    );
    setWord(done ? "Copied" : "Can’t copy");
    announce(done ? `${what} is copied.` : `The browser does not copy. ${what} is ${text}`);
  };
  return (
    <Button
      icon={word === "Copied" ? "check" : "copy"}
      label={`${word}: ${what}`}
      onClick={() => void copy()}
    >
      {word}
    </Button>
  );
}
