import { createHash, timingSafeEqual } from "node:crypto";

const HEADER = "x-telegram-bot-api-secret-token";

/** Telegram sends the secret of `setWebhook` with each request. Compares digests, so that the time shows nothing. */
export const isFromTelegram = (headers: Readonly<Record<string, string | undefined>>, secret: string): boolean => {
  const given = headers[HEADER];
  return given !== undefined && timingSafeEqual(digestOf(given), digestOf(secret));
};

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();
