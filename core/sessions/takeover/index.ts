export {
  activeTakeover,
  allTakeovers,
  endTakeover,
  forgetTakeover,
  isActive,
  noteAnnounced,
  startTakeover,
  type Takeover,
} from "./takeover.ts";
