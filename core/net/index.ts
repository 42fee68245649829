export {
  appErrorIn,
  checkAddress,
  createGuardedFetch,
  type GuardedFetch,
  Redirected,
} from "./guarded-fetch.ts";
