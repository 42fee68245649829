import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/** The parts of an address: `/console/<page>/<id>?<query>`. */
export interface Route {
  readonly page: string;
  readonly id: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}

const routeOf = ({ pathname, search }: Pick<Location, "pathname" | "search">): Route => {
  const [page = "", id] = pathname
    .replace(/^\/console\/?/, "")
    .split("/")
    .map(decoded);
  return { page: page || "overview", id: id || undefined, query: Object.fromEntries(new URLSearchParams(search)) };
};

/** The address of a page; undefined and empty query values are omitted. */
export const addressOf = (
  page: string,
  id?: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const path = id === undefined ? `/console/${page}` : `/console/${page}/${encodeURIComponent(id)}`;
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

const CHANGED = "console:route";

export const navigate = (address: string): void => {
  history.pushState(null, "", address);
  dispatchEvent(new Event(CHANGED));
};

/** The current route. */
export const useRoute = (): Route => {
  const [route, setRoute] = useState(() => routeOf(location));
  useEffect(() => {
    const follow = () => setRoute(routeOf(location));
    addEventListener("popstate", follow);
    addEventListener(CHANGED, follow);
    return () => {
      removeEventListener("popstate", follow);
      removeEventListener(CHANGED, follow);
    };
  }, []);
  return route;
};

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A link within the console. Modified clicks, such as "open in a new tab", work as usual. */
export const Link = ({ to, class: look, current = false, children }: LinkProps) => (
  <a
    href={to}
    {...(look !== undefined && { class: look })}
    {...(current && { "aria-current": "page" as const })}
    onClick={(event) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      navigate(to);
    }}
  >
    {children}
  </a>
);
