// Pure: how large an envelope may be; agents and strangers write them, so every size has an end. Bytes are of UTF-8.

export const ENVELOPE_LIMITS = {
  /** A whole text given to the reader. */
  textBytes: 4 * 1024 * 1024,
  /** The question of an INVOKE. */
  questionBytes: 32 * 1024,
  /** The text of an ASSUMPTION, of a BLOCKED's reason, and of the assumption used instead. */
  assumptionBytes: 4 * 1024,
  /** From `[RESPONSE:` to the end of its closing tag. */
  responseBytes: 64 * 1024,
  /** A key finding, a data point, a caveat. */
  lineBytes: 4 * 1024,
  /** Roles in a CHAIN. */
  chainRoles: 16,
  /** A word that was asked for and is in a BLOCKED, in characters. */
  blockedRole: 64,
  /** Envelopes, quoted ones and errors included, in one text. */
  envelopes: 128,
} as const;

/** Bytes of a text in UTF-8; a lone surrogate counts 3, as its replacement would. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(at + 1))) {
      bytes += 4;
      at += 1;
    } else bytes += 3;
  }
  return bytes;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
