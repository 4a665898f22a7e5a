/**
 * How long videos and audio are audible, according to their files. Runs inside the page, so it
 * can't use anything outside the function.
 */
export function makeSound() {
  /** The seconds of a time such as `12.5`, `1:30`, or `1:02:03`; null for anything else. */
  const secondsOf = (time) =>
    /^(\d+:)?(\d+:)?\d+(\.\d*)?$/.test(time)
      ? time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0)
      : null;
  /**
   * The part of a file that its address selects (Media Fragments URI 1.0, 4.2.1); the last one
   * counts.
   */
  const partOf = (address) => {
    const pairs = (address.split("#")[1] ?? "").split("&");
    const given = pairs.findLast((pair) => pair.startsWith("t="))?.slice(2) ?? "";
    const [from = "", to] = given.replace(/^npt:/, "").split(",");
    const start = from === "" ? 0 : secondsOf(from);
    const end = to === undefined ? Infinity : secondsOf(to);
    const isOne = start !== null && end !== null && start < end;
    return isOne && given !== "" ? { start, end } : { start: 0, end: Infinity };
  };
  const addressOf = (element) =>
    element.currentSrc ||
    (element.getAttribute("src") ?? element.querySelector("source")?.getAttribute("src") ?? "");
  /** Whether it has an audio track; null if unknown. */
  const isLoud = (element) => {
    if (element.webkitAudioDecodedByteCount > 0 || element.mozHasAudio) return true;
    if (!(element.readyState > 0)) return null;
    if (element.localName === "audio") return true;
    try {
      const stream = element.captureStream();
      const loud = stream.getAudioTracks().length > 0;
      for (const track of stream.getTracks()) track.stop();
      return loud;
    } catch {
      // A video from another origin can't be inspected.
      return null;
    }
  };
  return {
    /** Whether its file has no sound track. */
    isSilent: (element) => isLoud(element) === false,
    /** How many seconds are audible when it plays automatically: 0 if none, null if unknown. */
    audibleSecondsOf(element) {
      const address = addressOf(element);
      if (address === "" || element.hasAttribute("muted") || element.muted === true) return 0;
      if (element.volume === 0) return 0;
      const loud = isLoud(element);
      if (loud === false) return 0;
      const { start, end } = partOf(address);
      const whole = element.readyState > 0 ? element.duration : Number.NaN;
      const last = Number.isNaN(whole) ? end : Math.min(end, whole);
      const lasts = last === Infinity && Number.isNaN(whole) ? null : Math.max(0, last - start);
      // A loop continues; after a part of a file, browsers play the rest.
      if (element.hasAttribute("loop")) return loud === null || end !== Infinity ? null : Infinity;
      if (lasts !== null && lasts <= 3) return lasts;
      return loud === null ? null : lasts;
    },
  };
}
