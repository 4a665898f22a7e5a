/** Collects small pieces of text, so that not every token becomes an event. */
export interface TextStream {
  add(text: string): void;
  flush(): void;
}

/** @param everyMs maximum delay of a piece */
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
