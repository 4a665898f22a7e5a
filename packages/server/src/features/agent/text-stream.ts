/** Gathers small pieces of text, so that an event is not made of every token. */
export interface TextStream {
  add(text: string): void;
  flush(): void;
}

/** @param everyMs the longest that a piece waits */
export function makeTextStream(emit: (text: string) => void, everyMs = 100): TextStream {
  let waiting = "";
  let timer: NodeJS.Timeout | undefined;
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === "") return;
    const text = waiting;
    waiting = "";
    emit(text);
  }
  return {
    add(text) {
      waiting += text;
      timer ??= setTimeout(flush, everyMs);
    },
    flush,
  };
}
