import { useState } from "preact/hooks";
import type { Trace } from "../../../../admin-api/index.ts";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Empty, Failed, Loading } from "../../parts/placeholders.tsx";
import { conversationText, Facts, StateMark } from "../../parts/row.tsx";
import { When } from "../../parts/when.tsx";
import { addressOf, Link, navigate, type Route } from "../../route.tsx";
import { useLiveTrace } from "../../state/use-live-trace.ts";
import { Timeline } from "./timeline.tsx";

/** Follows one message live. */
export const TracePage = ({ route: { id, query } }: { route: Route }) => (
  <PageFrame title="Trace" about="All work that followed from one message, from its intake to each delivery.">
    <FindTrace id={id} />
    {id === undefined ? (
      <Empty title="Enter an id.">
        Use the id of a message, a turn, a reply or a subtask, or a trace id from the logs. Or choose one from{" "}
        <Link to={addressOf("sessions")}>Sessions</Link>.
      </Empty>
    ) : (
      <FollowedTrace id={id} agent={query.agent} />
    )}
  </PageFrame>
);

const FindTrace = ({ id }: { id: string | undefined }) => {
  const [wanted, setWanted] = useState(id ?? "");
  return (
    <form
      class="find"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted.trim() !== "") navigate(addressOf("trace", wanted.trim()));
      }}
    >
      <input
        aria-label="Id of a message, turn, reply, subtask or trace"
        placeholder="Id"
        spellcheck={false}
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        Show
      </button>
    </form>
  );
};

const FollowedTrace = ({ id, agent }: { id: string; agent: string | undefined }) => {
  const { data: trace, error, isLive, reload } = useLiveTrace(id, agent);
  if (error !== undefined) return <Failed error={error} retry={reload} />;
  if (trace === undefined) return <Loading />;
  return (
    <>
      <Head trace={trace} isLive={isLive} />
      <Timeline trace={trace} />
    </>
  );
};

const Head = ({ trace, isLive }: { trace: Trace; isLive: boolean }) => {
  const { origin, asker, conversation, agent, traceId, state } = trace;
  return (
    <section class="card" aria-label="The message">
      <div class="row-head">
        <span class="row-title">“{origin.promptSummary}”</span>
        <StateMark tone={state === "running" ? "busy" : "good"} text={state} />
        <span class="faint live">{isLive ? "live" : "connecting"}</span>
      </div>
      <Facts
        facts={[
          ["From", asker.name],
          ["Where", conversationText(conversation)],
          ["Agent", agent],
          ["Started", <When key="began" at={origin.startedAt} />],
          ["Trace", <code key="trace">{traceId}</code>],
        ]}
      />
    </section>
  );
};
