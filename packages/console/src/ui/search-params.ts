import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";

export type AddressChange = Readonly<Record<string, string | number | null>>;

/** A query with some keys changed; empty and null values are removed. */
export function changeSearch(search: string, change: AddressChange): string {
  const params = new URLSearchParams(search);
  for (const [key, value] of Object.entries(change)) {
    if (value === null || value === "") params.delete(key);
    else params.set(key, String(value));
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/** An integer of at least 1 in an address under `key`; defaults to 1. */
export function pageIn(params: URLSearchParams): number {
  const page = Number(params.get("page"));
  return Number.isSafeInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1;
}

/** The ID, an integer of at least 1, in an address under `key`, otherwise null. */
export function idIn(params: URLSearchParams, key: string): number | null {
  const id = Number(params.get(key));
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** One of `known` in an address under `key`, otherwise null. */
export function readChoice<V extends string>(
  params: URLSearchParams,
  key: string,
  known: readonly V[],
): V | null {
  const value = params.get(key);
  return known.find((candidate) => candidate === value) ?? null;
}

const changed = "vitrine:address";

function subscribe(listener: () => void): () => void {
  addEventListener("popstate", listener);
  addEventListener(changed, listener);
  return () => {
    removeEventListener("popstate", listener);
    removeEventListener(changed, listener);
  };
}

export interface Address {
  params: URLSearchParams;
  /** Changes the query: as a history entry, or in place. */
  change(change: AddressChange, how?: "push" | "replace"): void;
}

/** The page's query as its state, so that Back, reloading, and links work. */
export function useAddress(): Address {
  const search = useSyncExternalStore(subscribe, () => location.search);
  const change = useCallback((wanted: AddressChange, how: "push" | "replace" = "push"): void => {
    const next = changeSearch(location.search, wanted);
    if (next === location.search) return;
    const address = location.pathname + next;
    if (how === "push") history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    dispatchEvent(new Event(changed));
  }, []);
  return { params: new URLSearchParams(search), change };
}

/** Pause in typing before searching, in ms. */
const restMs = 300;

export interface SearchText {
  text: string;
  /** The typed text; it reaches the address after a pause. */
  type(text: string): void;
  /** Ends the history entry: later typing creates another one. */
  leave(): void;
}

/**
 * The text of a search field, stored after a pause in the address under `q`. Typing creates one
 * history entry, however many pauses it has.
 */
export function useSearchText(address: Address): SearchText {
  const { params, change } = address;
  const inAddress = params.get("q") ?? "";
  const [text, setText] = useState(inAddress);
  const written = useRef(inAddress);
  const inStep = useRef(false);
  useEffect(() => {
    // The address has changed otherwise: Back, or a filter that was cleared.
    if (inAddress === written.current) return;
    written.current = inAddress;
    inStep.current = false;
    setText(inAddress);
  }, [inAddress]);
  useEffect(() => {
    const q = text.trim();
    if (q === written.current) return;
    const timer = setTimeout(() => {
      written.current = q;
      change({ q, page: null }, inStep.current ? "replace" : "push");
      inStep.current = true;
    }, restMs);
    return () => clearTimeout(timer);
  }, [text, change]);
  return {
    text,
    type: setText,
    leave: () => {
      inStep.current = false;
    },
  };
}
