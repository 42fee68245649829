export { markAuthenticated } from "./authenticated-requests.ts";
export { isLocalClient, isLoopbackName } from "./client-address.ts";
export { type ConnectionLimits, limitConnections } from "./connection-limits.ts";
export { limitBodies } from "./limit-bodies.ts";
export { limitRequests } from "./limit-requests.ts";
export { SignInGuard } from "./sign-in-guard.ts";
export { warnOfUndeclaredProxy } from "./undeclared-proxy.ts";
