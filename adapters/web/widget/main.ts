import { PublicApi } from "./public-api.ts";
import { readOptions } from "./widget-options.ts";

type Call = readonly [name: string, ...args: unknown[]];
type Callable = ((...call: Call) => void) & { q?: Iterable<Call>; isReady?: true };

declare global {
  interface Window {
    mooring?: Callable;
  }
}

const METHODS = ["start", "open", "close", "toggle", "send", "identify", "shutdown", "on", "off"] as const;

/** Calls that the page made before the script was there are made now, in order. */
const serve = (api: PublicApi): void => {
  const early = [...(window.mooring?.q ?? [])];
  const call: Callable = (name, ...args) => {
    const method = METHODS.find((each) => each === name);
    if (method === undefined) console.warn(`mooring: there is no "${name}"; there are ${METHODS.join(", ")}`);
    else (api[method] as (...args: unknown[]) => void).apply(api, args);
  };
  call.isReady = true;
  window.mooring = call;
  // Nobody is to be made up for a page that has said who is here.
  const isIdentity = ([name]: Call) => name === "identify";
  for (const each of early.filter(isIdentity)) call(...each);
  api.start();
  for (const each of early) if (!isIdentity(each)) call(...each);
};

const script = document.currentScript;
if (!(script instanceof HTMLScriptElement) || script.src === "") {
  console.warn("mooring: load this script with a tag of its own, not as a module");
} else if (window.mooring?.isReady) {
  console.warn("mooring: the chat is on this page already");
} else {
  // The script's own address says where the gateway is.
  const start = () => serve(new PublicApi(script.src, readOptions(script.dataset)));
  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);
}
