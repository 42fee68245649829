import { createChat } from "mooring/web";

const chat = createChat({ url: document.body.dataset.channel ?? "" });

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);

/**
 * @param {string} tag
 * @param {object} properties
 * @param {(Node | string)[]} children
 */
const make = (tag, properties, children = []) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};

/** @type {(label: string, onclick: () => void) => HTMLElement} */
const button = (label, onclick) => make("button", { type: "button", onclick }, [label]);

// Text nodes only: an answer may contain HTML, which must not become part of the page.
/** @param {import("mooring/web").ChatEntry} entry */
const entryNode = (entry) => {
  if (entry.type === "message") return make("li", { className: "message" }, [entry.text]);
  const { id, anchor, markdown, actions, kind, answers, rating } = entry;
  // The anchor says what a late or proactive message is about, so it comes first.
  const parts = [...(anchor ? [make("small", {}, [anchor.text])] : []), markdown];
  const tools = actions.map((action) => button(action.label, () => chat.press(action)));
  if (kind === "final" && answers !== undefined) {
    tools.push(button("Answer again", () => chat.regenerate(answers)));
    tools.push(button(rating === "up" ? "Rated as good" : "Good", () => chat.rate(id, "up")));
  }
  return make("li", { className: kind }, [...parts, make("small", {}, tools)]);
};

/** @param {import("mooring/web").PendingMessage} message */
const pendingNode = ({ id, text, failure }) =>
  make("li", { className: "message pending" }, [
    text,
    failure === undefined
      ? make("small", {}, ["Waiting to be sent"])
      : make("small", { role: "alert" }, [
          `Not sent: ${failure} `,
          button("Try again", () => chat.retry(id)),
          button("Discard", () => chat.discard(id)),
        ]),
  ]);

/** Unchanged entries are the same objects, so that only new ones are drawn. */
const drawn = new WeakMap();

const render = () => {
  const { entries, pending, drafts, status, isHeld, isWaiting, older, conversation, conversations, draft } =
    chat.getSnapshot();
  for (const entry of entries) if (!drawn.has(entry)) drawn.set(entry, entryNode(entry));
  byId("entries").replaceChildren(
    ...entries.map((entry) => drawn.get(entry)),
    ...drafts.map(({ markdown }) => make("li", { className: "draft" }, [markdown])),
  );
  byId("pending").replaceChildren(...pending.map(pendingNode));
  byId("status").textContent = isHeld ? "Offline: messages are sent later." : status;
  byId("stop").hidden = !isWaiting;
  byId("older").hidden = older !== "more";
  byId("conversations").replaceChildren(
    ...(conversations ?? []).map(({ id, title = id, unread }) =>
      make("option", { value: id, selected: id === conversation }, [unread ? `${title} (unread)` : title]),
    ),
  );
  if (byId("text").value !== draft) byId("text").value = draft;
  if (!document.hidden) chat.markRead();
};

byId("text").oninput = () => chat.setDraft(byId("text").value);
byId("stop").onclick = () => chat.stop();
byId("older").onclick = () => chat.loadOlder();
byId("new").onclick = () => chat.startConversation();
byId("conversations").onchange = () => chat.enterConversation(byId("conversations").value);
byId("file").onchange = async () => {
  const [file] = byId("file").files;
  byId("file").value = "";
  try {
    if (file) chat.send("", { attachments: [await chat.upload(file)] });
  } catch (error) {
    byId("status").textContent = `Not uploaded: ${error instanceof Error ? error.message : error}`;
  }
};
document.forms[0]?.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = chat.getSnapshot().draft.trim();
  if (text !== "") chat.send(text);
  chat.setDraft("");
});

chat.subscribe(render);
chat.open();
void chat.loadConversations();
