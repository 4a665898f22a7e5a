import { type ComponentType, lazy, type ReactElement, type ReactNode, Suspense } from "react";

/**
 * A lazily loaded part of the console. If loading fails, because there is no connection or the
 * platform was updated, it says so in its place.
 */
export function lazyComponent<P extends object>(
  load: () => Promise<ComponentType<P>>,
  meanwhile: ReactNode = null,
): ComponentType<P> {
  const Loaded = lazy(lazyModule(load));
  return function Part(props: P): ReactElement {
    return (
      <Suspense fallback={meanwhile}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}

/** Loads a part for `lazy`; a failed one is replaced by a part that says so. */
export function lazyModule<P extends object>(load: () => Promise<ComponentType<P>>) {
  return async (): Promise<{ default: ComponentType<P> }> => {
    try {
      return { default: await load() };
    } catch {
      return { default: Unloaded };
    }
  };
}

function Unloaded(): ReactElement {
  return (
    <p className="notice unloaded" role="alert">
      Couldn’t load this part. Reload the page. Your text is kept.
    </p>
  );
}
