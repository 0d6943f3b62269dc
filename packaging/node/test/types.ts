// Compiles against index.d.ts, and is never run.
import { Account, Mock } from "secmon-mock";

export async function calls(): Promise<number> {
  const mock: Mock = await Mock.start({ args: ["--seed", "1"] });
  const account: Account = await mock.account({ scenario: "clean", rate_limits: { strict: 5 } });
  const id: number = await account.fault({ close: "after" }, { operation: "provision_endpoint", times: 2 });
  const now: string = await account.clock.advance(2);
  const seen = await account.waitFor({ method: "POST", path: "*/provision", count: 2, timeout: 5 });
  // @ts-expect-error there is no such scenario
  await mock.account({ scenario: "sunny" });
  await mock.stop();
  return id + now.length + seen[0].status;
}
