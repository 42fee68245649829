import type { ServerFrame } from "../protocol.ts";
import { ChatPanel } from "./chat-panel.ts";
import type { ChatState } from "./chat-socket.ts";
import { ChatSocket } from "./chat-socket.ts";
import { KeptValues } from "./kept-values.ts";
import { OutgoingQueue } from "./outgoing-queue.ts";
import { Transcript } from "./transcript.ts";

const STATES: Record<ChatState, string> = {
  connecting: "Connecting…",
  open: "",
  away: "Offline. Messages are sent when you are back.",
  refused: "This chat cannot be continued here.",
};

/** The script's own address says where the gateway is. */
const start = (script: string): void => {
  const address = new URL("socket", script);
  address.protocol = address.protocol.replace("http", "ws");
  const prefix = `mooring:${address.host}${address.pathname}:`;
  const queue = new OutgoingQueue(new KeptValues(() => sessionStorage, prefix));
  const tokens = new KeptValues(() => localStorage, prefix);

  const panel = new ChatPanel({
    submit: (text, replyTo) =>
      submit({ type: "message", id: newId(), text, ...(replyTo !== undefined && { replyTo }) }),
    older: () => socket.askForHistory(transcript.oldest ?? 1),
    startOver: () => {
      transcript.clear();
      socket.startOver();
    },
  });
  const transcript = new Transcript({
    log: panel.log,
    drafts: panel.drafts,
    act: (name, args) => submit({ type: "command", id: newId(), name, args }),
    answer: (id, about) => panel.answer(id, about),
  });
  const show = (frame: ServerFrame): void => {
    if (frame.type === "welcome") panel.setAgent(frame.agent);
    else if (frame.type === "said" || frame.type === "edit") transcript.addLogged(frame);
    else if (frame.type === "reply") {
      transcript.addLogged(frame);
      panel.setTyping(false);
      if (frame.kind === "final" || frame.kind === "notice") panel.countUnread();
    } else if (frame.type === "delta") {
      transcript.addDelta(frame);
      panel.setTyping(false);
    } else if (frame.type === "typing") panel.setTyping(true);
    else if (frame.type === "gap") transcript.addGap();
    else if (frame.type === "history") {
      for (const item of frame.items) transcript.addLogged(item);
      panel.setOlder(frame.before !== null);
    } else if (frame.type === "error" && frame.code === "resume-ahead") transcript.clear();
  };
  const socket = new ChatSocket(address.href, tokens, queue, {
    frame: (frame) => panel.update(() => show(frame)),
    state: (state, reason) => panel.setStatus(STATES[state], state === "refused" && reason?.startsWith("token-")),
    failed: (id, message) => panel.update(() => transcript.markFailed(id, message)),
  });
  const submit = (frame: Parameters<typeof socket.submit>[0]): void => {
    panel.update(() => transcript.addPending(frame));
    socket.submit(frame);
  };

  for (const frame of queue.all) panel.update(() => transcript.addPending(frame));
  panel.mount(document.body);
  socket.open();
  addEventListener("online", () => socket.hurry());
  document.addEventListener("visibilitychange", () => document.hidden || socket.hurry());
};

/** Works on plain http too, where randomUUID does not exist. */
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const script = document.currentScript;
if (script instanceof HTMLScriptElement && script.src !== "") {
  if (document.body) start(script.src);
  else document.addEventListener("DOMContentLoaded", () => start(script.src));
}
