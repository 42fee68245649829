import { z } from "zod";

const Envelope = z.looseObject({
  channelId: z.literal("msteams"),
  serviceUrl: z.string(),
  conversation: z.looseObject({ tenantId: z.string().nullish() }).nullish(),
  channelData: z.looseObject({ tenant: z.looseObject({ id: z.string() }).nullish() }).nullish(),
});

export const readBody = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
};

/**
 * Whether an activity is what its token speaks for: from Teams, from that very service address, and of our tenant.
 * The token says nothing about the tenant, so an activity that names none is not taken.
 */
export const isOurs = (json: unknown, { serviceUrl, tenantId }: { serviceUrl: string; tenantId: string }): boolean => {
  const envelope = Envelope.safeParse(json);
  if (!envelope.success || envelope.data.serviceUrl !== serviceUrl) return false;
  const { channelData, conversation } = envelope.data;
  const named = [channelData?.tenant?.id, conversation?.tenantId].filter((id) => id != null);
  return named.length > 0 && named.every((id) => id.toLowerCase() === tenantId.toLowerCase());
};
