import type { Delivery } from "../../../../admin-api/index.ts";
import { conversationText, StateMark, type Tone } from "../../parts/row.tsx";
import { ClockTime } from "../../parts/when.tsx";
import { addressOf, Link } from "../../route.tsx";
import { describeFailure } from "./describe-failure.ts";

const STATES: Readonly<Record<Delivery["state"], readonly [Tone, string]>> = {
  accepted: ["good", "delivered"],
  logged: ["good", "shown"],
  published: ["good", "handed to the channel"],
  claimed: ["busy", "being sent"],
  begun: ["busy", "streaming"],
  unknown: ["warn", "may have arrived"],
  failed: ["warn", "waiting for retry"],
  withdrawn: ["calm", "moved to a digest"],
  "given-up": ["bad", "failed"],
};

/** The deliveries of a reply, part by part, with the platform's message ids. */
export const Deliveries = ({ deliveries }: { deliveries: readonly Delivery[] }) =>
  deliveries.length === 0 ? (
    <p class="faint small">No delivery yet.</p>
  ) : (
    <ul class="steps" aria-label="Deliveries">
      {deliveries.map((delivery) => (
        <OneDelivery key={`${conversationText(delivery.conversation)}#${delivery.part}`} delivery={delivery} />
      ))}
    </ul>
  );

const OneDelivery = ({ delivery }: { delivery: Delivery }) => {
  const { conversation, part, at, state, messageId, reason, ref } = delivery;
  const [tone, word] = STATES[state];
  const refusal = reason === undefined ? undefined : describeFailure(reason);
  return (
    <li>
      <span>
        {conversationText(conversation)}
        {part > 0 && ` · part ${part + 1}`}
      </span>
      <StateMark tone={tone} text={refusal?.state ?? word} />
      <span class="faint small">
        {at !== undefined && <ClockTime at={at} />}
        {messageId !== undefined && (
          <>
            {" "}
            · platform id <code>{messageId}</code>
          </>
        )}
      </span>
      {refusal && <span class="small">{refusal.text}</span>}
      {ref !== undefined && (
        <Link to={addressOf("dead-letters", undefined, { channel: conversation.channel })}>Dead letters</Link>
      )}
    </li>
  );
};
