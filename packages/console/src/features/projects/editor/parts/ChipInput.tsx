import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactElement,
  useRef,
  useState,
} from "react";

import { useAnnounce } from "../../../../api/context.tsx";
import { Field } from "../../../../ui/Field.tsx";
import { useFieldNote } from "../../../../ui/FieldNotes.tsx";
import { Icon } from "../../../../ui/Icon.tsx";
import { addLabels, isList } from "../chip-input.ts";

export interface ChipInputProps {
  label: string;
  /** Identifies the field for the form and for notes. */
  name?: string;
  hint?: string;
  error?: string | undefined;
  values: readonly string[];
  onValues(words: string[]): void;
  /** Words used elsewhere, as buttons. */
  suggestions?: readonly string[];
  placeholder?: string;
}

/** Maximum suggestions shown at once. */
const maxSuggestions = 8;

function suggested(props: ChipInputProps, text: string): readonly string[] {
  const has = new Set(props.values.map((word) => word.toLowerCase()));
  const typed = text.trim().toLowerCase();
  return (props.suggestions ?? [])
    .filter((word) => !has.has(word.toLowerCase()) && word.toLowerCase().includes(typed))
    .slice(0, maxSuggestions);
}

function Chips(props: {
  label: string;
  words: readonly string[];
  onRemove(index: number): void;
}): ReactElement | null {
  const { label, words } = props;
  if (words.length === 0) return null;
  return (
    <ul aria-label={`Chosen: ${label}`}>
      {words.map((word, index) => (
        <li key={word} className="chip">
          <span>{word}</span>
          <button
            type="button"
            aria-label={`Remove ${word} from ${label}`}
            onClick={() => props.onRemove(index)}
          >
            <Icon name="cross" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Offers(props: {
  label: string;
  words: readonly string[];
  onTake(word: string): void;
}): ReactElement | null {
  if (props.words.length === 0) return null;
  return (
    <div className="chip-offers" role="group" aria-label={`Suggestions for ${props.label}`}>
      {props.words.map((word) => (
        <button
          key={word}
          type="button"
          // The field keeps its text: losing the focus would add it first.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => props.onTake(word)}
        >
          {word}
        </button>
      ))}
    </div>
  );
}

/** The words and the text being typed, with actions. */
function useChips(props: ChipInputProps) {
  const { label, values } = props;
  const announce = useAnnounce();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");

  function add(more: string): void {
    const next = addLabels(values, more);
    const added = next.slice(values.length);
    setText("");
    if (added.length === 0) return;
    props.onValues(next);
    announce(`${added.join(", ")} added to ${label}.`);
  }
  function remove(index: number): void {
    announce(`${values[index] ?? ""} removed from ${label}.`);
    props.onValues(values.toSpliced(index, 1));
    input.current?.focus();
  }
  function onKey(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    if (event.ctrlKey || event.metaKey) {
      // The save shortcut includes the typed text; its listener is further out and runs after this.
      if (event.key.toLowerCase() === "s") add(text);
    } else if (event.key === "Enter") {
      event.preventDefault();
      add(text);
    } else if (event.key === "Backspace" && text === "" && values.length > 0) {
      event.preventDefault();
      remove(values.length - 1);
    }
  }
  function onPaste(event: ClipboardEvent): void {
    const pasted = event.clipboardData.getData("text/plain");
    if (!isList(pasted)) return;
    event.preventDefault();
    add(`${text}${pasted}`);
  }
  return { input, text, setText, add, remove, onKey, onPaste };
}

/**
 * A list of short words: comma or Enter adds, Backspace removes the last one, a pasted list is
 * split.
 */
export function ChipInput(props: ChipInputProps): ReactElement {
  const { label, values } = props;
  const { input, text, setText, add, remove, onKey, onPaste } = useChips(props);
  const note = useFieldNote(props.name);
  return (
    <Field label={label} hint={props.hint} error={props.error} note={note}>
      {(control) => (
        <>
          <div className="chips">
            <Chips label={label} words={values} onRemove={remove} />
            <input
              {...control}
              ref={input}
              name={props.name}
              type="text"
              autoComplete="off"
              enterKeyHint="enter"
              placeholder={values.length === 0 ? props.placeholder : undefined}
              value={text}
              onChange={({ target }) => (isList(target.value) ? add : setText)(target.value)}
              onPaste={onPaste}
              onKeyDown={onKey}
              onBlur={() => add(text)}
            />
          </div>
          <Offers
            label={label}
            words={suggested(props, text)}
            onTake={(word) => {
              add(word);
              input.current?.focus();
            }}
          />
        </>
      )}
    </Field>
  );
}
