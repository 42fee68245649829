export type {
  FindRequester,
  FinishedTurn,
  RecordedTurn,
  RequestState,
  TurnFeatures,
  TurnHook,
  TurnPrompt,
  TurnRequester,
  TurnResult,
  TurnSources,
  TurnUpdates,
} from "./turn-source.ts";
