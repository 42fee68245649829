export { type ConnectionLimits, limitConnections } from "./connection-limits.ts";
export {
  isLocalClient,
  isLoopbackName,
  limitBodies,
  limitRequests,
  markAuthenticated,
  warnOfUndeclaredProxy,
} from "./limit-requests.ts";
export { SignInGuard } from "./sign-in-guard.ts";
