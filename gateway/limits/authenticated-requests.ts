import type { IncomingHttpHeaders } from "node:http";

const authenticated = new WeakSet<IncomingHttpHeaders>();

/** The request has shown a valid credential in its headers. Its headers object stands for it everywhere. */
export const markAuthenticated = ({ headers }: { readonly headers: IncomingHttpHeaders }): void =>
  void authenticated.add(headers);

export const isAuthenticated = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean =>
  authenticated.has(headers);
