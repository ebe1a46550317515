export function checkResponse(_text: string, _role: string): string[] {
  return [];
}
export function readEnvelopes(_text: string): {
  envelopes: { envelope: { type: "invoke"; role: string; question: string } | { type: "other" } }[];
  problems: Error[];
} {
  return { envelopes: [], problems: [] };
}
