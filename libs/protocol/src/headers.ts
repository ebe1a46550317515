// Pure: the headers of Firm's messages (DESIGN "Subjects (v1)").

export const HEADERS = {
  run: "Firm-Run",
  /** The chain for people to read; the token is what counts. */
  chain: "Firm-Chain",
  token: "Firm-Token",
  /** Absolute, epoch ms. */
  deadline: "Firm-Deadline",
  attempt: "Firm-Attempt",
  traceparent: "traceparent",
  msgId: "Nats-Msg-Id",
  expectedLastSubjectSequence: "Nats-Expected-Last-Subject-Sequence",
  error: "Nats-Service-Error",
  errorCode: "Nats-Service-Error-Code",
  /** Our own stable error name beside NATS's number. */
  errorName: "Firm-Error",
  /** Why a message is in the dead letter queue. */
  deadLetterReason: "Firm-Dlq-Reason",
} as const;
