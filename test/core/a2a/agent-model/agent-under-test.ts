import type { AgentEndpoint } from "../../../../core/contract/remote-endpoint.ts";
import type { ModelDeps } from "../../../../core/model/index.ts";
import { type Behaviour, SdkAgent, type SdkAgentOptions } from "../../../fakes/a2a/sdk-agent.ts";
import { CoreUnderTest, type TestOptions } from "../../core-under-test.ts";

export interface AgentSetting extends TestOptions {
  readonly elsewhere?: SdkAgentOptions;
  readonly endpoint?: Partial<AgentEndpoint>;
}

export interface HostedPair {
  readonly core: CoreUnderTest;
  /** The agent elsewhere that answers. */
  readonly agent: SdkAgent;
}

/** The model of an agent that another one elsewhere answers for. */
export const answeredBy =
  (url: string, endpoint: Partial<AgentEndpoint> = {}) =>
  ({ connectAgent }: ModelDeps) => {
    if (connectAgent === undefined) throw new Error("core provides no connection");
    return connectAgent(
      { url, trusted: false, deadlineMs: 600_000, waitMs: 840_000, unreachableMs: 60_000, ...endpoint },
      "a2a/test",
    );
  };

/** A core whose agent is one of the SDK's, elsewhere. */
export const startHosted = async (
  behave: Behaviour,
  { elsewhere, endpoint, agent: more, ...options }: AgentSetting = {},
): Promise<HostedPair> => {
  const agent = await SdkAgent.start(behave, elsewhere);
  const model = answeredBy(agent.url, endpoint);
  return { agent, core: await CoreUnderTest.start([], { ...options, agent: { model, ...more } }) };
};

export const stopHosted = async ({ core, agent }: HostedPair): Promise<void> => {
  await core.dispose();
  await agent.stop();
};

/** The text that was shown while the answer to a message was written. */
export const streamedTo = ({ core }: Pick<HostedPair, "core">, messageId: string): string =>
  core.signals.items
    .map((signal) => (signal.type === "delta" && signal.correlationId === messageId ? signal.text : ""))
    .join("");
