export { announceTakeover, answerAsOperator, concludeTakeover, TakeoverKeeper } from "./keep-takeovers.ts";
