// Bytes as text, five characters for four bytes (https://rfc.zeromq.org/spec/32/): a fourth more, where base64 is a
// third more. The text needs no escapes in quotes.

export const alphabet =
  "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/** Bytes as text; zeros complete the last four. */
export function toZ85(bytes: Uint8Array): string {
  const view = new DataView(new ArrayBuffer(Math.ceil(bytes.length / 4) * 4));
  new Uint8Array(view.buffer).set(bytes);
  const groups: string[] = [];
  for (let at = 0; at < view.byteLength; at += 4) {
    let word = view.getUint32(at);
    let group = "";
    for (let digit = 0; digit < 5; digit++) {
      group = alphabet[word % 85] + group;
      word = Math.floor(word / 85);
    }
    groups.push(group);
  }
  return groups.join("");
}
