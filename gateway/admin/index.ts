export { adminRoutes } from "./admin-routes.ts";
export { type AdminGate, adminScope } from "./admin-scope.ts";
export { type OperatorCheck, operatorCheck } from "./operator.ts";
