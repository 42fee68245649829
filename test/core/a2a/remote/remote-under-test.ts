import type { RemotePeer } from "../../../../core/a2a/config.ts";
import { type PeerCall, readCall } from "../../../../core/a2a/record/peer-call.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { type Behaviour, SdkAgent, type SdkAgentOptions } from "../../../fakes/a2a/sdk-agent.ts";
import type { Script } from "../../../fakes/scripted-model.ts";
import { AGENT, type CoreUnderTest, type TestOptions } from "../../core-under-test.ts";
import { startDelegating } from "../../subtasks/delegating.ts";
import { ASYNC } from "../peers-under-test.ts";

export const REMOTE = "ships";

export interface RemoteSetting extends TestOptions {
  readonly remoteAgent?: SdkAgentOptions;
  readonly peer?: Partial<RemotePeer>;
  /** Base address of our webhooks. */
  readonly publicUrl?: string;
}

export interface RemotePair {
  readonly core: CoreUnderTest;
  readonly remote: SdkAgent;
}

/** A core with one remote peer. */
export const startRemote = async (
  script: Script,
  behave: Behaviour,
  { remoteAgent, peer, publicUrl, ...options }: RemoteSetting = {},
): Promise<RemotePair> => {
  const remote = await SdkAgent.start(behave, remoteAgent);
  return { remote, core: await startDelegating(script, { ...withRemote(remote, peer, publicUrl), ...options }) };
};

/** Options of a core with the remote peer, also for a restart. */
export const withRemote = ({ url }: SdkAgent, peer: Partial<RemotePeer> = {}, publicUrl = "https://chat.example") => ({
  tenants: ASYNC,
  agent: { peers: [REMOTE] },
  remote: { peers: [{ name: REMOTE, tenant: "default", url, ...peer }], publicUrl },
});

export const stopRemote = async ({ core, remote }: RemotePair): Promise<void> => {
  await core.dispose();
  await remote.stop();
};

export const to = (message: string, msg_type: string) => ({ agent: REMOTE, message, msg_type });

/** The task id of a question in a prompt. */
export const taskIn = (text: string): string | undefined =>
  /task "(call-[0-9a-f]{12})"/.exec(text.replaceAll('\\"', '"'))?.[1];

/** The id of the first message is the id of its call. */
export const callOf = async ({ core, remote }: RemotePair): Promise<PeerCall | undefined> => {
  const id = remote.received[0]?.messageId ?? "";
  return readCall(core.backbone.store, { tenant: "default", agent: AGENT, id });
};

let hints = 0;

/** Publishes the hint that the gateway publishes for a push notification. */
export const hint = async ({ core, remote }: RemotePair, id = remote.received[0]?.messageId ?? ""): Promise<void> => {
  const address = { tenant: "default", agent: AGENT, id };
  const subject = subjectsOf("default").peerEvent(AGENT);
  await core.backbone.bus.publish(subject, address, { id: `hint-${++hints}`, key: id });
};
