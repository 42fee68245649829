export type {
  FinishedTurn,
  RecordedTurn,
  RequestState,
  SyntheticMessage,
  TurnFeatures,
  TurnHook,
  TurnPrompt,
  TurnRequester,
  TurnResult,
  TurnSource,
} from "./turn-source.ts";
