export { isLocalClient, isLoopbackName, warnOfUndeclaredProxy } from "./client-address.ts";
export { type ConnectionLimits, limitConnections } from "./connection-limits.ts";
export { limitBodies, limitRequests, markAuthenticated } from "./limit-requests.ts";
export { SignInGuard } from "./sign-in-guard.ts";
