import { useState } from "preact/hooks";
import type { AnswerTo } from "../../../../admin-api/index.ts";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Empty, Failed, Loading } from "../../parts/placeholders.tsx";
import { Row } from "../../parts/row.tsx";
import { When } from "../../parts/when.tsx";
import { addressOf, Link, navigate, type Route } from "../../route.tsx";
import { useAnswer } from "../../state/use-answer.ts";
import { FoundSessions } from "./found-sessions.tsx";
import { PrivateWords } from "./private-words.tsx";

type Found = AnswerTo<"GET search">;

const MIN_CHARS = 2;

/** Finds people, sessions and messages. The search has an address, so that it can be shared. */
export const SearchPage = ({ route }: { route: Route }) => {
  const { q = "" } = route.query;
  const [text, setText] = useState(q);
  return (
    <PageFrame
      title="Search"
      about="People, and sessions and messages of seven days, by id, name or summary. Private words need a reason."
    >
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          navigate(addressOf("search", undefined, { q: text.trim() }));
        }}
      >
        <input
          type="search"
          aria-label="Search for"
          placeholder="an id, a name, or words"
          minLength={MIN_CHARS}
          maxLength={200}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Search
        </button>
      </form>
      {q.length >= MIN_CHARS && <Results key={q} q={q} />}
    </PageFrame>
  );
};

const Results = ({ q }: { q: string }) => {
  const { data, error, reload } = useAnswer("search", { q });
  if (error !== undefined) return <Failed error={error} retry={reload} />;
  if (data === undefined) return <Loading />;
  const { people, sessions, messages, isCut } = data;
  const isEmpty = people.length + sessions.length + messages.length === 0;
  return (
    <>
      {isEmpty && <Empty title="Nothing has this id, name or summary.">Summaries have at most 80 characters.</Empty>}
      {people.length > 0 && <FoundPeople people={people} />}
      {sessions.length > 0 && <FoundSessions title="Sessions" sessions={sessions} page="sessions" />}
      {messages.length > 0 && <FoundMessages messages={messages} />}
      {isCut && <p class="faint">There are more: add a word.</p>}
      <PrivateWords words={q} />
    </>
  );
};

const FoundPeople = ({ people }: Pick<Found, "people">) => (
  <>
    <h2>People</h2>
    <ul class="rows" aria-label="People">
      {people.map(({ ref, id, tenant, name, accounts }) => (
        <Row
          key={ref}
          title={name ?? accounts[0]?.name ?? id}
          state={<code class="faint">{id}</code>}
          facts={[
            ...accounts.map((each) => [each.channel, `${each.name} (${each.accountId})`] as const),
            ["Tenant", tenant],
          ]}
        />
      ))}
    </ul>
  </>
);

const FoundMessages = ({ messages }: Pick<Found, "messages">) => (
  <>
    <h2>Messages</h2>
    <ul class="rows" aria-label="Messages">
      {messages.map(({ turnId, messageId, agent, at, summary }) => (
        <Row
          key={turnId}
          title={<Link to={addressOf("trace", messageId, { agent })}>{summary}</Link>}
          facts={[
            ["When", <When key="at" at={at} />],
            ["Agent", agent],
            ["Turn", <code key="id">{turnId}</code>],
          ]}
        />
      ))}
    </ul>
  </>
);
