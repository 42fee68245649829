import { useState } from "preact/hooks";
import { ActionButton } from "../parts/action-button.tsx";
import { Dialog, Field } from "../parts/dialog.tsx";
import { PageFrame } from "../parts/page-frame.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { Row } from "../parts/row.tsx";
import { When } from "../parts/when.tsx";
import type { Route } from "../route.tsx";
import { useConsole } from "../state/console-context.ts";
import { useAction } from "../state/use-action.ts";
import { useAnswer } from "../state/use-answer.ts";

export const BlocksPage = ({ route }: { route: Route }) => {
  const { client } = useConsole();
  const [isAdding, setAdding] = useState(false);
  const answer = useAnswer("blocks", route.query);
  return (
    <PageFrame
      title="Blocked accounts"
      about="A blocked account gets one refusal and then no answer. Its work stops and reaches no conversation."
      tools={
        <button type="button" onClick={() => setAdding(true)}>
          Block an account
        </button>
      }
    >
      <PagedList
        name="Blocked accounts"
        route={route}
        answer={answer}
        empty={{ title: "No account is blocked.", text: "Block one here, on the page People, or from a report." }}
      >
        {({ ref, channel, accountId, tenant, reason, at, refusedAt }) => (
          <Row
            key={ref}
            title={
              <span>
                {channel} · <code>{accountId}</code>
              </span>
            }
            note={reason}
            actions={
              <ActionButton
                label="Unblock"
                of={`${accountId} on ${channel}`}
                done={answer.reload}
                act={async () => {
                  await client.post("blocks/:ref/unblock", { ref });
                  return `${accountId} on ${channel} is unblocked.`;
                }}
              />
            }
            facts={[
              ["Blocked", <When key="at" at={at} />],
              ["Refused", refusedAt === undefined ? "has not written since" : <When key="refused" at={refusedAt} />],
              ["Tenant", tenant],
            ]}
          />
        )}
      </PagedList>
      {isAdding && <NewBlock close={() => setAdding(false)} done={answer.reload} />}
    </PageFrame>
  );
};

const NewBlock = ({ close, done }: { close: () => void; done: () => void }) => {
  const { client } = useConsole();
  const { data } = useAnswer("channels", {});
  const [channel, setChannel] = useState("");
  const [accountId, setAccount] = useState("");
  const [reason, setReason] = useState("");
  const chosen = channel || (data?.items[0]?.channel ?? "");
  const { isBusy, run } = useAction(async () => {
    await client.post("blocks", {}, { channel: chosen, accountId, ...(reason.trim() !== "" && { reason }) });
    return `${accountId} on ${chosen} is blocked.`;
  }, done);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await run()) close();
  };
  return (
    <Dialog title="Block an account" close={close}>
      <form onSubmit={(event) => void submit(event)}>
        <Field label="Channel">
          {(id) => (
            <select id={id} value={chosen} onChange={(event) => setChannel(event.currentTarget.value)}>
              {data?.items.map((each) => (
                <option key={each.channel} value={each.channel}>
                  {each.channel}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Account id" hint="The id on the platform, as People and Reports show it.">
          {(id) => (
            <input id={id} required value={accountId} onInput={(event) => setAccount(event.currentTarget.value)} />
          )}
        </Field>
        <Field label="Reason" hint="For operators only.">
          {(id) => (
            <input id={id} maxLength={500} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
          )}
        </Field>
        <div class="dialog-actions">
          <button type="button" onClick={close}>
            Go back
          </button>
          <button type="submit" class="danger" disabled={isBusy || chosen === ""}>
            Block
          </button>
        </div>
      </form>
    </Dialog>
  );
};
