import type { Rail as RailName } from '@sluice/payments';

/** What the rail itself can do; what may happen after an unclear outcome follows from it. */
export interface RailCapabilities {
  /** a repeated order with the same key has no second effect */
  readonly recognisesKeys: boolean;
  /** tells by the key whether an order was executed; its "unknown" is final */
  readonly answersStatus: boolean;
  /** an executed order is money that has arrived; otherwise the rail reports settlement or return later */
  readonly finalOnExecution: boolean;
}

/** One order as the rail gets it. The key is the same on every attempt. */
export interface RailOrder {
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What came back, as far as it could be read. */
export interface RailAnswer {
  readonly httpStatus: number;
  /** `status` of a success, `code` of a refusal; empty when the answer has neither */
  readonly word: string;
  readonly reference?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The call ended without an answer. The code says how. */
export interface NoAnswer {
  readonly failure: string;
}

/** The way to one rail. Nothing here is thrown: whatever happens to a call is an answer or the lack of one. */
export interface Rail {
  readonly name: RailName;
  readonly capabilities: RailCapabilities;
  readonly send: (order: RailOrder, signal: AbortSignal) => Promise<RailAnswer | NoAnswer>;
  /** asks by the key; there only if the rail answers status queries */
  readonly status?: (key: string, signal: AbortSignal) => Promise<RailAnswer | NoAnswer>;
}
