export { journaledFiles, withFiles } from "./turn-files.ts";
export {
  deleteTurn,
  finalIdOf,
  Journal,
  sessionTtl,
  type TurnRecord,
  traceIdOf,
  turnIdOf,
  turnKey,
  turnKeyById,
  turnsOfAgent,
} from "./turn-records.ts";
