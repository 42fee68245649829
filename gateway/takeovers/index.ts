export { announceTakeover, answerAsOperator, TakeoverKeeper } from "./keep-takeovers.ts";
