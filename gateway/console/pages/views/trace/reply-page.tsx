import { useState } from "preact/hooks";
import type { Delivery } from "../../../../admin-api/index.ts";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Empty, Failed, Loading } from "../../parts/placeholders.tsx";
import type { Route } from "../../route.tsx";
import { useAnswer } from "../../state/use-answer.ts";
import { Deliveries } from "../outcomes/deliveries.tsx";

const REFRESH_MS = 3_000;

/** The deliveries of one reply, such as a test message. */
export const ReplyPage = ({ route: { id = "", query } }: { route: Route }) => {
  const [isSettled, setSettled] = useState(false);
  const everyMs = isSettled ? undefined : REFRESH_MS;
  const { data, error, reload } = useAnswer(
    "replies/:replyId/deliveries",
    { replyId: id, agent: query.agent },
    everyMs,
  );
  if (!isSettled && data && data.items.length > 0 && data.items.every(hasSettled)) setSettled(true);
  return (
    <PageFrame
      title="Deliveries of a reply"
      about={<code>{id}</code>}
      tools={
        <button type="button" onClick={reload}>
          Reload
        </button>
      }
    >
      {error !== undefined && <Failed error={error} retry={reload} />}
      {error === undefined && data === undefined && <Loading />}
      {data && (
        <section class="card">
          {data.items.length === 0 ? (
            <Empty title="No deliveries yet.">
              Deliveries can take a moment. Channels with their own log, such as the web widget, do not record
              deliveries.
            </Empty>
          ) : (
            <Deliveries deliveries={data.items} />
          )}
        </section>
      )}
    </PageFrame>
  );
};

const hasSettled = ({ state }: Delivery): boolean => ["accepted", "logged", "given-up"].includes(state);
