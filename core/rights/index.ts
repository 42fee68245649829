export { DEFAULT_RIGHTS, type Groups, OPERATOR, Rights } from "./rights.ts";
