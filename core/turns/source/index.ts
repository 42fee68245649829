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
} from "./turn-source.ts";
