export { Journal } from "./journal.ts";
export {
  finalIdOf,
  sessionTtl,
  type TurnRecord,
  traceIdOf,
  turnIdOf,
  turnKey,
  turnKeyById,
  turnsOfAgent,
} from "./turn-record.ts";
