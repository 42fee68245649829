import { useEffect, useState } from "preact/hooks";
import { type Route, routeOf } from "./route.ts";

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
