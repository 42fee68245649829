import { createChat } from "mooring/web";
import { useEffect, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";

const chat = createChat({ url: document.body.dataset.channel ?? "" });

const useChat = () => useSyncExternalStore(chat.subscribe, chat.getSnapshot);

/** @param {{ entry: import("mooring/web").ChatEntry }} props */
const Entry = ({ entry }) => {
  if (entry.type === "message")
    return (
      <li>
        <b>You:</b> {entry.text}
      </li>
    );
  const { id, anchor, markdown, actions, rating } = entry;
  return (
    <li>
      {anchor && <small>{anchor.text}</small>}
      <p>{markdown}</p>
      {actions.map((action) => (
        <button type="button" key={`${action.name} ${action.value}`} onClick={() => chat.press(action)}>
          {action.label}
        </button>
      ))}
      <button type="button" aria-pressed={rating === "up"} onClick={() => chat.rate(id, "up")}>
        Good answer
      </button>
    </li>
  );
};

/** @param {{ message: import("mooring/web").PendingMessage }} props */
const Pending = ({ message: { id, text, failure } }) => (
  <li>
    {text} <small>{failure === undefined ? "waiting to be sent" : `not sent: ${failure}`}</small>
    {failure !== undefined && (
      <button type="button" onClick={() => chat.retry(id)}>
        Try again
      </button>
    )}
  </li>
);

const Composer = () => {
  const { draft, isWaiting } = useChat();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.trim() !== "") chat.send(draft.trim());
        chat.setDraft("");
      }}
    >
      <input aria-label="Your message" value={draft} onChange={({ target }) => chat.setDraft(target.value)} />
      <button type="submit">Send</button>
      {isWaiting && (
        <button type="button" onClick={() => chat.stop()}>
          Stop
        </button>
      )}
    </form>
  );
};

const App = () => {
  const { agent, status, isHeld, entries, pending, drafts, older } = useChat();
  useEffect(() => {
    chat.open();
    return () => chat.close();
  }, []);
  useEffect(() => {
    if (entries.length > 0) chat.markRead();
  }, [entries]);
  return (
    <main>
      <h1>{agent}</h1>
      <p role="status">{isHeld ? "Offline: messages are sent later." : status}</p>
      <button type="button" onClick={() => chat.startConversation()}>
        New conversation
      </button>
      {older === "more" && (
        <button type="button" onClick={() => chat.loadOlder()}>
          Earlier messages
        </button>
      )}
      <ol aria-live="polite">
        {entries.map((entry) => (
          <Entry key={entry.key} entry={entry} />
        ))}
        {drafts.map(({ answers, markdown }) => (
          <li key={answers}>{markdown}</li>
        ))}
        {pending.map((message) => (
          <Pending key={message.id} message={message} />
        ))}
      </ol>
      <Composer />
    </main>
  );
};

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
