import { describe, expect, it } from "vitest";
import { renderServerConfig } from "./server-config.ts";

const KEY = `U${"A".repeat(55)}`;

describe("renderServerConfig", () => {
  it("writes what the server reads", () => {
    const text = renderServerConfig({
      host: "127.0.0.1",
      port: 4222,
      storeDir: 'a "quoted" directory',
      maxFileStore: 1_000,
      httpPort: 8222,
      users: [{ identity: "cfo", publicKey: KEY }],
      roles: [],
    });
    expect(text).toBe(`listen: "127.0.0.1:4222"
max_payload: 1048576
http: "127.0.0.1:8222"
jetstream {
  store_dir: "a \\"quoted\\" directory"
  max_file_store: 1000
}
authorization {
  users: [
    # cfo
    {
      nkey: ${KEY}
      permissions: {
        publish: { allow: ["firm.from.executive.cfo.>", "$JS.API.CONSUMER.INFO.FIRM_WORK.executive_cfo", "$JS.API.CONSUMER.MSG.NEXT.FIRM_WORK.executive_cfo", "$JS.ACK.FIRM_WORK.executive_cfo.>"] }
        subscribe: { allow: ["_INBOX_executive_cfo.>", "firm.to.executive.cfo.>", "firm.stop.*", "$SRV.>"] }
        allow_responses: { max: 1, expires: "1h" }
      }
    }
  ]
}
`);
  });

  it("refuses a key that is none, a seed above all", () => {
    const users = [{ identity: "cfo", publicKey: `SU${"A".repeat(56)}` }] as const;
    expect(() => renderServerConfig({ host: "h", port: 1, storeDir: "s", users, roles: [] })).toThrow(
      expect.objectContaining({ code: "invalid-config" }),
    );
  });
});
