/** The headers of an event stream (HTML standard, 9.2). */
export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // nginx would hold events back to fill its buffers.
  "x-accel-buffering": "no",
};

/** One event in the format of an event stream (HTML standard, 9.2.6); clients resume with `id`. */
export function serializeEvent(event: string, data: unknown, id?: number): string {
  // JSON has no line breaks, so the data is one line.
  const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  return id === undefined ? text : `id: ${id}\n${text}`;
}
