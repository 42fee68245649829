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

/** Installs `window.mooring` and replays, in order, the calls that the page queued before the script loaded. */
const serve = (api: PublicApi): void => {
  const early = [...(window.mooring?.q ?? [])];
  const call: Callable = (name, ...args) => {
    const method = METHODS.find((each) => each === name);
    if (method === undefined) console.warn(`mooring: unknown method "${name}"; use ${METHODS.join(", ")}`);
    else (api[method] as (...args: unknown[]) => void).apply(api, args);
  };
  call.isReady = true;
  window.mooring = call;
  // `identify` goes first, so that no anonymous visitor is created on a page that identifies its visitor.
  const isIdentity = ([name]: Call) => name === "identify";
  for (const each of early.filter(isIdentity)) call(...each);
  api.start();
  for (const each of early) if (!isIdentity(each)) call(...each);
};

const script = document.currentScript;
if (!(script instanceof HTMLScriptElement) || script.src === "") {
  console.warn("mooring: load this script with its own <script> tag, not as a module");
} else if (window.mooring?.isReady) {
  console.warn("mooring: the chat is already on this page");
} else {
  // The gateway's address is that of the script.
  const start = () => serve(new PublicApi(script.src, readOptions(script.dataset)));
  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);
}
