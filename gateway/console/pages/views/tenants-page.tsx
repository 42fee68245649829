import { useState } from "preact/hooks";
import type { Tenant } from "../../../admin-api/index.ts";
import { Refused } from "../api/refused.ts";
import { Dialog } from "../parts/dialog.tsx";
import { PageFrame } from "../parts/page-frame.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { Row, StateMark } from "../parts/row.tsx";
import type { Route } from "../route.tsx";
import { useConsole } from "../state/console-context.ts";
import { useAction } from "../state/use-action.ts";
import { useAnswer } from "../state/use-answer.ts";

export const TenantsPage = ({ route }: { route: Route }) => {
  const answer = useAnswer("tenants", {});
  return (
    <PageFrame title="Tenants" about="Settings that take effect at once.">
      <PagedList
        name="Tenants"
        route={route}
        answer={answer}
        empty={{ title: "You cannot manage any tenant.", text: "Ask a platform admin." }}
      >
        {(tenant) => (
          <Row
            key={tenant.id}
            title={tenant.id}
            state={
              <StateMark
                tone={tenant.a2aAsync ? "good" : "calm"}
                text={tenant.a2aAsync ? "asynchronous" : "synchronous"}
              />
            }
            note="In asynchronous mode, agents continue their work while other agents work for them, and get the answers later."
            actions={<AsyncSwitch tenant={tenant} done={answer.reload} />}
            facts={[["Setting", <code key="name">a2aAsync</code>]]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};

/** Turning it on needs a confirmation of the consequences that the gateway lists; turning it off does not (A2). */
const AsyncSwitch = ({ tenant: { id, a2aAsync }, done }: { tenant: Tenant; done: () => void }) => {
  const { client } = useConsole();
  const [expect, setExpect] = useState<readonly string[]>();
  const change = (body: { a2aAsync: boolean; confirm?: true }) => client.patch("tenants/:id", { id }, body);
  const off = useAction(async () => {
    await change({ a2aAsync: false });
    return `Agents of ${id} are now synchronous.`;
  }, done);
  const on = useAction(async () => {
    await change({ a2aAsync: true, confirm: true });
    return `Agents of ${id} are now asynchronous.`;
  }, done);
  const ask = useAction(async () => {
    try {
      await change({ a2aAsync: true });
    } catch (error) {
      if (!(error instanceof Refused) || error.expect === undefined) throw error;
      setExpect(error.expect);
      return "This needs your confirmation.";
    }
    return `Agents of ${id} are asynchronous.`;
  }, done);
  return (
    <>
      <button
        type="button"
        aria-label={`${a2aAsync ? "Turn off async" : "Turn on async"}: ${id}`}
        disabled={off.isBusy || ask.isBusy}
        onClick={() => void (a2aAsync ? off.run() : ask.run())}
      >
        {a2aAsync ? "Turn off async" : "Turn on async"}
      </button>
      {expect && (
        <Dialog title={`Turn on asynchronous mode for ${id}?`} close={() => setExpect(undefined)}>
          <p>What to expect:</p>
          <ul>
            {expect.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          <div class="dialog-actions">
            <button type="button" onClick={() => setExpect(undefined)}>
              Cancel
            </button>
            <button
              type="button"
              class="primary"
              disabled={on.isBusy}
              onClick={() => void on.run().then(() => setExpect(undefined))}
            >
              I have read this: turn on
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
};
