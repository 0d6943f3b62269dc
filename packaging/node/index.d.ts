/** A call as the mock's journal has it. */
export interface JournalEntry {
  id: number;
  at: string;
  method: string;
  path: string;
  query: string | null;
  body: unknown;
  status: number;
  response: unknown;
  notices?: { code: string; sentence: string }[];
  [further: string]: unknown;
}

/** One of the effects in docs/testing.md, such as `{ status: 503 }` or `{ close: "after" }`. */
export type Effect = Record<string, unknown>;

/** Which calls a fault hits: all of the account where nothing is said. */
export interface FaultConditions {
  operation?: string;
  method?: string;
  path?: string;
  match?: Record<string, unknown>;
  times?: number;
  after?: number;
  probability?: number;
}

/** Which calls of the journal are meant. `path` may have `*`. */
export interface CallConditions {
  method?: string;
  path?: string;
  status?: number | string;
  body?: string;
  since?: number | string;
  limit?: number;
}

/** What `POST /_mock/tenants` takes. */
export interface AccountOptions {
  name?: string;
  portal_domain?: string;
  sandbox?: boolean;
  suspended?: boolean;
  rate_limit?: boolean;
  rate_limits?: { strict?: number; default?: number; window?: number };
  default_endpoint_limit?: number;
  account_endpoint_limit?: number;
  scenario?: "clean" | "warnings" | "critical";
  like?: string;
  fixtures?: unknown;
  expires_in?: number;
}

/** The time of one account. */
export interface Clock {
  now(): Promise<string>;
  /** What was due by then has happened when this is answered. */
  advance(seconds: number): Promise<string>;
  set(timestamp: string): Promise<string>;
}

/** A running server. */
export class Mock {
  readonly baseUrl: string;
  readonly adminUrl: string;
  /** The server of `secmon-mock exec`, else one that is started on a free port of this computer. */
  static start(options?: { args?: string[]; program?: string }): Promise<Mock>;
  stop(): Promise<void>;
  account(options?: AccountOptions): Promise<Account>;
  admin(method: string, path: string, body?: unknown): Promise<any>;
}

/** An account of its own for one test: `baseUrl` and `apiKey` are what the program under test needs. */
export class Account {
  readonly mock: Mock;
  readonly name: string;
  readonly apiKey: string;
  readonly portalDomain: string;
  readonly baseUrl: string;
  readonly clock: Clock;
  /** Makes the next matching call fail; a fault that cannot hit anything is an error. */
  fault(effect: Effect, conditions?: FaultConditions): Promise<number>;
  requests(conditions?: CallConditions): Promise<JournalEntry[]>;
  /** Waits until so many calls have come, for `timeout` seconds at the most; an error if they do not. */
  waitFor(conditions?: CallConditions & { count?: number; timeout?: number }): Promise<JournalEntry[]>;
  notices(): Promise<string[]>;
  remove(): Promise<void>;
}
